"""How much tensor cores can help a kernel that moves the same bytes.

Source of the un-overlapped model: "Can Tensor Cores Benefit Memory-Bound Kernels? (No!)", arXiv 2502.16851, with
the bound as it follows from the exact expression (the printed one grows with the machine balance). The form with
partial overlap is ours.
"""


def bound(ratio: float) -> float:
    """Return ``2 - 2/(1 + ratio)``: the supremum of the speed-up of a memory-bound kernel.

    Parameters
    ----------
    ratio
        Tensor-core peak over CUDA-core peak of one precision.
    """
    return 2.0 - 2.0 / (1.0 + ratio)


def speedup(ratio: float, memory_boundness: float, overlap: float = 0.0, other: float = 0.0) -> float:
    """Return the speed-up of a memory-bound kernel whose compute time shrinks by ``ratio``.

    Parameters
    ----------
    ratio
        Tensor-core peak over CUDA-core peak.
    memory_boundness
        T_mem / T_cmp, at least 1.
    overlap
        Overlap fraction in 0...1, the same before and after.
    other
        Time in which neither memory nor compute is busy, over T_cmp.

    Raises
    ------
    ValueError
        If ``memory_boundness`` is below 1: the model holds for memory-bound kernels only.
    """
    if memory_boundness < 1:
        raise ValueError("the kernel is not memory-bound: T_mem / T_cmp is below 1")
    exposed = 1.0 - overlap
    return 1.0 + exposed * (ratio - 1.0) / (exposed + ratio * (memory_boundness + other))


def most(total: float, t_mem: float, t_cmp: float, ratio: float, overlap_low: float = 0.0) -> float:
    """Return the largest speed-up that the busy times of a measured launch allow, memory-bound or not.

    The time saved is at most the exposed compute time times ``1 - 1/ratio``; what remains is at least the memory
    time and the shrunken compute time. For a memory-bound launch this is ``speedup`` at the lowest overlap.

    Parameters
    ----------
    total, t_mem, t_cmp
        Times in one unit.
    ratio
        Tensor-core peak over CUDA-core peak, at least 1.
    overlap_low
        Lower bound of the overlap fraction.
    """
    hidden = overlap_low * t_cmp if t_cmp <= t_mem else 0.0
    saved = (t_cmp - hidden) * (1.0 - 1.0 / ratio)
    return total / max(t_mem, t_cmp / ratio, total - saved)

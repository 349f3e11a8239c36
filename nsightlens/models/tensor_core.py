"""How much tensor cores can help a kernel that moves the same bytes.

Source: article 1, "Can Tensor Cores Benefit Memory-Bound Kernels? (No!)", arXiv 2502.16851, with the un-overlapped
bound as it follows from the exact expression (docs/corrections.md). The form with partial overlap is ours.

Symbols: ``tc_ratio`` is the article's alpha, tensor-core over CUDA-core peak of one precision; x = T_mem / T_cmp
is ``boundness``, y = T_oth / T_cmp ``other``, phi ``overlap``. All are without unit. All results assume that bytes and
other time stay the same.
"""

from nsightlens.errors import ModelError
from nsightlens.models.checks import not_negative, positive, shares
from nsightlens.models.roofline import memory_boundness

UNLIMITED = float("inf")
"""The ratio of tensor cores that take no time."""
_ROUNDING = 1e-9


def peak_ratio(tensor_flop_per_s: float, cuda_flop_per_s: float) -> float:
    """Return the peak of tensor cores over that of CUDA cores; both of one precision, or the result says little.

    Raises
    ------
    ModelError
        If a peak is not above 0.
    """
    positive(tensor_core_peak=tensor_flop_per_s, CUDA_core_peak=cuda_flop_per_s)
    return tensor_flop_per_s / cuda_flop_per_s


def fully_overlapped(tc_ratio: float, boundness: float, other: float = 0.0) -> float:
    """Return the speed-up if compute, memory and other time hide under the longest: T = max(T_cmp, T_mem, T_oth).

    It is 1 for a memory-bound kernel and a ratio of at least 1 / x, so also for slower tensor cores down to there
    (article 1).

    Raises
    ------
    ModelError
        If ``tc_ratio`` or ``boundness`` is not above 0, or ``other`` below 0.
    """
    positive(tc_ratio=tc_ratio, boundness=boundness)
    not_negative(other=other)
    return max(1.0, boundness, other) / max(1.0 / tc_ratio, boundness, other)


def unoverlapped(tc_ratio: float, boundness: float, other: float = 0.0) -> float:
    """Return the speed-up if nothing overlaps, 1 + (tc_ratio - 1) / (1 + tc_ratio (x + y)): T = T_cmp + T_mem + T_oth.

    With ``other`` 0 it is the bound over all other times: the most for a ratio above 1, the least (a slow-down) for
    one below 1. Holds for memory-bound and compute-bound kernels (article 1, corrected).

    Raises
    ------
    ModelError
        If ``tc_ratio`` or ``boundness`` is not above 0, or ``other`` below 0.
    """
    positive(tc_ratio=tc_ratio, boundness=boundness)
    not_negative(other=other)
    return _speedup(tc_ratio, boundness + other, 1.0)


def bound(tc_ratio: float) -> float:
    """Return 2 - 2 / (1 + tc_ratio): the least upper bound of the speed-up over memory-bound kernels, at x = 1.

    At x above 1 it is not reached. 2 for an unlimited ratio. For a ratio below 1 it is below 1, and tells the loss
    at x = 1 if nothing overlaps (article 1).

    Raises
    ------
    ModelError
        If ``tc_ratio`` is not above 0.
    """
    return unoverlapped(tc_ratio, 1.0)


def workload_bound(intensity_flop_per_byte: float, balance_flop_per_byte: float) -> float:
    """Return 1 + I / balance: the bound of a workload for any tensor core, however fast (article 1).

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    return unoverlapped(UNLIMITED, memory_boundness(balance_flop_per_byte, intensity_flop_per_byte))


def speedup(tc_ratio: float, boundness: float, overlap: float = 0.0, other: float = 0.0) -> float:
    """Return the speed-up of a memory-bound kernel with partial overlap (ours).

    1 + (1 - phi)(tc_ratio - 1) / ((1 - phi) + tc_ratio (x + y)). At phi = 0 it is ``unoverlapped``, at phi = 1 it is 1.

    Parameters
    ----------
    tc_ratio
        Tensor-core over CUDA-core peak.
    boundness
        x = T_mem / T_cmp, at least 1.
    overlap
        Overlap fraction phi in 0...1, the same before and after.
    other
        y: time in which neither memory nor compute is busy, over T_cmp.

    Raises
    ------
    ModelError
        If memory time is the shorter one before (x < 1) or after (tc_ratio x < 1), since phi is a part of the shorter
        one; or if an argument lies outside its range.
    """
    positive(tc_ratio=tc_ratio)
    shares(overlap=overlap)
    not_negative(other=other)
    if not boundness >= 1:
        raise ModelError(f"the kernel is not memory-bound: T_mem / T_cmp is {boundness:.9g}, below 1")
    if (after := tc_ratio * boundness) < 1:
        raise ModelError(f"on tensor cores the kernel is not memory-bound: their T_mem / T_cmp is {after:.9g}")
    return _speedup(tc_ratio, boundness + other, 1.0 - overlap)


def _speedup(tc_ratio: float, rest: float, exposed: float) -> float:
    """Return T before over T after; written with 1 / tc_ratio so that the ratio may be infinite."""
    return 1.0 + exposed * (1.0 - 1.0 / tc_ratio) / (exposed / tc_ratio + rest)


def most(total: float, t_mem: float, t_cmp: float, tc_ratio: float, overlap_low: float = 0.0) -> float:
    """Return the largest speed-up that the busy times of a measured launch allow, memory-bound or not.

    The time saved is at most ``1 - 1/tc_ratio`` times the compute time: the exposed part where memory time is the
    longer one, all of it where compute time is; what remains is at least the memory
    time and the shrunken compute time. For a memory-bound launch this is ``speedup`` at the lowest overlap.

    Parameters
    ----------
    total, t_mem, t_cmp
        Times in one unit.
    tc_ratio
        Tensor-core peak over CUDA-core peak, at least 1.
    overlap_low
        Lower bound of the overlap fraction.

    Raises
    ------
    ModelError
        If ``total`` or ``t_cmp`` is not above 0, ``t_mem`` is below 0, one of them exceeds ``total``, ``tc_ratio`` is
        below 1, or ``overlap_low`` lies outside 0...1.
    """
    positive(total=total, t_cmp=t_cmp)
    not_negative(t_mem=t_mem)
    shares(overlap=overlap_low)
    if not tc_ratio >= 1:
        raise ModelError(f"the ratio must be at least 1, not {tc_ratio:.9g}: slower tensor cores save no time")
    if max(t_mem, t_cmp) > total * (1 + _ROUNDING):
        raise ModelError(f"a busy time of {max(t_mem, t_cmp):.9g} exceeds the total of {total:.9g}")
    hidden = overlap_low * t_cmp if t_cmp <= t_mem else 0.0
    saved = (t_cmp - hidden) * (1.0 - 1.0 / tc_ratio)
    return total / max(t_mem, t_cmp / tc_ratio, total - saved)

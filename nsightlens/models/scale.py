"""SCALE (b = q a) on tensor cores: most of their work is multiplying by zero (article 1, arXiv 2502.16851).

The data stand in the m x k operand A, q times the unit matrix in the k x n operand B, so of n products an output
needs one. The article names m and n; the dimensions that matter are n and k, and for m8n8k4 the number is the same.
"""

from nsightlens.models import intensity
from nsightlens.models.checks import whole
from nsightlens.models.roofline import instruction_mix, machine_balance, memory_boundness
from nsightlens.models.tensor_core import peak_ratio, unoverlapped


def useful_fraction(n: int, k: int) -> float:
    """Return the useful part of the multiply-adds, min(n, k) / (n k) = 1 / max(n, k), in 0...1.

    Raises
    ------
    ModelError
        If a dimension is not a whole number from 1.
    """
    whole(n=n, k=k)
    return 1.0 / max(n, k)


def effective_ratio(tensor_flop_per_s: float, cuda_flop_per_s: float, n: int = 8, k: int = 4) -> float:
    """Return the useful peak of tensor cores over the peak of CUDA cores: the ``tc_ratio`` of SCALE, without unit.

    Counted in multiplications alone, both peaks halve, so the ratio is the same.

    Raises
    ------
    ModelError
        If a peak is not above 0.
    """
    return peak_ratio(tensor_flop_per_s * useful_fraction(n, k), cuda_flop_per_s)


def boundness(cuda_flop_per_s: float, bytes_per_s: float, element_bytes: int = 8, *, fma: bool = False) -> float:
    """Return x = T_mem / T_cmp of SCALE on CUDA cores: 2 D balance, halved because a multiplication fills an FMA slot.

    Parameters
    ----------
    cuda_flop_per_s, bytes_per_s
        Ceilings.
    element_bytes
        D, bytes an element.
    fma
        Leave the halving out, as article 1 does.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    x = memory_boundness(machine_balance(cuda_flop_per_s, bytes_per_s), intensity.scale(1, element_bytes).intensity)
    return x / instruction_mix(1.0 if fma else 0.0)


def worst_ratio(
    tensor_flop_per_s: float, cuda_flop_per_s: float, bytes_per_s: float, *, n: int = 8, k: int = 4, fma: bool = False
) -> float:
    """Return the speed of tensor cores over CUDA cores if nothing overlaps, for FP64: arithmetic explains no less.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    ratio = effective_ratio(tensor_flop_per_s, cuda_flop_per_s, n, k)
    return unoverlapped(ratio, boundness(cuda_flop_per_s, bytes_per_s, fma=fma))

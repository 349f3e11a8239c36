"""Stencils on tensor cores against CUDA cores: four regimes.

Source: article 2 (arXiv 2603.00477), corrected (docs/corrections.md). Its criterion, redundancy over useful fraction
below the ratio of peaks, holds in the second regime alone.

Symbols: |S| points, D bytes an element, B bandwidth, P_CC and P_TC peaks in FLOP/s, t_c and t_t fused steps;
``fusion_redundancy`` is the article's alpha (not ``tc_ratio``), ``useful`` its S: the part of the multiply-adds of the
matrix unit that the fused stencil needs.
"""

from typing import NamedTuple

from nsightlens.models.checks import positive, whole
from nsightlens.models.matrix_unit import inflation
from nsightlens.models.roofline import Side, attainable, machine_balance, side
from nsightlens.models.stencil import cost
from nsightlens.models.tensor_core import peak_ratio

REGIMES = {
    1: "both memory bound",
    2: "both compute bound",
    3: "CUDA cores compute bound, tensor cores memory bound",
    4: "CUDA cores memory bound, tensor cores compute bound",
}


class Rate(NamedTuple):
    """Cell updates (base steps) per second, the side of the ridge that limits them, and the roof of each side."""

    updates_per_s: float
    bound: Side
    memory_roof: float
    compute_roof: float


class Comparison(NamedTuple):
    """Rates on both units, their ratio, and the regime (a key of ``REGIMES``)."""

    cuda: Rate
    tensor: Rate
    speedup: float
    regime: int


def rate(
    peak_flop_per_s: float,
    bytes_per_s: float,
    taps: int,
    element_bytes: int,
    steps: int = 1,
    executed_over_needed: float = 1.0,
) -> Rate:
    """Return the most cell updates per second of one unit: 1 / max(2 |S| f / P, 2 D / (t B)).

    Parameters
    ----------
    peak_flop_per_s, bytes_per_s
        P and B.
    taps, element_bytes, steps
        |S|, D and t.
    executed_over_needed
        f: 1 for CUDA cores that do each step, ``inflation`` for a matrix unit. Multiply-adds per update over |S|.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    positive(peak_flop_per_s=peak_flop_per_s, executed_over_needed=executed_over_needed)
    whole(taps=taps, element_bytes=element_bytes, steps=steps)
    peak, needed = peak_flop_per_s / executed_over_needed, cost(taps, element_bytes, steps)
    per_byte, compute_roof = steps / needed.traffic_bytes, peak * steps / needed.flop
    bound = side(machine_balance(peak, bytes_per_s), needed.intensity)
    # The roofline with work counted in updates.
    return Rate(attainable(per_byte, compute_roof, bytes_per_s), bound, bytes_per_s * per_byte, compute_roof)


def compare(
    cuda_flop_per_s: float,
    tensor_flop_per_s: float,
    bytes_per_s: float,
    *,
    taps: int,
    element_bytes: int,
    fusion_redundancy: float,
    useful: float,
    cuda_steps: int = 1,
    tensor_steps: int = 1,
) -> Comparison:
    """Return the rates of both units on one stencil, and their regime.

    Parameters
    ----------
    cuda_flop_per_s, tensor_flop_per_s, bytes_per_s
        P_CC, P_TC (``sparse_peak`` for sparse units) and B.
    taps, element_bytes
        |S| and D.
    fusion_redundancy, useful
        Of the tensor-core version.
    cuda_steps, tensor_steps
        t_c and t_t.

    Raises
    ------
    ModelError
        If an argument lies outside its range.
    """
    peak_ratio(tensor_flop_per_s, cuda_flop_per_s)
    executed = inflation(fusion_redundancy, useful)
    cuda = rate(cuda_flop_per_s, bytes_per_s, taps, element_bytes, cuda_steps)
    tensor = rate(tensor_flop_per_s, bytes_per_s, taps, element_bytes, tensor_steps, executed)
    return Comparison(cuda, tensor, tensor.updates_per_s / cuda.updates_per_s, _regime(cuda.bound, tensor.bound))


def _regime(cuda: Side, tensor: Side) -> int:
    """Return the number of the regime; on the ridge either side gives the same speed-up, and memory is named."""
    if cuda == "compute":
        return 2 if tensor == "compute" else 3
    return 4 if tensor == "compute" else 1

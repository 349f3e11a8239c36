"""Stencils on tensor cores against CUDA cores: four regimes.

Source: article 2 (arXiv 2603.00477), corrected (docs/corrections.md). Its criterion, redundancy over useful fraction
below the ratio of peaks, holds in the second regime alone.

Symbols: |S| points, D bytes an element, B bandwidth, P_CC and P_TC peaks in FLOP/s, t_c and t_t fused steps;
``fusion_redundancy`` is the article's alpha (not ``tc_ratio``), ``useful`` its S: the part of the multiply-adds of the
matrix unit that the fused stencil needs.
"""

from typing import NamedTuple

from nsightlens.errors import ModelError
from nsightlens.models.checks import positive, shares, whole
from nsightlens.models.roofline import Side, attainable, side
from nsightlens.models.stencil import cost
from nsightlens.models.tensor_core import peak_ratio

REGIMES = {
    1: "both memory bound",
    2: "both compute bound",
    3: "CUDA cores compute bound, tensor cores memory bound",
    4: "CUDA cores memory bound, tensor cores compute bound",
}
SPARSE_DENSITY = 0.5
"""Largest part of non-zeros that the 2:4 pattern holds."""


class Rate(NamedTuple):
    """Cell updates (base steps) per second, and the side of the ridge that limits them."""

    updates_per_s: float
    bound: Side


class Comparison(NamedTuple):
    """Rates on both units, their ratio, and the regime (a key of ``REGIMES``)."""

    cuda: Rate
    tensor: Rate
    speedup: float
    regime: int


def useful_fraction(useful_macs: float, executed_macs: float) -> float:
    """Return the useful part of the multiply-adds that the matrix unit executes, in 0...1.

    Raises
    ------
    ModelError
        If a count is not above 0, or fewer multiply-adds are executed than needed.
    """
    positive(useful_macs=useful_macs, executed_macs=executed_macs)
    if executed_macs < useful_macs:
        raise ModelError(f"{executed_macs:.9g} multiply-adds do not hold {useful_macs:.9g} useful ones")
    return useful_macs / executed_macs


def physical_useful_fraction(useful: float) -> float:
    """Return min(1, 2 S): the useful part of what a sparse (2:4) unit does, which leaves half of the zeros out.

    Raises
    ------
    ModelError
        If ``useful`` lies outside 0...1.
    """
    shares(useful=useful)
    return min(1.0, useful / SPARSE_DENSITY)


def sparse_peak(dense_flop_per_s: float, useful: float) -> float:
    """Return the peak of the sparse (2:4) unit, 2 P_TC, in FLOP/s that count the zeros it leaves out.

    ``useful`` stays what it is with that peak.

    Raises
    ------
    ModelError
        If more than half is useful: the pattern does not hold it.
    """
    positive(dense_flop_per_s=dense_flop_per_s)
    shares(useful=useful)
    if useful > SPARSE_DENSITY:
        raise ModelError(f"the 2:4 pattern holds {SPARSE_DENSITY:g} of the places at most, not {useful:.9g}")
    return dense_flop_per_s / SPARSE_DENSITY


def inflation(fusion_redundancy: float, useful: float) -> float:
    """Return redundancy over useful fraction, at least 1: executed multiply-adds over those of single steps.

    Raises
    ------
    ModelError
        If ``fusion_redundancy`` is below 1, or ``useful`` not above 0 and at most 1.
    """
    if not fusion_redundancy >= 1:
        raise ModelError(f"fusion redundancy must be at least 1, not {fusion_redundancy:.9g}")
    positive(useful=useful)
    shares(useful=useful)
    return fusion_redundancy / useful


def wins_if_compute_bound(fusion_redundancy: float, useful: float, tc_ratio: float) -> bool:
    """Tell whether tensor cores win if both units are compute bound: the article's criterion, in its one regime.

    Raises
    ------
    ModelError
        If an argument lies outside its range.
    """
    positive(tc_ratio=tc_ratio)
    return inflation(fusion_redundancy, useful) < tc_ratio


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
        If an argument is not above 0, or fewer multiply-adds are executed than needed for t fused steps.
    """
    positive(peak_flop_per_s=peak_flop_per_s, executed_over_needed=executed_over_needed)
    whole(taps=taps, element_bytes=element_bytes, steps=steps)
    peak, needed = peak_flop_per_s / executed_over_needed, cost(taps, element_bytes, steps)
    flop_per_s = attainable(needed.intensity, peak, bytes_per_s)
    return Rate(flop_per_s * steps / needed.flop, side(peak / bytes_per_s, needed.intensity))


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

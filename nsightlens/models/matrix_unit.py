"""How much of a matrix unit's work serves a stencil (article 2, arXiv 2603.00477, corrected: docs/corrections.md).

``useful`` is the article's S, the part of the executed multiply-adds that the fused stencil needs;
``fusion_redundancy`` its alpha (not ``tc_ratio``).
"""

from nsightlens.errors import ModelError
from nsightlens.models.checks import positive, shares

SPARSE_DENSITY = 0.5
"""Largest part of non-zeros that the 2:4 pattern holds."""


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
    """Return redundancy over useful fraction: executed multiply-adds over those of single steps.

    Raises
    ------
    ModelError
        If ``fusion_redundancy`` is not above 0, or ``useful`` not above 0 and at most 1.
    """
    positive(fusion_redundancy=fusion_redundancy, useful=useful)
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

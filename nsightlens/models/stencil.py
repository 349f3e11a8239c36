"""Jacobi stencils with temporal blocking: intensity, fusion, and how deep it pays or fits.

Sources: article 1 (arXiv 2502.16851) and article 2 (arXiv 2603.00477), corrected (docs/corrections.md).

Symbols: |S| points, d dimensions, R radius, D bytes an element, t time steps per pass over device memory, B bandwidth.
"""

from math import ceil

from nsightlens.errors import ModelError
from nsightlens.models.checks import shares, whole
from nsightlens.models.intensity import Cost
from nsightlens.models.roofline import memory_boundness

_ROUNDING = 1e-9


def cost(taps: int, element_bytes: int, steps: int = 1) -> Cost:
    """Return the cost of one cell and t steps: 2 t |S| FLOP, 2 D bytes, so t |S| / D FLOP/byte.

    Assumes that a pass reads and writes each cell once: perfect reuse, no halo read again, stores that fetch nothing.

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1.
    """
    whole(taps=taps, element_bytes=element_bytes, steps=steps)
    return Cost(2 * steps * taps, 2 * element_bytes)


def fusion_redundancy(fused_taps: int, taps: int, steps: int) -> float:
    """Return |S_t| / (t |S|): work of the fused stencil over that of t single steps (article 2's alpha).

    Below 1 is possible where the points lie on a line (5/6 for two steps of three); there it is least, since the sum of
    t sets of |S| points has at least t (|S| - 1) + 1 (Freiman).

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1, or the fused stencil has fewer points than is possible.
    """
    whole(fused_taps=fused_taps, taps=taps, steps=steps)
    least = steps * (taps - 1) + 1
    if fused_taps < least:
        raise ModelError(f"{steps} fused steps of {taps} points have at least {least} points, not {fused_taps}")
    return fused_taps / (steps * taps)


def threshold(balance_flop_per_byte: float, base_intensity: float) -> float:
    """Return the steps at which the intensity reaches the balance, not rounded; more make the stencil compute bound.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    return memory_boundness(balance_flop_per_byte, base_intensity)


def least_steps(balance_flop_per_byte: float, base_intensity: float) -> int:
    """Return t_min, the smallest whole number of steps with t I >= balance; at equality the stencil is on the ridge.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    steps = threshold(balance_flop_per_byte, base_intensity)
    return max(1, ceil(steps * (1 - _ROUNDING)))


def halo_factor(width: int, radius: int, steps: int) -> float:
    """Return b / (b - 2 t R): cells read over cells kept, of overlapped tiles b wide along one dimension.

    Raises
    ------
    ModelError
        If nothing of the tile is kept, or an argument is not a whole number from 1.
    """
    whole(width=width, radius=radius, steps=steps)
    kept = width - 2 * steps * radius
    if kept < 1:
        raise ModelError(f"a tile {width} wide keeps no cell after {steps} steps of radius {radius}")
    return width / kept


def most_steps_halo(width: int, radius: int) -> int:
    """Return the most steps after which a tile b wide keeps a cell: floor((b - 1) / (2 R)); 0 if it never does.

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1.
    """
    whole(width=width, radius=radius)
    return (width - 1) // (2 * radius)


def most_steps_shared(shared_bytes: int, width: int, radius: int, dimensions: int, element_bytes: int) -> int:
    """Return the most steps whose levels fit into shared memory, floor(L / ((2 R + 1) b^(d-1) D)); 0 if none does.

    Every level keeps the 2 R + 1 rows or planes of the tile that the next one needs, streaming along one dimension.

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1.
    """
    whole(shared_bytes=shared_bytes, width=width, radius=radius, dimensions=dimensions, element_bytes=element_bytes)
    level = (2 * radius + 1) * int(width ** (dimensions - 1)) * element_bytes
    return shared_bytes // level


def least_traffic(element_bytes: int, *, radius: int = 1, layer_condition: bool = True, source_terms: int = 0) -> int:
    """Return the bytes per cell and pass from below a cache: 2 D, or (2 R + 2) D if it cannot hold 2 R + 1 rows (2D).

    Parameters
    ----------
    element_bytes
        D.
    radius
        R.
    layer_condition
        Whether the cache keeps the rows that a cell needs until they are no longer needed.
    source_terms
        Further arrays that are read, D bytes each.

    Raises
    ------
    ModelError
        If a number is negative or not whole.
    """
    whole(element_bytes=element_bytes, radius=radius)
    if source_terms < 0 or source_terms != source_terms // 1:
        raise ModelError(f"there are no {source_terms} source terms")
    arrays = 2 if layer_condition else 2 * radius + 2
    return (arrays + source_terms) * element_bytes


def missed_bytes(taps: int, element_bytes: int, hit_rate: float) -> float:
    """Return the bytes per cell that pass a cache, (|S| + 1) D (1 - hit rate): never below ``least_traffic``.

    Raises
    ------
    ModelError
        If ``hit_rate`` lies outside 0...1, or is higher than any cache can reach.
    """
    whole(taps=taps, element_bytes=element_bytes)
    shares(hit_rate=hit_rate)
    missed = (taps + 1) * element_bytes * (1 - hit_rate)
    least = least_traffic(element_bytes)
    if missed < least * (1 - _ROUNDING):
        raise ModelError(f"a hit rate of {hit_rate:.9g} leaves less than the {least} bytes that every cell must move")
    return missed

"""How many points a stencil has, once and after fusing time steps: closed forms, and a sum of sets for any shape.

Fusing t steps convolves the stencil with itself, so its points become the t-fold Minkowski sum. Weights that happen
to cancel are counted.
"""

from collections.abc import Collection
from math import comb

from nsightlens.errors import ModelError
from nsightlens.models.checks import whole

Points = frozenset[tuple[int, ...]]
"""Offsets of the points from the cell that is updated."""
LARGEST_FIELD = 2**22
"""Cells of the box around a fused set of points that are still summed."""


def box_points(dimensions: int, radius: int, steps: int = 1) -> int:
    """Return (2 R t + 1)^d, the points of a box after fusing.

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1.
    """
    whole(dimensions=dimensions, radius=radius, steps=steps)
    return int((2 * radius * steps + 1) ** dimensions)


def star_points(dimensions: int, radius: int, steps: int = 1) -> int:
    """Return the points of a star after fusing.

    A step moves along one axis by up to R, so a point is reached if its distances along the axes, in steps
    rounded up, sum to t at most: sum over k of C(d, k) C(t, k) (2 R)^k. For R = 1 this is the ball of radius t in
    the L1 norm.

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1.
    """
    whole(dimensions=dimensions, radius=radius, steps=steps)
    return sum(comb(dimensions, k) * comb(steps, k) * (2 * radius) ** k for k in range(dimensions + 1))


def summed_points(points: Collection[tuple[int, ...]], steps: int) -> int:
    """Return the points of the t-fold Minkowski sum of any set of points.

    Raises
    ------
    ModelError
        If ``points`` is empty or of mixed dimension, ``steps`` is not a whole number from 1, or the sum is too large.
    """
    whole(steps=steps)
    if len({len(point) for point in points}) != 1 or () in points:
        raise ModelError("the stencil has no points, or points of different dimensions")
    if not all(isinstance(x, int) for point in points for x in point):
        raise ModelError("the points of a stencil are whole numbers of cells away")
    axes = list(zip(*points, strict=True))
    widths = [steps * (max(axis) - min(axis)) + 1 for axis in axes]
    shifts = [_place([x - min(axis) for x, axis in zip(p, axes, strict=True)], widths) for p in set(points)]
    if _place([width - 1 for width in widths], widths) >= LARGEST_FIELD:
        raise ModelError(f"{steps} fused steps of this set of points are too many to sum")
    cells = 1  # one bit a cell
    for _ in range(steps):
        before, cells = cells, 0
        for shift in shifts:
            cells |= before << shift
    return cells.bit_count()


def _place(point: list[int], widths: list[int]) -> int:
    """Return the number of a cell in a field of these widths."""
    number = 0
    for x, width in zip(point, widths, strict=True):
        number = number * width + x
    return number

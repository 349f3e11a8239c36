"""Named stencils (``data/stencils.toml``), and stencils given by shape and radius."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from nsightlens.data import table
from nsightlens.errors import ModelError
from nsightlens.models.checks import whole
from nsightlens.models.stencil_points import Points, box_points, star_points, summed_points

Shape = Literal["star", "box", "points"]


@dataclass(frozen=True, slots=True)
class Stencil:
    """A stencil of one grid (Jacobi).

    Attributes
    ----------
    name
        As in the catalogue, or made of shape, dimensions and radius.
    shape
        ``star`` (points on the axes), ``box`` (all points within the radius) or ``points`` (any other set).
    dimensions
        1 to 3 in the catalogue.
    radius
        Largest distance from the cell along an axis, in cells.
    points
        Offsets of the points, for the shape ``points``.
    ebisu_steps
        Precision (``fp64``, ``fp32``) to time steps a tile in EBISU's published configuration.
    also
        Other names.
    """

    name: str
    shape: Shape
    dimensions: int
    radius: int
    points: Points = frozenset()
    ebisu_steps: tuple[tuple[str, int], ...] = ()
    also: str = ""

    @property
    def taps(self) -> int:
        """Number of points, |S|."""
        return self.fused_taps(1)

    @property
    def flop(self) -> int:
        """Work per cell and step in FLOP, a multiply-add for each point; equal weights can need less."""
        return 2 * self.taps

    def fused_taps(self, steps: int) -> int:
        """Return the number of points after fusing time steps.

        Raises
        ------
        ModelError
            If ``steps`` is not a whole number from 1, or too large for an arbitrary set of points.
        """
        if self.shape == "points":
            return summed_points(self.points, steps)
        count = box_points if self.shape == "box" else star_points
        return count(self.dimensions, self.radius, steps)


def names() -> tuple[str, ...]:
    """Return the names in the catalogue."""
    return tuple(table("stencils"))


@cache
def stencil(name: str) -> Stencil:
    """Return a stencil of the catalogue.

    Raises
    ------
    ModelError
        If there is none of that name.
    """
    entry = table("stencils").get(name.lower())
    if entry is None:
        raise ModelError(f"no such stencil: {name}", remedy=f"known are: {', '.join(names())}")
    steps = tuple(entry.get("ebisu_steps", {}).items())
    also = entry.get("also", "")
    if "planes" in entry:
        return _of_planes(name.lower(), entry["planes"], steps, also)
    return Stencil(name.lower(), entry["shape"], entry["dimensions"], entry["radius"], ebisu_steps=steps, also=also)


def regular(shape: Literal["star", "box"], dimensions: int, radius: int) -> Stencil:
    """Return a star or box that need not be in the catalogue, named like ``box-2d3r``.

    Raises
    ------
    ModelError
        If the shape is another one, or a number is not a whole number from 1.
    """
    if shape not in {"star", "box"}:
        raise ModelError(f"no such shape: {shape}", remedy="star or box")
    whole(dimensions=dimensions, radius=radius)
    return Stencil(f"{shape}-{dimensions}d{radius}r", shape, dimensions, radius)


def of_points(name: str, points: Points) -> Stencil:
    """Return a stencil of any points.

    Raises
    ------
    ModelError
        If there are no points, or points of different dimensions.
    """
    summed_points(points, 1)
    return Stencil(name, "points", len(next(iter(points))), max(abs(x) for point in points for x in point), points)


def _of_planes(name: str, planes: list[list[str]], steps: tuple[tuple[str, int], ...], also: str) -> Stencil:
    middle = len(planes) // 2
    points: set[Any] = {
        (z - middle, y - middle, x - middle)
        for z, plane in enumerate(planes)
        for y, row in enumerate(plane)
        for x, mark in enumerate(row)
        if mark == "x"
    }
    plain = of_points(name, frozenset(points))
    return Stencil(name, "points", plain.dimensions, plain.radius, plain.points, steps, also)

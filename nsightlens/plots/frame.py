"""Axes of a roofline: limits, ticks and grid."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from nsightlens.plots.roofs import Roofs
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import GRID, INK
from nsightlens.units import si

Range = tuple[float, float]
Points = npt.NDArray[np.float64]
MOST_TICKS = 9
BAND_LIMIT = 0.6  # share of the width that the roofs' labels may take


def limits(spots: Sequence[Spot], roofs: Sequence[Roofs]) -> tuple[Range, Range]:
    """Return the ranges of intensity and performance that show every launch, ridge and roof."""
    ridges = [ridge for one in roofs for ridge in one.ridges()]
    tops = [flat.ceiling.value for one in roofs for flat in one.flat]
    across = [spot.x for spot in spots] + [place.x for spot in spots for place in spot.echoes if place.x]
    low = min([x / 3 for x in across] + [ridge / 30 for ridge in ridges])
    high = max([x * 3 for x in across] + [ridge * 5 for ridge in ridges])
    starts = [slant.ceiling.value * low for one in roofs for slant in one.slants]
    bottom = min([spot.y / 2 for spot in spots] + starts)
    return (low, high), (bottom, 2 * max([spot.y for spot in spots] + tops))


def set_frame(axes: Axes, x: Range, y: Range, band: float, names: tuple[str, str]) -> None:
    """Set logarithmic axes and keep ``band`` pixels free on the right for the labels of the roofs.

    ``names`` are what intensity is called, and the unit of performance.
    """
    band = min(band, BAND_LIMIT * axes.bbox.width)
    stretch = axes.bbox.width / (axes.bbox.width - band)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(x[0], x[0] * (x[1] / x[0]) ** stretch)
    axes.set_ylim(*y)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: si(value, names[1], 1)))
    for axis, span in ((axes.xaxis, x), (axes.yaxis, y)):
        axis.set_major_locator(FixedLocator(decades(*span)))
        axis.set_minor_locator(FixedLocator(between_decades(*span)))
        axis.set_minor_formatter(NullFormatter())
    _decorate(axes, x, names[0])


def _decorate(axes: Axes, x: Range, name: str) -> None:
    middle = math.log(x[1] / x[0]) / math.log(axes.get_xlim()[1] / x[0]) / 2
    axes.set_xlabel(name, x=middle, fontsize=8, color=INK)
    axes.set_ylabel("Performance", fontsize=8, color=INK)
    axes.tick_params(labelsize=7.5, color=INK, labelcolor=INK, length=3)
    axes.tick_params(which="minor", color=INK, length=1.5, width=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines["bottom"].set_bounds(*x)
    axes.vlines(axes.get_xticks(), *axes.get_ylim(), colors=GRID, linewidths=0.5, zorder=0)
    axes.hlines(axes.get_yticks(), *x, colors=GRID, linewidths=0.5, zorder=0)


def decades(low: float, high: float) -> list[float]:
    """Return the powers of ten in a range, thinned to a readable number."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / MOST_TICKS))
    return [float(10.0**power) for power in range(first, last + 1, step)]


def between_decades(low: float, high: float) -> list[float]:
    """Return twice to nine times the powers of ten in a range, unless they would stand too close."""
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    if last - first >= MOST_TICKS:
        return []
    steps = (step * 10.0**power for power in range(first, last + 1) for step in range(2, 10))
    return [step for step in steps if low <= step <= high]


def plain(value: float) -> str:
    """Return a power of ten as people write it."""
    text = f"{value:g}"
    mantissa, e, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if e else text


def from_pixels(axes: Axes, points: npt.ArrayLike) -> Points:
    """Return pixels (n, 2) as data coordinates (n, 2)."""
    return np.asarray(axes.transData.inverted().transform(np.asarray(points, float).reshape(-1, 2)))


def to_pixels(axes: Axes, points: npt.ArrayLike) -> Points:
    """Return data coordinates (n, 2) as pixels (n, 2)."""
    return np.asarray(axes.transData.transform(np.asarray(points, float).reshape(-1, 2)))

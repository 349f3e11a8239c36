"""Draws the launches and the key of their markers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D

from nsightlens.analysis.names import LEVEL_NAMES
from nsightlens.plots.frame import to_pixels
from nsightlens.plots.geometry import Rows
from nsightlens.plots.roofs import Roofs
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import (
    BOUNDS,
    FAINT,
    GPU_FILLS,
    INK,
    KEY_SIZE,
    UNKNOWN_GPU,
    bound_of,
    drawable,
    marker_size,
    pixels,
)
from nsightlens.units import seconds

GPU_LIMIT = 40
KEY_MARKER = 5.5
RING = 1.4
ECHO = 4.5
LEVEL_MARKS = {"dram": "+", "l2": "x", "l1": "|"}
OPACITY = 0.65  # markers on one spot show through each other


def draw_markers(axes: Axes, spots: Sequence[Spot], roofs: Sequence[Roofs]) -> None:
    """Draw one marker per launch, the slowest first, so that no small one hides under it."""
    fills = dict(zip((one.gpu for one in roofs), GPU_FILLS, strict=False))
    for spot in spots:
        launch = spot.launch
        colour, shape, _ = BOUNDS[bound_of(launch)]
        marker = _marker(colour, shape, marker_size(launch, longest(spots)), fills.get(launch.gpu or "", GPU_FILLS[-1]))
        marker.set(zorder=4)
        if is_hottest(spot, spots):
            marker.set(markeredgecolor=INK, markeredgewidth=RING, zorder=5)
        marker.set(xdata=[spot.x], ydata=[spot.y], gid=f"launch-{launch.report}-{launch.launch}")
        axes.add_line(marker)


def draw_echoes(axes: Axes, spots: Sequence[Spot]) -> None:
    """Mark launches at their other memory levels, joined by a line: the same performance at other intensities."""
    for spot in spots:
        across = [spot.x, *(place.x for place in spot.echoes if place.x)]
        if len(across) == 1:
            continue
        colour, launch = BOUNDS[bound_of(spot.launch)][0], spot.launch
        name = f"{launch.report}-{launch.launch}"
        axes.plot([min(across), max(across)], [spot.y] * 2, color=colour, linewidth=0.6, alpha=0.6, zorder=3)
        for place in spot.echoes:
            mark = _echo(place.level, colour)
            mark.set(xdata=[place.x], ydata=[place.y], zorder=4, gid=f"echo-{name}-{place.level}")
            axes.add_line(mark)


def _echo(level: str, colour: str, label: str = "") -> Line2D:
    look: dict[str, Any] = {"linestyle": "", "markersize": ECHO, "markeredgewidth": 0.9, "color": colour}
    return Line2D([], [], marker=LEVEL_MARKS[level], label=label, **look)


def echo_boxes(axes: Axes, spots: Sequence[Spot]) -> Rows:
    """Return the boxes of the marks at other levels in pixels (n, 4)."""
    centres = to_pixels(axes, [(place.x or 0.0, place.y or 0.0) for spot in spots for place in spot.echoes])
    half = ECHO * pixels(axes) / 2
    return np.hstack([centres - half, centres + half])


def _marker(colour: str, shape: str, size: float, fill: str, label: str = "") -> Line2D:
    look: dict[str, Any] = {
        "linestyle": "",
        "marker": shape,
        "markersize": size,
        "fillstyle": fill,
        "markerfacecolor": to_rgba(colour, OPACITY),
        "markerfacecoloralt": "white",
        "markeredgecolor": colour,
        "markeredgewidth": 0.7,
    }
    return Line2D([], [], label=label, **look)


def marker_boxes(axes: Axes, spots: Sequence[Spot], longest_s: float) -> Rows:
    """Return the boxes of the markers in pixels (n, 4)."""
    centres = to_pixels(axes, [(spot.x, spot.y) for spot in spots])
    sizes = np.asarray([marker_size(spot.launch, longest_s) for spot in spots])
    half = sizes[:, None] * pixels(axes) / 2
    return np.hstack([centres - half, centres + half])


def longest(spots: Sequence[Spot]) -> float:
    """Return the time of the slowest launch in seconds."""
    return spots[0].launch.time_s or 0.0


def is_hottest(spot: Spot, spots: Sequence[Spot]) -> bool:
    """Tell whether a spot is the slowest of several."""
    return spot is spots[0] and len(spots) > 1 and longest(spots) > 0


def draw_key(axes: Axes, spots: Sequence[Spot], roofs: Sequence[Roofs]) -> None:
    """Write above the axes what the markers mean, and above that the name of the GPU if there is one."""
    entries = [_marker(*BOUNDS[key][:2], KEY_MARKER, "full", BOUNDS[key][2]) for key in _present(spots)]
    if len(roofs) > 1:
        names = (drawable(one.gpu or UNKNOWN_GPU, GPU_LIMIT) for one in roofs)
        entries += [_marker(FAINT, "o", KEY_MARKER, *pair) for pair in zip(GPU_FILLS, names, strict=False)]
    elif roofs and roofs[0].gpu:
        title = axes.set_title(drawable(roofs[0].gpu, GPU_LIMIT), loc="left", pad=17, fontsize=9, color=INK)
        title.set(parse_math=False, usetex=False)
    levels = {place.level for spot in spots for place in spot.echoes}
    entries += [_echo(level, FAINT, f"at {name}") for level, name in LEVEL_NAMES.items() if level in levels]
    if is_hottest(spots[0], spots):
        ring = _marker("white", "o", KEY_MARKER, "full", f"slowest launch, {seconds(longest(spots))}")
        ring.set(markeredgecolor=INK, markeredgewidth=RING)
        entries.append(ring)
    _legend(axes, entries)


def _present(spots: Sequence[Spot]) -> list[str]:
    found = {bound_of(spot.launch) for spot in spots}
    return [key for key in BOUNDS if key in found]


def _legend(axes: Axes, entries: Sequence[Line2D]) -> None:
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2, "borderpad": 0.1}
    look: dict[str, Any] = {
        "fontsize": KEY_SIZE,
        "labelcolor": INK,
        "frameon": False,
        "handletextpad": 0.1,
        "columnspacing": 1.2,
    }
    legend = axes.legend(handles=entries, ncols=len(entries), **place, **look)
    for text in legend.get_texts():
        text.set(parse_math=False, usetex=False)

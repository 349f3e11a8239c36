"""Draws the roofs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nsightlens.models.roofline import machine_balance
from nsightlens.plots.frame import Range, to_pixels
from nsightlens.plots.geometry import Rows
from nsightlens.plots.roofs import Roofs, Slant
from nsightlens.plots.style import GPU_COLOURS

USED: dict[str, Any] = {"linestyle": "-", "linewidth": 1.3}
TWIN: dict[str, Any] = {"linestyle": (0, (4, 2.5)), "linewidth": 0.9, "alpha": 0.65}
GID = "roof-"


def draw_roofs(axes: Axes, roofs: Sequence[Roofs], x: Range) -> None:
    """Draw the slanted roofs of memory levels and the flat compute roofs of every GPU."""
    for i, one in enumerate(roofs):
        look: dict[str, Any] = {"color": GPU_COLOURS[i], "zorder": 2}
        for slant in one.slants:
            ends = np.array([x[0], slant_end(one, slant, axes, x)])
            gid = f"{GID}{i}-{slant.level}"
            axes.plot(ends, slant.ceiling.value * ends, gid=gid, **look, **(USED if slant.used else TWIN))
        steepest = one.steepest()
        for flat in one.flat:
            value = flat.ceiling.value
            start = max(x[0], machine_balance(value, steepest)) if steepest else x[0]
            axes.plot(
                [start, x[1]], [value, value], gid=f"{GID}{i}-{flat.pipe}", **look, **(USED if flat.used else TWIN)
            )


def slant_end(one: Roofs, slant: Slant, axes: Axes, x: Range) -> float:
    """Return the intensity at which the roof of a level ends: at the highest flat roof or at the frame."""
    top = max([flat.ceiling.value for flat in one.flat], default=axes.get_ylim()[1])
    return min(top / slant.ceiling.value, x[1])


def roof_segments(axes: Axes) -> Rows:
    """Return the drawn roofs in pixels (n, 4)."""
    lines = [line for line in axes.get_lines() if str(line.get_gid()).startswith(GID)]
    drawn = [to_pixels(axes, line.get_xydata()).reshape(1, 4) for line in lines]
    return np.vstack([np.empty((0, 4)), *drawn])

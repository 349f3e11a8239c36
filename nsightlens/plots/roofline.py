"""The roofline figure: launches under the roofs of memory levels and the compute roofs of their GPU."""

import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from nsightlens.analysis.names import LEVEL_NAMES
from nsightlens.analysis.result import Analysis
from nsightlens.plots.callouts import Label
from nsightlens.plots.frame import Range, limits, set_frame
from nsightlens.plots.labelling import draw_labels
from nsightlens.plots.listing import draw_list
from nsightlens.plots.markers import draw_echoes, draw_key, draw_markers, echo_boxes, longest, marker_boxes
from nsightlens.plots.notes import about_launches, about_missing, draw_note
from nsightlens.plots.roof_labels import ROOF_PITCH, band_width, flat_labels, place_flat_labels, slant_labels
from nsightlens.plots.roof_lines import draw_roofs
from nsightlens.plots.roofs import Roofs, roofs_of
from nsightlens.plots.spots import Spot, is_placed, spots_of
from nsightlens.plots.style import GPU_COLOURS, pixels
from nsightlens.plots.view import LIMITING, View, view_of
from nsightlens.plots.wording import position


def plot_roofline(result: Analysis, ax: Axes, *, levels: str = LIMITING, instructions: bool | None = None) -> Axes:
    """Draw the launches of an analysis on the roofline of their GPU.

    Launches of one kernel in one place share a label. More than 12 labels are numbers with a list, which stands
    right of the axes, as the note stands below them: leave room there or save with ``bbox_inches="tight"``. Labels
    are placed for the size that the figure has now: set size, dpi and position of ``ax`` before, and use no layout
    engine that moves it afterwards. ``nsightlens.plots.saving.roofline_figure`` does all that.

    Parameters
    ----------
    result
        The analysis; launches without intensity or performance are counted in the note.
    ax
        Empty axes, at least about 3 inches wide.
    levels
        ``limiting``: each launch at the memory level whose roof is the lowest for it. ``dram``, ``l2`` or ``l1``: all
        at this level. ``all``: as ``limiting``, with marks at the other levels.
    instructions
        Count work in instructions of warps, not FLOP; if not given, where no launch did floating-point work.

    Returns
    -------
    Axes
        ``ax``; x is operational intensity in FLOP/byte, y performance in FLOP/s, or instructions in place of FLOP.

    Raises
    ------
    ReportError
        If no launch can be drawn; it carries the command that collects what is missing.
    """
    view = view_of(result, levels, instructions=instructions)
    spots, reasons = spots_of(result, view)
    roofs, hidden = _roofs(ax, spots, view)
    x = _draw_frame(ax, spots, roofs, view)
    draw_echoes(ax, spots)
    draw_markers(ax, spots, roofs)
    draw_key(ax, spots, roofs)
    labelled = draw_labels(ax, spots, _slants(ax, spots, roofs, x))
    if labelled.numbered:
        draw_list(ax, labelled.groups, spots)
    others = _about_others(result, view, sum(reasons.values()))
    draw_note(ax, about_launches(spots, labelled) + about_missing(reasons, hidden) + others)
    return ax


def _about_others(result: Analysis, view: View, missing: int) -> list[str]:
    """Say how launches without floating-point work can be drawn."""
    by_instructions = View(view.levels, True)
    others = sum(not is_placed(one, view) and is_placed(one, by_instructions) for one in result.launches)
    if view.instructions or not others:
        return []
    those = f"Of these {others}" if others < missing else "It" if others == 1 else "All of them"
    return [f"{those} can be drawn with --instructions."]


def _slants(axes: Axes, spots: Sequence[Spot], roofs: Sequence[Roofs], x: Range) -> list[Label]:
    marks = np.vstack([marker_boxes(axes, spots, longest(spots)), echo_boxes(axes, spots)])
    return slant_labels(axes, roofs, x, marks)


def _roofs(axes: Axes, spots: Sequence[Spot], view: View) -> tuple[list[Roofs], list[Roofs]]:
    """Return the roofs to draw and those that would be too many."""
    every = roofs_of(sorted(spots, key=lambda spot: position(spot.launch)), view)
    rows = itertools.accumulate(len(one.flat) for one in every)
    room = axes.bbox.height / pixels(axes) / ROOF_PITCH
    kept = min(len(GPU_COLOURS), max(1, sum(row <= room for row in rows)))
    return every[:kept], every[kept:]


def _draw_frame(axes: Axes, spots: Sequence[Spot], roofs: Sequence[Roofs], view: View) -> Range:
    x, y = limits(spots, roofs)
    labels = flat_labels(axes, roofs, view.unit)
    set_frame(axes, x, y, band_width(axes, labels), (_intensity(spots, view), view.unit))
    place_flat_labels(axes, labels, x[1])
    draw_roofs(axes, roofs, x)
    return x


def _intensity(spots: Sequence[Spot], view: View) -> str:
    """Return what the axis of intensity is called."""
    what = "Instruction intensity (warp instructions" if view.instructions else "Operational intensity (FLOP"
    shown = {spot.level for spot in spots}
    if any(spot.echoes for spot in spots):
        return f"{what}/byte of each memory level)"
    level = f"{LEVEL_NAMES[min(shown)]} traffic" if len(shown) == 1 else "the limiting memory level"
    return f"{what}/byte of {level})"

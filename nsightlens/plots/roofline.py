"""The roofline figure: launches under the DRAM roof and the compute roofs of their GPU."""

import itertools
from collections.abc import Sequence

from matplotlib.axes import Axes

from nsightlens.analysis.result import Analysis
from nsightlens.plots.frame import Range, limits, set_frame
from nsightlens.plots.labelling import draw_labels
from nsightlens.plots.listing import draw_list
from nsightlens.plots.markers import draw_key, draw_markers, longest, marker_boxes
from nsightlens.plots.notes import about_launches, about_missing, draw_note
from nsightlens.plots.roof_labels import ROOF_PITCH, band_width, dram_labels, flat_labels, place_flat_labels
from nsightlens.plots.roof_lines import draw_roofs
from nsightlens.plots.roofs import Roofs, roofs_of
from nsightlens.plots.spots import Spot, spots_of
from nsightlens.plots.style import GPU_COLOURS, pixels
from nsightlens.plots.wording import position


def plot_roofline(result: Analysis, ax: Axes) -> Axes:
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

    Returns
    -------
    Axes
        ``ax``; x is operational intensity in FLOP/byte of DRAM traffic, y performance in FLOP/s.

    Raises
    ------
    ReportError
        If no launch can be drawn; it carries the command that collects what is missing.
    """
    spots, reasons = spots_of(result)
    roofs, hidden = _roofs(ax, spots)
    x = _draw_frame(ax, spots, roofs)
    draw_markers(ax, spots, roofs)
    draw_key(ax, spots, roofs)
    labelled = draw_labels(ax, spots, dram_labels(ax, roofs, x, marker_boxes(ax, spots, longest(spots))))
    if labelled.numbered:
        draw_list(ax, labelled.groups, spots)
    draw_note(ax, about_launches(spots, labelled) + about_missing(reasons, hidden))
    return ax


def _roofs(axes: Axes, spots: Sequence[Spot]) -> tuple[list[Roofs], list[Roofs]]:
    """Return the roofs to draw and those that would be too many."""
    every = roofs_of(spot.launch for spot in sorted(spots, key=lambda spot: position(spot.launch)))
    rows = itertools.accumulate(len(one.flat) for one in every)
    room = axes.bbox.height / pixels(axes) / ROOF_PITCH
    kept = min(len(GPU_COLOURS), max(1, sum(row <= room for row in rows)))
    return every[:kept], every[kept:]


def _draw_frame(axes: Axes, spots: Sequence[Spot], roofs: Sequence[Roofs]) -> Range:
    x, y = limits(spots, roofs)
    labels = flat_labels(axes, roofs)
    set_frame(axes, x, y, band_width(axes, labels))
    place_flat_labels(axes, labels, x[1])
    draw_roofs(axes, roofs, x)
    return x

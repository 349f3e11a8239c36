"""The roofline figure: launches under the DRAM roof and the compute roofs of their GPU."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.plots.frame import Range, limits, set_frame, to_pixels
from nsightlens.plots.labels import clusters, named_label, numbered_label, position
from nsightlens.plots.launch_labels import Label, arrange, draw_label
from nsightlens.plots.listing import draw_list
from nsightlens.plots.markers import draw_key, draw_markers, is_hottest, longest, marker_boxes
from nsightlens.plots.notes import about_launches, about_missing, draw_note
from nsightlens.plots.placement import Placer
from nsightlens.plots.roof_labels import ROOF_PITCH, band_width, dram_labels, flat_labels, place_flat_labels
from nsightlens.plots.roof_lines import draw_roofs, roof_segments
from nsightlens.plots.roofs import Roofs, roofs_of
from nsightlens.plots.spots import Spot, spots_of
from nsightlens.plots.style import GPU_COLOURS, INK, LABEL_SIZE, marker_size, pixels

MOST_NAMED = 12
MOST_LABELLED = 60
RIGHT_IS_BETTER = 4.0
SAME_SPOT = 3.0  # points within which launches share a label

Wording = Callable[[Sequence[LaunchResult], bool], str]


def plot_roofline(result: Analysis, ax: Axes) -> Axes:
    """Draw the launches of an analysis on the roofline of their GPU.

    Labels are placed for the size that the figure has now: set size, dpi and position of ``ax`` before. More
    than 12 launches get numbers and a list, which stands right of the axes, as the note stands below them: leave
    room there or save with ``bbox_inches="tight"`` (``roofline_figure`` does all that).

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
    several = len({spot.launch.report for spot in spots}) > 1
    x = _draw_frame(ax, spots, roofs)
    draw_markers(ax, spots, roofs)
    draw_key(ax, spots, roofs)
    labelled = spots[:MOST_LABELLED]
    homeless = _draw_labels(ax, spots, roofs, x, several)
    if len(labelled) > MOST_NAMED:
        draw_list(ax, labelled, spots, several)
    draw_note(ax, about_launches(spots, len(labelled), homeless, several) + about_missing(reasons, hidden))
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


def _draw_labels(axes: Axes, spots: Sequence[Spot], roofs: Sequence[Roofs], x: Range, several: bool) -> list[Spot]:
    """Label the DRAM roofs and the slowest launches; return the launches for which no room was left."""
    wordings: list[Wording] = [numbered_label] if len(spots) > MOST_NAMED else [named_label, numbered_label]
    groups = _groups(axes, spots[:MOST_LABELLED])
    for wording in wordings:
        labels = dram_labels(axes, roofs, x, marker_boxes(axes, spots)) + [
            _label(axes, group, spots, wording, several) for group in groups
        ]
        boxes = arrange(axes, _placer(axes, spots, x), labels)
        if all(box is not None for box in boxes):
            break
    for label, box in zip(labels, boxes, strict=True):
        if box is not None:
            draw_label(axes, label, box)
    without = zip(groups, boxes[len(labels) - len(groups) :], strict=True)
    return [spot for group, box in without if box is None for spot in group]


def _groups(axes: Axes, spots: Sequence[Spot]) -> list[list[Spot]]:
    places = to_pixels(axes, [(spot.x, spot.y) for spot in spots])
    found = clusters([(x, y) for x, y in places], SAME_SPOT * pixels(axes))
    return [[spots[i] for i in group] for group in found]


def _placer(axes: Axes, spots: Sequence[Spot], x: Range) -> Placer:
    box = axes.bbox
    end = to_pixels(axes, [(x[1], axes.get_ylim()[0])])[0, 0]
    area = np.array([box.x0, box.y0, end, box.y1])
    return Placer(area, marker_boxes(axes, spots), roof_segments(axes), pixels(axes))


def _label(axes: Axes, group: Sequence[Spot], spots: Sequence[Spot], wording: Wording, several: bool) -> Label:
    first = group[0]
    ((x, y),) = to_pixels(axes, [(first.x, first.y)])
    gap = (marker_size(first.launch, longest(spots)) / 2 + 1) * pixels(axes)
    weight = "bold" if is_hottest(first, spots) else "normal"
    gid = f"label-{first.launch.report}-{first.launch.launch}"
    style: dict[str, Any] = {"fontsize": LABEL_SIZE, "color": INK, "weight": weight, "gid": gid}
    return Label(wording([spot.launch for spot in group], several), (x, y), gap, style, RIGHT_IS_BETTER)

"""Labels the launches: by name if there is room, else by number."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from nsightlens.analysis.result import LaunchResult
from nsightlens.plots.callouts import Label, arrange, draw_label
from nsightlens.plots.frame import to_pixels
from nsightlens.plots.geometry import Rows
from nsightlens.plots.markers import is_hottest, longest, marker_boxes
from nsightlens.plots.placement import Placer
from nsightlens.plots.roof_lines import roof_segments
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import INK, LABEL_SIZE, marker_size, pixels
from nsightlens.plots.wording import clusters, named_label, numbered_label, several_reports

Wording = Callable[[Sequence[LaunchResult], bool], str]

MOST_NAMED = 12
NAMED: tuple[Wording, ...] = (partial(named_label, limit=28), partial(named_label, limit=14))
RIGHT_IS_BETTER = 4.0
SAME_SPOT = 3.0  # points within which launches share a label


def draw_labels(
    axes: Axes, labelled: Sequence[Spot], spots: Sequence[Spot], others: Sequence[Label]
) -> tuple[bool, list[Spot]]:
    """Draw ``others`` and the labels of launches; return whether these are numbers, and which found no room."""
    groups = _groups(axes, labelled)
    wordings = (*(NAMED if len(spots) <= MOST_NAMED else ()), numbered_label)
    for wording in wordings:
        labels = [*others, *(_label(axes, group, spots, wording) for group in groups)]
        placer = _placer(axes, spots)
        boxes = arrange(axes, placer, labels)
        if placer.tidy and all(box is not None for box in boxes):
            break
    _draw(axes, labels, boxes)
    own = zip(groups, boxes[len(others) :], strict=True)
    return wording is numbered_label, [spot for group, box in own if box is None for spot in group]


def _draw(axes: Axes, labels: Sequence[Label], boxes: Sequence[Rows | None]) -> None:
    for label, box in zip(labels, boxes, strict=True):
        if box is not None:
            draw_label(axes, label, box)


def _groups(axes: Axes, spots: Sequence[Spot]) -> list[list[Spot]]:
    places = to_pixels(axes, [(spot.x, spot.y) for spot in spots])
    found = clusters([(x, y) for x, y in places], SAME_SPOT * pixels(axes))
    return [[spots[i] for i in group] for group in found]


def _placer(axes: Axes, spots: Sequence[Spot]) -> Placer:
    box = axes.bbox
    frame_end = axes.spines["bottom"].get_bounds()[1]  # what follows belongs to the labels of the roofs
    ((right, _),) = to_pixels(axes, [(frame_end, axes.get_ylim()[0])])
    area = np.array([box.x0, box.y0, right, box.y1])
    return Placer(area, marker_boxes(axes, spots), roof_segments(axes), pixels(axes))


def _label(axes: Axes, group: Sequence[Spot], spots: Sequence[Spot], wording: Wording) -> Label:
    first = group[0]
    ((x, y),) = to_pixels(axes, [(first.x, first.y)])
    gap = (marker_size(first.launch, longest(spots)) / 2 + 1) * pixels(axes)
    style = {
        "fontsize": LABEL_SIZE,
        "color": INK,
        "weight": "bold" if is_hottest(first, spots) else "normal",
        "gid": f"label-{first.launch.report}-{first.launch.launch}",
    }
    text = wording([spot.launch for spot in group], several_reports(spots))
    return Label(text, (x, y), gap, style, RIGHT_IS_BETTER)

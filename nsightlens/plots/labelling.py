"""Labels the launches: by name if there is room, else by number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from nsightlens.plots.callouts import Label, arrange, draw_label
from nsightlens.plots.frame import to_pixels
from nsightlens.plots.geometry import Rows
from nsightlens.plots.groups import Group, grouped, slowest_groups
from nsightlens.plots.markers import echo_boxes, is_hottest, longest, marker_boxes
from nsightlens.plots.placement import Placer
from nsightlens.plots.roof_lines import roof_segments
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import INK, LABEL_SIZE, marker_size, pixels
from nsightlens.plots.wording import named_label, numbered_label, several_reports

Wording = Callable[[Sequence[Group], bool], str]

MOST_NAMED = 12
MOST_LABELLED = 60
NAMED: tuple[Wording, ...] = (partial(named_label, limit=28), partial(named_label, limit=14))
RIGHT_IS_BETTER = 4.0
SAME_PLACE = 3.0  # points within which launches share a label


@dataclass(frozen=True, slots=True)
class Labelled:
    """The groups that have a label, whether it is but a number, and the groups that found no room."""

    groups: list[Group]
    numbered: bool
    homeless: list[Group]


def draw_labels(axes: Axes, spots: Sequence[Spot], others: Sequence[Label]) -> Labelled:
    """Draw ``others`` and the labels of launches, no two of which overlap."""
    everywhere = grouped(spots, _places(axes, spots), SAME_PLACE * pixels(axes))
    places = slowest_groups(everywhere, MOST_LABELLED)
    for wording in (*(NAMED if sum(map(len, places)) <= MOST_NAMED else ()), numbered_label):
        labels = [*others, *(_label(axes, place, spots, wording) for place in places)]
        marks = marker_boxes(axes, [place[0].spots[0] for place in everywhere], longest(spots))
        placer = _placer(axes, np.vstack([marks, echo_boxes(axes, spots)]))
        boxes = arrange(axes, placer, labels)
        if placer.tidy and all(box is not None for box in boxes):
            break
    _draw(axes, labels, boxes)
    own = list(zip(places, boxes[len(others) :], strict=True))
    homeless = [group for place, box in own if box is None for group in place]
    groups = [group for place in places for group in place]
    return Labelled(groups, wording is numbered_label, homeless)


def _draw(axes: Axes, labels: Sequence[Label], boxes: Sequence[Rows | None]) -> None:
    for label, box in zip(labels, boxes, strict=True):
        if box is not None:
            draw_label(axes, label, box)


def _places(axes: Axes, spots: Sequence[Spot]) -> list[tuple[float, float]]:
    return [(x, y) for x, y in to_pixels(axes, [(spot.x, spot.y) for spot in spots])]


def _placer(axes: Axes, markers: Rows) -> Placer:
    box = axes.bbox
    frame_end = axes.spines["bottom"].get_bounds()[1]  # what follows belongs to the labels of the roofs
    ((right, _),) = to_pixels(axes, [(frame_end, axes.get_ylim()[0])])
    area = np.array([box.x0, box.y0, right, box.y1])
    return Placer(area, markers, roof_segments(axes), pixels(axes))


def _label(axes: Axes, place: Sequence[Group], spots: Sequence[Spot], wording: Wording) -> Label:
    first = place[0].spots[0]
    gap = (marker_size(first.launch, longest(spots)) / 2 + 1) * pixels(axes)
    style = {
        "fontsize": LABEL_SIZE,
        "color": INK,
        "weight": "bold" if is_hottest(first, spots) else "normal",
        "gid": f"label-{first.launch.report}-{first.launch.launch}",
    }
    return Label(wording(place, several_reports(spots)), _places(axes, [first])[0], gap, style, RIGHT_IS_BETTER)

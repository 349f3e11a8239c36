"""The numbered list beside a crowded roofline."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from nsightlens.plots.groups import Group
from nsightlens.plots.markers import is_hottest
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import BOUNDS, FAINT, INK, LIST_SIZE, beside, bound_of, measure, pixels, write
from nsightlens.plots.wording import in_order, several_reports, short_numbers, title
from nsightlens.units import percent, seconds

BESIDE_AXES = 16.0
COLUMN_GAP = 8.0
ROW_HEIGHT = 8.8
BASELINE = 0.8  # of a row's height from its top
NAME_LIMIT = 40
HEAD = ("", "launch", "time", "of roof")
SIDES = ("right", "left", "right", "right")

Column = list[tuple[str, dict[str, Any]]]


def list_height(rows: int) -> float:
    """Return the height in points of a list of so many groups."""
    return (rows + 1) * ROW_HEIGHT


def draw_list(axes: Axes, groups: Sequence[Group], spots: Sequence[Spot]) -> None:
    """Write one row per group to the right of the axes, in the order of their numbers."""
    ordered = in_order(groups)
    left = BESIDE_AXES
    for index, side in enumerate(SIDES):
        head = (HEAD[index], {"color": FAINT})
        column = [head, *(_cell(group, spots, index) for group in ordered)]
        left += _draw_column(axes, column, left, side, f"list-{index}") + COLUMN_GAP


def _cell(group: Group, spots: Sequence[Spot], index: int) -> tuple[str, dict[str, Any]]:
    slowest = group.spots[0]
    share = percent(_mean([spot.fraction for spot in group.spots]), 0)
    positions = short_numbers(group.launches, several_reports(spots))
    colour = BOUNDS[bound_of(slowest.launch)][0] if index == 0 else INK
    text = (positions, title(group, NAME_LIMIT), _time(group), share)[index]
    return text, {"color": colour, "weight": "bold" if is_hottest(slowest, spots) else "normal"}


def _time(group: Group) -> str:
    """Return the time of a launch, or the number of launches and their mean time."""
    mean = seconds(_mean([launch.time_s for launch in group.launches]))
    return mean if len(group.spots) == 1 else f"{len(group.spots)} × {mean}"


def _mean(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None


def _draw_column(axes: Axes, column: Column, left: float, side: str, gid: str) -> float:
    """Write the cells and return the width of the column in points."""
    sized = [(text, {"fontsize": LIST_SIZE, **style}) for text, style in column if text]
    width = max(measure(axes, text, **style)[0] for text, style in sized) / pixels(axes)
    x = left + width if side == "right" else left
    for row, (text, style) in enumerate(column):
        place = beside(axes, x, -(row + BASELINE) * ROW_HEIGHT, (1, 1))
        look = {"transform": place, "ha": side, "fontsize": LIST_SIZE, "gid": f"{gid}-{row}", **style}
        write(axes, 0, 0, text, **look)
    return width

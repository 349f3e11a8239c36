"""The note under the axes: what the figure leaves out, said in words."""

import textwrap
from collections import Counter
from collections.abc import Sequence

from matplotlib.axes import Axes

from nsightlens.analysis.names import LEVEL_NAMES
from nsightlens.plots.labelling import Labelled
from nsightlens.plots.roofs import Roofs
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import FAINT, LINE_HEIGHT, NOTE_SIZE, UNKNOWN_GPU, beside, drawable, measure, write
from nsightlens.plots.wording import MORE, numbers, several_reports, short_numbers

BELOW_AXES = 34.0  # points: tick labels and the name of the axis stand in between
NAME_LIMIT = 40
NARROWEST = 20  # characters


def about_launches(spots: Sequence[Spot], labelled: Labelled) -> list[str]:
    """Say how to read the markers and which labels are missing."""
    several = several_reports(spots)
    named = sum(len(group.spots) for group in labelled.groups)
    homeless = [launch for group in labelled.homeless for launch in group.launches]
    above = [spot.launch for spot in spots if spot.launch.overlap.status == "ceiling_violation"]
    short = any(MORE in short_numbers(group.launches, several) for group in labelled.groups)
    said = (
        (len(spots) > 1, "Marker area grows with time."),
        (several, "Numbers are report:launch."),
        (short, "0 +9 is launch 0 and nine more of that kernel in that place."),
        (named < len(spots), f"Labels name the slowest, {named} of {len(spots)} launches drawn."),
        (bool(homeless), f"No room for the labels of {numbers(homeless, several)}."),
        (bool(above), f"Above a ceiling: {numbers(above, several)}."),
    )
    return [text for holds, text in said if holds] + about_levels(spots)


def about_levels(spots: Sequence[Spot]) -> list[str]:
    """Say which launches stand under the roof of which cache, where not all stand under one."""
    several, present = several_reports(spots), {spot.level for spot in spots}
    return [
        f"Held against {name}: {numbers([spot.launch for spot in spots if spot.level == level], several)}."
        for level, name in LEVEL_NAMES.items()
        if level in present and level != "dram"
    ]


def about_missing(reasons: Counter[str], hidden: Sequence[Roofs]) -> list[str]:
    """Say which launches and roofs are not drawn, and why."""
    said = [f"{count} {_launches(count)} not drawn: {why}." for why, count in reasons.most_common()]
    if hidden:
        names = ", ".join(drawable(one.gpu or UNKNOWN_GPU, NAME_LIMIT) for one in hidden)
        said.append(f"Roofs not drawn for want of room: {names}.")
    return said


def draw_note(axes: Axes, said: Sequence[str]) -> None:
    """Write the sentences under the axes, wrapped to their width."""
    if not said:
        return
    hundred, _ = measure(axes, "n" * 100, fontsize=NOTE_SIZE)
    text = textwrap.fill(" ".join(said), max(NARROWEST, int(100 * axes.bbox.width / hundred)))
    style = {"fontsize": NOTE_SIZE, "color": FAINT, "linespacing": LINE_HEIGHT, "gid": "note"}
    write(axes, 0, 0, text, transform=beside(axes, 0, -BELOW_AXES, (0, 0)), va="top", **style)


def _launches(count: int) -> str:
    return "launch" if count == 1 else "launches"

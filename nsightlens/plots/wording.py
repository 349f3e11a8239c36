"""What the labels of launches say."""

import itertools
import math
import textwrap
from collections.abc import Iterable, Sequence

from nsightlens.analysis.result import LaunchResult
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import drawable

LIST_LIMIT = 40
LEAF_LIMIT = 18
NUMBERS_WIDTH = 18
RUN = 3  # so many consecutive numbers are written as a run


def several_reports(spots: Iterable[Spot]) -> bool:
    """Tell whether a launch must be named together with its report."""
    return len({spot.launch.report for spot in spots}) > 1


def number(launch: LaunchResult, several: bool) -> str:
    """Return the launch's position in its report, with the report's if there are ``several``."""
    return f"{launch.report}:{launch.launch}" if several else str(launch.launch)


def numbers(launches: Iterable[LaunchResult], several: bool) -> str:
    """Return the positions of launches with runs drawn together, such as ``0, 3–7``."""
    ordered = sorted(launches, key=position)
    pairs = enumerate(ordered)
    runs = itertools.groupby(pairs, key=lambda pair: (pair[1].report, pair[1].launch - pair[0]))
    return ", ".join(_run([launch for _, launch in group], several) for _, group in runs)


def _run(launches: Sequence[LaunchResult], several: bool) -> str:
    if len(launches) < RUN:
        return ", ".join(number(launch, several) for launch in launches)
    return f"{number(launches[0], several)}–{launches[-1].launch}"


def position(launch: LaunchResult) -> tuple[int, int]:
    """Return the key that sorts launches as they were profiled."""
    return launch.report, launch.launch


def title(launch: LaunchResult, limit: int) -> str:
    """Return the kernel's name, in ``limit`` characters, and its innermost NVTX range."""
    name = drawable(launch.name, limit)
    deepest = max(launch.nvtx, key=len, default="")
    leaf = deepest.rsplit("/", 1)[-1].replace("%2F", "/")
    return name if leaf in {"", launch.name} else f"{name} [{drawable(leaf, LEAF_LIMIT)}]"


def named_label(launches: Sequence[LaunchResult], several: bool, *, limit: int) -> str:
    """Return one line per kernel for launches that share a spot, such as ``3–5 scale``; names of ``limit`` letters."""
    by_title: dict[str, list[LaunchResult]] = {}
    for launch in sorted(launches, key=position):
        by_title.setdefault(title(launch, limit), []).append(launch)
    return "\n".join(f"{numbers(group, several)} {name}" for name, group in by_title.items())


def numbered_label(launches: Sequence[LaunchResult], several: bool) -> str:
    """Return the positions alone, in lines of limited width."""
    return textwrap.fill(numbers(launches, several), NUMBERS_WIDTH, break_long_words=False)


def clusters(places: Sequence[tuple[float, float]], radius: float) -> list[list[int]]:
    """Return the indices of those that share a place: within ``radius`` of the first of them."""
    found: list[list[int]] = []
    for i, place in enumerate(places):
        near = (group for group in found if math.dist(place, places[group[0]]) <= radius)
        home = next(near, None)
        if home is None:
            found.append([i])
        else:
            home.append(i)
    return found

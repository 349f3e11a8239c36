"""What the labels of launches say."""

import itertools
import textwrap
from collections.abc import Iterable, Sequence

from nsightlens.analysis.result import LaunchResult
from nsightlens.plots.groups import Group, leaf
from nsightlens.plots.spots import Spot
from nsightlens.plots.style import drawable

LEAF_LIMIT = 18
NUMBERS_LIMIT = 14  # characters of a group's numbers
LINE_LIMIT = 18
RUN = 3  # so many consecutive numbers are written as a run
MORE = " +"


def several_reports(spots: Iterable[Spot]) -> bool:
    """Tell whether a launch must be named together with its report."""
    return len({spot.launch.report for spot in spots}) > 1


def position(launch: LaunchResult) -> tuple[int, int]:
    """Return the key that sorts launches as they were profiled."""
    return launch.report, launch.launch


def in_order(groups: Iterable[Group]) -> list[Group]:
    """Return groups in the order in which they were profiled."""
    return sorted(groups, key=lambda group: min(map(position, group.launches)))


def number(launch: LaunchResult, several: bool) -> str:
    """Return the launch's position in its report, with the report's if there are ``several``."""
    return f"{launch.report}:{launch.launch}" if several else str(launch.launch)


def numbers(launches: Iterable[LaunchResult], several: bool) -> str:
    """Return the positions of launches with runs drawn together, such as ``0, 3–7``."""
    pairs = enumerate(sorted(launches, key=position))
    runs = itertools.groupby(pairs, key=lambda pair: (pair[1].report, pair[1].launch - pair[0]))
    return ", ".join(_run([launch for _, launch in run], several) for _, run in runs)


def _run(launches: Sequence[LaunchResult], several: bool) -> str:
    if len(launches) < RUN:
        return ", ".join(number(launch, several) for launch in launches)
    return f"{number(launches[0], several)}–{launches[-1].launch}"


def short_numbers(launches: Sequence[LaunchResult], several: bool) -> str:
    """Return the positions, or the first and the count of the others: ``0 +59``."""
    text = numbers(launches, several)
    if len(text) <= NUMBERS_LIMIT:
        return text
    return f"{number(min(launches, key=position), several)}{MORE}{len(launches) - 1}"


def title(group: Group, limit: int) -> str:
    """Return the kernel's name, in ``limit`` characters, and its innermost NVTX range."""
    launch = group.launches[0]
    name, inner = drawable(launch.name, limit), leaf(launch)
    return name if inner in {"", launch.name} else f"{name} [{drawable(inner, LEAF_LIMIT)}]"


def named_label(groups: Sequence[Group], several: bool, *, limit: int) -> str:
    """Return one line per group in a place, such as ``3–5 scale``, with names of ``limit`` characters."""
    lines = (f"{short_numbers(group.launches, several)} {title(group, limit)}" for group in in_order(groups))
    return "\n".join(lines)


def numbered_label(groups: Sequence[Group], several: bool) -> str:
    """Return the positions alone, in lines of limited width."""
    texts = {short_numbers(group.launches, several): group for group in in_order(groups)}
    long = [text.replace(" ", "\N{NO-BREAK SPACE}") for text in texts if MORE in text]
    rest = numbers((x for text, group in texts.items() if MORE not in text for x in group.launches), several)
    return textwrap.fill(", ".join(filter(None, [*long, rest])), LINE_LIMIT, break_long_words=False)

"""From a launch as printed to a launch in ncu's base units."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any

from nsightlens.collectors.text.entry import Entry
from nsightlens.collectors.text.names import function_name, kind_of, without_ranges
from nsightlens.collectors.text.numbers import exponent_of, main_value, number


def selection(counters: Collection[str] | None, patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a counter is wanted: named, or matched at its start by a pattern; every one if none is named."""
    if counters is None:
        return lambda _: True
    names = frozenset(counters)
    pattern = re.compile("|".join(patterns)) if patterns else None
    return lru_cache(maxsize=1 << 14)(
        lambda name: name in names or (pattern is not None and pattern.match(name) is not None)
    )


def converted(entry: Entry, mark: str, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """Return a launch as the reader of reports gives it.

    Parameters
    ----------
    entry
        The launch with its numbers as printed.
    mark
        Decimal separator of the file, ``point`` or ``comma``.
    wanted
        Which counters to give.
    """
    counters: dict[str, Any] = {}
    for name, unit, text in entry.cells:
        if not wanted(name) or counters.get(name) is not None:
            continue
        exponent, value = exponent_of(unit), main_value(text)
        if exponent is not None and value:
            counters[name] = number(value, mark, exponent)
    for name, value in entry.facts.items():
        if counters.get(name) is None and wanted(name):
            counters[name] = value
    full_name = without_ranges(entry.name, entry.nvtx)
    return {
        "kind": kind_of(entry.name, entry.stream),
        "name": function_name(full_name),
        "full_name": full_name,
        "nvtx": entry.nvtx,
        "counters": counters,
        "opcodes": None,
        "invocations": entry.invocations,
    }

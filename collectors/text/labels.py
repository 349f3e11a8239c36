"""From a label of the details page to the counter behind it."""

import re
from functools import lru_cache

from nsightlens.data import table

ANYWHERE = "*"
_COUNTER = re.compile(r"[a-z][\w.:]*__[\w.:]*|(?:inst_executed|thread_inst_executed\w*|memory_\w+)")
_BOTH = re.compile(r"(?P<label>.*) \((?P<name>[^()\s]+)\)")


@lru_cache(maxsize=1 << 14)
def counter_of(section: str, item: str, label: str) -> str | None:
    """Return the counter that a row of the details page stands for; None if it is not known.

    Parameters
    ----------
    section
        Title of the section, such as ``Memory Workload Analysis``.
    item
        Label of the chart or table in it; empty for the rows of its head.
    label
        What the column Metric Name holds: a label, a counter, or a label with its counter in brackets.
    """
    if _COUNTER.fullmatch(label):
        return label
    both = _BOTH.fullmatch(label)
    if both and _COUNTER.fullmatch(both["name"]):
        return both["name"]
    known = table("labels")
    for place in (known.get(section, {}).get(item, {}) if item else known.get(section, {}), known[ANYWHERE]):
        name = place.get(label)
        if isinstance(name, str):
            return name
    return None

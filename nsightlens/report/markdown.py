"""The analysis, or the short list of launches, as Markdown; text from strangers stays text."""

import re
from collections.abc import Sequence

from nsightlens.analysis.cells import listed, several_reports
from nsightlens.analysis.result import Analysis
from nsightlens.report.launches import rows
from nsightlens.report.ledgers import first_lines, ledgers, longest, where_line
from nsightlens.report.roofs import TITLE as ROOFS
from nsightlens.report.roofs import roof_lines
from nsightlens.report.wording import COLLECT, NAMES, busy_lines, heads, missing_line, spreads

# All that Markdown and GitHub's dialect would obey, the links that they make of bare addresses included.
_SPECIAL = re.compile(r"[\\`*\[\]<>|&~$@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=www)\.", re.IGNORECASE)


def render_markdown(analysis: Analysis) -> str:
    """Return the table, where the time went, and what to look at first."""
    several = several_reports(analysis)
    parts = [
        f"**{escaped(path)}**\n" + "\n".join(map(escaped, filter(None, (made, *notes))))
        for path, made, notes in heads(analysis)
    ]
    parts.append(_table(*listed(analysis, analysis.launches)))
    lines, more = ledgers(analysis.launches, several=several)
    parts += _list("Times over the runs", spreads(analysis.launches, several=several))
    parts += _list("Where the time went", lines)
    parts += list(filter(None, (more, escaped(where_line(analysis.launches)))))
    parts += _list(ROOFS, roof_lines(longest(analysis.launches), several=several))
    parts += _list("Busy, but below the roof", busy_lines(analysis.launches, several=several))
    parts += _list("Look at first", first_lines(analysis))
    if lacking := missing_line(analysis.launches):
        parts.append(f"{lacking}\n{COLLECT}\n{NAMES}")
    return "\n\n".join(parts) + "\n"


def render_launches(analysis: Analysis) -> str:
    """Return the short list of launches."""
    return _table(*rows(analysis)) + "\n"


def escaped(text: str) -> str:
    """Return one line of safe text with all that Markdown would obey escaped."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    return "\n".join((_row(head), _row(["---"] * len(head)), *map(_row, body)))


def _row(row: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, row))} |"


def _list(title: str, items: Sequence[str]) -> list[str]:
    return [f"**{title}**", "\n".join(map(_item, items))] if items else []


def _item(text: str) -> str:
    """Return an item of a list; further lines of it are items below it."""
    return "- " + escaped(text).replace("\n", "\n  - ")

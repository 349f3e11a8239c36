"""Tables for the terminal; where one does not fit, its rows become records, so that nothing is cut off."""

import re
from collections.abc import Sequence
from io import StringIO
from itertools import groupby
from typing import NamedTuple

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

DEFAULT_WIDTH = 80
_GLUE = "\ue000"
"""Stands for a blank at which no line ends; printable text holds none."""
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|[nµm]?s\b)")


class Column(NamedTuple):
    """A column: its header, its side, and its least width if its text may be folded."""

    head: str
    right: bool = True
    fold: int | None = None


def console(out: StringIO, *, width: int | None, color: bool) -> Console:
    """Return a console that writes plain text, or coloured text, of this width (80 columns if not given)."""
    return Console(
        file=out,
        width=width or DEFAULT_WIDTH,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
    )


def written(out: StringIO) -> str:
    """Return what was written, without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in out.getvalue().replace(_GLUE, " ").splitlines()) + "\n"


def grid(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int) -> RenderableType:
    """Return a table, or records where the table would be wider than ``width``."""
    return _table(columns, rows) if _least(columns, rows) <= width else _records(columns, rows)


def item(text: str) -> Table:
    """Return an item of a list, its lines aligned; no line ends between a number and its unit."""
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_row(Text(" -"), Text(_BEFORE_UNIT.sub(_GLUE, text)))
    return line


def _least(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> int:
    widths = (
        column.fold or max(cell.cell_len for cell in (Text(column.head), *(row[number] for row in rows)))
        for number, column in enumerate(columns)
    )
    return sum(widths) + len(columns) - 1


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> Table:
    """Return a table; columns that are never folded are laid out here, as one: rich takes its time for every cell."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", pad_edge=False)
    heads = [Text(column.head) for column in columns]
    widths = [max(cell.cell_len for cell in (head, *cells)) for head, *cells in zip(heads, *rows, strict=True)]
    groups = [list(group) for _, group in groupby(range(len(columns)), key=lambda at: columns[at].fold and at)]
    for group in groups:
        fold = columns[group[0]].fold
        head = _joined(group, columns, heads, widths) if fold is None else heads[group[0]]
        table.add_column(head, no_wrap=fold is None, overflow="fold", min_width=fold)
    for row in rows:
        cells = (row[g[0]] if columns[g[0]].fold is not None else _joined(g, columns, row, widths) for g in groups)
        table.add_row(*cells)
    return table


def _joined(group: Sequence[int], columns: Sequence[Column], row: Sequence[Text], widths: Sequence[int]) -> Text:
    line = Text()
    for at in group:
        blanks = " " * (widths[at] - row[at].cell_len)
        line.append(" " if at != group[0] else "")
        line.append(blanks if columns[at].right else "").append_text(row[at]).append(
            "" if columns[at].right else blanks
        )
    return line


def _records(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> Table:
    records = Table.grid(padding=(0, 1, 0, 0))
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            records.add_row(
                Text(column.head, style="bold", overflow="fold"), Text(cell.plain, cell.style, overflow="fold")
            )
        records.add_row()
    return records

"""Small HTML tables for notebooks: everything escaped, no script, no style sheet."""

from collections.abc import Sequence
from html import escape


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: Sequence[str], total: int) -> str:
    """Return an HTML table with lines of text above it.

    Parameters
    ----------
    head
        Names of the columns, with units.
    rows
        Cells, without control characters.
    caption
        Lines above the table.
    total
        Rows that there are in all; those that are not shown are counted.
    """
    above = "<br>".join(map(escape, caption))
    body = "".join(_row("td", row) for row in rows)
    more = f"<p>and {total - len(rows)} more</p>" if total > len(rows) else ""
    return f"<div><p>{above}</p><table><thead>{_row('th', head)}</thead><tbody>{body}</tbody></table>{more}</div>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

"""The short list of launches for the terminal."""

from io import StringIO

from rich.text import Text

from nsightlens.analysis.cells import position, several_reports
from nsightlens.analysis.frame import chosen
from nsightlens.analysis.result import Analysis
from nsightlens.collectors.short import HEAD, short
from nsightlens.report.grid import Column, console, grid, written
from nsightlens.text import shorten

_FOLDED = {"name": 10, "NVTX path": 10}
_LONGEST = {HEAD.index("name"): 40, HEAD.index("NVTX path"): 40}
_WORDS = {"name", "NVTX path", "status"}
_SHORT_HEAD = (*HEAD[:4], "grid", "block", *HEAD[6:])


def rows(analysis: Analysis) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the header and the cells of the short list; with several reports a launch is named ``0:3``."""
    several = several_reports(analysis)
    pairs = zip(analysis.launches, chosen(analysis), strict=True)
    return HEAD, [(position(launch, several=several), *short(read)[1:]) for launch, read in pairs]


def _cut(cells: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(shorten(cell, _LONGEST.get(place, len(cell))) for place, cell in enumerate(cells))


def render_launches(analysis: Analysis, *, width: int | None = None, color: bool = False) -> str:
    """Return the short list as text; grid in blocks and block in threads, time in microseconds.

    Long names lose their middle: CSV and JSON have them whole.
    """
    listed = [_cut(cells) for cells in rows(analysis)[1]]
    columns = [Column(name, right=name not in _WORDS, fold=_FOLDED.get(name)) for name in _SHORT_HEAD]
    out = StringIO()
    page = console(out, width=width, color=color)
    page.print(grid(columns, [tuple(map(Text, cells)) for cells in listed], page.width))
    return written(out)

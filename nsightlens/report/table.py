"""The analysis as a table for the terminal; readable at 80 columns, records below that."""

from io import StringIO

from rich.text import Text

from nsightlens.analysis.cells import (
    bound,
    event_ratio,
    has_event_times,
    kernel_name,
    overlap,
    position,
    several_reports,
    speedup,
)
from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.report.grid import Column, console, grid, item, written
from nsightlens.report.ledgers import first_lines, ledgers, longest, where_line
from nsightlens.report.roofs import TITLE as ROOFS
from nsightlens.report.roofs import roof_lines
from nsightlens.report.wording import COLLECT, NAMES, busy_lines, heads, missing_line, spreads
from nsightlens.units import NOT_MEASURED, percent, seconds

_NAMED = (Column("#"), Column("kernel", right=False, fold=12), Column("time"))
# A narrower name, so that the wider table still fits into 80 columns.
_NAMED_AND_TIMED = (_NAMED[0], Column("kernel", right=False, fold=8), *map(Column, ("time", "event", "× ncu")))
_FOUND = (
    Column("bound", right=False),
    *map(Column, ("DRAM", "L2 hit", "tensor", "roof", "overlap", "TC ≤")),
)
_BOUND_STYLES = {"memory": "cyan", "compute": "green", "latency": "yellow"}


def render_table(analysis: Analysis, *, width: int | None = None, color: bool = False) -> str:
    """Return the analysis as text.

    Parameters
    ----------
    analysis
        What to show.
    width
        Columns of the terminal; 80 if not given.
    color
        Use the terminal's colours.
    """
    out = StringIO()
    page = console(out, width=width, color=color)
    several = several_reports(analysis)
    for path, made, notes in heads(analysis):
        how = [Text(made)] if made else []
        page.print(Text(path, style="bold"), *how, *(Text(note, style="yellow") for note in notes), sep="\n")
        page.print()
    timed = has_event_times(analysis)
    columns = (*(_NAMED_AND_TIMED if timed else _NAMED), *_FOUND)
    rows = [_row(launch, several=several, timed=timed) for launch in analysis.launches]
    page.print(grid(columns, rows, page.width))
    lines, more = ledgers(analysis.launches, several=several)
    for title, items in (
        ("Times over the runs", spreads(analysis.launches, several=several)),
        ("Where the time went", lines),
        (ROOFS, roof_lines(longest(analysis.launches), several=several)),
        ("Busy, but below the roof", busy_lines(analysis.launches, several=several)),
        ("Look at first", first_lines(analysis)),
    ):
        if items:
            page.print(Text(f"\n{title}", style="bold"))
            below = filter(None, (more, where_line(analysis.launches))) if items is lines else ()
            page.print(*map(item, items), *map(Text, below), sep="\n")
    if lacking := missing_line(analysis.launches):
        page.print(Text(f"\n{lacking}", style="yellow"))
        page.print(Text(f"{COLLECT}\n{NAMES}"))
    return written(out)


def _row(launch: LaunchResult, *, several: bool, timed: bool) -> tuple[Text, ...]:
    used, what, high = launch.utilisation, bound(launch), speedup(launch)
    return (
        Text(position(launch, several=several)),
        Text(kernel_name(launch)),
        Text(seconds(launch.time_s)),
        *([Text(seconds(launch.event_time_s)), Text(event_ratio(launch))] if timed else []),
        Text(what, style=_BOUND_STYLES.get(what, "")),
        Text(percent(used.dram_share, 0)),
        Text(percent(used.l2_hit_share, 0)),
        Text(percent(used.tensor_pipe_share, 0)),
        Text(percent(launch.roofline.roof_fraction, 0)),
        Text(overlap(launch)),
        Text(high if high in {"in use", NOT_MEASURED} else f"{high}×"),
    )

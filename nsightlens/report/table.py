"""The analysis as a table for the terminal; readable at 80 columns."""

from collections.abc import Sequence
from io import StringIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nsightlens.analysis.missing import PATTERNS
from nsightlens.analysis.result import Analysis, Context, LaunchResult, ReportInfo
from nsightlens.analysis.totals import deepest, weighted
from nsightlens.text import printable
from nsightlens.units import NOT_MEASURED, percent, seconds

LEDGERS = 12
"""Launches whose ledger is written out: the longest ones."""
NAME = 32
PATH = 240

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
    console = Console(
        file=out, width=width or 80, force_terminal=color, no_color=not color, highlight=False, markup=False
    )
    several = len(analysis.reports) > 1
    for number, report in enumerate(analysis.reports):
        shown = [launch for launch in analysis.launches if launch.report == number]
        if shown or not report.complete:
            _print_head(console, report, shown[0].context if shown else None, f"{number}: " if several else "")
    console.print(_launches(analysis.launches, several=several))
    _print_ledgers(console, analysis.launches, several=several)
    _print_first(console, analysis)
    _print_missing(console, analysis.launches)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _item(text: str) -> Table:
    """Return an item of a list, its lines aligned."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(Text(" -"), Text(text))
    return grid


def _print_head(console: Console, report: ReportInfo, context: Context | None, number: str) -> None:
    console.print(Text(number + printable(report.path, PATH), style="bold"))
    if context is not None:
        console.print(Text(printable(_made(report, context), PATH)))
    for note in report.notes:
        console.print(Text(f"Note: {printable(note, PATH)}", style="yellow"))
    console.print()


def _made(report: ReportInfo, context: Context) -> str:
    gpus = ", ".join(report.gpus) or "unknown GPU"
    cache, clock = context.cache_control, context.clock_control
    caches = {"all": "caches flushed before each pass", "none": "caches warm"}.get(cache or "", "cache control unknown")
    return f"{gpus}, ncu {report.ncu_version or 'unknown'}; {caches}; clock control {clock or 'unknown'}"


def _launches(launches: Sequence[LaunchResult], *, several: bool) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("kernel", overflow="fold", min_width=12)
    for name in ("time", "bound", "DRAM", "L2 hit", "tensor", "roof", "overlap", "TC ≤"):
        table.add_column(name, justify="left" if name == "bound" else "right", no_wrap=True)
    for launch in launches:
        table.add_row(Text(_position(launch, several=several)), *_row(launch))
    return table


def _row(launch: LaunchResult) -> tuple[Text, ...]:
    used, bound = launch.utilisation, launch.roofline.bound if launch.status == "ok" else launch.status
    high = launch.tensor_core.speedup_high
    cells = (
        seconds(launch.time_s),
        None,
        percent(used.dram_share, 0),
        percent(used.l2_hit_share, 0),
        percent(used.tensor_pipe_share, 0),
        percent(launch.roofline.roof_fraction, 0),
        _overlap(launch),
        "in use" if launch.tensor_core.used else NOT_MEASURED if high is None else f"{high:.2f}×",
    )
    texts = [Text(bound, style=_BOUND_STYLES.get(bound, "")) if cell is None else Text(cell) for cell in cells]
    return Text(_name(launch)), *texts


def _position(launch: LaunchResult, *, several: bool) -> str:
    return f"{launch.report}:{launch.launch}" if several else str(launch.launch)


def _name(launch: LaunchResult) -> str:
    leaf = (deepest(launch.nvtx) or "").rsplit("/", 1)[-1]
    name = printable(launch.name, NAME)
    place = "" if leaf in {"", launch.name} else f" [{printable(leaf, NAME)}]"
    return f"{name}{place}{_mean(launch.context.invocations)}"


def _mean(invocations: int | None) -> str:
    return "" if invocations == 1 else f" (mean of {'several' if invocations is None else invocations})"


def _overlap(launch: LaunchResult) -> str:
    overlap = launch.overlap
    if overlap.status != "bounded" or overlap.low is None or overlap.high is None:
        return NOT_MEASURED
    return f"{overlap.low:.2f}–{overlap.high:.2f}"


def _print_ledgers(console: Console, launches: Sequence[LaunchResult], *, several: bool) -> None:
    judged = [launch for launch in launches if launch.losses is not None and launch.time_s]
    if not judged:
        return
    longest = sorted(judged, key=lambda launch: -(launch.time_s or 0))[:LEDGERS]
    console.print(Text("\nWhere the time went", style="bold"))
    for launch in (launch for launch in judged if launch in longest):
        console.print(_item(f"{_position(launch, several=several)} {_ledger(launch)}"))
    if len(judged) > LEDGERS:
        console.print(Text(f"The {LEDGERS} longest of {len(judged)} launches; the others: --launch N, --format json"))


def _ledger(launch: LaunchResult) -> str:
    time = launch.time_s or 1.0
    shown = [loss for loss in launch.losses or () if loss.share >= 0.005]  # noqa: PLR2004
    most = "" if PATTERNS.isdisjoint(launch.missing) else "at most "
    parts = [f"{most}{percent((launch.ideal_s or 0) / time)} useful"]
    parts += [f"{percent(loss.share)} {loss.cause}" for loss in shown]
    rest = sum(loss.share for loss in launch.losses or () if loss not in shown)
    parts += [f"{percent(rest)} smaller losses"] if rest >= 0.0005 else []  # noqa: PLR2004
    parts.append(f"{percent((launch.unexplained_s or 0) / time)} unexplained")
    return f"{_name(launch)}: {seconds(time)} = " + " + ".join(parts)


def _print_first(console: Console, analysis: Analysis) -> None:
    if not analysis.first:
        return
    console.print(Text("\nLook at first", style="bold"))
    advice = {loss.cause: loss.advice for launch in analysis.launches for loss in launch.losses or ()}
    time = sum(weighted(launch, launch.time_s) or 0.0 for launch in analysis.launches)
    for thing in analysis.first:
        where = f" in {printable(thing.nvtx, PATH)}" if thing.nvtx else ""
        what = f"{seconds(thing.seconds)} ({percent(thing.seconds / time if time else None)}) {thing.cause}{where}"
        console.print(_item(f"{what}: {advice[thing.cause]}"))


def _print_missing(console: Console, launches: Sequence[LaunchResult]) -> None:
    lacking = [launch for launch in launches if launch.missing]
    if not lacking:
        return
    most = max(len(launch.missing) for launch in lacking)
    which = "every launch" if len(lacking) == len(launches) else f"{len(lacking)} of {len(launches)} launches"
    counters = "1 counter is" if most == 1 else f"Up to {most} counters are"
    console.print(Text(f"\n{counters} missing for {which}, so some fields stay empty.", style="yellow"))
    console.print(
        Text(
            "To collect all of them: nsightlens profile -- CMD\n"
            "The names, and a plain ncu command: --format json, missing and remedy"
        )
    )

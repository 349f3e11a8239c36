"""The sentences around the table of launches, the same on every surface; safe text, not yet escaped for one."""

from collections.abc import Iterator, Sequence

from nsightlens.analysis.attribution import opcode
from nsightlens.analysis.cells import kernel_name, position
from nsightlens.analysis.missing import PATTERNS
from nsightlens.analysis.result import Analysis, Context, LaunchResult, Place, ReportInfo
from nsightlens.analysis.totals import TRIFLE, weighted
from nsightlens.text import printable
from nsightlens.units import percent, seconds

LEDGERS = 12
"""Launches whose ledger is written out: the longest ones."""
PATH = 240
COLLECT = "To collect all of them: nsightlens profile -- CMD"
NAMES = "Their names, and a plain ncu command, stand under missing and remedy in --format json."


def heads(analysis: Analysis) -> Iterator[tuple[str, str, list[str]]]:
    """Yield, of each report that has launches here or lacks some, its path, how it was made, and its notes."""
    several = len(analysis.reports) > 1
    for number, report in enumerate(analysis.reports):
        shown = [launch for launch in analysis.launches if launch.report == number]
        if shown or not report.complete:
            path = (f"{number}: " if several else "") + printable(report.path, PATH)
            notes = [f"Note: {printable(note, PATH)}" for note in report.notes]
            yield path, _made(report, shown[0].context) if shown else "", notes


def _made(report: ReportInfo, context: Context) -> str:
    gpus = ", ".join(report.gpus) or "unknown GPU"
    cache, clock = context.cache_control, context.clock_control
    if report.format.startswith("nvprof"):
        return printable(f"{gpus}, nvprof", PATH)
    caches = {"all": "caches flushed before each pass", "none": "caches warm"}.get(cache or "", "cache control unknown")
    made = f"{gpus}, ncu {report.ncu_version or 'unknown'}; {caches}; clock control {clock or 'unknown'}"
    if context.replay_mode not in {None, "kernel"}:
        made += f"; {context.replay_mode} replay"
    return printable(made, PATH)


def ledgers(launches: Sequence[LaunchResult], *, several: bool) -> tuple[list[str], str]:
    """Return the ledgers of the longest launches, and a sentence on the others (empty if there are none).

    Below a ledger stands a line for each larger loss of which an instruction is known.
    """
    judged = [launch for launch in launches if launch.losses is not None and launch.time_s]
    lines = [
        "\n".join((f"{position(launch, several=several)} {_ledger(launch)}", *_places(launch)))
        for launch in _longest(judged)
    ]
    more = f"The {LEDGERS} longest of {len(judged)} launches; the others: --launch N, --format json"
    return lines, more if len(judged) > LEDGERS else ""


def spreads(launches: Sequence[LaunchResult], *, several: bool) -> list[str]:
    """Return the times over several runs of the longest launches that have such."""
    lines = []
    for launch in _longest([launch for launch in launches if launch.repeats is not None]):
        if (over := launch.repeats) is not None:
            times = f"median {seconds(over.median_s)}, {seconds(over.min_s)} to {seconds(over.max_s)}"
            where = f"{position(launch, several=several)} {kernel_name(launch)}"
            lines.append(f"{where}: {times} in {over.runs} runs")
    return lines


def _longest(launches: Sequence[LaunchResult]) -> list[LaunchResult]:
    """Return the longest launches, in their order."""
    longest = {id(launch) for launch in sorted(launches, key=lambda launch: -(launch.time_s or 0))[:LEDGERS]}
    return [launch for launch in launches if id(launch) in longest]


def _ledger(launch: LaunchResult) -> str:
    time = launch.time_s or 1.0
    shown = [loss for loss in launch.losses or () if loss.share >= TRIFLE]
    most = "" if PATTERNS.isdisjoint(launch.missing) else "at most "
    parts = [f"{most}{percent((launch.ideal_s or 0) / time)} useful"]
    parts += [f"{percent(loss.share)} {loss.cause}" for loss in shown]
    rest = sum(loss.share for loss in launch.losses or () if loss not in shown)
    parts += [f"{percent(rest)} smaller losses"] if rest >= 0.0005 else []  # noqa: PLR2004
    parts.append(f"{percent((launch.unexplained_s or 0) / time)} unexplained")
    return f"{kernel_name(launch)}: {seconds(time)} = " + " + ".join(parts)


_WORTH_A_LINE = 0.05
_FILE, _OPCODE, _SASS = 24, 17, 46
"""With the longest names of causes a place fits into a line of 80 columns."""


def _places(launch: LaunchResult) -> Iterator[str]:
    """Yield, of each larger loss that lies in instructions, the place with the largest share."""
    for loss in launch.losses or ():
        if loss.where and loss.share >= _WORTH_A_LINE:
            place = loss.where[0]
            yield f"{loss.cause}: {percent(place.share, 0)} {_where(place)}"


def _where(place: Place) -> str:
    if place.file is None:
        return printable(place.sass or "", _SASS)
    line = f"{printable(_base(place.file), _FILE)}:{place.line}"
    return f"{line} {printable(opcode(place.sass), _OPCODE)}".rstrip()


def _base(file: str) -> str:
    """Return the name of a file without its folders, whichever way they are written."""
    return file.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or file


def where_line(launches: Sequence[LaunchResult]) -> str:
    """Return how to learn in which instructions the losses lie, or nothing."""
    return next((f"Lines and instructions: {x.where_remedy}" for x in _longest(launches) if x.where_remedy), "")


_GROSS = 0.25
_SHAPES = "the roof is that of the fastest instruction shape, and smaller shapes do less work a cycle"


def busy_lines(launches: Sequence[LaunchResult], *, several: bool) -> list[str]:
    """Return, of launches whose tensor pipe is far busier than their place under the roof says, why that can be."""
    lines = []
    for launch in _longest([launch for launch in launches if (launch.roofline.pipe or "").startswith("tensor")]):
        busy, roof = launch.utilisation.tensor_pipe_share, launch.roofline.roof_fraction
        if busy is not None and roof is not None and busy - roof > _GROSS:
            where = f"{position(launch, several=several)} {kernel_name(launch)}"
            lines.append(f"{where}: tensor pipe {percent(busy, 0)} busy at {percent(roof, 0)} of the roof: {_SHAPES}")
    return lines


def first_lines(analysis: Analysis) -> list[str]:
    """Return the losses to look at first, each with its advice; before them what is unexplained, if that is more."""
    advice = {loss.cause: loss.advice for launch in analysis.launches for loss in launch.losses or ()}
    time = sum(weighted(launch, launch.time_s) or 0.0 for launch in analysis.launches)
    lines = _unexplained(analysis, time)
    for thing in analysis.first:
        where = f" in {printable(thing.nvtx, PATH)}" if thing.nvtx else ""
        share = percent(thing.seconds / time if time else None)
        lines.append(f"{seconds(thing.seconds)} ({share}) {thing.cause}{where}: {advice[thing.cause]}")
    return lines


def _unexplained(analysis: Analysis, time: float) -> list[str]:
    unexplained = sum(weighted(launch, launch.unexplained_s) or 0.0 for launch in analysis.launches)
    most = max((thing.seconds for thing in analysis.first), default=0.0)
    if not time or unexplained <= max(most, TRIFLE * time):
        return []
    lacking = any(launch.missing for launch in analysis.launches)
    why = "counters are missing, see below" if lacking else "no cause that these counters show; compare a variant"
    return [f"{seconds(unexplained)} ({percent(unexplained / time)}) unexplained: {why}"]


def missing_line(launches: Sequence[LaunchResult]) -> str:
    """Return how many counters are missing, or nothing."""
    lacking = [launch for launch in launches if launch.missing]
    if not lacking:
        return ""
    most = max(len(launch.missing) for launch in lacking)
    which = "every launch" if len(lacking) == len(launches) else f"{len(lacking)} of {len(launches)} launches"
    least = min(len(launch.missing) for launch in lacking)
    number = str(most) if least == most else f"{least} to {most}"
    counters = "1 counter is" if most == 1 else f"{number} counters are"
    return f"{counters} missing for {which}, so some fields stay empty."

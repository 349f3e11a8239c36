"""The ledgers in words: of the whole program, of its longest launches, and what to look at first; safe text."""

from collections.abc import Sequence

from nsightlens.analysis.cells import NAME, kernel_name, position
from nsightlens.analysis.missing import PATTERNS
from nsightlens.analysis.result import Analysis, CauseSeconds, FirstThing, LaunchResult, Loss, RangeResult
from nsightlens.analysis.totals import TRIFLE, totals, weighted
from nsightlens.report.places import places
from nsightlens.text import count, printable
from nsightlens.units import percent, seconds

LEDGERS = 12
"""Launches whose ledger is written out: the longest ones."""
_PATH = 240
_PRINTED = 0.0005
"""The least share that shows in percent."""
_KINDS = {"kernel": "launch", "range": "range", "graph": "graph"}


def ledgers(launches: Sequence[LaunchResult], *, several: bool) -> tuple[list[str], str]:
    """Return the ledgers of the longest launches, and a sentence on the others (empty if there are none).

    Below a ledger stands a line for each larger loss of which an instruction is known.
    """
    judged = [launch for launch in launches if launch.losses is not None and launch.time_s]
    lines = _whole(judged, several=several)
    lines += [
        "\n".join((f"{position(launch, several=several)} {_ledger(launch)}", *places(launch)))
        for launch in longest(judged)
    ]
    more = f"The {LEDGERS} longest of {len(judged)} launches; the others: --launch N, --format json"
    return lines, more if len(judged) > LEDGERS else ""


def longest(launches: Sequence[LaunchResult]) -> list[LaunchResult]:
    """Return the longest launches, in their order."""
    longest = {id(launch) for launch in sorted(launches, key=lambda launch: -(launch.time_s or 0))[:LEDGERS]}
    return [launch for launch in launches if id(launch) in longest]


def _ledger(launch: LaunchResult) -> str:
    most = "" if PATTERNS.isdisjoint(launch.missing) else "at most "
    parts = _parts(launch.time_s or 1.0, launch.ideal_s, launch.losses or (), launch.unexplained_s)
    return f"{kernel_name(launch)}: {seconds(launch.time_s)} = {most}{parts}"


def _parts(time: float, ideal: float | None, losses: Sequence[Loss | CauseSeconds], rest: float | None) -> str:
    shown = [loss for loss in losses if loss.seconds >= TRIFLE * time]
    small = sum(loss.seconds for loss in losses if loss.seconds < TRIFLE * time)
    parts = [f"{percent((ideal or 0) / time)} useful"]
    parts += [f"{percent(loss.seconds / time)} {loss.cause}" for loss in shown]
    parts += [f"{percent(small / time)} smaller losses"] if small >= _PRINTED * time else []
    parts.append(f"{percent((rest or 0) / time)} unexplained")
    return " + ".join(parts)


def _whole(launches: Sequence[LaunchResult], *, several: bool) -> list[str]:
    """Return the ledger of each report as a whole, of the launches that could be judged."""
    lines = []
    for total in totals(launches):
        if total.time_s and total.losses is not None and (total.launches or 0) > 1:
            where = f" of report {total.report}" if several else ""
            what = f"{count(total.launches or 0, _KINDS[total.kind])}{where}"
            lines.append(f"{what}: {seconds(total.time_s)} = " + _parts(total.time_s, *_sums(total)))
    return lines


def _sums(total: RangeResult) -> tuple[float | None, Sequence[CauseSeconds], float | None]:
    return total.ideal_s, total.losses or (), total.unexplained_s


def first_lines(analysis: Analysis) -> list[str]:
    """Return the losses to look at first, each with its advice; before them what is unexplained, if that is more."""
    advice = {loss.cause: loss.advice for launch in analysis.launches for loss in launch.losses or ()}
    time = sum(weighted(launch, launch.time_s) or 0.0 for launch in analysis.launches)
    lines = _unexplained(analysis, time)
    for thing in analysis.first:
        share = percent(thing.seconds / time if time else None)
        lines.append(f"{seconds(thing.seconds)} ({share}) {thing.cause} in {_place(thing)}: {advice[thing.cause]}")
    return lines


def _place(thing: FirstThing) -> str:
    kernel = printable(thing.kernel, NAME)
    times = f" ({count(thing.launches, 'launch')})" if thing.launches > 1 else ""
    if thing.nvtx is None or thing.nvtx.endswith(f"/{thing.kernel}"):
        return f"{printable(thing.nvtx, _PATH) if thing.nvtx else kernel}{times}"
    return f"{printable(thing.nvtx, _PATH)}{times}, most in {kernel}"


def _unexplained(analysis: Analysis, time: float) -> list[str]:
    unexplained = sum(weighted(launch, launch.unexplained_s) or 0.0 for launch in analysis.launches)
    most = max((thing.seconds for thing in analysis.first), default=0.0)
    if not time or unexplained <= max(most, TRIFLE * time):
        return []
    lacking = any(launch.missing for launch in analysis.launches)
    why = "counters are missing, see below" if lacking else "no cause that these counters show; compare a variant"
    return [f"{seconds(unexplained)} ({percent(unexplained / time)}) unexplained: {why}"]


def where_line(launches: Sequence[LaunchResult]) -> str:
    """Return how to learn in which instructions the losses lie, or nothing."""
    return next((f"Lines and instructions: {x.where_remedy}" for x in longest(launches) if x.where_remedy), "")

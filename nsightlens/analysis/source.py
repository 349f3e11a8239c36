"""Name the instructions behind the losses that cost most; they are read in a second step, for a few launches."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from nsightlens.analysis.attribution import attributions, counters, places
from nsightlens.analysis.result import Analysis, LaunchResult, Loss
from nsightlens.collectors.instructions import Instruction, read_instructions
from nsightlens.collectors.report import Launch
from nsightlens.errors import ReportError

LAUNCHES = 12
"""Launches whose losses are placed unless told otherwise: as many as the table writes out."""
TELLING = 0.005
"""Losses below this share of the time are not worth a look at single instructions."""
COMMAND = "nsightlens profile --set source -- CMD"

Found = dict[tuple[int, int], tuple[Instruction, ...]]
"""Report and position of a launch to its instructions."""


def where_remedy(launch: Launch, losses: Sequence[Loss] | None) -> str | None:
    """Return the command that lets losses be placed; ``None`` if they can be, or lie in no instruction."""
    lacking = launch.row["kind"] == "kernel" and not launch.instructions
    return COMMAND if lacking and _placeable(losses) else None


def add_places(
    analysis: Analysis,
    paths: str | Path | Sequence[str | Path],
    *,
    launches: int = LAUNCHES,
    keep_going: bool = False,
    max_bytes: int | None = None,
) -> Analysis:
    """Return the analysis with ``where`` filled for the launches that lost most.

    Parameters
    ----------
    analysis
        What was found; its selection counts.
    paths
        Its reports, in the same order.
    launches
        At most this many of all reports together.
    keep_going
        Read what is whole of a damaged report.
    max_bytes
        Unpacking stops at this size; 1 GiB if not given.

    Returns
    -------
    Analysis
        With a note at a report whose instructions could not be read.
    """
    files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    wanted: dict[int, list[LaunchResult]] = defaultdict(list)
    for launch in _costliest(analysis.launches, launches):
        wanted[launch.report].append(launch)
    found: Found = {}
    infos = list(analysis.reports)
    for report, asked in wanted.items():
        try:
            found |= _read(files[report], asked, keep_going=keep_going, max_bytes=max_bytes)
        except ReportError as error:
            notes = (*infos[report].notes, f"no instruction is named: {error.message}")
            infos[report] = replace(infos[report], notes=notes)
    placed = tuple(_placed(launch, found) for launch in analysis.launches)
    return replace(analysis, reports=tuple(infos), launches=placed)


def _read(path: Path, asked: Sequence[LaunchResult], *, keep_going: bool, max_bytes: int | None) -> Found:
    names = counters(loss.cause for launch in asked for loss in _placeable(launch.losses))
    numbers = sorted(launch.launch for launch in asked)
    read = read_instructions(path, numbers, names, keep_going=keep_going, max_bytes=max_bytes)
    return {(asked[0].report, number): instructions for number, instructions in read.items()}


def _placeable(losses: Iterable[Loss] | None) -> list[Loss]:
    return [loss for loss in losses or () if loss.share >= TELLING and attributions(loss.cause)]


def _costliest(launches: Iterable[LaunchResult], most: int) -> list[LaunchResult]:
    fit = [launch for launch in launches if launch.where_remedy is None and _placeable(launch.losses)]
    return sorted(fit, key=lambda launch: -sum(loss.seconds for loss in _placeable(launch.losses)))[:most]


def _placed(launch: LaunchResult, found: Found) -> LaunchResult:
    instructions = found.get((launch.report, launch.launch))
    if not instructions or launch.losses is None:
        return launch
    placed = {loss.cause: places(loss.cause, instructions) for loss in _placeable(launch.losses)}
    losses = tuple(replace(loss, where=placed.get(loss.cause, ())) for loss in launch.losses)
    return replace(launch, losses=losses)

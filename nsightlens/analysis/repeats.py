"""The same program profiled several times: how far the times of each launch spread."""

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nsightlens.analysis.result import Analysis, LaunchResult, Repeats
from nsightlens.text import count

Key = tuple[int, int]
"""Position of a process among those of its run, and of a launch within its process."""


def with_spread(runs: Sequence[Analysis], reports: Sequence[Path]) -> Analysis:
    """Return the analysis of the first run, each launch with the spread of its times over the runs.

    Launches are matched by the order of the processes in a report, the position within the process, and the name;
    where runs differ, a note says so, and what has no match in every run gets no spread.

    Parameters
    ----------
    runs
        One analysis a run, at least one.
    reports
        Their reports, for the note.
    """
    first = runs[0]
    if len(runs) == 1 or not first.reports:
        return first
    keyed = [_keyed(run.launches) for run in runs]
    spread = {id(launch): _spread(key, launch, keyed) for key, launch in keyed[0].items()}
    launches = tuple(replace(launch, repeats=spread[id(launch)]) for launch in first.launches)
    notes = (f"the first of {len(runs)} runs: {', '.join(map(str, reports))}", *_differences(keyed))
    info = replace(first.reports[0], notes=first.reports[0].notes + notes)
    return replace(first, reports=(info, *first.reports[1:]), launches=launches)


def _keyed(launches: Sequence[LaunchResult]) -> dict[Key, LaunchResult]:
    processes: dict[int | None, int] = {}
    positions: dict[int, int] = defaultdict(int)
    found = {}
    for launch in launches:
        process = processes.setdefault(launch.process_id, len(processes))
        found[process, positions[process]] = launch
        positions[process] += 1
    return found


def _spread(key: Key, launch: LaunchResult, runs: Sequence[dict[Key, LaunchResult]]) -> Repeats | None:
    same = [run[key] for run in runs if key in run and _alike(run[key], launch)]
    times = [one.time_s for one in same if one.time_s is not None]
    if len(times) < len(runs):
        return None
    return Repeats(len(times), statistics.median(times), min(times), max(times))


def _alike(one: LaunchResult, other: LaunchResult) -> bool:
    return (one.kind, one.full_name) == (other.kind, other.full_name)


def _differences(runs: Sequence[dict[Key, LaunchResult]]) -> tuple[str, ...]:
    """Return a note on the first run that differs from run 1 in its launches."""
    for number, run in enumerate(runs[1:], 2):
        if len(run) != len(runs[0]):
            return (f"the runs differ: run 1 has {count(len(runs[0]), 'launch')}, run {number} has {len(run)}",)
        for key, launch in runs[0].items():
            if key not in run or not _alike(run[key], launch):
                other = run[key].name if key in run else "another process's launch"
                return (f"the runs differ: launch {launch.launch} is {launch.name} in run 1, {other} in run {number}",)
    return ()

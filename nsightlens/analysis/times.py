"""Times that were taken without ncu, beside the launches that they belong to."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.collectors.text.times import Times, Timing, read_times
from nsightlens.errors import UsageError
from nsightlens.text import count, printable

NAME = 60
SHOWN = 5
Group = tuple[str | None, str | None]


def add_times(analysis: Analysis, path: Path) -> Analysis:
    """Return the analysis with ``event_time_s`` of its launches from a file; notes say what does not match.

    A time that names a launch's number belongs to it. Others go by kernel name, NVTX path, or both, in order: as many
    times as launches, or a whole number of repeats of the sequence. Several times of a launch give their median.

    Raises
    ------
    UsageError
        If the analysis is of several reports, or the file cannot be opened.
    ReportError
        If the file holds no times.
    """
    if len(analysis.reports) != 1:
        raise UsageError("times belong to one report", where="--times", remedy="give one report")
    times = read_times(path)
    found, notes = matched(analysis.launches, times)
    launches = [replace(launch, event_time_s=found.get(launch.launch)) for launch in analysis.launches]
    (report,) = analysis.reports
    head = f"event times: {count(len(times.found), 'time')} for {len(found)} of {count(len(launches), 'launch')}"
    reports = (replace(report, notes=(*report.notes, head, *notes)),)
    return replace(analysis, reports=reports, launches=tuple(launches))


def matched(launches: Sequence[LaunchResult], times: Times) -> tuple[dict[int, float], list[str]]:
    """Return the median time by position of the launch, and what does not match, one line each."""
    samples: dict[int, list[float]] = defaultdict(list)
    groups: dict[Group, list[Timing]] = defaultdict(list)
    known = {launch.launch for launch in launches}
    astray: list[str] = []
    for timing in times.found:
        if timing.launch is None:
            groups[timing.name, timing.nvtx].append(timing)
        elif timing.launch in known:
            samples[timing.launch].append(timing.seconds)
        else:
            astray.append(f"there is no launch {timing.launch}")
    named = _by_name(launches)
    for group, timings in groups.items():
        fitting = _fitting(launches, named, group)
        astray += _share_out(fitting, timings, samples, group)
    return {number: median(taken) for number, taken in samples.items()}, _notes(astray, times.unusable)


def _share_out(
    fitting: Sequence[LaunchResult], timings: Sequence[Timing], samples: dict[int, list[float]], group: Group
) -> list[str]:
    if not fitting or len(timings) % len(fitting):
        there = count(len(fitting), "launch")
        return [f"{count(len(timings), 'time')} for {_called(group)}, {there}"]
    for place, timing in enumerate(timings):
        samples[fitting[place % len(fitting)].launch].append(timing.seconds)
    return []


def _by_name(launches: Sequence[LaunchResult]) -> dict[str, list[LaunchResult]]:
    """Return the launches by full name and by short name, blanks left out: tools set them differently."""
    found: dict[str, list[LaunchResult]] = defaultdict(list)
    for launch in launches:
        for name in {_squeezed(launch.full_name), _squeezed(launch.name)}:
            found[name].append(launch)
    return found


def _fitting(
    launches: Sequence[LaunchResult], named: dict[str, list[LaunchResult]], group: Group
) -> list[LaunchResult]:
    name, nvtx = group
    called = launches if name is None else named.get(_squeezed(name), [])
    return [launch for launch in called if nvtx is None or nvtx in launch.nvtx]


def _squeezed(name: str) -> str:
    return "".join(name.split())


def _called(group: Group) -> str:
    return " in ".join(printable(part, NAME) for part in group if part is not None)


def _notes(astray: Sequence[str], unusable: int) -> list[str]:
    different = list(dict.fromkeys(astray))
    said = [f"event times not matched: {each}" for each in different[:SHOWN]]
    more = [f"event times not matched: {len(different) - SHOWN} more of the kind"] if len(different) > SHOWN else []
    rows = [f"event times: {count(unusable, 'row')} without a time or a launch"] if unusable else []
    return said + more + rows

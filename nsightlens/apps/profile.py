"""Run a program under Nsight Compute, keep the report, analyse it."""

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nsightlens import data, launch
from nsightlens.analysis.result import Analysis
from nsightlens.errors import NsightlensError, ProfilerError, UsageError
from nsightlens.text import count

# ncu names the counters it does not know before the first launch, perhaps one at a time.
MAX_RUNS = 16
RANGE_REPLAY = frozenset({"range", "app-range"})
_SET = re.compile(r"[\w.-]*\w")


@dataclass(frozen=True, slots=True)
class Profiled:
    """What came of the runs; ``notes`` say what differs from what was asked."""

    reports: tuple[Path, ...]
    analysis: Analysis | None
    error: ProfilerError | None
    notes: tuple[str, ...] = ()


def profile(
    command: Sequence[str],
    *,
    report: Path | None = None,
    metric_set: str = "losses",
    metrics: Sequence[str] = (),
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
    timeout_s: float | None = None,
    repeat: int = 1,
) -> Analysis:
    """Profile ``command`` with Nsight Compute and analyse every launch.

    Parameters
    ----------
    command
        The program and its arguments.
    report
        Where to keep the report; a new name in the current folder if not given.
    metric_set
        One of ``nsightlens.data``, such as ``overview`` or ``losses``, or a set of ncu's own, such as ``full``.
    metrics
        Further counters, as ``ncu --metrics`` takes them.
    ncu
        The profiler; searched for if not given.
    force
        Overwrite ``report``.
    extra_args
        Further options of ncu, such as those of ``nsightlens.launch.select``.
    timeout_s
        Stop each run after so many seconds.
    repeat
        Number of whole runs; the analysis is that of the first, with the spread of each launch's time.

    Raises
    ------
    ProfilerError
        If the profiler or the program failed; what was collected is in the report that the message names.
    ReportError
        If the report cannot be read.
    UsageError
        If the name of the set or of a counter cannot be one, or the report exists.
    """
    done = run_profile(
        command,
        report=report,
        metric_set=metric_set,
        metrics=metrics,
        ncu=ncu,
        force=force,
        extra_args=extra_args,
        timeout_s=timeout_s,
        repeat=repeat,
    )
    if done.error is not None or done.analysis is None:
        raise done.error or ProfilerError("nothing was profiled")
    return done.analysis


def run_profile(
    command: Sequence[str],
    *,
    report: Path | None = None,
    metric_set: str = "losses",
    metrics: Sequence[str] = (),
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
    timeout_s: float | None = None,
    repeat: int = 1,
    on_progress: launch.OnProgress | None = None,
) -> Profiled:
    """Do what ``profile`` does, but return a failed run together with the analysis of what was collected."""
    asked, notes = request(command, metric_set, metrics, extra_args)
    launch.check_program(asked.command, shutil.which(asked.command[0]))
    targets = launch.report_targets(report, force=force, repeat=repeat)
    profiler = launch.find_ncu(ncu)
    manifest = replace(_manifest(profiler, metric_set, asked), notes=notes)
    runs: list[Profiled] = []
    for target in targets:
        done = _one_run(profiler, asked, target, manifest, timeout_s=timeout_s, force=force, on_progress=on_progress)
        runs.append(done)
        if done.error is not None:
            break
    return _joined(runs)


def dry_run(
    command: Sequence[str],
    *,
    report: Path | None = None,
    metric_set: str = "losses",
    metrics: Sequence[str] = (),
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
    repeat: int = 1,
) -> tuple[list[str], list[str]]:
    """Return the command line of each run, quoted for a shell, and what is missing to run it.

    Raises
    ------
    UsageError
        As ``profile``.
    """
    asked, notes = request(command, metric_set, metrics, extra_args)
    profiler = Path(ncu or "ncu")
    lacking = list(notes)
    try:
        profiler = launch.find_ncu(ncu)
    except ProfilerError as error:
        lacking.append(str(error))
    try:
        launch.check_program(asked.command, shutil.which(asked.command[0]))
    except ProfilerError as error:
        lacking.append(str(error))
    targets = launch.report_targets(report, force=force, repeat=repeat)
    return [shlex.join(launch.command_line(profiler, asked, report=target)) for target in targets], lacking


def request(
    command: Sequence[str], metric_set: str, metrics: Sequence[str], extra_args: Sequence[str]
) -> tuple[launch.Request, tuple[str, ...]]:
    """Return what to ask of ncu, and notes on what is left out.

    Raises
    ------
    UsageError
        If there is no program, or a name cannot be that of a set or of a counter.
    """
    if not command:
        raise UsageError("no program to profile", remedy="nsightlens profile -- PROGRAM ARGUMENTS")
    known = data.table("metric_sets")
    if not _SET.fullmatch(metric_set) or metric_set.startswith("-"):
        remedy = f"ours: {', '.join(known)}; ncu --list-sets names its own"
        raise UsageError("is no name of a set", where=f"--set {metric_set}", remedy=remedy)
    for name in metrics:
        if not name or name.startswith("-"):
            raise UsageError("is no name of a counter", where=f"--metrics {name}", remedy="--metrics A,B")
    ours = data.metric_set(metric_set) if metric_set in known else ()
    kept, notes = _supported(ours, launch.option_value(extra_args, "--replay-mode", "kernel"))
    own = None if metric_set in known else metric_set
    return launch.Request(tuple(command), kept, tuple(extra_args), tuple(metrics), own), notes


def _supported(metrics: tuple[str, ...], replay_mode: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Leave out what ncu refuses over ranges: counters for which it changes the kernel's instructions."""
    kept = tuple(name for name in metrics if replay_mode not in RANGE_REPLAY or "__sass_" not in name)
    if kept == metrics:
        return metrics, ()
    left_out = count(len(metrics) - len(kept), "instruction counter")
    return kept, (f"{left_out} (…__sass_…) left out, which ncu does not measure over ranges: work stays unknown",)


def _manifest(profiler: Path, metric_set: str, asked: launch.Request) -> launch.Manifest:
    def chosen(option: str, default: str) -> str:
        return launch.option_value(asked.extra_args, option, default)

    return launch.Manifest(
        command=asked.command,
        metric_set=metric_set,
        metrics=(*asked.metrics, *asked.added),
        ncu_path=str(profiler),
        ncu_version=launch.ncu_version(profiler),
        extra_args=asked.extra_args,
        target_processes=chosen("--target-processes", "all"),
        replay_mode=chosen("--replay-mode", "kernel"),
        cache_control=chosen("--cache-control", "all"),
        clock_control=chosen("--clock-control", "none"),
        started="",
    )


def _one_run(
    profiler: Path,
    asked: launch.Request,
    target: Path,
    manifest: launch.Manifest,
    *,
    timeout_s: float | None,
    force: bool,
    on_progress: launch.OnProgress | None,
) -> Profiled:
    """Run ncu once; what it collected is kept and analysed, also after a failure."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    with launch.folder_beside(target) as folder:
        collected = folder / target.name
        outcome, used, attempts = _run(profiler, asked, collected, timeout_s, on_progress)
        error = launch.failure(outcome, used)
        if not collected.exists() or (error is not None and outcome.launches == 0):
            return Profiled((), None, error or ProfilerError("ncu wrote no report", where=str(profiler)))
        target = launch.keep(collected, target, force=force)
    refused = tuple(metric for metric in asked.metrics if metric not in used.metrics)
    notes = manifest.notes + _refusal(refused, attempts)
    done = replace(
        manifest,
        metrics=(*used.metrics, *used.added),
        started=started,
        refused=refused,
        notes=notes,
        launches=outcome.launches,
        error=None if error is None else error.message,
    )
    launch.write_manifest(target, done)
    if error is not None:
        verb = "is" if outcome.launches == 1 else "are"
        error.message += f"; {count(outcome.launches, 'launch')} {verb} kept in {target}"
    return Profiled((target,), _analyse(target, error, notes), error, notes)


def _refusal(refused: tuple[str, ...], attempts: int) -> tuple[str, ...]:
    if not refused:
        return ()
    again = f"started {count(attempts, 'time')} to find out"
    return (f"this ncu does not know {', '.join(refused)}; profiled without ({again})",)


def _run(
    profiler: Path,
    asked: launch.Request,
    collected: Path,
    timeout_s: float | None,
    on_progress: launch.OnProgress | None,
) -> tuple[launch.Outcome, launch.Request, int]:
    """Run ncu; where it stops because it does not know some of our counters, run it again without them."""
    for attempt in range(1, MAX_RUNS + 1):
        log = collected.with_name(f"ncu-{attempt}.log")
        arguments = launch.command_line(profiler, asked, report=collected, log=log)
        outcome = launch.run(arguments, log, timeout_s=timeout_s, on_progress=on_progress)
        refused = launch.unknown_counters(outcome, asked.metrics)
        known = tuple(metric for metric in asked.metrics if metric not in refused)
        if outcome.launches or outcome.stopped or not refused or not known:
            break
        asked = replace(asked, metrics=known)
    return outcome, asked, attempt


def _analyse(report: Path, error: ProfilerError | None, notes: tuple[str, ...]) -> Analysis | None:
    from nsightlens.analysis import analyze_reports  # noqa: PLC0415

    try:
        analysis = analyze_reports([report])
    except NsightlensError:
        if error is None:
            raise
        return None
    if not notes:
        return analysis
    return replace(analysis, reports=tuple(replace(info, notes=info.notes + notes) for info in analysis.reports))


def _joined(runs: Sequence[Profiled]) -> Profiled:
    """Return the first run with the spread of times over all."""
    if len(runs) == 1:
        return runs[0]
    from nsightlens.analysis.repeats import with_spread  # noqa: PLC0415

    analyses = [run.analysis for run in runs if run.analysis is not None]
    reports = tuple(report for run in runs for report in run.reports)
    analysis = with_spread(analyses, reports) if analyses else None
    return Profiled(reports, analysis, runs[-1].error, runs[0].notes)

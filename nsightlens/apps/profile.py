"""Run a program under Nsight Compute, keep the report, analyse it."""

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nsightlens import launch
from nsightlens.analysis.result import Analysis
from nsightlens.apps.profile_request import RANGE_REPLAY, manifest_of, request
from nsightlens.apps.profile_run import Profiled, run_once
from nsightlens.data import DEFAULT_SET
from nsightlens.errors import ProfilerError
from nsightlens.measured import named_ceilings


def profile(
    command: Sequence[str],
    *,
    report: Path | None = None,
    metric_set: str = DEFAULT_SET,
    metrics: Sequence[str] = (),
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
    timeout_s: float | None = None,
    repeat: int = 1,
    communication: bool = False,
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
    communication
        Profile NCCL's kernels too, which may make ncu wait for ever. Says nothing if ``extra_args`` choose kernels.

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
        targets=launch.report_targets(report, force=force, repeat=repeat),
        metric_set=metric_set,
        metrics=metrics,
        ncu=ncu,
        force=force and report is not None,
        extra_args=(*extra_args, *_without_communication(extra_args, communication)),
        timeout_s=timeout_s,
    )
    if done.error is not None or done.analysis is None:
        raise done.error or ProfilerError("nothing was profiled")
    return done.analysis


def run_profile(
    command: Sequence[str],
    *,
    targets: Sequence[Path],
    metric_set: str = DEFAULT_SET,
    metrics: Sequence[str] = (),
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
    timeout_s: float | None = None,
    on_progress: launch.OnProgress | None = None,
) -> Profiled:
    """Do what ``profile`` does, but return a failed run together with the analysis of what was collected.

    ``targets`` are the reports of the runs, as ``launch.report_targets`` gives them.
    """
    asked, notes = request(command, metric_set, metrics, extra_args)
    named_ceilings()  # a file of ceilings that the environment names and that is none is said before the run
    launch.check_program(asked.command, shutil.which(asked.command[0]))
    profiler = launch.find_ncu(ncu)
    notes += tuple(f"another ncu was passed over: {each}" for each in profiler.passed_over)
    if unlisted := launch.unlisted(profiler.path, asked.added):
        notes += (f"this ncu does not list {', '.join(unlisted)}: perhaps misspelt, and then not in the report",)
    manifest = replace(manifest_of(profiler, metric_set, asked), notes=notes)
    runs: list[Profiled] = []
    for target in targets:
        done = run_once(
            profiler.path, asked, target, manifest, timeout_s=timeout_s, force=force, on_progress=on_progress
        )
        runs.append(done)
        if isinstance(done.error, ProfilerError):
            break
    return _joined(runs)


def dry_run(
    command: Sequence[str],
    *,
    targets: Sequence[Path],
    metric_set: str = DEFAULT_SET,
    metrics: Sequence[str] = (),
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
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
        profiler = launch.find_ncu(ncu).path
    except ProfilerError as error:
        lacking.append(str(error))
    try:
        launch.check_program(asked.command, shutil.which(asked.command[0]))
    except ProfilerError as error:
        lacking.append(str(error))
    lines = [launch.command_line(profiler, asked, report=target, force=force) for target in targets]
    return [shlex.join(line) for line in lines], lacking


def _without_communication(extra_args: Sequence[str], communication: bool) -> tuple[str, ...]:
    chosen = any(argument.partition("=")[0] in {"--kernel-name", "-k"} for argument in extra_args)
    ranges = launch.option_value(extra_args, "--replay-mode", "kernel") in RANGE_REPLAY
    return launch.select(communication=communication or chosen or ranges)


def _joined(runs: Sequence[Profiled]) -> Profiled:
    """Return the first run with the spread of times over all."""
    if len(runs) == 1:
        return runs[0]
    from nsightlens.analysis.repeats import with_spread  # noqa: PLC0415

    analyses = [run.analysis for run in runs if run.analysis is not None]
    reports = tuple(report for run in runs for report in run.reports)
    analysis = with_spread(analyses, reports) if analyses else None
    return Profiled(reports, analysis, runs[-1].error, runs[0].notes)

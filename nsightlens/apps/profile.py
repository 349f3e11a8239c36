"""Run a program under Nsight Compute, keep the report, analyse it."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nsightlens import data, launch
from nsightlens.analysis.result import Analysis
from nsightlens.errors import NsightlensError, ProfilerError, UsageError

# ncu names the counters it does not know before the first launch, perhaps one at a time.
MAX_RUNS = 16


@dataclass(frozen=True, slots=True)
class Profiled:
    """What came of a run; ``refused`` are the counters that this ncu did not know."""

    report: Path | None
    analysis: Analysis | None
    error: ProfilerError | None
    refused: tuple[str, ...] = ()


def profile(
    command: Sequence[str],
    *,
    report: Path | None = None,
    metric_set: str = "losses",
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
    timeout_s: float | None = None,
) -> Analysis:
    """Profile ``command`` with Nsight Compute and analyse every launch.

    Parameters
    ----------
    command
        The program and its arguments.
    report
        Where to keep the report; a new name in the current folder if not given.
    metric_set
        ``overview`` or ``losses``, see ``nsightlens.data``.
    ncu
        The profiler; searched for if not given.
    force
        Overwrite ``report``.
    extra_args
        Further options of ncu, such as those of ``nsightlens.launch.select``.
    timeout_s
        Stop after so many seconds.

    Raises
    ------
    ProfilerError
        If the profiler or the program failed; what was collected is in the report that the message names.
    ReportError
        If the report cannot be read.
    UsageError
        If there is no such metric set, or the report exists.
    """
    done = run_profile(
        command,
        report=report,
        metric_set=metric_set,
        ncu=ncu,
        force=force,
        extra_args=extra_args,
        timeout_s=timeout_s,
    )
    if done.error is not None or done.analysis is None:
        raise done.error or ProfilerError("nothing was profiled")
    return done.analysis


def run_profile(
    command: Sequence[str],
    *,
    report: Path | None = None,
    metric_set: str = "losses",
    ncu: str | None = None,
    force: bool = False,
    extra_args: Sequence[str] = (),
    timeout_s: float | None = None,
    on_progress: launch.OnProgress | None = None,
) -> Profiled:
    """Do what ``profile`` does, but return a failed run together with the analysis of what it did collect."""
    asked = _request(command, metric_set, extra_args)
    target = launch.report_target(report, force=force)
    profiler = launch.find_ncu(ncu)
    manifest = _manifest(profiler, metric_set, asked)
    with launch.folder_beside(target) as folder:
        collected = folder / target.name
        outcome, used = _run(profiler, asked, collected, timeout_s, on_progress)
        error = launch.failure(outcome, used)
        if not collected.exists() or (error is not None and outcome.launches == 0):
            return Profiled(None, None, error or ProfilerError("ncu wrote no report", where=str(profiler)))
        target = launch.keep(collected, target, force=force)
    refused = tuple(metric for metric in asked.metrics if metric not in used.metrics)
    manifest = replace(
        manifest,
        metrics=used.metrics,
        refused=refused,
        launches=outcome.launches,
        error=None if error is None else error.message,
    )
    launch.write_manifest(target, manifest)
    if error is not None:
        error.message += f"; {outcome.launches} launches are kept in {target}"
    return Profiled(target, _analyse(target, error), error, refused)


def _request(command: Sequence[str], metric_set: str, extra_args: Sequence[str]) -> launch.Request:
    if not command:
        raise UsageError("no program to profile", remedy="nsightlens profile -- PROGRAM ARGUMENTS")
    known = data.table("metric_sets")
    if metric_set not in known:
        raise UsageError("no such metric set", where=metric_set, remedy=f"take one of: {', '.join(known)}")
    launch.check_program(tuple(command), shutil.which(command[0]))
    return launch.Request(tuple(command), data.metric_set(metric_set), tuple(extra_args))


def _manifest(profiler: Path, metric_set: str, asked: launch.Request) -> launch.Manifest:
    return launch.Manifest(
        command=asked.command,
        metric_set=metric_set,
        metrics=asked.metrics,
        ncu_path=str(profiler),
        ncu_version=launch.ncu_version(profiler),
        extra_args=asked.extra_args,
        replay_mode=launch.option_value(asked.extra_args, "--replay-mode", "kernel"),
        cache_control=launch.option_value(asked.extra_args, "--cache-control", "all"),
        clock_control=launch.option_value(asked.extra_args, "--clock-control", "none"),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _run(
    profiler: Path,
    request: launch.Request,
    collected: Path,
    timeout_s: float | None,
    on_progress: launch.OnProgress | None,
) -> tuple[launch.Outcome, launch.Request]:
    """Run ncu; where it stops because it does not know some of the counters, run it again without them."""
    for attempt in range(MAX_RUNS):
        log = collected.with_name(f"ncu-{attempt}.log")
        arguments = launch.command_line(profiler, request, report=collected, log=log)
        outcome = launch.run(arguments, log, timeout_s=timeout_s, on_progress=on_progress)
        refused = launch.unknown_counters(outcome, request.metrics)
        known = tuple(metric for metric in request.metrics if metric not in refused)
        if outcome.launches or outcome.stopped or not refused or not known:
            break
        request = replace(request, metrics=known)
    return outcome, request


def _analyse(report: Path, error: ProfilerError | None) -> Analysis | None:
    from nsightlens.analysis import analyze_reports  # noqa: PLC0415

    try:
        return analyze_reports([report])
    except NsightlensError:
        if error is None:
            raise
        return None

"""One run of ncu: keep its report, analyse it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nsightlens import launch
from nsightlens.analysis.result import Analysis
from nsightlens.errors import NsightlensError, ProfilerError
from nsightlens.text import count

# ncu names the counters it does not know before the first launch, perhaps one at a time.
MAX_RUNS = 16


@dataclass(frozen=True, slots=True)
class Profiled:
    """What came of the runs; ``notes`` say what differs from what was asked."""

    reports: tuple[Path, ...]
    analysis: Analysis | None
    error: ProfilerError | None
    notes: tuple[str, ...] = ()


def run_once(
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
    analysis = _analyse(target, error, notes)
    if error is not None:
        error.message += f"; {_kept(outcome.launches, target, readable=analysis is not None)}"
    return Profiled((target,), analysis, error, notes)


def _kept(launches: int, target: Path, *, readable: bool) -> str:
    if not readable:
        return f"what was written to {target} cannot be read"
    return f"{count(launches, 'launch')} {'is' if launches == 1 else 'are'} kept in {target}"


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

"""One run of ncu: keep its report, analyse it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nsightlens import launch
from nsightlens.analysis.result import Analysis
from nsightlens.errors import NsightlensError, ProfilerError, UsageError
from nsightlens.text import count

# ncu names the counters it does not know before the first launch, perhaps one at a time.
MAX_RUNS = 16


@dataclass(frozen=True, slots=True)
class Profiled:
    """What came of the runs; ``notes`` say what differs from what was asked."""

    reports: tuple[Path, ...]
    analysis: Analysis | None
    error: NsightlensError | None
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
    with launch.held() as signals, launch.folder_beside(target) as folder:
        collected = folder / target.name
        outcome, used, attempts = _run(profiler, asked, collected, timeout_s, on_progress, signals)
        error = launch.failure(outcome, used) or _late(signals)
        if not collected.exists() or (error is not None and outcome.launches == 0):
            return Profiled((), None, error or ProfilerError("ncu wrote no report", where=str(profiler)))
        target = launch.keep(collected, target, force=force)
        refused = tuple(metric for metric in asked.metrics if metric not in used.metrics)
        done = replace(
            manifest,
            metrics=(*used.metrics, *used.added),
            started=started,
            refused=refused,
            notes=manifest.notes + _refusal(refused, attempts),
            launches=outcome.launches,
            error=None if error is None else error.message,
        )
        notes = done.notes + _written(target, done)
        error = error or _late(signals)
    analysis, unread = _analyse(target, notes)
    if error is not None:
        error.message += f"; {_kept(outcome.launches, target, readable=analysis is not None)}"
    return Profiled((target,), analysis, error or unread, notes)


def _late(signals: launch.Signals) -> ProfilerError | None:
    """Return that a signal came when ncu had ended already."""
    return None if signals.waiting is None else ProfilerError("interrupted when ncu had ended")


def _written(target: Path, manifest: launch.Manifest) -> tuple[str, ...]:
    """Write the manifest; the report is worth more than that, so a failure is a note."""
    try:
        launch.write_manifest(target, manifest)
    except UsageError as error:
        return (f"what was asked is not kept beside the report: {error.message}",)
    return ()


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
    signals: launch.Signals,
) -> tuple[launch.Outcome, launch.Request, int]:
    """Run ncu; where it stops because it does not know some of our counters, run it again without them."""
    for attempt in range(1, MAX_RUNS + 1):
        log = collected.with_name(f"ncu-{attempt}.log")
        arguments = launch.command_line(profiler, asked, report=collected, log=log)
        outcome = launch.run(arguments, log, signals=signals, timeout_s=timeout_s, on_progress=on_progress)
        refused = launch.unknown_counters(outcome, asked.metrics)
        known = tuple(metric for metric in asked.metrics if metric not in refused)
        if outcome.launches or outcome.stopped or not refused or not known:
            break
        asked = replace(asked, metrics=known)
    return outcome, asked, attempt


def _analyse(report: Path, notes: tuple[str, ...]) -> tuple[Analysis | None, NsightlensError | None]:
    """Return the analysis of a report, or why there is none."""
    from nsightlens.analysis import analyze_reports  # noqa: PLC0415

    try:
        analysis = analyze_reports([report])
    except NsightlensError as error:
        return None, error
    if not notes:
        return analysis, None
    infos = tuple(replace(info, notes=info.notes + notes) for info in analysis.reports)
    return replace(analysis, reports=infos), None

"""``bench SUITE --profile``: the same kernels under Nsight Compute, their counters beside the event times."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nsightlens.cli.bench.output import Measure, Result, bench_options, show
from nsightlens.cli.out import complain
from nsightlens.cli.status_line import StatusLine
from nsightlens.errors import NsightlensError, UsageError

if TYPE_CHECKING:
    from nsightlens.analysis.result import Analysis

Command = TypeVar("Command", bound=Callable[..., Any])
Collect = Callable[[], tuple["Analysis | None", NsightlensError | None]]


def profiled_options(function: Command) -> Command:
    """Add what ``bench_options`` adds, and ``--profile``, ``--report``, ``--counters`` and ``--ncu``."""
    options = (
        click.option("--profile", is_flag=True, help="Launch each kernel under ncu too, and show its counters."),
        click.option("--report", metavar="FILE", type=click.Path(path_type=Path), help="Keep ncu's report here."),
        click.option("--counters", metavar="FILE", type=click.Path(path_type=Path), help="Take this report for them."),
        click.option("--ncu", metavar="PATH", help="Nsight Compute's command line; searched for if not given."),
    )
    for option in reversed(options):
        function = option(function)
    return bench_options(function)


def show_profiled(
    suite: str,
    measure: Measure,
    schema: str,
    *,
    profile: bool,
    report: Path | None,
    counters: Path | None,
    ncu: str | None,
    only: str | None = None,
    finish: Callable[[Result], Result] | None = None,
    **output: Any,  # noqa: ANN401
) -> None:
    """Do what ``show`` does; counters come after the measurement, which is shown also if they cannot be had.

    Raises
    ------
    UsageError
        As ``show``, or if options contradict each other or the report exists.
    ProfilerError, ReportError
        If ncu failed, or the report holds no launch of the suite.
    """
    collect = _collector(suite, profile, report, counters, ncu, only, force=output["force"])
    failed: list[NsightlensError] = []

    def finished(result: Result) -> Result:
        result = result if finish is None else finish(result)
        return result if collect is None else _added(result, suite, collect, failed)

    show(measure, schema, finish=finished, **output)
    if failed:
        raise failed[0]


def _collector(
    suite: str,
    profile: bool,
    report: Path | None,
    counters: Path | None,
    ncu: str | None,
    only: str | None,
    *,
    force: bool,
) -> Collect | None:
    """Return what gives the counters, None if nobody asked; all that can be refused is refused here."""
    if profile and counters is not None:
        raise UsageError("goes without --profile", where="--counters", remedy="leave one of them out")
    if not profile:
        for given, where in ((report, "--report"), (ncu, "--ncu")):
            if given is not None:
                raise UsageError("goes with --profile", where=where, remedy="add --profile")
        return None if counters is None else _given(counters)
    from nsightlens import launch  # noqa: PLC0415
    from nsightlens.kernels.cupy_launch import load_cupy  # noqa: PLC0415

    (target,) = launch.report_targets(report, force=force)
    load_cupy()
    found = str(launch.find_ncu(ncu).path)
    return lambda: _run(suite, target, only, found, force=force and report is not None)


def _given(report: Path) -> Collect:
    from nsightlens.analysis import analyze_reports  # noqa: PLC0415

    analysis = analyze_reports(report)
    return lambda: (analysis, None)


def _run(
    suite: str, target: Path, only: str | None, ncu: str, *, force: bool
) -> tuple["Analysis | None", NsightlensError | None]:
    from nsightlens.apps.bench.counters import run  # noqa: PLC0415

    line = StatusLine()
    done = run(suite, target, only=only, ncu=ncu, force=force, on_progress=line.show if line.visible else None)
    line.clear()
    for kept in done.reports:
        complain(f"report kept in {kept}")
    return done.analysis, done.error


def _added(result: Result, suite: str, collect: Collect, failed: list[NsightlensError]) -> Result:
    from nsightlens.apps.bench.counters import with_counters  # noqa: PLC0415

    try:
        analysis, error = collect()
        failed.extend([error] if error is not None else [])
        return result if analysis is None else with_counters(result, suite, analysis)
    except NsightlensError as error:  # the measurement is worth more, and is shown before this is said
        failed.append(error)
        return result

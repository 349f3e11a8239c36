"""``nsightlens profile``: run a program under Nsight Compute, then analyse it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nsightlens.cli.options import ceilings_option, check_output, emit, output_options
from nsightlens.cli.out import complain, write_out
from nsightlens.cli.profile_options import ncu_arguments, ncu_options
from nsightlens.cli.status_line import StatusLine
from nsightlens.data import DEFAULT_SET
from nsightlens.launch import COMMUNICATION, files_of, ranked, report_targets
from nsightlens.text import printable

if TYPE_CHECKING:
    from nsightlens.apps.profile_run import Profiled

LEFT_OUT = "communication kernels (NCCL), if any, are left out; --with-communication keeps them"


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: nsightlens profile --kernel scale -- python examples/scale.py",
)
@click.option("--report", type=click.Path(path_type=Path), help="Keep the report in this file.")
@click.option(
    "--set",
    "metric_set",
    metavar="NAME",
    default=DEFAULT_SET,
    show_default=True,
    help="Counters to collect: overview (fewer passes), losses, or a set of ncu's own, such as full.",
)
@click.option("--metrics", metavar="A,B", default="", help="Further counters, as ncu takes them.")
@click.option("--ncu", metavar="PATH", help="Nsight Compute's command line; searched for if not given.")
@ncu_options
@click.option(
    "--timeout",
    "timeout_s",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True, max=1e9),
    help="Stop each run after S seconds.",
)
@click.option(
    "--repeat",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    help="Run N times, keep N reports, and show how far times spread.",
)
@click.option("--dry-run", is_flag=True, help="Print the command line of ncu, and run nothing.")
@output_options
@ceilings_option
@click.argument("program", metavar="-- CMD...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    *,
    report: Path | None,
    metric_set: str,
    metrics: str,
    ncu: str | None,
    timeout_s: float | None,
    repeat: int,
    dry_run: bool,
    fmt: str | None,
    output: Path | None,
    force: bool,
    program: tuple[str, ...],
    **for_ncu: Any,  # noqa: ANN401
) -> None:
    """Run CMD under Nsight Compute, keep the report, and analyse every launch.

    CMD's own output goes to standard error. Every kernel runs several times, so CMD takes longer than usual;
    clocks are left as they are. When CMD fails on the way, what was collected is analysed all the same, and the
    exit code is 4.
    """
    from nsightlens.apps import profile  # noqa: PLC0415

    extra_args = ncu_arguments(**for_ncu)
    added = tuple(name.strip() for name in metrics.split(",")) if metrics else ()
    targets = report_targets(report, force=force, repeat=repeat)
    asked: dict[str, Any] = {
        "targets": targets,
        "metric_set": metric_set,
        "metrics": added,
        "ncu": ncu,
        "force": force and report is not None,  # a name of our own making is never overwritten
        "extra_args": extra_args,
    }
    if dry_run:
        _show(*profile.dry_run(program, **asked))
        return
    output = None if output is None else ranked(output)
    check_output(output, fmt, force=force, reports=files_of(targets))
    line = StatusLine()
    done = profile.run_profile(program, **asked, timeout_s=timeout_s, on_progress=line.show if line.visible else None)
    line.clear()
    for note in _notes(done):
        _say(note)
    if done.reports and any(COMMUNICATION in argument for argument in extra_args):
        _say(LEFT_OUT)
    try:
        if done.analysis is not None:
            check_output(output, fmt, force=force, reports=files_of(done.reports))  # one may have got another name
            emit(done.analysis, fmt, output, force)
    finally:  # whatever becomes of the output, the run's own failure counts
        if done.error is not None:
            raise done.error


def _show(commands: list[str], lacking: list[str]) -> None:
    for text in lacking:
        _say(printable(text))
    for text in commands:
        write_out(f"{text}\n")


def _notes(done: "Profiled") -> Iterator[str]:
    """Yield what the result itself does not say."""
    said = {note for info in done.analysis.reports for note in info.notes} if done.analysis else set()
    yield from (printable(note) for note in done.notes if note not in said)
    if done.reports:
        kept = ", ".join(printable(str(report)) for report in done.reports)
        yield f"report kept in {kept}" if len(done.reports) == 1 else f"reports kept in {kept}"


def _say(text: str) -> None:
    complain(text)

"""``nsightlens profile``: run a program under Nsight Compute, then analyse it."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nsightlens.cli.options import check_output, emit, output_options
from nsightlens.launch import Progress, select
from nsightlens.text import printable

if TYPE_CHECKING:
    from nsightlens.apps.profile import Profiled

NAME_WIDTH = 48


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: nsightlens profile --kernel scale -- python examples/scale.py",
)
@click.option("--report", type=click.Path(path_type=Path), help="Keep the report in this file.")
@click.option(
    "--set",
    "metric_set",
    type=click.Choice(["overview", "losses"]),
    default="losses",
    show_default=True,
    help="Counters to collect; overview takes fewer passes.",
)
@click.option("--ncu", metavar="PATH", help="Nsight Compute's command line; searched for if not given.")
@click.option("--kernel", metavar="REGEX", help="Profile only kernels whose name matches.")
@click.option("--nvtx", metavar="RANGE", multiple=True, help="Profile only within this range, as DOMAIN@RANGE.")
@click.option("--launch-skip", metavar="N", type=click.IntRange(min=0), help="Leave out the first N launches.")
@click.option("--launch-count", metavar="N", type=click.IntRange(min=1), help="Profile at most N launches.")
@click.option(
    "--timeout",
    "timeout_s",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop after S seconds.",
)
@output_options
@click.argument("program", metavar="-- CMD...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    *,
    report: Path | None,
    metric_set: str,
    ncu: str | None,
    kernel: str | None,
    nvtx: tuple[str, ...],
    launch_skip: int | None,
    launch_count: int | None,
    timeout_s: float | None,
    fmt: str | None,
    output: Path | None,
    force: bool,
    program: tuple[str, ...],
) -> None:
    """Run CMD under Nsight Compute, keep the report, and analyse every launch.

    CMD's own output goes to standard error. Every kernel runs several times, so CMD takes longer than usual;
    clocks are left as they are. When CMD fails on the way, what was collected is analysed all the same, and the
    exit code is 4.
    """
    from nsightlens.apps.profile import run_profile  # noqa: PLC0415

    check_output(output, fmt, force=force, reports=() if report is None else (report,))
    line = StatusLine()
    done = run_profile(
        program,
        report=report,
        metric_set=metric_set,
        ncu=ncu,
        force=force,
        extra_args=select(kernel=kernel, nvtx=nvtx, launch_skip=launch_skip, launch_count=launch_count),
        timeout_s=timeout_s,
        on_progress=line.show if line.visible else None,
    )
    line.clear()
    for note in _notes(done):
        click.echo(f"nsightlens: {note}", err=True)
    if done.analysis is not None:
        emit(done.analysis, fmt, output, force)
    if done.error is not None:
        raise done.error


def _notes(done: "Profiled") -> Iterator[str]:
    if done.refused:
        yield f"this ncu does not know {', '.join(done.refused)}; profiled without"
    if done.report is not None:
        yield f"report kept in {printable(str(done.report))}"


class StatusLine:
    """One line on standard error, rewritten; only on a terminal."""

    def __init__(self) -> None:
        self.visible = sys.stderr.isatty()

    def show(self, progress: Progress) -> None:
        """Write the state of the run over the one before."""
        width = shutil.get_terminal_size().columns - 1
        self._write(printable(status(progress), width))

    def clear(self) -> None:
        """Leave an empty line."""
        self._write("")

    def _write(self, text: str) -> None:
        if self.visible:
            click.echo(f"\r\x1b[2K{text}", nl=False, err=True)


def status(progress: Progress) -> str:
    """Return the state of a run in words."""
    name = "" if progress.current is None else f", now {printable(progress.current, NAME_WIDTH)}"
    launches = "1 launch" if progress.launches == 1 else f"{progress.launches} launches"
    return f"nsightlens: {launches} profiled{name}, {progress.elapsed_s:.0f} s"

"""``nsightlens launches``: a short list of the launches in a report."""

from pathlib import Path
from typing import Any

import click

from nsightlens.cli.options import (
    check_output,
    emit,
    output_options,
    reading_options,
    reports_argument,
    selection,
    selection_options,
)


@click.command(epilog="Example: nsightlens launches run.ncu-rep --format csv -o launches.csv")
@reports_argument
@selection_options
@output_options
@reading_options
def command(
    *,
    reports: tuple[Path, ...],
    fmt: str | None,
    output: Path | None,
    force: bool,
    keep_going: bool,
    max_bytes: int,
    decimal: str | None,
    **chosen: Any,  # noqa: ANN401
) -> None:
    """List the launches in Nsight Compute reports: process, name, NVTX path, grid, block, time and status.

    As CSV, Parquet or JSON: every quantity that was read, one row a launch, as docs/frames.md names them.
    """
    from nsightlens.analysis import analyze_reports  # noqa: PLC0415
    from nsightlens.analysis.select import select  # noqa: PLC0415

    check_output(output, fmt, force=force, reports=reports)
    analysis = analyze_reports(reports, keep_going=keep_going, max_bytes=max_bytes, decimal=decimal, source=0)
    emit(select(analysis, selection(**chosen)), fmt, output, force, brief=True)

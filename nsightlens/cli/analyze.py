"""``nsightlens analyze``: roofline, overlap and losses of every launch in a report."""

from pathlib import Path
from typing import Any

import click

from nsightlens.cli.options import (
    ceilings_option,
    check_output,
    emit,
    needs_frames,
    output_options,
    reading_options,
    reports_argument,
    selection,
    selection_options,
)


@click.command(epilog="Example: nsightlens analyze run.ncu-rep --top 5 --format json -o run.json")
@reports_argument
@selection_options
@output_options
@reading_options
@ceilings_option
@click.option(
    "--source",
    metavar="N",
    type=click.IntRange(min=0),
    help="Name source lines and instructions for N launches, those that lost most (12 if not given; 0: for none).",
)
@click.option("--times", type=click.Path(path_type=Path), help="Show event times from this CSV or JSON beside ncu's.")
def command(
    *,
    reports: tuple[Path, ...],
    fmt: str | None,
    output: Path | None,
    force: bool,
    keep_going: bool,
    max_bytes: int,
    decimal: str | None,
    times: Path | None,
    source: int | None,
    **chosen: Any,  # noqa: ANN401
) -> None:
    """Analyse every launch in Nsight Compute reports (.ncu-rep, also .xz .gz .bz2 .zst).

    Shows time, use of device memory, L2 and tensor cores, the place on the roofline, bounds of the overlap of compute
    with memory, the largest speed-up that tensor cores could bring (TC), and a ledger of the time that adds up.
    """
    from nsightlens.analysis import analyze_reports  # noqa: PLC0415
    from nsightlens.analysis.select import select  # noqa: PLC0415
    from nsightlens.analysis.source import LAUNCHES, add_places  # noqa: PLC0415

    check_output(output, fmt, force=force, reports=(*reports, *([times] if times else [])))
    analysis = analyze_reports(
        reports,
        keep_going=keep_going,
        max_bytes=max_bytes,
        decimal=decimal,
        keep=needs_frames(fmt, output),
        times=times,
        source=0,
    )
    analysis = select(analysis, selection(**chosen))
    if not needs_frames(fmt, output):
        analysis = add_places(
            analysis,
            reports,
            launches=LAUNCHES if source is None else source,
            keep_going=keep_going,
            max_bytes=max_bytes,
        )
    emit(analysis, fmt, output, force)

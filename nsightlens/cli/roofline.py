"""``nsightlens roofline``: draw the roofline of one or more reports."""

from pathlib import Path
from typing import Any

import click

from nsightlens.cli.options import reading_options, reports_argument, selection, selection_options
from nsightlens.errors import UsageError
from nsightlens.text import printable


@click.command(epilog="Example: nsightlens roofline run.ncu-rep -o roofline.pdf")
@reports_argument
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The figure: a .png, .svg or .pdf file.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@selection_options
@reading_options
def command(
    *,
    reports: tuple[Path, ...],
    output: Path | None,
    force: bool,
    keep_going: bool,
    max_bytes: int,
    decimal: str | None,
    **chosen: Any,  # noqa: ANN401
) -> None:
    """Draw the roofline of Nsight Compute reports as PNG, SVG or PDF.

    Each launch stands at its operational intensity (FLOP per byte of DRAM traffic) and its performance, under the DRAM
    roof and the compute roofs of its GPU. Launches that cannot be placed are counted in a note.
    """
    from nsightlens.analysis import analyze_reports  # noqa: PLC0415
    from nsightlens.analysis.select import select  # noqa: PLC0415
    from nsightlens.plots.saving import ENDINGS, check_figure, save_roofline  # noqa: PLC0415

    if output is None:
        raise UsageError(
            "no file to write was named", where="roofline", remedy=f"add -o with a name ending in {ENDINGS}"
        )
    check_figure(output, force=force)
    analysis = analyze_reports(
        reports, keep_going=keep_going, max_bytes=max_bytes, decimal=decimal, keep=False, source=0
    )
    written = save_roofline(select(analysis, selection(**chosen)), output, force=force)
    click.echo(f"nsightlens: wrote {printable(str(written))}", err=True)

"""``nsightlens roofline``: draw the roofline of one or more reports."""

from pathlib import Path
from typing import Any

import click

from nsightlens.cli.options import ceilings_option, reading_options, reports_argument, selection, selection_options
from nsightlens.errors import UsageError
from nsightlens.text import printable


@click.command(epilog="Example: nsightlens roofline run.ncu-rep -o roofline.pdf")
@reports_argument
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The figure: a .png, .svg or .pdf file.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--levels",
    type=click.Choice(["limiting", "all", "dram", "l2", "l1"]),
    default="limiting",
    show_default=True,
    help="Memory levels: the one with the lowest roof for each launch, all, or one.",
)
@click.option(
    "--instructions",
    is_flag=True,
    default=None,
    help="Count work in instructions of warps; without it, only where no launch did floating-point work.",
)
@selection_options
@reading_options
@ceilings_option
def command(
    *,
    reports: tuple[Path, ...],
    output: Path | None,
    force: bool,
    levels: str,
    instructions: bool | None,
    keep_going: bool,
    max_bytes: int,
    decimal: str | None,
    **chosen: Any,  # noqa: ANN401
) -> None:
    """Draw the roofline of Nsight Compute reports as PNG, SVG or PDF.

    Each launch stands at its operational intensity (FLOP per byte, of the memory level whose roof is the lowest for it)
    and its performance, under the roof of this level and the compute roofs of its GPU. Launches that cannot be placed
    are counted in a note.
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
    written = save_roofline(
        select(analysis, selection(**chosen)), output, force=force, levels=levels, instructions=instructions
    )
    click.echo(f"nsightlens: wrote {printable(str(written))}", err=True)

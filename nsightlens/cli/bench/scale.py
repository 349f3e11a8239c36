"""``nsightlens bench scale``: SCALE on CUDA cores and on tensor cores, bandwidth over size."""

from pathlib import Path
from typing import Any

import click

from nsightlens.cli.bench.output import bench_options, show
from nsightlens.cli.out import complain


@click.command(epilog="Example: nsightlens bench scale -o scale.json --figure scale.png")
@click.option("--figure", metavar="FILE", type=click.Path(path_type=Path), help="Draw it: a .png, .svg or .pdf file.")
@bench_options
def command(*, figure: Path | None, force: bool, **output: Any) -> None:  # noqa: ANN401
    """Measure SCALE on CUDA cores and on tensor cores over size, beside the best copy and what theory allows."""
    from nsightlens.apps.bench.scale import SCHEMA, measure, verdict  # noqa: PLC0415
    from nsightlens.plots.bandwidth import save_bandwidth  # noqa: PLC0415
    from nsightlens.plots.saving import check_figure  # noqa: PLC0415

    if figure is not None:
        check_figure(figure, force=force)
    found = show(measure, SCHEMA, verdict=verdict, force=force, **output)
    if figure is not None:
        complain(f"wrote {save_bandwidth(found, figure, force=force)}")

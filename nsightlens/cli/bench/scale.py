"""``nsightlens bench scale``: SCALE on CUDA cores and on tensor cores, bandwidth over size."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from nsightlens.cli.bench.profiled import profiled_options, show_profiled
from nsightlens.cli.out import complain


@click.command(epilog="Example: nsightlens bench scale -o scale.json --figure scale.png")
@click.option("--figure", metavar="FILE", type=click.Path(path_type=Path), help="Draw it: a .png, .svg or .pdf file.")
@profiled_options
def command(*, figure: Path | None, force: bool, **output: Any) -> None:  # noqa: ANN401
    """Measure SCALE on CUDA cores and on tensor cores over size, beside the best copy and what theory allows."""
    from nsightlens.apps.bench.scale import SCHEMA, measure, with_verdict  # noqa: PLC0415
    from nsightlens.measured import named_ceilings  # noqa: PLC0415
    from nsightlens.plots.saving import check_figure  # noqa: PLC0415

    named_ceilings()  # a file that the environment names and that is none is said before the run
    if figure is not None:
        check_figure(figure, force=force)
    draw = None if figure is None else partial(_draw, figure, force)
    show_profiled("scale", measure, SCHEMA, finish=with_verdict, keep=draw, force=force, **output)


def _draw(figure: Path, force: bool, found: Mapping[str, Any]) -> None:
    from nsightlens.plots.bandwidth import save_bandwidth  # noqa: PLC0415

    complain(f"wrote {save_bandwidth(found, figure, force=force)}")

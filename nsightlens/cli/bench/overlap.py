"""``nsightlens bench overlap``: the overlap experiment."""

from typing import Any

import click

from nsightlens.cli.bench.output import bench_options, show


@click.command(epilog="Example: nsightlens bench overlap -o overlap.json")
@bench_options
def command(**output: Any) -> None:  # noqa: ANN401
    """Measure the overlap experiment."""
    from nsightlens.apps.bench.overlap import SCHEMA, measure  # noqa: PLC0415

    show(measure, SCHEMA, **output)

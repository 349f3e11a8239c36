"""``nsightlens bench overlap``: the overlap experiment."""

from typing import Any

import click

from nsightlens.cli.bench.profiled import profiled_options, show_profiled


@click.command(epilog="Example: nsightlens bench overlap -o overlap.json")
@profiled_options
def command(**output: Any) -> None:  # noqa: ANN401
    """Measure the overlap experiment."""
    from nsightlens.apps.bench.overlap import SCHEMA, measure  # noqa: PLC0415

    show_profiled("overlap", measure, SCHEMA, **output)

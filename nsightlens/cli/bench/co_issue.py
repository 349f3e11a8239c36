"""``nsightlens bench co_issue``: whether CUDA cores and tensor cores work at the same time."""

from typing import Any

import click

from nsightlens.cli.bench.output import bench_options, show


@click.command(epilog="Example: nsightlens bench co_issue -o co_issue.json")
@bench_options
def command(**output: Any) -> None:  # noqa: ANN401
    """Measure whether CUDA cores and tensor cores work at the same time."""
    from nsightlens.apps.bench.co_issue import SCHEMA, measure  # noqa: PLC0415

    show(measure, SCHEMA, **output)

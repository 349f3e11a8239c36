"""``nsightlens bench losses``: what planted defects cost."""

from functools import partial
from typing import Any

import click

from nsightlens.cli.bench.output import bench_options, show


@click.command(epilog="Example: nsightlens bench losses --only transpose -o transpose.json")
@click.option("--only", metavar="REGEX", help="Only pairs whose name matches.")
@bench_options
def command(*, only: str | None, **output: Any) -> None:  # noqa: ANN401
    """Time kernels with and without a planted defect, in turn: the truth that the loss ledger is held against."""
    from nsightlens.apps.bench.losses import SCHEMA, measure, narrowed  # noqa: PLC0415

    show(partial(measure, only), SCHEMA, finish=partial(narrowed, only), **output)

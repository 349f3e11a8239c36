"""``nsightlens bench losses``: what planted defects cost."""

from functools import partial
from typing import Any

import click

from nsightlens.cli.bench.profiled import profiled_options, show_profiled


@click.command(epilog="Example: nsightlens bench losses --only transpose -o transpose.json")
@click.option("--only", metavar="REGEX", help="Only pairs whose name matches.")
@profiled_options
def command(*, only: str | None, **output: Any) -> None:  # noqa: ANN401
    """Time kernels with and without a planted defect, in turn: the truth that the loss ledger is held against."""
    from nsightlens.apps.bench.losses import SCHEMA, measure, narrowed  # noqa: PLC0415

    show_profiled("losses", partial(measure, only), SCHEMA, only=only, finish=partial(narrowed, only), **output)

"""``nsightlens bench``: measure the shipped kernels on this GPU."""

import click

from nsightlens.cli.lazy import LazyGroup

COMMANDS = {
    "ceilings": "What this GPU gives at best: memory, pipes, tensor instructions.",
    "scale": "SCALE on CUDA cores and on tensor cores, over size.",
    "overlap": "The overlap experiment: memory on or off, arithmetic on or off.",
    "co_issue": "Whether CUDA cores and tensor cores work at the same time.",
    "losses": "What planted defects cost.",
}


@click.group(cls=LazyGroup, package="nsightlens.cli.bench", summaries=COMMANDS)
def command() -> None:
    """Measure the shipped kernels on this GPU; every result is checked against a reference first.

    --from FILE shows a result that was kept before, and needs no GPU.
    """

"""``nsightlens model``: what the models say of a kernel and a GPU, without running anything."""

import click

from nsightlens.cli.lazy import LazyGroup

COMMANDS = {
    "gpus": "The table of GPUs, or one GPU with its sources.",
    "intensity": "Work, traffic and intensity of a kernel.",
    "tensor": "How much tensor cores can bring at most.",
    "stencil": "A stencil: depth of fusing, rates, and which code fits.",
}


@click.group(cls=LazyGroup, package="nsightlens.cli.model", summaries=COMMANDS)
def command() -> None:
    """Ask the models of two articles, corrected: nothing is run or measured.

    Article 1 bounds what tensor cores bring to memory-bound kernels (arXiv 2502.16851); article 2 treats stencils
    (arXiv 2603.00477).
    """

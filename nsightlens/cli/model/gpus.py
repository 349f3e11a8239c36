"""``nsightlens model gpus``: the table of GPUs."""

from typing import Any

import click

from nsightlens.cli.model.output import emit, output_options


@click.command(epilog="Example: nsightlens model gpus h200")
@click.argument("name", required=False)
@output_options
def command(*, name: str | None, **output: Any) -> None:  # noqa: ANN401
    """Show the GPUs, or GPU NAME with the source of every number."""
    from nsightlens.answers.gpus import gpu_answer, gpus_answer  # noqa: PLC0415
    from nsightlens.gpus import find_gpu  # noqa: PLC0415

    emit(gpus_answer if name is None else lambda: gpu_answer(find_gpu(name)), **output)

"""``nsightlens model intensity``: work, traffic and intensity of a kernel."""

from typing import Any

import click

from nsightlens.cli.model.options import dtype_option, size_options, sizes
from nsightlens.cli.model.output import emit, output_options

KERNELS = ("scale", "gemv", "spmv", "stencil")


@click.command(epilog="Example: nsightlens model intensity spmv --rows 62451 --nonzeros 4007383")
@click.argument("name", metavar="KERNEL", type=click.Choice(KERNELS))
@dtype_option
@size_options
@output_options
def command(*, name: str, dtype: str, **options: Any) -> None:  # noqa: ANN401
    """Show work, traffic and intensity of KERNEL: scale, gemv, spmv or stencil."""
    from nsightlens.answers.intensity import intensity_answer  # noqa: PLC0415
    from nsightlens.answers.kernels import kernel  # noqa: PLC0415

    asked = sizes(options)
    emit(lambda: intensity_answer(kernel(name, dtype, asked), dtype), **options)

"""``nsightlens model stencil``: how deep to fuse, which unit limits, which code fits."""

from typing import Any

import click

from nsightlens.cli.model.options import gpu_options, limits
from nsightlens.cli.model.output import emit, output_options

_SIZE = click.IntRange(min=1)


@click.command(epilog="Example: nsightlens model stencil --shape box2d1r --dtype fp64 --gpu h200")
@click.option("--shape", metavar="NAME", required=True, help="Such as 2d9pt, box2d1r, star3d1r or Heat-2D.")
@gpu_options
@click.option("--depth", metavar="T", type=_SIZE, help="Time steps a pass; if not given, 3 over R, at least 1.")
@click.option("--tile", metavar="B", type=_SIZE, help="Width of a tile; 256, and 32 in three dimensions.")
@output_options
def command(*, shape: str, depth: int | None, tile: int | None, **options: Any) -> None:  # noqa: ANN401
    """Predict the rates of a stencil on CUDA cores and tensor cores, and say which published code fits."""
    from nsightlens.answers.stencil import stencil_answer  # noqa: PLC0415

    output = {name: options.pop(name) for name in ("fmt", "output", "force")}
    emit(lambda: stencil_answer(limits(options), shape, depth, tile), **output)

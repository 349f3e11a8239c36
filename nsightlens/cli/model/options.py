"""Options that the commands of ``model`` share, and the one way in which they give an answer."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from nsightlens.answers.kernel import Sizes
    from nsightlens.answers.limits import Limits

Command = TypeVar("Command", bound=Callable[..., Any])


def positive(text: str) -> float:
    """Return the finite number above 0 that an option gives.

    Raises
    ------
    click.BadParameter
        If it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (number > 0 and math.isfinite(number)):
        raise click.BadParameter(f"{text!r} is no finite number above 0")
    return number


DTYPES = ("fp64", "fp32", "fp16")
_SIZE = click.IntRange(min=1)


def dtype_option(function: Command) -> Command:
    """Add ``--dtype``."""
    return with_options(
        function,
        click.option("--dtype", type=click.Choice(DTYPES), default="fp64", show_default=True, help="Precision."),
    )


def gpu_options(function: Command) -> Command:
    """Add ``--gpu``, ``--dtype`` and the caller's own peaks; collect them with ``limits``."""
    own = (
        ("--peak-flop-per-s", "peak", "Own peak of CUDA cores, such as 33.5e12."),
        ("--tensor-peak-flop-per-s", "tensor_peak", "Own peak of tensor cores, dense."),
        ("--bandwidth-bytes-per-s", "bandwidth", "Own bandwidth of device memory."),
    )
    return with_options(
        function,
        click.option("--gpu", metavar="NAME", help="A GPU of the table: nsightlens model gpus."),
        dtype_option,
        *(click.option(option, name, metavar="RATE", type=positive, help=text) for option, name, text in own),
    )


def size_options(function: Command) -> Command:
    """Add the sizes of kernels; collect them with ``sizes``."""
    return with_options(
        function,
        click.option("--elements", metavar="N", type=_SIZE, help="scale: elements."),
        click.option("--rows", metavar="M", type=_SIZE, help="gemv, spmv: rows."),
        click.option("--columns", metavar="N", type=_SIZE, help="gemv, spmv: columns (spmv: as rows if not given)."),
        click.option("--nonzeros", metavar="NNZ", type=_SIZE, help="spmv: non-zeros."),
        click.option("--index-bytes", metavar="BYTES", type=_SIZE, help="spmv: bytes an index; 4 if not given."),
        click.option("--reads-y", is_flag=True, default=None, help="gemv: y is read too."),
        click.option("--shape", metavar="NAME", help="stencil: such as 2d9pt or star3d1r."),
        click.option("--depth", metavar="T", type=_SIZE, help="stencil: time steps a pass; 1 if not given."),
    )


def limits(options: dict[str, Any]) -> "Limits":
    """Return the peaks that the options of ``gpu_options`` ask for, and take these out of ``options``."""
    from nsightlens.answers.limits import Own  # noqa: PLC0415
    from nsightlens.answers.limits import limits as found  # noqa: PLC0415

    own = Own(options.pop("peak"), options.pop("tensor_peak"), options.pop("bandwidth"))
    return found(options.pop("gpu"), options.pop("dtype"), own)


def sizes(options: dict[str, Any]) -> "Sizes":
    """Return the sizes that the options of ``size_options`` give, and take these out of ``options``."""
    from dataclasses import fields  # noqa: PLC0415

    from nsightlens.answers.kernel import Sizes  # noqa: PLC0415

    return Sizes(**{field.name: options.pop(field.name) for field in fields(Sizes)})


def with_options(function: Command, *options: Callable[[Command], Command]) -> Command:
    """Add options in the order in which help shows them."""
    for option in reversed(options):
        function = option(function)
    return function

"""``nsightlens model tensor``: how much tensor cores can bring a kernel at most."""

from typing import TYPE_CHECKING, Any

import click

from nsightlens.cli.model.intensity import KERNELS
from nsightlens.cli.model.options import gpu_options, limits, positive, size_options, sizes
from nsightlens.cli.model.output import emit, output_options
from nsightlens.errors import UsageError

if TYPE_CHECKING:
    from nsightlens.answers.answer import Answer


@click.command(epilog="Example: nsightlens model tensor --gpu h200 --dtype fp64 --kernel scale")
@gpu_options
@click.option("--intensity", metavar="X", type=positive, help="FLOP/byte.")
@click.option("--kernel", "name", type=click.Choice(KERNELS), help="A kernel; its sizes below.")
@size_options
@click.option("--t-mem", metavar="SECONDS", type=positive, help="Busy time of memory.")
@click.option("--t-cmp", metavar="SECONDS", type=positive, help="Busy time of compute.")
@click.option("--time", metavar="SECONDS", type=positive, help="Total time, with --t-mem and --t-cmp.")
@output_options
def command(**options: Any) -> None:  # noqa: ANN401
    """Bound what tensor cores bring to a kernel of an intensity, a known kernel, or measured times."""
    output = {name: options.pop(name) for name in ("fmt", "output", "force")}
    emit(lambda: _answer(options), **output)


def _answer(options: dict[str, Any]) -> "Answer":
    from nsightlens.answers.kernels import kernel  # noqa: PLC0415
    from nsightlens.answers.tensor import tensor_answer  # noqa: PLC0415
    from nsightlens.answers.tensor_case import Question, Times  # noqa: PLC0415

    dtype, asked, found = options["dtype"], sizes(options), limits(options)
    name, intensity = options["name"], options["intensity"]
    t_mem, t_cmp, total = options["t_mem"], options["t_cmp"], options["time"]
    if (t_mem is None) != (t_cmp is None) or (total is not None and t_mem is None):
        raise UsageError("times belong together", where="model tensor", remedy="give --t-mem and --t-cmp")
    if name is None and asked.given:
        raise UsageError("a size needs a kernel", where=asked.given[0], remedy="give --kernel")
    times = Times(t_mem, t_cmp, total) if t_mem is not None and t_cmp is not None else None
    return tensor_answer(found, Question(intensity, kernel(name, dtype, asked) if name else None, times))

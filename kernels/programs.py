"""Run a kernel of the catalogue on random data inside its own range, time it, and check what it computed."""

from dataclasses import dataclass
from typing import Any

from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.check import check
from nsightlens.kernels.cupy_launch import prepare
from nsightlens.kernels.timing import timed
from nsightlens.ranges import annotate


@dataclass(frozen=True, slots=True)
class Run:
    """A checked run: seconds between two CUDA events around the launch, and its work and least traffic."""

    time_s: float
    flop: int
    dram_bytes: int
    max_relative_error: float


def run(name: str, elements: int, *, label: str | None = None, warm_up: bool = False, **given: Any) -> Run:  # noqa: ANN401
    """Run the kernel ``name`` once on random data.

    Parameters
    ----------
    name
        A family of ``nsightlens.kernels.catalogue`` with a parameter ``n``; its others are further keywords.
    elements
        Its ``n``.
    label
        Name of the NVTX range; the kernel's own if not given.
    warm_up
        Launch once before, in a range of its own: without a profiler the first launch also loads the code.

    Raises
    ------
    UsageError
        If there is no such kernel or parameter, or no CuPy.
    NsightlensError
        If the result is wrong.
    """
    work = workload(name, n=elements, **given)
    prepared = prepare(work)
    if warm_up:
        with annotate("warm_up"):
            prepared.launch()
        prepared.restore()
    flop = sum(work.flop.values())
    with annotate(label or name, flop=flop, dram_bytes=work.dram_bytes, payload=elements):
        time_s = timed(prepared.launch)
    return Run(time_s, flop, work.dram_bytes, check(prepared))

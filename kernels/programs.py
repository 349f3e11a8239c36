"""Run a kernel of the catalogue on random data inside its own range, time it, and check what it computed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nsightlens.errors import NsightlensError
from nsightlens.kernels.catalogue import Kernel, Parameters, Vector, kernel
from nsightlens.kernels.cupy_launch import launch, load_cupy
from nsightlens.ranges import annotate


@dataclass(frozen=True, slots=True)
class Run:
    """A checked run: seconds between two CUDA events around the launch, and its work and least traffic."""

    time_s: float
    flop: int
    dram_bytes: int
    max_relative_error: float


def run(name: str, elements: int, *, label: str | None = None, warm_up: bool = False, **given: float) -> Run:
    """Run the kernel ``name`` once on random data.

    Parameters
    ----------
    name
        A kernel of ``nsightlens.kernels.catalogue``; its parameters are further keywords.
    elements
        Length of the vectors.
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
    entry = kernel(name)
    parameters = entry.parameters(given)
    cupy = load_cupy()
    # Made on the host: a random-number kernel would stand in the report too.
    host = np.random.default_rng(0).random(elements) + 0.5
    a = cupy.asarray(host)
    b = cupy.empty_like(a)
    if warm_up:
        with annotate("warm_up"):
            launch(entry, a, b, parameters)
    time_s = _timed(entry, a, b, parameters, label or name)
    error = relative_error(cupy.asnumpy(b), entry.reference(host, parameters))
    if not error <= entry.rtol:
        message = f"wrong result: relative error {error:.3g}, allowed {entry.rtol:.3g}"
        raise NsightlensError(message, where=name, remedy="report it as a bug, with the GPU and CUDA version")
    return Run(time_s, entry.flop(elements, parameters), entry.dram_bytes(elements, parameters), error)


def relative_error(found: Vector, expected: Vector) -> float:
    """Return the largest relative deviation of ``found``; NaN if it holds NaN."""
    return float(np.max(np.abs(found - expected) / np.abs(expected), initial=0.0))


def _timed(entry: Kernel, a: Any, b: Any, parameters: Parameters, label: str) -> float:  # noqa: ANN401
    cuda = load_cupy().cuda
    start, end = cuda.Event(), cuda.Event()
    flop, dram_bytes = entry.flop(a.size, parameters), entry.dram_bytes(a.size, parameters)
    with annotate(label, flop=flop, dram_bytes=dram_bytes, payload=a.size):
        start.record()
        launch(entry, a, b, parameters)
        end.record()
    end.synchronize()
    return float(cuda.get_elapsed_time(start, end)) * 1e-3

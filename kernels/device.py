"""The device as CUDA tells of it, and the clock of its multiprocessors under load."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from nsightlens.kernels.cupy_launch import load_cupy

_SPIN_CYCLES = 4_000_000
"""Time over which the clock is taken: about 2 ms."""


@dataclass(frozen=True, slots=True)
class Device:
    """What CUDA tells of the current device."""

    name: str
    compute_capability: str
    multiprocessors: int
    l2_bytes: int
    memory_bytes: int
    max_sm_clock_hz: float
    memory_clock_hz: float
    driver_cuda: str
    runtime_cuda: str


def device() -> Device:
    """Return the current device.

    Raises
    ------
    UsageError
        If there is no CuPy or no GPU.
    """
    cupy = load_cupy()
    current, runtime = cupy.cuda.Device(), cupy.cuda.runtime
    facts, capability = current.attributes, str(current.compute_capability)
    return Device(
        name=runtime.getDeviceProperties(current.id)["name"].decode(),
        compute_capability=f"{capability[:-1]}.{capability[-1]}",
        multiprocessors=facts["MultiProcessorCount"],
        l2_bytes=facts["L2CacheSize"],
        memory_bytes=current.mem_info[1],
        max_sm_clock_hz=facts["ClockRate"] * 1e3,
        memory_clock_hz=facts["MemoryClockRate"] * 1e3,
        driver_cuda=_version(runtime.driverGetVersion()),
        runtime_cuda=_version(runtime.runtimeGetVersion()),
    )


def sm_clock_hz(launch: Callable[[], None], seconds: float) -> float:
    """Return the clock of a multiprocessor while ``launch`` runs again and again, each time for so many seconds.

    A warp on a stream of its own looks at the cycle counter and at the device's nanosecond timer.
    """
    cupy = load_cupy()
    out = cupy.zeros(2, dtype="uint64")
    busy, aside = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with busy:
        for _ in range(int(0.02 / seconds) + 2):
            launch()
    with aside:
        for _ in range(4):  # the last one counts: by then the load is on
            _clock_kernel()((1,), (32,), (out, cupy.uint64(_SPIN_CYCLES)))
    aside.synchronize()
    busy.synchronize()
    cycles, nanoseconds = (float(value) for value in out.get())
    return cycles / nanoseconds * 1e9


@cache
def _clock_kernel() -> Any:  # noqa: ANN401
    code = files("nsightlens.kernels").joinpath("ceilings_memory.cu").read_text(encoding="utf-8")
    return load_cupy().RawModule(code=code, options=("--std=c++17",)).get_function("clock_rate")


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"

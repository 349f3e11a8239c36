"""Where and how something was measured."""

from datetime import UTC, datetime
from typing import Any

from nsightlens._version import __version__
from nsightlens.kernels.cupy_launch import load_cupy
from nsightlens.kernels.device import Device
from nsightlens.launch import smi


def conditions(here: Device) -> dict[str, Any]:
    """Return the device, versions, clocks and date, for the file of a measurement."""
    return {
        "gpu": here.name,
        "nsightlens": __version__,
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "cupy": load_cupy().__version__,
        "cuda_of_driver": here.driver_cuda,
        "cuda_of_runtime": here.runtime_cuda,
        "driver_version": smi.ask().driver_version or "unknown",
        "compute_capability": here.compute_capability,
        "multiprocessors": here.multiprocessors,
        "l2_bytes": here.l2_bytes,
        "max_sm_clock_hz": here.max_sm_clock_hz,
        "memory_clock_hz": here.memory_clock_hz,
        "times": "CUDA events, warm, clocks as found",
    }

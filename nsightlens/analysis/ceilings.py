"""Ceilings of one launch, each with its source: measured on such a GPU, else the report itself, else the GPU table."""

import math
from collections.abc import Mapping

from nsightlens.analysis.result import Ceiling
from nsightlens.analysis.work import CUDA_CORES, flop_by_pipe
from nsightlens.collectors.report import Launch
from nsightlens.data import table
from nsightlens.gpus import by_device_name
from nsightlens.measured import Measured, find_ceilings

_RATE = "_flop_per_s"
TENSOR_TYPES = ("fp64", "tf32", "bf16", "fp16", "fp8", "int8")
TENSOR_FAMILIES = ("dmma", "hmma", "hgmma", "qmma", "qgmma", "imma", "igmma")


def ceilings(launch: Launch) -> dict[str, Ceiling]:
    """Return the ceilings by name, such as ``dram_bytes_per_s`` and ``tensor_fp64_flop_per_s``."""
    found = {name: Ceiling(value, "spec") for name, value in _spec(launch).items()}
    found.update((name, Ceiling(value, "report")) for name, value in _from_report(launch).items())
    found.update((name, Ceiling(value, "measured")) for name, value in _measured(launch).items())
    return found


CEILING_NOISE = 0.03
"""A launch can exceed a ceiling that was measured with another kernel by this much."""


def _exceeded(launch: Launch, name: str, ceiling: float) -> bool:
    """Tell whether a launch itself shows that a measured ceiling is too low: then the report's own peak serves."""
    done = launch.values["dram_bytes"] if name == "dram_bytes_per_s" else flop_by_pipe(launch).get(name[: -len(_RATE)])
    return done is not None and done / launch.values["time_s"] > (1 + CEILING_NOISE) * ceiling


def dram_efficiency(launch: Launch, limits: Mapping[str, Ceiling]) -> float:
    """Return the part of its peak bandwidth that device memory reaches at best: 1 where that was not measured."""
    best, peak = limits.get("dram_bytes_per_s"), launch.values["dram_bytes_per_s"]
    if best is None or best.source != "measured":
        return 1.0
    if not peak > 0:
        peak = launch.values["dram_spec_bytes_per_s"]
    return min(1.0, best.value / peak) if peak > 0 else 1.0


def _measured(launch: Launch) -> dict[str, float]:
    gpu = launch.row["gpu"]
    best = find_ceilings(gpu) if gpu else None
    if best is None:
        return {}
    clock = launch.values["sm_clock_hz"]
    found = {f"{kind}_flop_per_s": best.at_clock(f"{kind}_flop_per_s", clock) for kind in CUDA_CORES}
    found |= {f"tensor_{kind}_flop_per_s": _tensor(best, kind, launch, clock) for kind in TENSOR_TYPES}
    moved, read = launch.values["dram_bytes"], launch.values["dram_read_bytes"]
    found["dram_bytes_per_s"] = best.dram_bytes_per_s(min(read / moved, 1.0)) if moved > 0 and read >= 0 else None
    found["l2_bytes_per_s"] = best.at_clock("l2_read_bytes_per_s", clock)
    return {name: value for name, value in found.items() if value is not None and not _exceeded(launch, name, value)}


def _tensor(best: Measured, kind: str, launch: Launch, clock: float) -> float | None:
    """Return the ceiling of the instruction family that ran, else that of the fastest one."""
    families = [launch.tensor.path[kind]] if kind in launch.tensor.path else TENSOR_FAMILIES
    rates = [best.at_clock(f"tensor_{kind}_{family}_flop_per_s", clock) for family in families]
    return max((rate for rate in rates if rate is not None), default=None)


def _from_report(launch: Launch) -> dict[str, float]:
    names = [name for name, entry in table("counters").items() if entry.get("role") == "ceiling"]
    found = {name: launch.values[name] for name in names}
    clock = launch.values["sm_clock_hz"]
    found |= {f"tensor_{kind}_flop_per_s": peak * clock for kind, peak in launch.tensor.peak_flop_per_cycle.items()}
    return {name: value for name, value in found.items() if math.isfinite(value) and value > 0}


def _spec(launch: Launch) -> dict[str, float]:
    """Return the table's peaks of a GPU, by its whole name: variants of one chip differ.

    The device's own memory clock and bus come before the table: makers round their figures.
    """
    gpu = by_device_name(launch.row["gpu"])
    memory = launch.values["dram_spec_bytes_per_s"]
    return (gpu.certain_peaks if gpu else {}) | ({"dram_bytes_per_s": memory} if memory > 0 else {})

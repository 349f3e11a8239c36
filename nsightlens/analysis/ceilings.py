"""Ceilings of one launch, each with its source: measured on such a GPU, else the report itself, else the GPU table."""

import math
from collections.abc import Mapping

from nsightlens.analysis.measured_rates import measured_rates
from nsightlens.analysis.result import Ceiling
from nsightlens.analysis.work import flop_by_pipe
from nsightlens.collectors.report import Launch
from nsightlens.data import table
from nsightlens.gpus import by_device_name

_RATE = "_flop_per_s"
LEVELS = ("dram", "l2", "l1")
"""Memory levels, from the farthest."""
ISSUE = "issue_inst_per_s"
_OF_CACHES_AND_ISSUE = ("l2_bytes_per_s", "l1_bytes_per_s", ISSUE)


def ceilings(launch: Launch) -> dict[str, Ceiling]:
    """Return the ceilings by name, such as ``dram_bytes_per_s`` and ``tensor_fp64_flop_per_s``."""
    found = {name: Ceiling(value, "spec") for name, value in _spec(launch).items()}
    found.update((name, Ceiling(value, "report")) for name, value in _from_report(launch).items())
    found.update((name, Ceiling(value, "measured")) for name, value in _measured(launch).items())
    return found


CEILING_NOISE = 0.03
"""A launch can exceed a ceiling that was measured with another kernel by this much."""
PASS_NOISE = 0.005
"""Counters of different passes can exceed 1 by this much."""


def tolerance(limits: Mapping[str, Ceiling], *names: str) -> float:
    """Return by how much a launch may exceed the ceilings of these names before one of them is called too low."""
    measured = any(name in limits and limits[name].source == "measured" for name in names)
    return CEILING_NOISE if measured else PASS_NOISE


def _exceeded(launch: Launch, name: str, ceiling: float) -> bool:
    """Tell whether a launch itself shows that a measured ceiling is too low: then the report's own peak serves."""
    moved = launch.values.get(name.removesuffix("_per_s"))
    done = flop_by_pipe(launch).get(name.removesuffix(_RATE)) if name.endswith(_RATE) else moved
    return done is not None and done > (1 + CEILING_NOISE) * ceiling * launch.values["time_s"]


def dram_efficiency(launch: Launch, limits: Mapping[str, Ceiling]) -> float:
    """Return the part of its peak bandwidth that device memory reaches at best: 1 where that was not measured."""
    best, peak = limits.get("dram_bytes_per_s"), launch.values["dram_bytes_per_s"]
    if best is None or best.source != "measured":
        return 1.0
    if not peak > 0:
        peak = launch.values["dram_spec_bytes_per_s"]
    return min(1.0, best.value / peak) if peak > 0 else 1.0


def _measured(launch: Launch) -> dict[str, float]:
    return {name: value for name, value in measured_rates(launch).items() if not _exceeded(launch, name, value)}


def _from_report(launch: Launch) -> dict[str, float]:
    roles = [name for name, entry in table("counters").items() if entry.get("role") == "ceiling"]
    found = {name: launch.values[name] for name in (*roles, *_OF_CACHES_AND_ISSUE)}
    clock, tensor = launch.values["sm_clock_hz"], launch.tensor
    found |= {f"tensor_{kind}_flop_per_s": peak * clock for kind, peak in tensor.peak_flop_per_cycle.items()}
    sparse = tensor.sparse_peak_flop_per_cycle
    found |= {f"tensor_{kind}_sparse_flop_per_s": peak * clock for kind, peak in sparse.items()}
    return {name: value for name, value in found.items() if math.isfinite(value) and value > 0}


def _spec(launch: Launch) -> dict[str, float]:
    """Return the table's peaks of a GPU, by its whole name: variants of one chip differ.

    The device's own memory clock and bus come before the table: makers round their figures.
    """
    gpu = by_device_name(launch.row["gpu"])
    found = gpu.certain_peaks if gpu else {}
    sparse = {kind: f"tensor_{kind}_flop_per_s" for kind in launch.tensor.sparse_flop}
    found |= {
        f"tensor_{kind}_sparse_flop_per_s": gpu.sparse[n] for kind, n in sparse.items() if gpu and n in gpu.sparse
    }
    own = {level: launch.values[f"{level}_spec_bytes_per_s"] for level in ("dram", "l1")}
    return found | {f"{level}_bytes_per_s": value for level, value in own.items() if value > 0}

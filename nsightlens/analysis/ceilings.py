"""Ceilings of one launch, each with its source: the report itself, else the shipped GPU table."""

import math
from typing import Any

from nsightlens.analysis.result import Ceiling
from nsightlens.collectors.report import Launch
from nsightlens.data import table


def ceilings(launch: Launch) -> dict[str, Ceiling]:
    """Return the ceilings by name, such as ``dram_bytes_per_s`` and ``tensor_fp64_flop_per_s``."""
    found = {name: Ceiling(value, "spec") for name, value in _spec(launch).items()}
    found.update((name, Ceiling(value, "report")) for name, value in _from_report(launch).items())
    return found


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
    gpu = launch.row["gpu"]
    entry: dict[str, Any] = next((entry for entry in table("gpus").values() if gpu in entry["names"]), {})
    found = {name: value for name, value in entry.items() if name.endswith("_per_s")}
    memory = launch.values["dram_spec_bytes_per_s"]
    return found | ({"dram_bytes_per_s": memory} if memory > 0 else {})

"""What a reader gives: one report as DataFrames."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nsightlens.collectors.quantities import Origin, evaluate
from nsightlens.collectors.tensor import TensorWork, tensor_work

if TYPE_CHECKING:
    import pandas as pd

_STALL = "smsp__average_warps_issue_stalled_"
_STALL_END = "_per_issue_active.ratio"


@dataclass(frozen=True)
class Launch:
    """One profiled launch as a reader found it: identity, counters, and the quantities computed from them."""

    row: dict[str, Any]
    counters: Mapping[str, Any]
    values: dict[str, float]
    origins: dict[str, Origin]
    tensor: TensorWork
    stalls: dict[str, float]
    opcodes: dict[str, float] | None = None


@dataclass(frozen=True)
class Report:
    """One report: where it comes from, and its launches."""

    path: str
    format: str
    complete: bool
    launched: tuple[Launch, ...] = field(repr=False)
    ncu_version: str | None = None
    driver_version: str | None = None
    cuda_version: str | None = None
    gpus: tuple[str, ...] = ()
    command_line: str | None = None
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def launches(self) -> "pd.DataFrame":
        """One row per launch; columns and units as in ``nsightlens.schema.launch_columns``."""
        from nsightlens.collectors.frames import launch_frame  # noqa: PLC0415

        return launch_frame(self.launched)

    @cached_property
    def metrics(self) -> "pd.DataFrame":
        """Every number read, one row each; columns as in ``nsightlens.schema.METRICS``."""
        from nsightlens.collectors.frames import metric_frame  # noqa: PLC0415

        return metric_frame(self.launched)

    def _repr_html_(self) -> str:
        from nsightlens.collectors.short import report_html  # noqa: PLC0415

        return report_html(self)


def make_launch(row: dict[str, Any], counters: Mapping[str, Any], opcodes: dict[str, float] | None = None) -> Launch:
    """Compute the quantities of one launch from its counters and complete its row."""
    values, origins = evaluate(counters)
    failed = math.isnan(values["time_s"]) and origins["time_s"].state == "failed"
    status = row.get("status") or ("failed" if failed else "ok")
    stalls = {
        name[len(_STALL) : -len(_STALL_END)]: float(value)
        for name, value in counters.items()
        if name.startswith(_STALL) and isinstance(value, int | float)
    }
    complete = {**row, **_geometry(counters), "status": status}
    return Launch(complete, counters, values, origins, tensor_work(counters), stalls, opcodes)


def record(launch: Launch) -> dict[str, Any]:
    """Return a launch as one flat record: column to value."""
    tensor = {f"tensor_{kind}_flop": value for kind, value in launch.tensor.flop.items()}
    stalls = {f"stall_{reason}": value for reason, value in launch.stalls.items()}
    return {**launch.row, **launch.values, **tensor, **stalls}


def _geometry(counters: Mapping[str, Any]) -> dict[str, Any]:
    gpu = counters.get("device__attribute_display_name")
    major = _integer(counters.get("device__attribute_compute_capability_major"))
    minor = _integer(counters.get("device__attribute_compute_capability_minor"))
    return {
        "gpu": gpu if isinstance(gpu, str) else None,
        "compute_capability": math.nan if major is None or minor is None else float(f"{major}.{minor}"),
        "grid": _three(counters, "launch__grid_dim"),
        "block": _three(counters, "launch__block_dim"),
        "stream": _integer(counters.get("launch__stream_id")),
        "device": _integer(counters.get("launch__device_id")),
        "passes": _integer(counters.get("profiler__replayer_passes")),
    }


def _three(counters: Mapping[str, Any], stem: str) -> tuple[int, int, int] | None:
    x, y, z = (_integer(counters.get(f"{stem}_{axis}")) for axis in "xyz")
    return None if x is None or y is None or z is None else (x, y, z)


def _integer(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else None

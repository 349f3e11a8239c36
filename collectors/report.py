"""What a reader gives: one report as DataFrames."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nsightlens.collectors.quantities import Origin, capability, evaluate
from nsightlens.collectors.samples import Samples
from nsightlens.collectors.stalls import stall_reasons
from nsightlens.collectors.tensor import TensorWork, tensor_work
from nsightlens.plausible import is_number
from nsightlens.text import count, printable

if TYPE_CHECKING:
    import pandas as pd

_LARGEST_INTEGER = 2**63 - 1
"""What the integer columns of the frames hold."""


_SHORT = 60


@dataclass(frozen=True, repr=False)
class Launch:
    """One profiled launch as a reader found it: identity, counters, and the quantities computed from them.

    ``instructions`` tells whether its report has counters for each instruction, which are read on demand.
    """

    row: dict[str, Any]
    counters: Mapping[str, Any]
    values: dict[str, float]
    origins: dict[str, Origin]
    tensor: TensorWork
    stalls: dict[str, float]
    opcodes: dict[str, float] | None = None
    instructions: bool = False
    samples: Samples | None = None

    def __repr__(self) -> str:
        """Return one line: which launch, how many counters."""
        name = printable(str(self.row.get("name")), _SHORT)
        return f"<Launch {self.row.get('launch')}: {name}, {count(len(self.counters), 'counter')}>"


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


def make_launch(
    row: dict[str, Any],
    counters: Mapping[str, Any],
    opcodes: dict[str, float] | None = None,
    *,
    instructions: bool = False,
    samples: Samples | None = None,
) -> Launch:
    """Compute the quantities of one launch from its counters and complete its row.

    Ids and counts that no 64-bit integer holds, and numbers that no float holds, are unknown.
    """
    counters = {name: None if isinstance(v, int) and not is_number(v) else v for name, v in counters.items()}
    values, origins = evaluate(counters)
    failed = math.isnan(values["time_s"]) and origins["time_s"].state == "failed"
    status = row.get("status") or ("failed" if failed else "ok")
    ids = {"process_id": _count(row.get("process_id"))}
    complete = {"invocations": 1, **row, **ids, **_geometry(counters), "status": status}
    tensor, stalls = tensor_work(counters), stall_reasons(counters)
    return Launch(complete, counters, values, origins, tensor, stalls, opcodes, instructions, samples)


def record(launch: Launch) -> dict[str, Any]:
    """Return a launch as one flat record: column to value."""
    tensor = {f"tensor_{kind}_flop": value for kind, value in launch.tensor.flop.items()}
    stalls = {f"stall_{reason}": value for reason, value in launch.stalls.items()}
    return {**launch.row, **launch.values, **tensor, **stalls}


def _geometry(counters: Mapping[str, Any]) -> dict[str, Any]:
    gpu = counters.get("device__attribute_display_name")
    chip = capability(counters)
    return {
        "gpu": gpu if isinstance(gpu, str) else None,
        "compute_capability": math.nan if chip is None else float(chip),
        "grid": _three(counters, "launch__grid_dim"),
        "block": _three(counters, "launch__block_dim"),
        "stream": _integer(counters.get("launch__stream_id")),
        "device": _count(counters.get("launch__device_id")),
        "passes": _count(counters.get("profiler__replayer_passes")),
    }


def _three(counters: Mapping[str, Any], stem: str) -> tuple[int, int, int] | None:
    x, y, z = (_count(counters.get(f"{stem}_{axis}")) for axis in "xyz")
    return (x, y, z) if x and y and z else None


def _count(value: object) -> int | None:
    number = _integer(value)
    return None if number is None or number < 0 else number


def _integer(value: object) -> int | None:
    if not is_number(value) or not abs(value) <= _LARGEST_INTEGER:
        return None
    number = int(value)
    return number if abs(number) <= _LARGEST_INTEGER else None

"""The one place that names the columns of the frames, with dtype, unit and meaning."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nsightlens.data import table


class Column(NamedTuple):
    """One column of a frame."""

    dtype: str
    unit: str
    doc: str


IDENTITY = {
    "launch": Column("int64", "", "Position in the file as written, all of ncu's ranges counted through, from 0."),
    "kind": Column("string", "", "kernel, range or graph."),
    "status": Column("string", "", "ok, failed (no duration) or hollow (a result without a counter)."),
    "process_id": Column("Int64", "", "Process that launched it."),
    "name": Column("string", "", "Function name."),
    "full_name": Column("string", "", "Demangled name."),
    "nvtx": Column("object", "", "Tuple of NVTX paths domain/outer/inner; / in a name is written %2F."),
    "declared": Column("object", "FLOP, byte", "What the innermost annotated range says of itself: a dict."),
    "payload": Column(
        "object", "", "Payload of the innermost range that declares one, else of the innermost that has one."
    ),
    "gpu": Column("string", "", "Name of the device."),
    "compute_capability": Column("float64", "", "Such as 9.0."),
    "grid": Column("object", "block", "Tuple x, y, z."),
    "block": Column("object", "thread", "Tuple x, y, z."),
    "stream": Column("Int64", "", "CUDA stream."),
    "device": Column("Int64", "", "Device index."),
    "passes": Column("Int64", "", "Replays that Nsight Compute needed."),
    "invocations": Column(
        "Int64", "", "Launches that the values are means over: 1 for a launch itself, null if the file does not say."
    ),
}

METRICS = {
    "launch": IDENTITY["launch"],
    "metric": Column("string", "", "Counter of Nsight Compute."),
    "value": Column("float64", "see unit", "NaN where there is none."),
    "unit": Column("string", "", "Unit of the value."),
    "state": Column("string", "", "measured, not_available (named without a value) or failed (NaN)."),
}


SOURCE = {
    "report": Column("int64", "", "Number of the report on the command line, from 0."),
    "path": Column("string", "", "The report's file."),
}
"""Columns in front of a frame that joins several reports."""

_TENSOR = Column("float64", "FLOP", "Work of the tensor cores in this data type.")
_STALL = Column("float64", "warp", "Warps waiting for this reason, on average per issue.")
_NO_LOSS = "NaN where the ledger names no such loss."


def launch_columns(found: Iterable[str] = ()) -> dict[str, Column]:
    """Return the columns of the ``launches`` frame: identity, then every quantity of the catalogue.

    Columns ``tensor_<type>_flop`` (FLOP) and ``stall_<reason>`` (warps) follow for what the report holds: give their
    names as ``found``.
    """
    quantities = {name: Column("float64", e["unit"], e["doc"]) for name, e in table("counters").items()}
    known = {**IDENTITY, **quantities}
    rest = sorted(set(found) - set(known))
    return {**known, **{name: _TENSOR if name.startswith("tensor_") else _STALL for name in rest}}


def finding_columns(added: Mapping[str, str] | None = None) -> dict[str, Column]:
    """Return the columns that the analysis adds to the ``launches`` frame.

    ``added`` holds what the causes mean that other packages bring.
    """
    causes = {cause: entry["doc"] for cause, entry in table("causes").items()} | dict(added or {})
    losses = {
        f"loss_{cause}_s": Column("float64", "s", f"Time lost to {cause}: {doc}. {_NO_LOSS}")
        for cause, doc in causes.items()
    }
    return {
        **_PLACE,
        "ideal_s": _IDEAL,
        **losses,
        "unexplained_s": _UNEXPLAINED,
        **_TENSOR_CORE,
        "event_time_s": _EVENT,
        **_REPEATS,
    }


_PLACE = {
    "bound": Column("string", "", "What is busiest: memory, compute, latency or unknown."),
    "roofline_pipe": Column("string", "", "Pipe whose roof the launch is held against."),
    "roofline_level": Column("string", "", "Memory level whose roof is the lowest for the launch: dram, l2 or l1."),
    "intensity_flop_per_byte": Column("float64", "FLOP/byte", "Operational intensity of this level."),
    "performance_flop_per_s": Column("float64", "FLOP/s", "Work over time."),
    "attainable_flop_per_s": Column("float64", "FLOP/s", "What the roofline allows at this intensity."),
    "roof_fraction": Column("float64", "share", "Performance over what the roofline allows."),
    "performance_inst_per_s": Column("float64", "inst/s", "Instructions of warps over time."),
    "instruction_roof_fraction": Column("float64", "share", "The same over what the instruction roofline allows."),
    "useful_flop_share": Column("float64", "share", "FLOP that the range declares over those counted."),
    "useful_dram_bytes_share": Column(
        "float64", "share", "Bytes of device memory that it declares over those counted."
    ),
    "overlap_low": Column("float64", "share", "Least fraction of the shorter of memory and compute time that hides."),
    "overlap_high": Column("float64", "share", "Largest fraction of the shorter one that hides."),
    "overlap_status": Column("string", "", "bounded, or why there is no useful interval (docs/analysis.md)."),
    "t_mem_s": Column("float64", "s", "Time in which device memory is busy."),
    "t_cmp_s": Column("float64", "s", "Time in which the busiest pipe is busy."),
}
_IDEAL = Column("float64", "s", "Time of the limiting resource without excess work.")
_UNEXPLAINED = Column("float64", "s", "What is left of the time: time_s - ideal_s - the sum of all losses.")
_EVENT = Column("float64", "s", "Time that was taken without ncu, where analyze was given --times; median of repeats.")
_REPEATS = {
    "repeats": Column("Int64", "", "Runs of profile --repeat that the next three are taken over."),
    "repeats_median_s": Column("float64", "s", "Median time over the runs."),
    "repeats_min_s": Column("float64", "s", "Shortest time over the runs."),
    "repeats_max_s": Column("float64", "s", "Longest time over the runs."),
}
_TENSOR_CORE = {
    "tensor_core_used": Column("boolean", "", "Whether tensor cores ran."),
    "tensor_core_speedup_high": Column("float64", "1", "Largest speed-up that tensor cores could bring."),
}

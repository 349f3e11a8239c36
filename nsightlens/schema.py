"""The one place that names the columns of the frames, with dtype, unit and meaning."""

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
    "payload": Column("object", "", "Payload of the innermost NVTX range that has one."),
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


def launch_columns() -> dict[str, Column]:
    """Return the columns of the ``launches`` frame: identity, then every quantity of the catalogue.

    Columns ``tensor_<type>_flop`` (FLOP) and ``stall_<reason>`` (warps) follow for what the report holds.
    """
    quantities = {name: Column("float64", e["unit"], e["doc"]) for name, e in table("counters").items()}
    return {**IDENTITY, **quantities}

"""Metrics of nvprof that mean the same as a counter of Nsight Compute."""

from typing import NamedTuple


class Metric(NamedTuple):
    """The counter, and the unit that turns nvprof's value into the counter's."""

    counter: str
    unit: str = ""


RATIO = "ratio"
"""nvprof prints a ratio where the counter is a percentage."""

_OPERATIONS = {
    f"flop_count_{kind}_{operation}": Metric(
        f"smsp__sass_thread_inst_executed_op_{letter}{operation}_pred_on.sum", "inst"
    )
    for kind, letter in (("dp", "d"), ("sp", "f"))
    for operation in ("add", "mul", "fma")
}

METRICS = {
    **_OPERATIONS,
    "dram_read_bytes": Metric("dram__bytes_read.sum", "byte"),
    "dram_write_bytes": Metric("dram__bytes_write.sum", "byte"),
    "dram_read_transactions": Metric("dram__sectors_read.sum", "sector"),
    "dram_write_transactions": Metric("dram__sectors_write.sum", "sector"),
    "achieved_occupancy": Metric("sm__warps_active.avg.pct_of_peak_sustained_active", RATIO),
}

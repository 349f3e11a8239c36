"""What a launch itself costs: the time between two events that no kernel needs."""

from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.ceilings_memory import PIECE_BYTES
from nsightlens.kernels.cupy_launch import load_cupy, prepare
from nsightlens.kernels.device import Device
from nsightlens.kernels.timing import time_in_turn

FAR_BEYOND_L2 = 20
"""Arrays of the device-memory kernels, in sizes of the L2 cache."""


def launch_cost_s(here: Device) -> float:
    """Return the seconds that an event time holds beside the kernel, by two copies, one of twice the bytes."""
    pieces = FAR_BEYOND_L2 * here.l2_bytes // PIECE_BYTES
    ready = [prepare(workload("dram_copy", pieces=number)) for number in (pieces, 2 * pieces)]
    once, twice = time_in_turn([one.launch for one in ready])
    del ready
    load_cupy().get_default_memory_pool().free_all_blocks()
    return max(0.0, 2 * once.median_s - twice.median_s)

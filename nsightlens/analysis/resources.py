"""The resources of a GPU whose busy time a report can tell, named as the quantities that hold it."""

from nsightlens.data import table

PIPES = tuple(name for name, entry in table("counters").items() if entry.get("role") == "pipe")
"""Arithmetic pipes."""

RESOURCES = (
    "dram_share",
    *(name for name, entry in table("counters").items() if entry.get("role") in {"resource", "pipe"}),
)
"""Everything that can limit a launch."""

L2 = ("busy_l2_sectors", "busy_l2_tags", "busy_l2_data", "busy_l2_to_sm", "busy_sm_to_l2")
"""The parts of L2 that sectors pass through."""

DEVICE_WIDE = ("dram_share", *L2, "busy_atomics")
"""Memory beyond the multiprocessors."""

MEMORY = (*DEVICE_WIDE, "busy_l1_wavefronts", "busy_lsu")
"""Resources that memory instructions keep busy."""

COMPUTE = tuple(name for name in RESOURCES if name not in MEMORY)
"""Resources that arithmetic and instruction issue keep busy."""

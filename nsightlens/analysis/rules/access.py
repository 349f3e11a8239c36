"""How threads reach global memory: sectors nobody asked for, too few bytes an instruction, bytes fetched again."""

import math

from nsightlens.analysis.resources import L2
from nsightlens.analysis.rules.rule import SMALLEST, Excess, Facts, beyond, excess, part, significant

SECTOR_BYTES = 32.0
_MANY = 0.5
"""Part of the wavefronts from which on accesses that L1 absorbs are called uncoalesced for these alone."""
_COALESCED = 16.0
"""Bytes used of a sector from which on accesses are neighbours, so that wider ones could replace them."""


def uncoalesced_access(v: Facts) -> Excess:
    """Find sectors that leave L1 beyond those that the threads' bytes need, and what device memory moves beyond that.

    The ideal of an instruction is one sector, or its bytes over 32; a broadcast has few bytes and no excess.
    """
    ideal = _ideal(v, "load") + _ideal(v, "store")
    left_l1 = v["global_load_miss_sectors"] + v["global_store_sectors"]
    share = beyond(ideal, left_l1)
    global_part = min(left_l1 / v["l1_to_l2_sectors"], 1.0) if v["l1_to_l2_sectors"] > 0 else 0.0
    wavefronts = _extra_wavefronts(v, ideal)
    beyond_l1 = global_part * share > SMALLEST
    if not beyond_l1 and wavefronts < _MANY:
        return Excess()
    work = {"busy_l1_wavefronts": wavefronts}
    if beyond_l1:
        work |= {
            "dram_share": global_part * beyond(ideal, v["dram_bytes"] / SECTOR_BYTES),
            **dict.fromkeys(L2, global_part * share),
        }
    return excess(work)


def _extra_wavefronts(v: Facts, ideal_sectors: float) -> float:
    """Return the part of the wavefronts that global accesses add to one per request or per four sectors."""
    requests, every = v["global_load_requests"] + v["global_store_requests"], v["l1_wavefronts"]
    if math.isnan(requests + ideal_sectors) or not every > 0:
        return 0.0
    others = v["shared_wavefronts"] + v["local_sectors"] / 4
    return significant((every - others - max(requests, ideal_sectors / 4)) / every)


def _ideal(v: Facts, direction: str) -> float:
    requests, sectors = v[f"global_{direction}_requests"], v[f"global_{direction}_sectors"]
    if sectors == 0:
        return 0.0
    asked_for = sectors * v[f"{direction}_bytes_per_sector"] / SECTOR_BYTES
    # Asynchronous copies to shared memory count as sectors, but not in the bytes per sector.
    unknown = asked_for == 0 or math.isnan(requests + asked_for)
    return math.nan if unknown else max(requests, asked_for)


def narrow_access(v: Facts) -> Excess:
    """Find loads and stores of 1 or 2 neighbouring bytes a thread: 4-byte accesses would save instructions."""
    extra = {
        kind: _saved(v, opcode) if v[f"{kind}_bytes_per_sector"] >= _COALESCED else 0.0
        for kind, opcode in (("load", "LDG.E"), ("store", "STG.E"))
    }
    needless = sum(number for number in extra.values() if number > 0)
    requests = v["global_load_requests"] + v["global_store_requests"]
    return excess(
        {
            "busy_lsu": part(needless, v["lsu_instructions"]),
            "busy_l1_wavefronts": part(needless, v["l1_wavefronts"]),
            "busy_l2_tags": part(needless, v["l1_to_l2_requests"]),
            "busy_issue": part(needless, v["instructions"]),
        },
        {"memory": part(extra["load"], v["read_instructions"]), "memory_queue": part(needless, requests)},
    )


def _saved(v: Facts, opcode: str) -> float:
    """Return how many instructions 4-byte accesses would save: three of four bytes, one of two halves."""
    one = v.count(f"{opcode}.U8", f"{opcode}.S8")
    two = v.count(f"{opcode}.U16", f"{opcode}.S16")
    return one * 3 / 4 + two / 2


def l2_miss(v: Facts) -> Excess:
    """Find bytes of device memory beyond what the program says it needs, apart from those nobody asked for."""
    left_l1 = v["global_load_miss_sectors"] + v["global_store_sectors"]
    if math.isnan(_ideal(v, "load") + _ideal(v, "store") + left_l1 + v["l1_to_l2_sectors"]):
        return Excess()  # whether the threads asked for these bytes is not known
    uncoalesced = uncoalesced_access(v).work.get("dram_share", 0.0)
    share = beyond(v.dram_bytes, v["dram_bytes"] * (1.0 - uncoalesced))
    return excess({"dram_share": share})

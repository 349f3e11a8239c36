"""Excess work per cause and resource: the part of a resource's work that a defect of the code adds.

Each rule is a function of the quantities of one launch (NaN where not collected) and returns resource to share,
empty where its counters are missing: a cause that was not measured is never claimed.
"""

import math
from collections.abc import Callable, Mapping

from nsightlens.analysis.resources import L2

Values = Mapping[str, float]
Rule = Callable[[Values], dict[str, float]]

SECTOR_BYTES = 32.0
_SMALLEST = 0.02
_LANES = 32.0
_PER_INSTRUCTION = (
    "busy_issue",
    "busy_alu",
    "busy_fma",
    "busy_fma_heavy",
    "busy_fp64",
    "busy_xu",
    "busy_lsu",
)


def uncoalesced_access(v: Values) -> dict[str, float]:
    """Sectors that leave L1 beyond those that the threads' bytes need, and what device memory moves beyond that.

    The ideal of an instruction is one sector, or its bytes over 32; a broadcast has few bytes and no excess.
    """
    ideal = _ideal(v, "load") + _ideal(v, "store")
    left_l1 = v["global_load_miss_sectors"] + v["global_store_sectors"]
    share = _beyond(ideal, left_l1)
    part = _part(left_l1, v["l1_to_l2_sectors"])
    if not share * part > _SMALLEST:
        return {}
    found = {
        "dram_share": part * _beyond(ideal, v["dram_bytes"] / SECTOR_BYTES),
        "busy_l1_wavefronts": _extra_wavefronts(v, ideal),
        **dict.fromkeys(L2, part * share),
    }
    return {resource: found_share for resource, found_share in found.items() if found_share > 0}


def _part(sectors: float, every: float) -> float:
    """Return the part of the sectors between L1 and L2 that a kind of access makes."""
    return min(sectors / every, 1.0) if every > 0 else 0.0


def _extra_wavefronts(v: Values, ideal_sectors: float) -> float:
    """Return the part of the wavefronts that global accesses add to one per request or per four sectors."""
    ideal = max(v["global_load_requests"] + v["global_store_requests"], ideal_sectors / 4)
    every = v["l1_wavefronts"]
    others = v["shared_wavefronts"] + v["local_sectors"] / 4
    share = (every - others - ideal) / every if every > 0 else 0.0
    return min(share, 1.0) if share > _SMALLEST else 0.0


def _ideal(v: Values, direction: str) -> float:
    requests, sectors = v[f"global_{direction}_requests"], v[f"global_{direction}_sectors"]
    if sectors == 0:
        return 0.0
    asked_for = sectors * v[f"{direction}_bytes_per_sector"] / SECTOR_BYTES
    # Asynchronous copies to shared memory count as sectors, but not in the bytes per sector.
    unknown = asked_for == 0 or math.isnan(requests + asked_for)
    return math.nan if unknown else max(requests, asked_for)


def bank_conflict(v: Values) -> dict[str, float]:
    """Shared-memory wavefronts beyond one per conflict-free access."""
    share = v["bank_conflicts"] / v["l1_wavefronts"] if v["l1_wavefronts"] > 0 else 0.0
    return {"busy_l1_wavefronts": min(share, 1.0)} if share > _SMALLEST else {}


def register_spill(v: Values) -> dict[str, float]:
    """Wavefronts and sectors of local memory."""
    if not v["local_sectors"] > 0:
        return {}
    wavefronts = v["local_sectors"] / 4 / v["l1_wavefronts"] if v["l1_wavefronts"] > 0 else math.nan
    sectors = _part(v["local_sectors_beyond_l1"], v["l1_to_l2_sectors"])
    shares = {"busy_l1_wavefronts": wavefronts, **dict.fromkeys(L2, sectors)}
    return {name: min(share, 1.0) for name, share in shares.items() if share > _SMALLEST}


def atomic_contention(v: Values) -> dict[str, float]:
    """Work of the hottest atomic unit beyond the average one's."""
    share = _beyond(v["busy_atomics_avg"], v["busy_atomics"])
    return {"busy_atomics": share} if share else {}


def divergence(v: Values) -> dict[str, float]:
    """Lanes masked off by branches (not by predicates), on everything that is issued per warp."""
    threads = v["threads_per_instruction"]
    share = _beyond(threads, _LANES) if threads > 0 else 0.0
    return dict.fromkeys(_PER_INSTRUCTION, share) if share else {}


def _beyond(ideal: float, actual: float) -> float:
    """Return the part of ``actual`` above ``ideal``; 0 if either is unknown or the part is within noise."""
    share = 1.0 - ideal / actual if actual > 0 else 0.0
    return min(share, 1.0) if share > _SMALLEST else 0.0


RULES: dict[str, Rule] = {
    "uncoalesced_access": uncoalesced_access,
    "bank_conflict": bank_conflict,
    "register_spill": register_spill,
    "atomic_contention": atomic_contention,
    "divergence": divergence,
}

EVIDENCE: dict[str, tuple[str, ...]] = {
    "uncoalesced_access": ("load_bytes_per_sector", "store_bytes_per_sector", "dram_share"),
    "bank_conflict": ("bank_conflicts", "l1_wavefronts"),
    "register_spill": ("local_sectors", "l1_wavefronts"),
    "atomic_contention": ("busy_atomics", "busy_atomics_avg"),
    "divergence": ("threads_per_instruction",),
    "small_grid": ("grid_size", "sm_count"),
    "imbalance": ("sm_active_share", "waves"),
    "launch_overhead": ("sm_active_max_share",),
    "latency": ("occupancy_share", "dram_share"),
    "dram_inefficiency": ("dram_share",),
    "unoverlapped_compute": ("dram_share", "busy_fp64", "busy_fma", "busy_tensor"),
    "barrier": ("occupancy_share",),
}

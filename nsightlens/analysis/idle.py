"""Time in which multiprocessors hold no block, by cause."""

from collections.abc import Mapping

from nsightlens.analysis.work import known

LAUNCH_LATENCY_S = 4e-6
"""Longest time at the start and end of a launch that a launch of its kind needs."""


def idle(v: Mapping[str, float], time: float, busy: Mapping[str, float]) -> dict[str, float]:
    """Return cause to share of the time.

    Without the busiest multiprocessor's share nothing tells imbalance from a device that is idle as a whole.
    """
    active = known(v["sm_active_share"])
    if active is None or active >= 1:
        return {}
    grid, multiprocessors = known(v["grid_size"]), known(v["sm_count"])
    filled = min(1.0, grid / multiprocessors) if grid and multiprocessors else 1.0
    longest = known(v["sm_active_max_share"])
    # Those that have a block are active longer than the average over all.
    longest = max(active, min(1.0, active / filled if longest is None else longest))
    uneven = longest - active if grid and multiprocessors else 0.0  # without them a small grid looks like imbalance
    small = min((1 - filled) * longest, uneven)
    overhead = min(1 - longest, LAUNCH_LATENCY_S / time)
    parts = {"small_grid": small, "launch_overhead": overhead, "imbalance": uneven - small}
    return _within(1 - max(busy.values()), parts)


def _within(room: float, parts: dict[str, float]) -> dict[str, float]:
    """Scale parts down to the room there is: counters of different passes can overlap by a little."""
    total = sum(parts.values())
    return {name: share * min(1.0, room / total) for name, share in parts.items()} if total > 0 else {}

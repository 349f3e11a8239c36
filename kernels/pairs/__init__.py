"""Pairs of kernels with a known loss: one with a planted defect, one without."""

from collections.abc import Mapping
from functools import cache

from nsightlens.kernels.pairs import (
    access,
    arithmetic,
    atomics,
    conflicts,
    device_memory,
    instructions,
    local_memory,
    parallelism,
)
from nsightlens.kernels.pairs.pair import Pair, Planted, label, set_aside

__all__ = ["Pair", "Planted", "label", "pairs", "set_aside"]


@cache
def pairs() -> Mapping[str, Pair]:
    """Return all pairs by name."""
    modules = (access, conflicts, local_memory, atomics, arithmetic, instructions, parallelism, device_memory)
    return {pair.name: pair for module in modules for pair in module.PAIRS}

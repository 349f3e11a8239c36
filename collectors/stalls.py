"""Stall reasons: for what warps wait, in warps a cycle of an active scheduler."""

import re
from collections.abc import Mapping
from typing import Any

STALL_COUNTER = (
    r"smsp__(average_warps_issue_stalled_(?P<why>[a-z_]+)_per_issue_active\.ratio"
    r"|warp_cycles_per_issue_stall_(?P<why_2019>[a-z_]+))$"
)
"""Names of the counters, the second of them those of ncu 2019 on Pascal."""

_STALL = re.compile(STALL_COUNTER)
_RENAMED = {"no_instructions": "no_instruction"}


def stall_reasons(counters: Mapping[str, Any]) -> dict[str, float]:
    """Return reason to warps; a reason whose counter holds no number is left out."""
    return {
        _RENAMED.get(why, why): float(value)
        for name, value in counters.items()
        if (match := _STALL.match(name)) and isinstance(value, int | float)
        for why in (match["why"] or match["why_2019"],)
    }

"""Stall reasons: for what warps wait, in warps on average per issued instruction."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from nsightlens.plausible import is_amount

STALL_COUNTER = (
    r"smsp__(average_warps_issue_stalled_(?P<why>[a-z_]+)_per_issue_active\.ratio"
    r"|warp_cycles_per_issue_stall_(?P<why_2019>[a-z_]+))$"
)
"""Names of the counters, the second of them those of ncu 2019 on Pascal."""

_STALL = re.compile(STALL_COUNTER)
_RENAMED = {"no_instructions": "no_instruction"}


def stall_reasons(counters: Mapping[str, Any]) -> dict[str, float]:
    """Return reason to warps; a reason whose counter holds none that can be true is left out."""
    return {why: float(value) for name, value in counters.items() if (why := _reason(name)) and is_amount(value)}


@cache
def _reason(name: str) -> str | None:
    match = _STALL.match(name)
    why = match and (match["why"] or match["why_2019"])
    return why and _RENAMED.get(why, why)

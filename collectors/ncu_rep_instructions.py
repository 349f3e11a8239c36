"""Counters of the single instructions of one launch, as NVIDIA's library holds them, turned into plain values."""

import math
from typing import Any

_ODD = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""What the library raises on bytes that were altered."""
_UNKNOWN = {"", "N/A", "???"}
"""What the library writes where it cannot take the machine code apart: chips before Volta, code that is not there."""


def holds_instructions(names: tuple[str, ...]) -> bool:
    """Tell whether a launch with these counters has some for each instruction."""
    return "inst_executed" in names or "smsp__pcsamp_sample_count" in names


def copy_instructions(action: Any, counters: list[str]) -> dict[str, Any]:  # noqa: ANN401
    """Return what is counted for each instruction that was executed or sampled.

    ``rows`` hold the program counter, SASS, the number of the file in ``files``, the line, and the counters in the
    order of ``counters``; ``None`` where something is not known. A counter whose bytes were altered is left out.
    """
    tables = [_instances(action, name) for name in counters]
    places = sorted({pc for table in tables for pc, value in table.items() if value})
    files: dict[str, int] = {}
    rows = []
    for pc in places:
        file, line = _source(action, pc)
        number = None if file is None else files.setdefault(file, len(files))
        rows.append([pc, _sass(action, pc), number, line, *(table.get(pc) for table in tables)])
    return {"counters": counters, "files": list(files), "rows": rows}


def _instances(action: Any, name: str) -> dict[int, float]:  # noqa: ANN401
    """Return program counter to value; empty if the counter has no instances, or others than instructions."""
    try:
        metric = action.metric_by_name(name)
        if metric is None or not metric.has_correlation_ids():
            return {}
        ids = metric.correlation_ids()
        if ids.kind() != type(ids).ValueKind_UINT64:
            return {}
        found = {ids.as_uint64(index): float(metric.as_double(index)) for index in range(metric.num_instances())}
    except _ODD:
        return {}
    return {pc: value for pc, value in found.items() if math.isfinite(value) and value >= 0}


def _sass(action: Any, pc: int) -> str | None:  # noqa: ANN401
    try:
        text = " ".join(action.sass_by_pc(pc).split())
    except _ODD:
        return None
    return None if text in _UNKNOWN else text


def _source(action: Any, pc: int) -> tuple[str | None, int | None]:  # noqa: ANN401
    try:
        info = action.source_info(pc)
        file, line = (info.file_name(), info.line()) if info is not None else ("", 0)
    except _ODD:
        return None, None
    return (file, line) if file and line > 0 else (None, None)

"""One launch as NVIDIA's library holds it, turned into plain values. The library builds it anew, and never frees it."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from nsightlens.collectors.ncu_rep_instructions import holds_instructions
from nsightlens.collectors.samples import copy_samples

KINDS = {0: "kernel", 1: "range", 2: "range", 3: "graph", 4: "kernel"}
OPCODES = ("sass__inst_executed_per_opcode_with_modifier_all", "sass__inst_executed_per_opcode")
"""Executed warp instructions by opcode; the first tells more."""
DEFAULT_DOMAIN = "<default domain>"
ALTERED = (AttributeError, KeyError, TypeError)
"""What the library raises on a name or value whose bytes were altered."""


class Wanted:
    """What to copy: counters that are named, those that a pattern fits, and samples over time if asked for."""

    def __init__(self, names: list[str], patterns: list[str], *, samples: bool = False) -> None:
        self.samples = samples
        self._names = frozenset(names)
        self._pattern = re.compile("|".join(patterns))
        self._take = lru_cache(None)(self._decide)

    def _decide(self, name: str) -> bool:
        return name in self._names or self._pattern.match(name) is not None

    def among(self, names: tuple[str, ...]) -> list[str]:
        """Return those of ``names`` to copy."""
        return [name for name in names if self._take(name)]


def copy_launch(action: Any, wanted: Wanted) -> dict[str, Any]:  # noqa: ANN401
    """Return identity, NVTX ranges and what is wanted of one launch; ``hollow`` if there is nothing."""
    try:
        return _found(action, wanted)
    except ALTERED:
        return {"hollow": True}


def _found(action: Any, wanted: Wanted) -> dict[str, Any]:  # noqa: ANN401
    names = action.metric_names()
    if not names:
        return {"hollow": True}
    metric, value = action.metric_by_name, _reader(type(action.metric_by_name(names[0])))  # type: ignore[arg-type]
    counters = {name: value(metric(name)) for name in wanted.among(names)}
    return {
        "kind": KINDS.get(action.workload_type(), "kernel"),
        "name": action.name() or "",
        "full_name": action.name(action.NameBase_DEMANGLED) or action.name() or "",
        "nvtx": _nvtx(action.nvtx_state()),
        "counters": counters,
        "opcodes": _opcodes(action),
        "instructions": holds_instructions(names),
        "samples": _samples(action, names, counters) if wanted.samples else None,
    }


def _samples(action: Any, names: tuple[str, ...], counters: dict[str, Any]) -> dict[str, Any] | None:  # noqa: ANN401
    """Return samples over time, which are not worth the launch if their bytes were altered."""
    try:
        return copy_samples(action, names, counters)
    except ALTERED:
        return None


@lru_cache(None)
def _reader(kind: Any) -> Callable[[Any], Any]:  # noqa: ANN401
    """Return what reads a metric's value; the library's own ``value()`` builds its table of cases at every call."""
    cases = {
        kind.ValueKind_DOUBLE: kind.as_double,
        kind.ValueKind_FLOAT: kind.as_double,
        kind.ValueKind_STRING: kind.as_string,
        kind.ValueKind_UINT32: kind.as_uint64,
        kind.ValueKind_UINT64: kind.as_uint64,
    }

    def read(metric: Any) -> Any:  # noqa: ANN401
        case = cases.get(metric.kind())
        return None if case is None else case(metric)

    return read


def _nvtx(state: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the ranges around a launch; only a numeric payload travels."""
    found: list[dict[str, Any]] = []
    for number in state.domains() if state else ():
        domain = state.domain_by_id(number)
        name = "" if domain.name() == DEFAULT_DOMAIN else domain.name()
        nested = [domain.push_pop_range(index) for index in range(len(domain.push_pop_ranges()))]
        if nested:
            found.append(
                {
                    "domain": name,
                    "path": [_range_name(r) for r in nested],
                    "payloads": [_payload(r) for r in nested],
                }
            )
        spans = [domain.start_end_range(index) for index in range(len(domain.start_end_ranges()))]
        found += [{"domain": name, "path": [_range_name(r)], "payloads": [_payload(r)]} for r in spans]
    return found


def _range_name(span: Any) -> str:  # noqa: ANN401
    return span.name() or ""


def _payload(span: Any) -> float | int | str | None:  # noqa: ANN401
    kind = span.payload_type() if span.has_attributes() else span.PayloadType_PAYLOAD_UNKNOWN
    if kind == span.PayloadType_PAYLOAD_UNKNOWN:
        return None
    if kind in (span.PayloadType_PAYLOAD_DOUBLE, span.PayloadType_PAYLOAD_FLOAT):
        return float(span.payload_as_double())
    if kind == span.PayloadType_PAYLOAD_JSON:
        return str(span.payload_as_string())
    value = int(span.payload_as_uint64())
    signed = kind in (span.PayloadType_PAYLOAD_INT32, span.PayloadType_PAYLOAD_INT64)
    return value - (1 << 64) if signed and value >= 1 << 63 else value


def _opcodes(action: Any) -> dict[str, float] | None:  # noqa: ANN401
    metrics = (action.metric_by_name(name) for name in OPCODES)
    metric = next((found for found in metrics if found is not None and found.has_correlation_ids()), None)
    if metric is None:
        return None
    ids = metric.correlation_ids()
    return {ids.as_string(index): metric.as_double(index) for index in range(metric.num_instances())}

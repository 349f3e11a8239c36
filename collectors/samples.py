"""Samples over time (PM sampling) of one launch: device memory beside the busiest arithmetic pipes, in one pass.

Series of different passes are different executions of the launch, and say nothing of each other.
"""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from nsightlens.collectors.quantities import evaluate
from nsightlens.data import table

MEMORY = "dram_share"

_PREFIX = r"(?:pmsampling:(?:[A-Z]\w*\.)*|(?:[A-Z]\w*\.)+)"
"""What ncu writes before a series: that it was asked for by name, or its group in the section PmSampling."""
_ROLL_UP = r"\.avg\.pct_of_peak_sustained_elapsed"


@dataclass(frozen=True, slots=True)
class Samples:
    """One pass: time stamps at which samples end, and shares of the peak by quantity of the catalogue."""

    times_ns: Sequence[int]
    shares: Mapping[str, Sequence[float]]


def copy_samples(action: Any, names: Sequence[str], counters: Mapping[str, Any]) -> dict[str, Any] | None:  # noqa: ANN401
    """Return time stamps and percentages by quantity, of the first pass that holds memory and a busy pipe.

    Each number is a call of the library, so the series of pipes that do not limit are left.
    """
    series = [(quantity, name) for name in names if (quantity := _quantity(name)) is not None]
    if not any(quantity == MEMORY for quantity, _ in series):
        return None
    pipes = _busy_pipes(counters)
    for memory in (action.metric_by_name(name) for quantity, name in series if quantity == MEMORY):
        others = ((quantity, action.metric_by_name(name)) for quantity, name in series if quantity in pipes)
        beside = {quantity: metric for quantity, metric in others if _same_pass(memory, metric)}
        if beside:
            times = memory.correlation_ids()
            return {
                "times_ns": [times.as_uint64(index) for index in range(memory.num_instances())],
                "percent": {name: list(_percent(metric)) for name, metric in {MEMORY: memory, **beside}.items()},
            }
    return None


def build_samples(found: Mapping[str, Any] | None) -> Samples | None:
    """Return what ``copy_samples`` found in compact form; nothing where a number is missing or cannot be."""
    if found is None:
        return None
    try:
        times = array("Q", found["times_ns"])
        shares = {name: array("d", (value / 100 for value in values)) for name, values in found["percent"].items()}
    except (TypeError, OverflowError):
        return None
    return Samples(times, shares)


@cache
def _quantity(name: str) -> str | None:
    if ":" not in name and not name[:1].isupper():
        return None  # most names
    return next((quantity for quantity, pattern in _patterns() if pattern.fullmatch(name)), None)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    entries = table("counters").items()
    return tuple(
        (quantity, re.compile(f"{_PREFIX}{entry['samples']}{_ROLL_UP}"))
        for quantity, entry in entries
        if "samples" in entry
    )


def _busy_pipes(counters: Mapping[str, Any]) -> frozenset[str]:
    values, _ = evaluate(counters)
    shares = {name: values[name] for name, _ in _patterns() if name != MEMORY}
    return frozenset(name for name, share in shares.items() if share == max(shares.values()))


def _same_pass(one: Any, other: Any) -> bool:  # noqa: ANN401
    """Tell by the time stamps, which are of one clock; the first one may be 0 in any pass."""
    if not (one.has_correlation_ids() and other.has_correlation_ids()):
        return False
    count = one.num_instances()
    marks = {0, 1, count // 2, count - 1} if count > 1 else set()
    return other.num_instances() == count > 1 and all(
        one.correlation_ids().as_uint64(mark) == other.correlation_ids().as_uint64(mark) for mark in marks
    )


def _percent(metric: Any) -> Iterator[float]:  # noqa: ANN401
    return map(metric.as_double, range(metric.num_instances()))

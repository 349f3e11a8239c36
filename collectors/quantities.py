"""From counters to physical quantities, by the catalogue ``data/counters.toml``."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from nsightlens.collectors.formulas import Formula, parse
from nsightlens.data import table

PATTERNS = (
    r"sm__ops_path_tensor_.*\.sum(\.peak_sustained)?$",
    r"smsp__average_warps_issue_stalled_[a-z_]+_per_issue_active\.ratio$",
    r"launch__.*",
    r"device__attribute_(display_name|compute_capability_(major|minor)|l2_cache_size)$",
    r"profiler__replayer_(passes|bytes_mem_accessible\.avg)$",
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One entry of the catalogue."""

    name: str
    unit: str
    formulas: tuple[Formula, ...]
    needed: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """Which counters a value was taken from, and its state."""

    counter: str | None
    state: str


@cache
def catalogue() -> tuple[Quantity, ...]:
    """Return all quantities, in the order in which they can be computed."""
    return tuple(
        Quantity(name, entry["unit"], tuple(map(parse, entry["formulas"])), entry.get("needed", False))
        for name, entry in table("counters").items()
    )


@cache
def counter_names() -> tuple[str, ...]:
    """Return every counter that some formula names."""
    return tuple(dict.fromkeys(name for q in catalogue() for formula in q.formulas for name in formula.counters))


def evaluate(counters: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, Origin]]:
    """Compute every quantity that the counters of one launch allow.

    Parameters
    ----------
    counters
        Counter name to value; ``None`` where the report has the name without a value, NaN where collecting failed.

    Returns
    -------
    tuple
        Values by quantity (NaN where there is none), and the origin of each.
    """
    plan = _plan(frozenset(counters))
    known: dict[str, Any] = dict(counters)
    values: dict[str, float] = {}
    origins: dict[str, Origin] = {}
    for quantity, formulas in plan:
        value, origin = _first(quantity, formulas, known, origins)
        values[quantity.name], origins[quantity.name] = value, origin
        known[quantity.name] = value
    return values, origins


@cache
def _plan(available: frozenset[str]) -> tuple[tuple[Quantity, tuple[Formula, ...]], ...]:
    """Return, per quantity, the formulas whose names a report with these counters holds."""
    held = set(available)
    plan = []
    for quantity in catalogue():
        usable = tuple(f for f in quantity.formulas if held.issuperset(f.names))
        plan.append((quantity, usable))
        if usable:
            held.add(quantity.name)
    return tuple(plan)


def _first(
    quantity: Quantity, formulas: tuple[Formula, ...], known: Mapping[str, Any], origins: Mapping[str, Origin]
) -> tuple[float, Origin]:
    state = "not_collected"
    for formula in formulas:
        inputs = {name: known[name] for name in formula.names}
        if any(not isinstance(value, int | float) for value in inputs.values()):
            state = "not_available"
            continue
        try:
            value = formula.compute(inputs)
        except (ZeroDivisionError, ValueError, OverflowError):
            value = math.nan
        if _possible(quantity, value):
            return value, Origin(formula.text, _state(quantity, formula, value))
        states = {origins[name].state for name in formula.names if name in origins}
        state = "not_available" if "not_available" in states else "failed"
    return math.nan, Origin(formulas[0].text if formulas else None, state)


def _possible(quantity: Quantity, value: float) -> bool:
    """Tell whether a quantity can have a value; a hit rate out of range by noise is shown, and marked."""
    if not math.isfinite(value):
        return False
    return quantity.unit == "share" or value > 0 or (value == 0 and quantity.name != "time_s")


def _state(quantity: Quantity, formula: Formula, value: float) -> str:
    if quantity.unit == "share" and not 0 <= value <= 1:
        return "out_of_range"
    return "measured" if len(formula.names) == 1 and formula.counters else "derived"

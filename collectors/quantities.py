"""From counters to physical quantities, by the catalogue ``data/counters.toml``."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from nsightlens.collectors.formulas import Formula, parse
from nsightlens.collectors.stalls import STALL_COUNTER
from nsightlens.collectors.tensor import TENSOR_COUNTER
from nsightlens.data import table
from nsightlens.plausible import is_number, is_plausible

PATTERNS = (
    TENSOR_COUNTER,
    STALL_COUNTER,
    r"launch__((grid|block)_dim_[xyz]|stream_id|device_id)$",
    r"device__attribute_(display_name|compute_capability_(major|minor))$",
    r"profiler__replayer_passes$",
)
"""Counters that the analysis reads beside those of the formulas."""

_DIGITS = 100


@dataclass(frozen=True, slots=True)
class Quantity:
    """One entry of the catalogue."""

    name: str
    unit: str
    formulas: tuple[Formula, ...]
    needed: bool
    absent_on: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Origin:
    """Which counters a value was taken from, and its state."""

    counter: str | None
    state: str


@cache
def catalogue() -> tuple[Quantity, ...]:
    """Return all quantities, in the order in which they can be computed."""
    return tuple(
        Quantity(
            name,
            entry["unit"],
            tuple(map(parse, (*entry["formulas"], *entry.get("stand_ins", ())))),
            entry.get("needed", False),
            frozenset(entry.get("absent_on", ())),
        )
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
    chip = capability(counters)
    known: dict[str, Any] = dict(counters)
    values: dict[str, float] = {}
    origins: dict[str, Origin] = {}
    for quantity, formulas in plan:
        value, origin = _first(quantity, formulas, known, origins)
        if origin.state == "not_collected" and chip in quantity.absent_on:
            origin = _origin(None, "not_available")
        values[quantity.name], origins[quantity.name] = value, origin
        known[quantity.name] = value
    return values, _shared(tuple(origins.values()))


def capability(counters: Mapping[str, Any]) -> str | None:
    """Return the compute capability of the device, such as ``9.0``; ``None`` if it is unknown or makes no sense."""
    found = [counters.get(f"device__attribute_compute_capability_{part}") for part in ("major", "minor")]
    if not all(is_number(part) and 0 <= part < _DIGITS for part in found):
        return None
    return ".".join(str(int(part)) for part in found if part is not None)


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
        given = [known[name] for name in formula.names]
        if not all(map(is_number, given)):
            state = "not_available"
            continue
        value = _computed(formula, known) if all(map(is_plausible, given)) else math.nan
        if _possible(quantity, value):
            return value, _origin(formula.text, _state(quantity, formula, value))
        states = {origins[name].state for name in formula.names if name in origins}
        state = "not_available" if "not_available" in states else "failed"
    return math.nan, _origin(formulas[0].text if formulas else None, state)


def _computed(formula: Formula, known: Mapping[str, Any]) -> float:
    try:
        return float(formula.compute(known))
    except (ZeroDivisionError, ValueError, OverflowError):
        return math.nan


@cache
def _origin(counter: str | None, state: str) -> Origin:
    return Origin(counter, state)


@cache
def _shared(origins: tuple[Origin, ...]) -> dict[str, Origin]:
    """Return the origin of each quantity; one dict for all launches in which they are the same."""
    return dict(zip((quantity.name for quantity in catalogue()), origins, strict=True))


def _possible(quantity: Quantity, value: float) -> bool:
    """Tell whether a quantity can have a value; a hit rate out of range by noise is shown, and marked."""
    if not is_plausible(value):
        return False
    return quantity.unit == "share" or value > 0 or (value == 0 and quantity.name != "time_s")


def _state(quantity: Quantity, formula: Formula, value: float) -> str:
    if quantity.unit == "share" and not 0 <= value <= 1:
        return "out_of_range"
    return "measured" if len(formula.names) == 1 and formula.counters else "derived"

"""Measure what planted defects cost: the truth that the loss ledger is held against."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from nsightlens.apps.bench.conditions import conditions
from nsightlens.apps.bench.launch_cost import launch_cost_s
from nsightlens.errors import UsageError
from nsightlens.kernels.check import check
from nsightlens.kernels.cupy_launch import Prepared, load_cupy, prepare
from nsightlens.kernels.device import device
from nsightlens.kernels.pairs import Pair, Planted, label, pairs, set_aside
from nsightlens.kernels.timing import Timing, time_in_turn
from nsightlens.ranges import annotate

SCHEMA = "nsightlens.pairs/1"
RANGE = "pairs"
DECLARED = frozenset({"l2_miss"})
"""Causes that show only where the program says how much traffic it needs."""
Says = Callable[[str], None]


def measure(only: str | None = None, say: Says = lambda _: None) -> dict[str, Any]:
    """Check and time all variants of the pairs whose name matches, and return the manifest of the truth.

    Raises
    ------
    UsageError
        If there is no CuPy or no GPU, or no pair of that name.
    NsightlensError
        If a variant computes something wrong.
    """
    wanted = chosen(only)
    here = device()
    launch_s, found = launch_cost_s(here), []
    for pair in wanted:
        say(pair.name)
        found.append(_measured(pair, here.multiprocessors, launch_s))
        load_cupy().get_default_memory_pool().free_all_blocks()
    return {"schema": SCHEMA, "conditions": conditions(here), "launch_s": launch_s, "pairs": found}


def launch_each(only: str | None = None) -> None:
    """Launch every variant once, each in a range ``pairs/NAME/VARIANT``: what is to be profiled.

    Raises
    ------
    UsageError
        As ``measure``.
    """
    wanted = chosen(only)
    sms = device().multiprocessors
    for pair in wanted:
        for planted in pair.variants():
            prepared = prepare(pair.make(planted, sms))
            said = {"dram_bytes": prepared.work.dram_bytes} if DECLARED & set(pair.causes) else {}
            with annotate(RANGE), annotate(pair.name), annotate(label(planted), **said):
                prepared.launch()
            del prepared
        load_cupy().get_default_memory_pool().free_all_blocks()


def chosen(only: str | None) -> list[Pair]:
    """Return the pairs whose name matches a regular expression.

    Raises
    ------
    UsageError
        If there is none, or the expression is none.
    """
    fits = _fitting(only, pairs())
    return [pair for name, pair in pairs().items() if name in fits]


def narrowed(only: str | None, result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result with the pairs alone whose name matches.

    Raises
    ------
    UsageError
        If there is none, or the expression is none.
    """
    fits = _fitting(only, [pair["name"] for pair in result["pairs"]])
    return {**result, "pairs": [pair for pair in result["pairs"] if pair["name"] in fits]}


def _fitting(only: str | None, names: Iterable[str]) -> set[str]:
    try:
        found = {name for name in names if only is None or re.search(only, name)}
    except re.error as error:
        raise UsageError(f"not a regular expression: {error}", where=f"--only {only}", remedy="mend it") from error
    if not found:
        raise UsageError("no pair has such a name", where=f"--only {only}", remedy=f"pairs: {', '.join(names)}")
    return found


def _measured(pair: Pair, sms: int, launch_s: float) -> dict[str, Any]:
    ready = {planted: prepare(pair.make(planted, sms)) for planted in pair.variants()}
    for prepared in ready.values():
        prepared.launch()
        check(prepared)
    times = dict(zip(ready, time_in_turn([prepared.launch for prepared in ready.values()]), strict=True))
    defects = [] if pair.short else [planted for planted in times if planted]
    return {
        "name": pair.name,
        "causes": list(pair.causes),
        "null": pair.null,
        "set_aside": set_aside(pair.name),
        "timed_by": "ncu" if pair.short else "events",
        "doc": pair.doc,
        "variants": {label(planted): _variant(ready[planted], timing) for planted, timing in times.items()},
        "truth": {label(planted): truth(planted, times, launch_s) for planted in defects},
    }


def _variant(prepared: Prepared, timing: Timing) -> dict[str, Any]:
    work = prepared.work
    return {**asdict(timing), "dram_bytes": work.dram_bytes, "flop": dict(work.flop), "l2_resident": work.l2_resident}


def truth(planted: Planted, times: Mapping[Planted, Timing], launch_s: float) -> dict[str, dict[str, float]]:
    """Return, of each planted cause, the share of the time that goes when it alone is removed, and its error.

    The error is one standard error by the quartiles of both medians. ``share_less_launch`` is the share of the times
    less ``launch_s``, the seconds that a launch costs.
    """
    whole = times[planted]
    return {cause: _share(whole, times[planted - {cause}], launch_s) for cause in sorted(planted)}


def _share(whole: Timing, without: Timing, launch_s: float) -> dict[str, float]:
    ratio = without.median_s / whole.median_s
    error = ratio * math.hypot(_error(whole), _error(without))
    less = (without.median_s - launch_s) / (whole.median_s - launch_s)
    return {"share": 1.0 - ratio, "error": error, "share_less_launch": 1.0 - less}


def _error(timing: Timing) -> float:
    """Return the relative standard error of a median: that of a mean is the deviation over the root of the number."""
    deviation = timing.spread / 0.6745  # half the distance of the quartiles of a normal distribution
    return 1.2533 * deviation / math.sqrt(timing.repeats)

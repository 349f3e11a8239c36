"""Which counters a report lacks, and the command that collects them."""

import shlex
from functools import cache

from nsightlens.analysis.losses import REASONS
from nsightlens.collectors.quantities import catalogue
from nsightlens.collectors.report import Launch
from nsightlens.data import table

TENSOR = r"regex:^sm__ops_path_tensor_.*\.sum(\.peak_sustained)?$"
STALLS = r"regex:^smsp__average_warps_issue_stalled_.*_per_issue_active\.ratio$"


def missing(launch: Launch) -> tuple[str, ...]:
    """Return the counters whose absence leaves a field of the analysis empty, as ``ncu --metrics`` takes them."""
    empty = tuple(name for name in _wanted() if launch.origins[name].state == "not_collected")
    counters = tuple(name for quantity in empty for name in _counters(quantity) if name not in launch.counters)
    tensor = () if launch.tensor.flop else (TENSOR,)
    stalls = () if set(launch.stalls) >= REASONS else (STALLS,)
    return _once(counters + tensor + stalls)


@cache
def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return each name once; the same tuple for all launches that lack the same."""
    return tuple(dict.fromkeys(names))


@cache
def _wanted() -> tuple[str, ...]:
    return tuple(q.name for q in catalogue() if q.needed or "role" in table("counters")[q.name])


@cache
def _counters(quantity: str) -> tuple[str, ...]:
    """Return the counters of the first formula, down through the quantities it is made of."""
    by_name = {entry.name: entry for entry in catalogue()}
    formula = by_name[quantity].formulas[0]
    return tuple(
        counter
        for name in formula.names
        for counter in ((name,) if "__" in name else _counters(name))
        if not counter.startswith(("device__", "launch__"))
    )


PATTERNS = frozenset(
    counter
    for name, entry in table("counters").items()
    if entry.get("role") == "pattern"
    for counter in _counters(name)
)
"""Counters without which excess work cannot be told from useful work."""


@cache
def remedy(names: tuple[str, ...], kind: str = "kernel") -> str | None:
    """Return the ncu command that collects the named counters for a kernel, a range or a graph.

    Over ranges ncu measures no counters for which it changes the instructions of kernels (``__sass_``).
    """
    wanted = [name for name in names if kind != "range" or "__sass_" not in name]
    if not wanted:
        return "ncu measures none of them over ranges: profile the kernels with --replay-mode kernel" if names else None
    return f"ncu --nvtx --clock-control none {_MODES[kind]}--metrics {shlex.quote(','.join(wanted))} -o REPORT CMD"


_MODES = {"kernel": "", "range": "--replay-mode range ", "graph": "--graph-profiling graph "}

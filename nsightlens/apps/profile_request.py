"""What to ask of ncu, from what the caller asks for."""

import re
from collections.abc import Sequence

from nsightlens import data, launch
from nsightlens.errors import UsageError
from nsightlens.text import count

RANGE_REPLAY = frozenset({"range", "app-range"})
_SET = re.compile(r"[\w.-]*\w")


def request(
    command: Sequence[str], metric_set: str, metrics: Sequence[str], extra_args: Sequence[str]
) -> tuple[launch.Request, tuple[str, ...]]:
    """Return what to ask of ncu, and notes on what is left out.

    Raises
    ------
    UsageError
        If there is no program, or a name cannot be that of a set or of a counter.
    """
    if not command:
        raise UsageError("no program to profile", remedy="nsightlens profile -- PROGRAM ARGUMENTS")
    known = data.table("metric_sets")
    if not _SET.fullmatch(metric_set) or metric_set.startswith("-"):
        remedy = f"ours: {', '.join(known)}; ncu --list-sets names its own"
        raise UsageError("is no name of a set", where=f"--set {metric_set}", remedy=remedy)
    for name in metrics:
        if not name or name.startswith("-"):
            raise UsageError("is no name of a counter", where=f"--metrics {name}", remedy="--metrics A,B")
    ours = data.metric_set(metric_set) if metric_set in known else ()
    kept, notes = _supported(ours, launch.option_value(extra_args, "--replay-mode", "kernel"))
    own = None if metric_set in known else metric_set
    options = data.metric_set_options(metric_set) if metric_set in known else ()
    return launch.Request(tuple(command), kept, (*options, *extra_args), tuple(metrics), own), notes


def _supported(metrics: tuple[str, ...], replay_mode: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Leave out what ncu refuses over ranges: counters for which it changes the kernel's instructions."""
    kept = tuple(name for name in metrics if replay_mode not in RANGE_REPLAY or "__sass_" not in name)
    if kept == metrics:
        return metrics, ()
    left_out = count(len(metrics) - len(kept), "instruction counter")
    return kept, (f"{left_out} (…__sass_…) left out, which ncu does not measure over ranges: work stays unknown",)


def manifest_of(profiler: launch.Ncu, metric_set: str, asked: launch.Request) -> launch.Manifest:
    """Return the manifest of runs that have not begun."""

    def chosen(option: str, default: str) -> str:
        return launch.option_value(asked.extra_args, option, default)

    return launch.Manifest(
        command=asked.command,
        metric_set=metric_set,
        metrics=(*asked.metrics, *asked.added),
        ncu_path=str(profiler.path),
        ncu_version=profiler.version,
        extra_args=asked.extra_args,
        target_processes=chosen("--target-processes", "all"),
        replay_mode=chosen("--replay-mode", "kernel"),
        cache_control=chosen("--cache-control", "all"),
        clock_control=chosen("--clock-control", "none"),
        started="",
    )

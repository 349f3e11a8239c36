"""One row a launch for tables whose units stand in the header."""

from collections.abc import Sequence

from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.analysis.totals import deepest
from nsightlens.text import printable
from nsightlens.units import NOT_MEASURED, microseconds, significant

HEAD = (
    *("#", "kernel", "time (µs)", "bound", "DRAM (%)", "L2 hit (%)"),
    *("tensor (%)", "roof (%)", "overlap (share)", "TC ≤ (×)"),
)
EVENT_HEAD = ("event (µs)", "event (× ncu)")
_TIMED = HEAD.index("time (µs)") + 1
NAME = 32


def listed(analysis: Analysis, launches: Sequence[LaunchResult]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the header, and the cells of some launches as safe text; columns for event times if there are any."""
    several, timed = several_reports(analysis), has_event_times(analysis)
    more = (lambda launch: (microseconds(launch.event_time_s), event_ratio(launch))) if timed else lambda _: ()
    head = (*HEAD[:_TIMED], *(EVENT_HEAD if timed else ()), *HEAD[_TIMED:])
    rows = [_cells(launch, several=several) for launch in launches]
    wider = [(*r[:_TIMED], *more(launch), *r[_TIMED:]) for launch, r in zip(launches, rows, strict=True)]
    return head, wider


def has_event_times(analysis: Analysis) -> bool:
    """Tell whether times that were taken without ncu are known of any launch."""
    return any(launch.event_time_s is not None for launch in analysis.launches)


def event_ratio(launch: LaunchResult) -> str:
    """Return the event time over ncu's, without a unit."""
    if launch.event_time_s is None or not launch.time_s:
        return NOT_MEASURED
    return significant(launch.event_time_s / launch.time_s)


def _cells(launch: LaunchResult, *, several: bool) -> tuple[str, ...]:
    """Return the cells of one launch, as safe text, in the order of ``HEAD``."""
    used = launch.utilisation
    return (
        position(launch, several=several),
        kernel_name(launch),
        microseconds(launch.time_s),
        bound(launch),
        *map(_percent, (used.dram_share, used.l2_hit_share, used.tensor_pipe_share, launch.roofline.roof_fraction)),
        overlap(launch),
        speedup(launch),
    )


def several_reports(analysis: Analysis) -> bool:
    """Tell whether a launch must be named together with its report."""
    return len(analysis.reports) > 1


def position(launch: LaunchResult, *, several: bool) -> str:
    """Return the launch's number, with its report's if there are ``several``."""
    return f"{launch.report}:{launch.launch}" if several else str(launch.launch)


def kernel_name(launch: LaunchResult) -> str:
    """Return the kernel's name, in brackets the innermost NVTX range if that has another name, and what is a mean."""
    leaf = (deepest(launch.nvtx) or "").rsplit("/", 1)[-1]
    name = printable(launch.name, NAME)
    place = "" if leaf in {"", launch.name} else f" [{printable(leaf, NAME)}]"
    return f"{name}{place}{_mean(launch.context.invocations)}"


def _mean(invocations: int | None) -> str:
    return "" if invocations == 1 else f" (mean of {'several' if invocations is None else invocations})"


def bound(launch: LaunchResult) -> str:
    """Return what is busiest, or what is wrong with the launch."""
    return launch.roofline.bound if launch.status == "ok" else launch.status


def overlap(launch: LaunchResult) -> str:
    """Return the interval of the overlap fraction where there is one."""
    found = launch.overlap
    if found.status != "bounded" or found.low is None or found.high is None:
        return NOT_MEASURED
    return f"{found.low:.2f}–{found.high:.2f}"


def speedup(launch: LaunchResult) -> str:
    """Return the largest speed-up that tensor cores could bring, without a unit."""
    high = launch.tensor_core.speedup_high
    return "in use" if launch.tensor_core.used else NOT_MEASURED if high is None else f"{high:.2f}"


def _percent(share: float | None) -> str:
    return NOT_MEASURED if share is None else f"{100 * share:.0f}"

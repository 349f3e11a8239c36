"""The overlap interval of one launch from its counters, and from samples where a report holds them."""

from collections.abc import Mapping

from nsightlens.analysis.ceilings import dram_efficiency, tolerance
from nsightlens.analysis.resources import PIPES
from nsightlens.analysis.result import Ceiling, Overlap, Roofline
from nsightlens.analysis.samples import narrow
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.models import overlap as model


def bound_overlap(launch: Launch, limits: Mapping[str, Ceiling]) -> Overlap:
    """Return the interval of the overlap fraction, or why there is none.

    The memory time is that of the bytes at the ceiling of device memory: the measured one, else the peak.
    """
    time, memory = known(launch.values["time_s"]), known(launch.values["dram_share"])
    pipes = [share for name in PIPES if (share := known(launch.values[name])) is not None]
    if time is None or memory is None or len(pipes) < len(PIPES):
        return Overlap(reason=_unknown(launch))
    efficiency = dram_efficiency(launch, limits)
    t_mem, t_cmp = max(0.0, memory / efficiency * time), max(0.0, *pipes) * time
    if max(t_mem, t_cmp) > time * (1 + tolerance(limits, "dram_bytes_per_s")):
        excess = max(t_mem, t_cmp) / time - 1
        reason = f"a busy time exceeds the measured time by {100 * excess:.1f} %: a ceiling is too low or passes differ"
        return Overlap(status="ceiling_violation", t_mem_s=t_mem, t_cmp_s=t_cmp, reason=reason)
    return narrow(_interval(time, min(t_mem, time), min(t_cmp, time)), time, launch.samples, efficiency)


def _unknown(launch: Launch) -> str:
    if launch.origins["dram_share"].state == "not_available":
        return "this device or version of ncu has no counters of device memory"
    return "not collected: time, device-memory use or pipe use"


def flag_excess(overlap: Overlap, roofline: Roofline) -> Overlap:
    """Report a launch above its roofline as such: then no bound from the ceilings holds."""
    if roofline.above_roof is None:
        return overlap
    return Overlap(
        status="ceiling_violation", t_mem_s=overlap.t_mem_s, t_cmp_s=overlap.t_cmp_s, reason=roofline.above_roof
    )


def _interval(time: float, t_mem: float, t_cmp: float) -> Overlap:
    if min(t_mem, t_cmp) <= 0:
        what = "memory" if t_mem <= 0 else "compute"
        return Overlap(status="not_applicable", t_mem_s=t_mem, t_cmp_s=t_cmp, reason=f"there is no {what} time to hide")
    low, high, idle_low, idle_high = model.interval(time, t_mem, t_cmp)
    high = min(high, model.likely_high(t_mem / time, t_cmp / time))
    reason = _doubt(time, t_mem, t_cmp)
    return Overlap(
        low=low,
        high=high,
        status="not_identifiable" if reason else "bounded",
        t_mem_s=t_mem,
        t_cmp_s=t_cmp,
        idle_low_s=idle_low,
        idle_high_s=idle_high,
        reason=reason or "interval from busy times, its upper end by experience; only an experiment gives a point",
    )


def _doubt(time: float, t_mem: float, t_cmp: float) -> str:
    if model.identifiable(time, t_mem, t_cmp):
        return ""
    share = min(t_mem, t_cmp) / time
    if share < model.SMALLEST_SHARE:
        return f"the shorter busy time is {100 * share:.1f} % of the time: too little to tell what hides under what"
    return f"the standard error of the lower end is {model.error(time, t_mem, t_cmp):.2f}"

"""What a launch is bound by: its busiest resource, if that is busy at all."""

from nsightlens.analysis.ceilings import dram_efficiency
from nsightlens.analysis.resources import COMPUTE, MEMORY, PIPES
from nsightlens.analysis.result import Ceiling
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.models.roofline import efficiency

BUSY = 0.6
"""A launch whose busiest resource is below this share of its peak waits for latency, not for that resource."""


def bound(launch: Launch, work: dict[str, float], ceilings: dict[str, Ceiling], time: float | None) -> str:
    """Return ``memory``, ``compute``, ``latency``, or ``unknown`` where a busy time is."""
    memory, compute = _memory(launch, ceilings), _compute(launch, work, ceilings, time)
    unknown = any(known(launch.values[name]) is None for name in ("dram_share", *PIPES))
    if memory is None or compute is None or unknown:
        return "unknown"
    if max(memory, compute) < BUSY:
        return "latency"
    return "memory" if memory >= compute else "compute"


def _memory(launch: Launch, ceilings: dict[str, Ceiling]) -> float | None:
    shares = [share for name in MEMORY if (share := known(launch.values[name])) is not None]
    device = known(launch.values["dram_share"])
    shares += [] if device is None else [device / dram_efficiency(launch, ceilings)]
    return max(shares, default=None)


def _compute(launch: Launch, work: dict[str, float], ceilings: dict[str, Ceiling], time: float | None) -> float | None:
    shares = [share for name in COMPUTE if (share := known(launch.values[name])) is not None]
    peaks = {pipe: ceilings.get(f"{pipe}_flop_per_s") for pipe in work}
    shares += [efficiency(work[pipe], time, peak.value) for pipe, peak in peaks.items() if time and peak]
    return max(shares, default=None)

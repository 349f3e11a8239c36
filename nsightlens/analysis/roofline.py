"""Place a launch on the roofline."""

from nsightlens.analysis.ceilings import dram_efficiency
from nsightlens.analysis.resources import COMPUTE, MEMORY, PIPES
from nsightlens.analysis.result import Ceiling, Roofline, RooflinePoint
from nsightlens.analysis.work import dominant_pipe, flop_by_pipe, known, uncounted_tensor_work
from nsightlens.collectors.report import Launch
from nsightlens.models import roofline as model

BUSY = 0.6
"""A launch whose busiest resource is below this share of its peak waits for latency, not for that resource."""

_LEVELS = ("dram", "l2", "l1")


def place(launch: Launch, ceilings: dict[str, Ceiling]) -> Roofline:
    """Return the roofline placement of one launch, at the level of device memory and by its dominant pipe."""
    work = flop_by_pipe(launch)
    pipe = None if uncounted_tensor_work(launch) else dominant_pipe(work, ceilings)
    time = known(launch.values["time_s"])
    points = tuple(_points(launch, work, ceilings, time)) if time else ()
    main = next((point for point in points if point.level == "dram" and point.pipe == pipe), None)
    return Roofline(
        bound=_bound(launch, work, ceilings, time),
        level="dram" if known(launch.values["dram_bytes"]) is not None else None,
        pipe=pipe,
        intensity_flop_per_byte=main.intensity_flop_per_byte if main else None,
        performance_flop_per_s=work[pipe] / time if pipe and time else None,
        attainable_flop_per_s=main.attainable_flop_per_s if main else None,
        roof_fraction=_fraction(main),
        ridge_flop_per_byte=_ridge(pipe, ceilings),
        points=points,
    )


def _points(launch: Launch, work: dict[str, float], ceilings: dict[str, Ceiling], time: float) -> list[RooflinePoint]:
    traffic = {level: launch.values[f"{level}_bytes"] for level in _LEVELS}
    return [
        RooflinePoint(level, pipe, intensity, flop / time, _attainable(level, pipe, intensity, ceilings))
        for level, moved in traffic.items()
        if moved > 0
        for pipe, flop in work.items()
        for intensity in [model.operational_intensity(flop, moved)]
    ]


def _attainable(level: str, pipe: str, intensity: float, ceilings: dict[str, Ceiling]) -> float | None:
    bandwidth = ceilings.get(f"{level}_bytes_per_s")
    peak = ceilings.get(f"{pipe}_flop_per_s")
    return model.attainable(intensity, peak.value, bandwidth.value) if bandwidth and peak else None


def _fraction(point: RooflinePoint | None) -> float | None:
    if point is None or point.attainable_flop_per_s is None:
        return None
    return point.performance_flop_per_s / point.attainable_flop_per_s


def _ridge(pipe: str | None, ceilings: dict[str, Ceiling]) -> float | None:
    peak, bandwidth = ceilings.get(f"{pipe}_flop_per_s"), ceilings.get("dram_bytes_per_s")
    return model.machine_balance(peak.value, bandwidth.value) if peak and bandwidth else None


def _bound(launch: Launch, work: dict[str, float], ceilings: dict[str, Ceiling], time: float | None) -> str:
    """Name what the launch is bound by: its busiest resource, if that is busy at all."""
    memory = _largest(launch, MEMORY)
    device = known(launch.values["dram_share"])
    if memory is not None and device is not None:
        memory = max(memory, device / dram_efficiency(launch, ceilings))
    compute = _largest(launch, COMPUTE)
    rates = [
        model.efficiency(work[pipe], time, ceilings[f"{pipe}_flop_per_s"].value)
        for pipe in work
        if time and f"{pipe}_flop_per_s" in ceilings
    ]
    compute = max([*rates, *([] if compute is None else [compute])], default=None)
    unknown = any(known(launch.values[name]) is None for name in ("dram_share", *PIPES))
    if memory is None or compute is None or unknown:
        return "unknown"
    if max(memory, compute) < BUSY:
        return "latency"
    return "memory" if memory >= compute else "compute"


def _largest(launch: Launch, names: tuple[str, ...]) -> float | None:
    return max((value for name in names if (value := known(launch.values[name])) is not None), default=None)

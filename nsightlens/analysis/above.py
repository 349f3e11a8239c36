"""Why a launch stands above its roof, as far as its counters tell."""

from nsightlens.analysis.ceilings import PASS_NOISE, tolerance
from nsightlens.analysis.names import LEVEL_NAMES, pipe_name
from nsightlens.analysis.result import Ceiling, RooflinePoint
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.gpus import by_device_name
from nsightlens.units import percent, si

_BUSY = {"dram": "dram_share", "l2": "busy_l2_sectors", "fp64": "busy_fp64", "fp32": "busy_fma"}
_UNKNOWN = "why, these counters do not tell"


def why_above(launch: Launch, point: RooflinePoint | None, ceilings: dict[str, Ceiling]) -> str | None:
    """Return how far a point stands above its roof and the likely reasons, ``None`` if it does not.

    Parameters
    ----------
    launch
        The launch.
    point
        Its point at the level with the lowest roof, by its dominant pipe.
    ceilings
        Its ceilings.
    """
    if point is None or point.attainable_flop_per_s is None:
        return None
    excess = point.performance_flop_per_s / point.attainable_flop_per_s - 1
    rate, pipe = f"{point.level}_bytes_per_s", f"{point.pipe}_flop_per_s"
    if excess <= tolerance(ceilings, rate, pipe):
        return None
    flat = point.attainable_flop_per_s >= ceilings[pipe].value
    named = (
        (pipe_name(point.pipe), "FLOP/s", ceilings[pipe]) if flat else (LEVEL_NAMES[point.level], "B/s", ceilings[rate])
    )
    roof = f"{named[0]}, {si(named[2].value, named[1], 4)} ({named[2].source})"
    found = _compute(launch, point.pipe, named[2]) if flat else _memory(launch, point.level, named[2])
    return f"{percent(excess)} above the roof of {roof}: {'; '.join(found) or _UNKNOWN}"


def _memory(launch: Launch, level: str, ceiling: Ceiling) -> list[str]:
    found = _passes(launch, level, ceiling)
    if ceiling.source == "spec" and level == "dram":
        found.append("the ceiling is a specification, not the memory clock of this launch")
    return found


def _compute(launch: Launch, pipe: str, ceiling: Ceiling) -> list[str]:
    found = _clock(launch, pipe, ceiling) + _passes(launch, pipe, ceiling)
    kind = pipe.removeprefix("tensor_").removesuffix("_sparse")
    if pipe.startswith("tensor_"):
        family = launch.tensor.path.get(kind)
        if family is None:
            found.append("which instructions did the work was not counted, and the ceiling may be that of others")
        elif ceiling.source == "spec":
            found.append(f"the work was done by {family} instructions, which the table does not tell apart")
    return found


def _clock(launch: Launch, pipe: str, ceiling: Ceiling) -> list[str]:
    """Compare clocks: the table's peaks hold at the boost clock."""
    gpu, clock = by_device_name(launch.row["gpu"]), launch.values["sm_clock_hz"]
    if gpu is None or ceiling.source != "spec":
        return []
    stated = (gpu.tensor_clock_hz if pipe.startswith("tensor_") and pipe != "tensor_fp64" else None) or gpu.clock_hz
    if stated is None or not clock > stated * (1 + PASS_NOISE):
        return []
    faster = percent(clock / stated - 1)
    return [f"the clock was {si(clock, 'Hz', 4)}, {faster} above the {si(stated, 'Hz', 4)} that the ceiling holds at"]


def _passes(launch: Launch, name: str, ceiling: Ceiling) -> list[str]:
    """Compare with the busy time, all of whose counters come from one pass: it cannot exceed that of the launch."""
    busy = known(launch.values[_BUSY[name]]) if name in _BUSY else None
    if ceiling.source != "report" or busy is None or busy > 1:
        return []
    return [f"the unit was busy for {percent(busy)} of one pass, so the counters come from passes of unlike length"]

"""Which launches can be drawn, where, and why the others cannot."""

import math
from collections import Counter
from dataclasses import dataclass

from nsightlens.analysis.names import LEVEL_NAMES
from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.errors import ReportError
from nsightlens.plots.view import Place, View
from nsightlens.text import printable


@dataclass(frozen=True, slots=True)
class Spot:
    """A launch at its intensity ``x`` of a memory level and its performance ``y``, and where else it is marked.

    Both count FLOP, or instructions of warps; ``fraction`` is the part of its roof that it reaches.
    """

    launch: LaunchResult
    x: float
    y: float
    level: str = "dram"
    fraction: float | None = None
    echoes: tuple[Place, ...] = ()


def spots_of(result: Analysis, view: View) -> tuple[list[Spot], Counter[str]]:
    """Return the launches that can be drawn, slowest first, and how many cannot for each reason.

    Raises
    ------
    ReportError
        If no launch can be drawn.
    """
    drawn = [_spot(launch, view) for launch in result.launches if is_placed(launch, view)]
    left_out = [launch for launch in result.launches if not is_placed(launch, view)]
    reasons = Counter(reason(launch, view) for launch in left_out)
    if not drawn:
        raise _nothing_to_draw(result, reasons)
    return sorted(drawn, key=slowest_first), reasons


def _spot(launch: LaunchResult, view: View) -> Spot:
    place = view.main(launch)
    echoes = tuple(echo for echo in view.echoes(launch) if _on_axes(echo))
    return Spot(launch, place.x or 0, place.y or 0, place.level, place.fraction, echoes)


def is_placed(launch: LaunchResult, view: View) -> bool:
    """Tell whether the launch has a place on logarithmic axes."""
    return _on_axes(view.main(launch))


def _on_axes(place: Place) -> bool:
    return all(v is not None and math.isfinite(v) and v > 0 for v in (place.x, place.y))


def slowest_first(spot: Spot) -> tuple[float, int, int]:
    """Return the key that sorts the slowest launch first."""
    return -(spot.launch.time_s or 0.0), spot.launch.report, spot.launch.launch


def reason(launch: LaunchResult, view: View) -> str:
    """Say why a launch has no place on the roofline."""
    level = view.main(launch).level
    name, traffic = LEVEL_NAMES[level], getattr(launch.traffic_bytes, level)
    counted = _no_instructions(launch) if view.instructions else _no_flop(launch)
    checks = (
        (launch.status == "failed", "profiling failed"),
        (launch.status == "hollow", "no counters"),
        (bool(counted), counted),
        (traffic is None, f"no {name} traffic counted"),
        (traffic == 0, f"no {name} traffic"),
        (launch.time_s is None, "no time"),
        (view.pipe(launch) is None, "tensor work not counted, or none but constants"),
    )
    return next((why for holds, why in checks if holds), "no intensity")


def _no_instructions(launch: LaunchResult) -> str:
    return "no instructions counted" if launch.roofline.instructions is None and launch.time_s else ""


def _no_flop(launch: LaunchResult) -> str:
    work = launch.work
    cuda_cores = (work.fp64_flop, work.fp32_flop, work.fp16_flop)
    some = any(flop for flop in (*cuda_cores, *work.tensor_flop.values(), launch.declared.flop))
    if some:
        return ""
    return "no FLOP counts" if None in cuda_cores else "no floating-point work"


def _nothing_to_draw(result: Analysis, reasons: Counter[str]) -> ReportError:
    where = ", ".join(printable(report.path) for report in result.reports)
    if not result.launches:
        return ReportError("the report holds no launch", where=where, remedy="profile a program that runs kernels")
    counts = ", ".join(f"{n} x {why}" for why, n in reasons.most_common())
    return ReportError(
        f"no launch can be drawn: {counts}", where=where, remedy="collect what is missing: nsightlens profile -- CMD"
    )

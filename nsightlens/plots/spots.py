"""Which launches can be drawn, where, and why the others cannot."""

import math
from collections import Counter
from dataclasses import dataclass

from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.errors import ReportError
from nsightlens.text import printable


@dataclass(frozen=True, slots=True)
class Spot:
    """A launch with its intensity ``x`` in FLOP/byte and its performance ``y`` in FLOP/s."""

    launch: LaunchResult
    x: float
    y: float


def spots_of(result: Analysis) -> tuple[list[Spot], Counter[str]]:
    """Return the launches that can be drawn, slowest first, and how many cannot for each reason.

    Raises
    ------
    ReportError
        If no launch can be drawn.
    """
    drawn = [
        Spot(launch, launch.roofline.intensity_flop_per_byte or 0, launch.roofline.performance_flop_per_s or 0)
        for launch in result.launches
        if is_placed(launch)
    ]
    left_out = [launch for launch in result.launches if not is_placed(launch)]
    reasons = Counter(map(reason, left_out))
    if not drawn:
        raise _nothing_to_draw(result, reasons)
    return sorted(drawn, key=slowest_first), reasons


def is_placed(launch: LaunchResult) -> bool:
    """Tell whether the launch has a place on logarithmic axes."""
    values = (launch.roofline.intensity_flop_per_byte, launch.roofline.performance_flop_per_s)
    return all(v is not None and math.isfinite(v) and v > 0 for v in values)


def slowest_first(spot: Spot) -> tuple[float, int, int]:
    """Return the key that sorts the slowest launch first."""
    return -(spot.launch.time_s or 0.0), spot.launch.report, spot.launch.launch


def reason(launch: LaunchResult) -> str:
    """Say why a launch has no place on the roofline."""
    work = launch.work
    cuda_cores = (work.fp64_flop, work.fp32_flop, work.fp16_flop)
    some = any(flop for flop in (*cuda_cores, *work.tensor_flop.values(), launch.declared.flop))
    traffic = launch.traffic_bytes.dram
    checks = (
        (launch.status == "failed", "profiling failed"),
        (launch.status == "hollow", "no counters"),
        (not some and None in cuda_cores, "no FLOP counts"),
        (not some, "no floating-point work"),
        (traffic is None, "no DRAM traffic counted"),
        (traffic == 0, "no DRAM traffic"),
        (launch.time_s is None, "no time"),
        (launch.roofline.pipe is None, "no ceiling known for its precision"),
    )
    return next((why for holds, why in checks if holds), "no intensity")


def _nothing_to_draw(result: Analysis, reasons: Counter[str]) -> ReportError:
    where = ", ".join(printable(report.path) for report in result.reports)
    if not result.launches:
        return ReportError("the report holds no launch", where=where, remedy="profile a program that runs kernels")
    counts = ", ".join(f"{n} x {why}" for why, n in reasons.most_common())
    return ReportError(
        f"no launch can be drawn: {counts}", where=where, remedy="collect what is missing: nsightlens profile -- CMD"
    )

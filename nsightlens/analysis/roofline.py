"""Place a launch on the roofline."""

from nsightlens.analysis.above import why_above
from nsightlens.analysis.bound import bound
from nsightlens.analysis.instructions import instruction_roofline
from nsightlens.analysis.levels import bandwidth, limiting, traffic
from nsightlens.analysis.result import Ceiling, Roofline, RooflinePoint
from nsightlens.analysis.useful import useful
from nsightlens.analysis.work import dominant_pipe, flop_by_pipe, known, uncounted_tensor_work
from nsightlens.collectors.report import Launch
from nsightlens.models import roofline as model


def place(launch: Launch, ceilings: dict[str, Ceiling], *, alone: bool = True) -> Roofline:
    """Return the roofline placement of one launch: its dominant pipe at the memory level with the lowest roof.

    ``alone`` tells whether what its range declares is the work of this launch (see ``useful.one_launch_a_pass``).
    """
    work = flop_by_pipe(launch)
    pipe = None if uncounted_tensor_work(launch) else dominant_pipe(work, ceilings)
    time, level = known(launch.values["time_s"]), limiting(launch, ceilings)
    points = tuple(_points(launch, work, ceilings, time)) if time else ()
    main = next((point for point in points if (point.level, point.pipe) == (level, pipe)), None)
    return Roofline(
        bound=bound(launch, work, ceilings, time),
        level=level,
        pipe=pipe,
        intensity_flop_per_byte=main.intensity_flop_per_byte if main else None,
        performance_flop_per_s=work[pipe] / time if pipe and time else None,
        attainable_flop_per_s=main.attainable_flop_per_s if main else None,
        roof_fraction=_fraction(main),
        ridge_flop_per_byte=_ridge(level, pipe, ceilings),
        points=points,
        instructions=instruction_roofline(launch, level, ceilings),
        useful=useful(launch, pipe, ceilings) if alone else None,
        above_roof=why_above(launch, main, ceilings),
    )


def _points(launch: Launch, work: dict[str, float], ceilings: dict[str, Ceiling], time: float) -> list[RooflinePoint]:
    return [
        RooflinePoint(level, pipe, intensity, flop / time, _attainable(level, pipe, intensity, ceilings))
        for level, moved in traffic(launch).items()
        for pipe, flop in work.items()
        for intensity in [model.operational_intensity(flop, moved)]
    ]


def _attainable(level: str, pipe: str, intensity: float, ceilings: dict[str, Ceiling]) -> float | None:
    roof, peak = bandwidth(level, ceilings), ceilings.get(f"{pipe}_flop_per_s")
    return model.attainable(intensity, peak.value, roof.value) if roof and peak else None


def _fraction(point: RooflinePoint | None) -> float | None:
    if point is None or point.attainable_flop_per_s is None:
        return None
    return point.performance_flop_per_s / point.attainable_flop_per_s


def _ridge(level: str | None, pipe: str | None, ceilings: dict[str, Ceiling]) -> float | None:
    peak, roof = ceilings.get(f"{pipe}_flop_per_s"), bandwidth(level, ceilings)
    return model.machine_balance(peak.value, roof.value) if peak and roof else None

"""The instruction roofline of one launch: warp instructions per second against issue slots and memory levels."""

from nsightlens.analysis.ceilings import ISSUE
from nsightlens.analysis.levels import bandwidth, traffic
from nsightlens.analysis.result import Ceiling, InstructionPoint, InstructionRoofline
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.models import roofline as model


def instruction_roofline(launch: Launch, level: str | None, ceilings: dict[str, Ceiling]) -> InstructionRoofline | None:
    """Return where a launch stands by its instructions, ``None`` if these or the time were not measured.

    ``level`` is the memory level with the lowest roof, which is the same whatever the work is counted in.
    """
    issued, time = known(launch.values["issued_instructions"]), known(launch.values["time_s"])
    if not issued or not time:
        return None
    rates = {name: bandwidth(name, ceilings) for name in traffic(launch)}
    points = tuple(
        InstructionPoint(name, issued / moved, issued / time, _attainable(issued / moved, rates[name], ceilings))
        for name, moved in traffic(launch).items()
    )
    main = next((point for point in points if point.level == level), None)
    most = main.attainable_inst_per_s if main else None
    return InstructionRoofline(
        intensity_inst_per_byte=main.intensity_inst_per_byte if main else None,
        performance_inst_per_s=issued / time,
        attainable_inst_per_s=most,
        roof_fraction=issued / time / most if most else None,
        ridge_inst_per_byte=_ridge(rates.get(level or ""), ceilings.get(ISSUE)),
        points=points,
    )


def _attainable(intensity: float, roof: Ceiling | None, ceilings: dict[str, Ceiling]) -> float | None:
    issue = ceilings.get(ISSUE)
    return model.attainable_instructions(intensity, issue.value, roof.value) if issue and roof else None


def _ridge(roof: Ceiling | None, issue: Ceiling | None) -> float | None:
    return issue.value / roof.value if issue and roof else None

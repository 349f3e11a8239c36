"""What a roofline shows: work in FLOP or in instructions, and at which memory levels."""

from dataclasses import dataclass

from nsightlens.analysis.names import LEVEL_NAMES, pipe_name
from nsightlens.analysis.result import Analysis, LaunchResult

LIMITING, ALL = "limiting", "all"
LEVEL_CHOICES = (LIMITING, ALL, *LEVEL_NAMES)
"""The level whose roof is the lowest for each launch, all levels, or a certain one."""
ISSUE = "instructions"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a launch stands at one memory level, in FLOP or warp instructions a byte and a second."""

    level: str
    x: float | None
    y: float | None
    roof: float | None

    @property
    def fraction(self) -> float | None:
        """The part of the roof that is reached."""
        return self.y / self.roof if self.y is not None and self.roof else None


@dataclass(frozen=True, slots=True)
class View:
    """Which levels are shown (one of ``LEVEL_CHOICES``), and whether work is counted in ``instructions`` of warps."""

    levels: str = LIMITING
    instructions: bool = False

    @property
    def unit(self) -> str:
        """The unit of performance."""
        return "inst/s" if self.instructions else "FLOP/s"

    def main(self, launch: LaunchResult) -> Place:
        """Return where the launch is drawn."""
        if self.levels in LEVEL_NAMES:
            found = (place for place in self.every(launch) if place.level == self.levels)
            return next(found, Place(self.levels, None, None, None))
        roofline, counted = launch.roofline, launch.roofline.instructions
        level = roofline.level or "dram"
        if not self.instructions:
            performance, attainable = roofline.performance_flop_per_s, roofline.attainable_flop_per_s
            return Place(level, roofline.intensity_flop_per_byte, performance, attainable)
        if counted is None:
            return Place(level, None, None, None)
        return Place(
            level, counted.intensity_inst_per_byte, counted.performance_inst_per_s, counted.attainable_inst_per_s
        )

    def echoes(self, launch: LaunchResult) -> tuple[Place, ...]:
        """Return where else the launch is marked: at its other levels, if all are shown."""
        main = self.main(launch)
        return tuple(p for p in self.every(launch) if p.level != main.level) if self.levels == ALL else ()

    def every(self, launch: LaunchResult) -> tuple[Place, ...]:
        """Return the launch at each level, by its dominant pipe or by its instructions."""
        roofline, counted = launch.roofline, launch.roofline.instructions
        if not self.instructions:
            own = (p for p in roofline.points if p.pipe == roofline.pipe)
            return tuple(
                Place(p.level, p.intensity_flop_per_byte, p.performance_flop_per_s, p.attainable_flop_per_s)
                for p in own
            )
        points = counted.points if counted else ()
        return tuple(
            Place(p.level, p.intensity_inst_per_byte, p.performance_inst_per_s, p.attainable_inst_per_s) for p in points
        )

    def pipe(self, launch: LaunchResult) -> str | None:
        """Return which flat roof is the launch's."""
        return ISSUE if self.instructions else launch.roofline.pipe


def view_of(result: Analysis, levels: str, *, instructions: bool | None) -> View:
    """Return the view asked for; with None, instructions where no launch did any floating-point work."""
    if instructions is None:
        flop = any(launch.roofline.pipe for launch in result.launches)
        instructions = not flop and any(launch.roofline.instructions for launch in result.launches)
    return View(levels, instructions)


def ceiling_key(pipe: str) -> str:
    """Return the name of the ceiling of a pipe or of instruction issue."""
    return "issue_inst_per_s" if pipe == ISSUE else f"{pipe}_flop_per_s"


def flat_name(pipe: str) -> str:
    """Return what the flat roof of a pipe or of instruction issue is called."""
    return "issue" if pipe == ISSUE else pipe_name(pipe)

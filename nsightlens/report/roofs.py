"""Sentences on the roofline of launches: what one column of the table cannot tell."""

from collections.abc import Sequence

from nsightlens.analysis.cells import kernel_name, position
from nsightlens.analysis.names import LEVEL_NAMES
from nsightlens.analysis.result import LaunchResult, Useful
from nsightlens.units import percent, significant

TITLE = "Roofs"
_NEAR = 0.005  # a useful share that is so near to 1 goes unsaid


def roof_lines(launches: Sequence[LaunchResult], *, several: bool) -> list[str]:
    """Return a sentence on each launch above a roof, held against a cache or instruction issue, or with excess work."""
    lines = []
    for launch in launches:
        said = [part for part in (_held(launch), _useful(launch.roofline.useful), launch.roofline.above_roof) if part]
        if said:
            lines.append(f"{position(launch, several=several)} {kernel_name(launch)}: {'; '.join(said)}")
    return lines


def _held(launch: LaunchResult) -> str:
    roofline, counted = launch.roofline, launch.roofline.instructions
    if roofline.roof_fraction is not None:
        level = roofline.level
        return "" if level in {None, "dram"} else f"held against {LEVEL_NAMES[str(level)]}"
    if roofline.pipe or counted is None or counted.roof_fraction is None:
        return ""
    ridge, intensity = counted.ridge_inst_per_byte or 0.0, counted.intensity_inst_per_byte or 0.0
    name = "instruction issue" if intensity >= ridge else LEVEL_NAMES[roofline.level or "dram"]
    return f"instructions at {percent(counted.roof_fraction, 0)} of the roof of {name}"


def _useful(useful: Useful | None) -> str:
    if useful is None:
        return ""
    shares = {"FLOP": useful.flop_share, "DRAM bytes": useful.dram_bytes_share}
    less = [f"{percent(share, 0)} of the {what}" for what, share in shares.items() if share and share < 1 - _NEAR]
    more = [f"{significant(share)} × the {what}" for what, share in shares.items() if share and share > 1 + _NEAR]
    said = [f"useful {' and '.join(less)}"] if less else []
    return "; ".join([*said, f"declares {' and '.join(more)} counted"] if more else said)

"""Traffic of one launch at each memory level, and which level holds it back."""

from nsightlens.analysis.ceilings import LEVELS
from nsightlens.analysis.result import Ceiling
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.models.roofline import limiting_level


def traffic(launch: Launch) -> dict[str, float]:
    """Return the bytes moved at each level, farthest first, where they were counted and there were any."""
    moved = {level: launch.values[f"{level}_bytes"] for level in LEVELS}
    return {level: bytes_ for level, bytes_ in moved.items() if bytes_ > 0}


def bandwidth(level: str | None, ceilings: dict[str, Ceiling]) -> Ceiling | None:
    """Return the ceiling of a level in byte/s, if it is known."""
    return ceilings.get(f"{level}_bytes_per_s")


def limiting(launch: Launch, ceilings: dict[str, Ceiling]) -> str | None:
    """Return the level with the lowest roof, ``None`` if traffic of device memory is unknown, which may well be that.

    Device memory stands in where no bandwidth is known.
    """
    if known(launch.values["dram_bytes"]) is None:
        return None
    moved = traffic(launch)
    rates = {level: ceiling.value for level in moved if (ceiling := bandwidth(level, ceilings))}
    if "dram" in moved and "dram" not in rates:
        return "dram"
    return limiting_level(moved, rates) or "dram"

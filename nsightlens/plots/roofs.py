"""Which ceilings to draw: the roof of each memory level shown, and a flat roof for each precision present."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsightlens.analysis.names import LEVEL_NAMES
from nsightlens.analysis.result import Ceiling, LaunchResult
from nsightlens.gpus import TENSOR_TWIN
from nsightlens.models.roofline import machine_balance
from nsightlens.plots.spots import Spot
from nsightlens.plots.view import View, ceiling_key
from nsightlens.units import si


@dataclass(frozen=True, slots=True)
class Flat:
    """A compute roof in FLOP/s or instructions/s; ``used`` if a drawn launch is placed on its pipe."""

    pipe: str
    ceiling: Ceiling
    used: bool


@dataclass(frozen=True, slots=True)
class Slant:
    """The roof of a memory level in byte/s; ``used`` if a drawn launch is held against it."""

    level: str
    ceiling: Ceiling
    used: bool


@dataclass(frozen=True, slots=True)
class Roofs:
    """The roofs of one GPU."""

    gpu: str
    slants: tuple[Slant, ...]
    flat: tuple[Flat, ...]

    def ridges(self) -> list[float]:
        """Return the intensities at which the flat roofs meet the slanted ones."""
        return [machine_balance(flat.ceiling.value, s.ceiling.value) for flat in self.flat for s in self.slants]

    def steepest(self) -> float | None:
        """Return the highest bandwidth in byte/s, on whose roof the flat ones begin."""
        return max((slant.ceiling.value for slant in self.slants), default=None)


def roofs_of(spots: Iterable[Spot], view: View) -> list[Roofs]:
    """Return the roofs of each GPU of the drawn launches, in the order in which the GPUs come."""
    by_gpu: dict[str, list[Spot]] = {}
    for spot in spots:
        by_gpu.setdefault(spot.launch.gpu or "", []).append(spot)
    return [Roofs(gpu, _slants(group), _flats(group, view)) for gpu, group in by_gpu.items()]


def _slants(spots: Sequence[Spot]) -> tuple[Slant, ...]:
    """Return the roofs of the levels drawn: the highest that a launch there is held against."""
    shown = {place.level for spot in spots for place in spot.echoes}
    slants = []
    for level in LEVEL_NAMES:
        held = [spot.launch for spot in spots if spot.level == level]
        others = [spot.launch for spot in spots] if level in shown and not held else []
        ceiling = _highest(f"{level}_bytes_per_s", held or others)
        slants += [Slant(level, ceiling, bool(held))] if ceiling else []
    return tuple(slants)


def _flats(spots: Sequence[Spot], view: View) -> tuple[Flat, ...]:
    launches = [spot.launch for spot in spots]
    used = dict.fromkeys(pipe for launch in launches if (pipe := view.pipe(launch)))
    pipes = used | dict.fromkeys(TENSOR_TWIN[pipe] for pipe in used if pipe in TENSOR_TWIN)
    known = ((pipe, _highest(ceiling_key(pipe), launches)) for pipe in pipes)
    return tuple(Flat(pipe, ceiling, pipe in used) for pipe, ceiling in known if ceiling)


def _highest(key: str, launches: Iterable[LaunchResult]) -> Ceiling | None:
    """Return the highest value of a ceiling, which differs a little from launch to launch with the clock."""
    found = (launch.ceilings[key] for launch in launches if key in launch.ceilings)
    usable = (c for c in found if c.value and math.isfinite(c.value) and c.value > 0)
    return max(usable, key=lambda c: c.value, default=None)


def roof_label(name: str, ceiling: Ceiling, unit: str) -> str:
    """Return for example ``tensor FP64 66.9 TFLOP/s (spec)``."""
    return f"{name} {si(ceiling.value, unit)} ({ceiling.source})"

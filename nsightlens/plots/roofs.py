"""Which ceilings to draw: the DRAM roof of each GPU, and a flat roof for each precision present."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsightlens.analysis.result import Ceiling, LaunchResult
from nsightlens.gpus import TENSOR_TWIN
from nsightlens.models.roofline import machine_balance
from nsightlens.units import si

DRAM = "dram_bytes_per_s"


@dataclass(frozen=True, slots=True)
class Flat:
    """A compute roof in FLOP/s; ``used`` if a drawn launch is placed on its pipe."""

    pipe: str
    ceiling: Ceiling
    used: bool


@dataclass(frozen=True, slots=True)
class Roofs:
    """The roofs of one GPU: ``dram`` in bytes/s."""

    gpu: str
    dram: Ceiling | None
    flat: tuple[Flat, ...]

    def ridges(self) -> list[float]:
        """Return the intensities in FLOP/byte at which the flat roofs meet the DRAM roof."""
        return [machine_balance(flat.ceiling.value, self.dram.value) for flat in self.flat] if self.dram else []


def roofs_of(launches: Iterable[LaunchResult]) -> list[Roofs]:
    """Return the roofs of each GPU among ``launches``, in the order in which the GPUs come."""
    by_gpu: dict[str, list[LaunchResult]] = {}
    for launch in launches:
        by_gpu.setdefault(launch.gpu or "", []).append(launch)
    return [Roofs(gpu, _highest(DRAM, group), _flats(group)) for gpu, group in by_gpu.items()]


def _flats(launches: Sequence[LaunchResult]) -> tuple[Flat, ...]:
    used = dict.fromkeys(launch.roofline.pipe for launch in launches if launch.roofline.pipe)
    pipes = used | dict.fromkeys(TENSOR_TWIN[pipe] for pipe in used if pipe in TENSOR_TWIN)
    known = ((pipe, _highest(f"{pipe}_flop_per_s", launches)) for pipe in pipes)
    return tuple(Flat(pipe, ceiling, pipe in used) for pipe, ceiling in known if ceiling)


def _highest(key: str, launches: Iterable[LaunchResult]) -> Ceiling | None:
    """Return the highest value of a ceiling, which differs a little from launch to launch with the clock."""
    found = (launch.ceilings[key] for launch in launches if key in launch.ceilings)
    usable = (c for c in found if c.value and math.isfinite(c.value) and c.value > 0)
    return max(usable, key=lambda c: c.value, default=None)


def roof_label(name: str, ceiling: Ceiling, unit: str) -> str:
    """Return for example ``tensor FP64 66.9 TFLOP/s (spec)``."""
    return f"{name} {si(ceiling.value, unit)} ({ceiling.source})"

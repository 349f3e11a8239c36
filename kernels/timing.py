"""Times of launches by CUDA events."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nsightlens.kernels.cupy_launch import load_cupy

REPEATS = 21
WARM_UP = 3


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds between two events around a launch, over several repeats.

    A launch costs about 11 µs of that, so that kernels below 100 µs look slower than they are.
    """

    median_s: float
    low_s: float
    high_s: float
    repeats: int

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, over the median."""
        return (self.high_s - self.low_s) / 2 / self.median_s


def timing(seconds: Sequence[float]) -> Timing:
    """Return median and quartiles of some times."""
    low, median, high = np.quantile(seconds, (0.25, 0.5, 0.75))
    return Timing(float(median), float(low), float(high), len(seconds))


def timed(launch: Callable[[], None]) -> float:
    """Return the seconds that one launch takes on the device."""
    cuda = load_cupy().cuda
    start, end = cuda.Event(), cuda.Event()
    start.record()
    launch()
    end.record()
    end.synchronize()
    return float(cuda.get_elapsed_time(start, end)) * 1e-3


def time_in_turn(
    launches: Sequence[Callable[[], None]], repeats: int = REPEATS, warm_up: int = WARM_UP
) -> list[Timing]:
    """Time several launches in turn, A B A B, so that a drift of the clock meets all of them alike."""
    for _ in range(warm_up):
        for launch in launches:
            launch()
    rounds = [[timed(launch) for launch in launches] for _ in range(repeats)]
    return [timing(column) for column in zip(*rounds, strict=True)]

"""A closer overlap interval of one launch, from samples over time that were taken in one pass."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from statistics import median
from typing import NamedTuple

from nsightlens.analysis.result import Overlap
from nsightlens.collectors.samples import MEMORY, Samples
from nsightlens.models import windows as model
from nsightlens.models.windows import Window

LEAST_WINDOW_S = 10e-6
"""About ten times what a read of device memory takes."""
SLACK = 0.01
"""How far the shares of a window may be off: the error that is taken for times elsewhere."""
SCALE = 0.05
"""The sampled pass is another execution of the launch: if its times are off by more than this, it is another case."""
ODD_SHARE = 1.5
"""No sample lies that far above its peak."""
LEAST_GAIN = 0.005


class _Ends(NamedTuple):
    low: float
    high: float


def narrow(overlap: Overlap, time: float, samples: Samples | None, efficiency: float) -> Overlap:
    """Return the interval narrowed by samples, or as it is where there are none that fit.

    Parameters
    ----------
    overlap
        The interval from counters.
    time
        Time of the launch, s.
    samples
        Of one pass.
    efficiency
        Part of its peak that device memory reaches at best.
    """
    if overlap.status != "bounded" or samples is None:
        return overlap
    for pipe in samples.shares:
        if pipe != MEMORY and (ends := _ends(overlap, time, list(_samples(samples, pipe, efficiency)))):
            return _narrowed(overlap, time, ends)
    return overlap


def _samples(samples: Samples, pipe: str, efficiency: float) -> Iterator[Window]:
    """Yield the samples from the first to the last in which the pipe works; none if the series make no sense.

    Samples that follow a gap are left: how long they are is not known.
    """
    times, memory, compute = samples.times_ns, samples.shares.get(MEMORY, ()), samples.shares[pipe]
    lengths = [end - start for start, end in pairwise(times)]
    numbers = (*memory, *compute)
    if not lengths or not len(times) == len(memory) == len(compute) or min(lengths) <= 0:
        return
    if not all(isfinite(number) and 0 <= number <= ODD_SHARE for number in numbers):
        return
    longest = 2 * median(lengths)
    at_work = [index for index, share in enumerate(compute) if share > 0]
    for index in range(max(1, at_work[0]), at_work[-1] + 1) if at_work else ():
        if lengths[index - 1] <= longest:
            yield Window(lengths[index - 1] * 1e-9, min(1.0, memory[index] / efficiency), min(1.0, compute[index]))


def _ends(overlap: Overlap, time: float, samples: Sequence[Window]) -> _Ends | None:
    """Return both ends that samples give, if they show what the counters do."""
    t_mem, t_cmp = overlap.t_mem_s or 0.0, overlap.t_cmp_s or 0.0
    memory, compute = model.busy(samples)
    most = 1 + SCALE
    if not (0 < memory <= most * t_mem and 0 < compute <= most * t_cmp):
        return None
    if sum(window.length for window in samples) > most * time + 2 * samples[0].length:
        return None
    windows = model.joined(samples, LEAST_WINDOW_S)
    if windows[0].length < LEAST_WINDOW_S:
        return None
    # Down to the counters where samples exceed them, never up, so that no end moves too far inward; for the upper end
    # that means to leave the longer one as it is, and that samples lack nothing beside which the shorter is not alone.
    shorter, factors = min(t_mem, t_cmp), (min(1.0, t_mem / memory), min(1.0, t_cmp / compute))
    both = model.certain(model.scaled(windows, *factors), SLACK).both
    of_shorter = (factors[0], 1.0) if t_mem <= t_cmp else (1.0, factors[1])
    whole = most * memory >= t_mem and most * compute >= t_cmp
    alone = model.certain(model.scaled(windows, *of_shorter), SLACK).alone if whole else 0.0
    return _Ends(both / shorter, 1.0 - alone / shorter)


def _narrowed(overlap: Overlap, time: float, ends: _Ends) -> Overlap:
    old = _Ends(overlap.low or 0.0, 1.0 if overlap.high is None else overlap.high)
    expected = old.high if ends.low <= old.high else 1.0  # experience gives way to a bound that contradicts it
    new = _Ends(max(old.low, ends.low), min(expected, ends.high))
    if new.low > new.high or (new.low - old.low) + (expected - new.high) < LEAST_GAIN:
        return overlap
    t_mem, t_cmp = overlap.t_mem_s or 0.0, overlap.t_cmp_s or 0.0
    rest, shorter = time - t_mem - t_cmp, min(t_mem, t_cmp)
    return replace(
        overlap,
        low=new.low,
        high=new.high,
        method="windowed",
        idle_low_s=max(overlap.idle_low_s or 0.0, rest + new.low * shorter),
        idle_high_s=min(overlap.idle_high_s or 0.0, rest + ends.high * shorter),
        reason=_reason(old, new),
    )


def _reason(old: _Ends, new: _Ends) -> str:
    """Return by how much samples of one pass moved the ends; the upper one is experience where they did not."""
    moved = [
        f"{name} end {end:.2f} by samples over time, {before:.2f} without"
        for name, end, before in zip(("lower", "upper"), new, old, strict=True)
        if end != before
    ]
    rest = ["upper end by experience"] if new.high == old.high else []
    return "; ".join([*moved, *rest, "only an experiment gives a point"])

"""What two busy shares over time tell of the time in which both are busy, or one of them alone.

In a window of length w the shares u and v of one execution leave both busy for at least ``w max(0, u + v - 1)``, and
the first alone for at least ``w max(0, u - v)`` (Frechet bounds). Both are convex, so the sum over windows is never
below the value of the means, which is what counters give: idle windows no longer make up for full ones.

It holds for series of one execution, hence of one pass, and for windows much longer than the time between a unit's work
and its count: so neighbouring samples are joined first, which can only loosen the bounds.
"""

from collections.abc import Sequence
from typing import NamedTuple

from nsightlens.errors import ModelError
from nsightlens.models.checks import not_negative, shares


class Window(NamedTuple):
    """A stretch of time (any unit), and the shares of it in which memory and compute are busy."""

    length: float
    memory: float
    compute: float


class Certain(NamedTuple):
    """Least times (in the unit of the windows): both busy, and the one with less busy time busy alone."""

    both: float
    alone: float


def joined(windows: Sequence[Window], least: float) -> list[Window]:
    """Join neighbours until each window is at least this long; what is left at the end joins the last one.

    Raises
    ------
    ModelError
        If ``least`` or a length is below 0.
    """
    not_negative(least=least)
    found: list[Window] = []
    for window in windows:
        not_negative(length=window.length)
        if found and found[-1].length < least:
            found[-1] = _both(found[-1], window)
        else:
            found.append(window)
    if len(found) > 1 and found[-1].length < least:
        found[-2:] = [_both(*found[-2:])]
    return found


def busy(windows: Sequence[Window]) -> tuple[float, float]:
    """Return the busy times of memory and compute, in the unit of the windows."""
    return sum(w.length * w.memory for w in windows), sum(w.length * w.compute for w in windows)


def certain(windows: Sequence[Window], slack: float = 0.0) -> Certain:
    """Bound the times in which both are busy, and in which the less busy one is so alone, from below.

    Parameters
    ----------
    windows
        Of one execution, in any order; gaps between them loosen the bounds and no more.
    slack
        How far off the sum or difference of the shares of a window may be.

    Raises
    ------
    ModelError
        If a share lies outside 0...1, or a length or ``slack`` is below 0.
    """
    not_negative(slack=slack)
    for window in windows:
        not_negative(length=window.length)
        shares(memory=window.memory, compute=window.compute)
    memory, compute = busy(windows)
    sign = 1 if memory <= compute else -1
    both = sum(w.length * max(0.0, w.memory + w.compute - 1 - slack) for w in windows)
    alone = sum(w.length * max(0.0, sign * (w.memory - w.compute) - slack) for w in windows)
    return Certain(both, alone)


def scaled(windows: Sequence[Window], memory: float, compute: float) -> list[Window]:
    """Return the windows with shares times these factors.

    Raises
    ------
    ModelError
        If a factor is below 0, or a share comes to lie above 1.
    """
    not_negative(memory=memory, compute=compute)
    found = [Window(w.length, w.memory * memory, w.compute * compute) for w in windows]
    if any(max(w.memory, w.compute) > 1 for w in found):
        raise ModelError("a busy share exceeds the window: the factor is too large")
    return found


def _both(one: Window, other: Window) -> Window:
    length = one.length + other.length
    if length == 0:
        return Window(0.0, one.memory, one.compute)
    part = other.length / length
    return Window(length, _between(one.memory, other.memory, part), _between(one.compute, other.compute, part))


def _between(one: float, other: float, part: float) -> float:
    return one + (other - one) * part

"""How much of the shorter of two busy times hides under the longer one.

With total time T, busy times T_mem and T_cmp, m the smaller of them and E the time in which neither is busy:
``T = T_mem + T_cmp - phi * m + E``. Counters give T, T_mem and T_cmp but not E, so phi is an interval
(inclusion-exclusion, the Frechet bounds of the two utilisations). Busy time is work over the sustained ceiling.
The form is ours; article 1 (arXiv 2502.16851) knows phi = 1 and phi = 0 alone.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from nsightlens.errors import ModelError
from nsightlens.models.checks import not_negative, positive, shares

SMALLEST_SHARE = 0.05
"""Below this share of the time the shorter busy time says nothing about overlap."""
LARGEST_ERROR = 0.25
"""Above this standard error the lower bound says nothing."""


class OverlapInterval(NamedTuple):
    """Bounds of the overlap fraction, and of the time in which neither is busy (in the unit of the inputs)."""

    low: float
    high: float
    idle_low: float
    idle_high: float


def total_time(t_mem: float, t_cmp: float, overlap: float, idle: float = 0.0) -> float:
    """Return T from busy times, overlap fraction and idle time, in their unit.

    Raises
    ------
    ModelError
        If a time is below 0, or ``overlap`` outside 0...1.
    """
    not_negative(t_mem=t_mem, t_cmp=t_cmp, idle=idle)
    shares(overlap=overlap)
    return t_mem + t_cmp - overlap * min(t_mem, t_cmp) + idle


def fraction(total: float, t_mem: float, t_cmp: float, idle: float) -> float:
    """Return phi for a known idle time, without unit; outside 0...1 if the times contradict each other.

    Raises
    ------
    ModelError
        If a busy time is not above 0.
    """
    _busy(t_mem, t_cmp)
    positive(total=total)
    not_negative(idle=idle)
    return (t_mem + t_cmp - total + idle) / min(t_mem, t_cmp)


def both_busy(total: float, t_mem: float, t_cmp: float) -> tuple[float, float]:
    """Return the Frechet bounds of the time in which both are busy; with ``total`` 1, of its share.

    Raises
    ------
    ModelError
        If a busy time is below 0 or exceeds ``total``.
    """
    not_negative(total=total, t_mem=t_mem, t_cmp=t_cmp)
    _within(total, t_mem, t_cmp)
    return max(0.0, t_mem + t_cmp - total), min(t_mem, t_cmp)


def interval(
    total: float, t_mem: float, t_cmp: float, idle_low: float = 0.0, idle_high: float | None = None
) -> OverlapInterval:
    """Bound the overlap fraction from marginal busy times.

    Parameters
    ----------
    total, t_mem, t_cmp
        Times in one unit, ``total`` not below either busy time, both busy times above 0.
    idle_low, idle_high
        What is known of the time in which neither is busy, in the same unit.

    Raises
    ------
    ModelError
        If a busy time is not positive or exceeds ``total``, or the idle times contradict the others.
    """
    _busy(t_mem, t_cmp)
    longer = max(t_mem, t_cmp)
    not_negative(idle_low=idle_low)
    if not longer <= total:
        raise ModelError("a busy time exceeds the total: a ceiling is too low or work was counted twice")
    least, slack = max(0.0, idle_low, total - (t_mem + t_cmp)), total - longer
    most = slack if idle_high is None else min(idle_high, slack)
    if not least <= most:
        raise ModelError(f"the times allow idle time of {slack:.9g} at most: not one of {idle_low:.9g} to {most:.9g}")
    # With no upper limit of the idle time all slack may be idle: 1, without the rounding of the general form.
    high = 1.0 if most == slack else min(1.0, fraction(total, t_mem, t_cmp, most))
    low = min(high, max(0.0, fraction(total, t_mem, t_cmp, idle_low)))
    return OverlapInterval(low, high, least, most)


def error(total: float, t_mem: float, t_cmp: float, rel_total: float = 0.01, rel_busy: float = 0.02) -> float:
    """Return the standard error of the lower bound, by propagation of relative errors of the three times.

    Raises
    ------
    ModelError
        If a busy time is not above 0.
    """
    _busy(t_mem, t_cmp)
    positive(total=total)
    not_negative(rel_total=rel_total, rel_busy=rel_busy)
    shorter, longer = sorted((t_mem, t_cmp))
    direct = ((rel_total * total) ** 2 + (rel_busy * longer) ** 2) / shorter**2
    by_shorter = ((total - longer) / shorter**2 * rel_busy * shorter) ** 2
    return sqrt(direct + by_shorter)


def identifiable(total: float, t_mem: float, t_cmp: float) -> bool:
    """Tell whether the interval says anything: the shorter time is long enough, and the error small enough.

    Raises
    ------
    ModelError
        If a time is not above 0.
    """
    positive(total=total)
    return error(total, t_mem, t_cmp) <= LARGEST_ERROR and min(t_mem, t_cmp) / total >= SMALLEST_SHARE


MARGIN = 0.30
"""How far the overlap fraction lay above what independence gives, at most. 80 runs on an H200 were looked at to choose
it, and it held in 38 others (docs/measurements/overlap-interval.md)."""


def likely_high(memory_share: float, compute_share: float) -> float:
    """Return an upper end of the overlap fraction by experience: that of independent busy times, and a margin (ours).

    If memory and compute are busy independently of each other, both are for the product of their shares, so the
    fraction of the shorter one that hides is the larger share.

    Parameters
    ----------
    memory_share, compute_share
        Busy times over the total, in 0...1.

    Raises
    ------
    ModelError
        If a share lies outside its range.
    """
    shares(memory_share=memory_share, compute_share=compute_share)
    return min(1.0, max(memory_share, compute_share) + MARGIN)


def exposed_if_independent(first: float, second: float) -> float:
    """Return the share of the time in which only the less busy of two is busy, if they are busy independently.

    Raises
    ------
    ModelError
        If a share lies outside 0...1.
    """
    shares(first=first, second=second)
    return (1.0 - max(first, second)) * min(first, second)


def index(total: float, times: Sequence[float]) -> float:
    """Return 1 - (T - longest) / (sum - longest) of many busy times: 1 for all under the longest, 0 one by one.

    Raises
    ------
    ModelError
        If fewer than two times are above 0, or one exceeds ``total``.
    """
    not_negative(total=total, **{f"time_{number}": time for number, time in enumerate(times)})
    longest = max(times, default=0.0)
    if sum(times) <= longest:
        raise ModelError("no overlap to speak of: fewer than two busy times are above 0")
    _within(total, *times)
    return 1.0 - (total - longest) / (sum(times) - longest)


def _within(total: float, *times: float) -> None:
    if max(times) > total:
        raise ModelError(f"a busy time of {max(times):.9g} exceeds the total of {total:.9g}")


def _busy(t_mem: float, t_cmp: float) -> None:
    if not min(t_mem, t_cmp) > 0:
        raise ModelError("no overlap to speak of: a busy time is not positive")

"""How much of the shorter of two busy times hides under the longer one.

With total time T, busy times T_mem and T_cmp, m the smaller of them and E the time in which neither is busy:
``T = T_mem + T_cmp - phi * m + E``. Counters give T, T_mem and T_cmp but not E, so phi is an interval
(inclusion-exclusion, the Frechet bounds of the two utilisations).
"""

from math import sqrt
from typing import NamedTuple


class OverlapInterval(NamedTuple):
    """Bounds of the overlap fraction, and of the time in which neither is busy (in the unit of the inputs)."""

    low: float
    high: float
    idle_low: float
    idle_high: float


def interval(total: float, t_mem: float, t_cmp: float) -> OverlapInterval:
    """Bound the overlap fraction from marginal busy times.

    Parameters
    ----------
    total, t_mem, t_cmp
        Times in one unit, ``total`` not below either busy time, both busy times above 0.

    Raises
    ------
    ValueError
        If a busy time is not positive or exceeds ``total``.
    """
    shorter, longer = sorted((t_mem, t_cmp))
    if shorter <= 0:
        raise ValueError("no overlap to speak of: a busy time is not positive")
    if longer > total:
        raise ValueError("a busy time exceeds the total: a ceiling is too low or work was counted twice")
    both = t_mem + t_cmp
    low = min(1.0, max(0.0, (both - total) / shorter))
    return OverlapInterval(low, 1.0, max(0.0, total - both), total - longer)


def error(total: float, t_mem: float, t_cmp: float, rel_total: float = 0.01, rel_busy: float = 0.02) -> float:
    """Return the standard error of the lower bound, by propagation of relative errors of the three times."""
    shorter, longer = sorted((t_mem, t_cmp))
    direct = ((rel_total * total) ** 2 + (rel_busy * longer) ** 2) / shorter**2
    by_shorter = ((total - longer) / shorter**2 * rel_busy * shorter) ** 2
    return sqrt(direct + by_shorter)

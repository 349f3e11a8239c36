"""The overlap fraction as a point, from timing a kernel with its memory accesses or its arithmetic left out (ours).

Needed: the whole kernel (T), one that only moves data (T_M), one that only computes (T_C), and the bare skeleton of
loops, addresses and barriers (T_0), all with the same launch shape and registers.
"""

from typing import NamedTuple

from nsightlens.errors import ModelError
from nsightlens.models.checks import not_negative, positive


class Slowdown(NamedTuple):
    """What a kernel's time over its ideal time is the product of; each is 1 if nothing is lost."""

    traffic: float
    bandwidth: float
    limiter: float
    non_overlap: float


def overlap(total: float, memory_only: float, compute_only: float, skeleton: float = 0.0) -> float:
    """Return (T_M + T_C - T_0 - T) / (min(T_M, T_C) - T_0), without unit; below 0 the two get in each other's way.

    Parameters
    ----------
    total, memory_only, compute_only, skeleton
        Times in one unit.

    Raises
    ------
    ModelError
        If a time is not above 0, or the skeleton takes as long as a variant.
    """
    positive(total=total, memory_only=memory_only, compute_only=compute_only)
    not_negative(skeleton=skeleton)
    shorter = min(memory_only, compute_only) - skeleton
    if not shorter > 0:
        raise ModelError("the skeleton takes as long as a variant with work: there is nothing to hide")
    return (memory_only + compute_only - skeleton - total) / shorter


def slowdown(
    total_s: float,
    memory_only_s: float,
    compute_only_s: float,
    *,
    traffic_bytes: float,
    least_bytes: float,
    bytes_per_s: float,
) -> Slowdown:
    """Split T over its ideal, ``least_bytes`` at ``bytes_per_s``, into four factors.

    Parameters
    ----------
    total_s, memory_only_s, compute_only_s
        T, T_M and T_C.
    traffic_bytes, least_bytes
        Bytes that moved, and those that had to.
    bytes_per_s
        Bandwidth ceiling.

    Raises
    ------
    ModelError
        If an argument is not above 0, or fewer bytes moved than had to.
    """
    positive(total=total_s, memory_only=memory_only_s, compute_only=compute_only_s)
    positive(traffic_bytes=traffic_bytes, least_bytes=least_bytes, bytes_per_s=bytes_per_s)
    if traffic_bytes < least_bytes:
        raise ModelError(f"{traffic_bytes:.9g} bytes moved, less than the {least_bytes:.9g} that had to")
    longer = max(memory_only_s, compute_only_s)
    return Slowdown(
        traffic=traffic_bytes / least_bytes,
        bandwidth=memory_only_s * bytes_per_s / traffic_bytes,
        limiter=longer / memory_only_s,
        non_overlap=total_s / longer,
    )

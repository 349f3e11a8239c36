"""The roofline model (Williams, Waterman and Patterson, CACM 52(4), 2009), as article 1 (arXiv 2502.16851) uses it.

Symbols: W work (FLOP, a fused multiply-add counts 2), Q traffic (byte), P peak (FLOP/s), B bandwidth (byte/s),
I = W / Q, machine balance P / B, and x = T_mem / T_cmp = (P / B) / I.
"""

from collections.abc import Mapping
from typing import Literal

from nsightlens.errors import ModelError
from nsightlens.models.checks import not_negative, positive, shares

Side = Literal["memory", "ridge", "compute"]


def machine_balance(peak_flop_per_s: float, bytes_per_s: float) -> float:
    """Return the ridge point P / B in FLOP/byte: the intensity at which both ceilings meet.

    Raises
    ------
    ModelError
        If a ceiling is not above 0.
    """
    positive(peak_flop_per_s=peak_flop_per_s, bytes_per_s=bytes_per_s)
    return peak_flop_per_s / bytes_per_s


def operational_intensity(work_flop: float, traffic_bytes: float) -> float:
    """Return I = W / Q in FLOP/byte.

    Raises
    ------
    ModelError
        If work is below 0, or traffic not above 0.
    """
    not_negative(work_flop=work_flop)
    positive(traffic_bytes=traffic_bytes)
    return work_flop / traffic_bytes


def attainable(intensity_flop_per_byte: float, peak_flop_per_s: float, bytes_per_s: float) -> float:
    """Return the most FLOP/s that the roofline allows, min(P, B I).

    Raises
    ------
    ModelError
        If a ceiling is not above 0, or the intensity below 0.
    """
    not_negative(intensity=intensity_flop_per_byte)
    positive(peak_flop_per_s=peak_flop_per_s, bytes_per_s=bytes_per_s)
    return min(peak_flop_per_s, intensity_flop_per_byte * bytes_per_s)


def limiting_level(traffic_bytes: Mapping[str, float], bytes_per_s: Mapping[str, float]) -> str | None:
    """Return the memory level whose roof is the lowest for a launch: that which needs the longest for its bytes.

    The work cancels out: W / Q_l x B_l is smallest where Q_l / B_l is largest, whatever W counts (FLOP, instructions).

    Parameters
    ----------
    traffic_bytes
        Level to bytes moved at it.
    bytes_per_s
        Level to bandwidth; levels without one are passed over.

    Raises
    ------
    ModelError
        If traffic is below 0, or a bandwidth not above 0.
    """
    known = [level for level in traffic_bytes if level in bytes_per_s]
    return max(known, key=lambda level: _busy_s(traffic_bytes[level], bytes_per_s[level]), default=None)


def _busy_s(traffic_bytes: float, bytes_per_s: float) -> float:
    not_negative(traffic_bytes=traffic_bytes)
    positive(bytes_per_s=bytes_per_s)
    return traffic_bytes / bytes_per_s


def attainable_instructions(intensity_inst_per_byte: float, issue_inst_per_s: float, bytes_per_s: float) -> float:
    """Return the most warp instructions per second, min(issue, B I).

    This is the instruction roofline of Ding and Williams (PMBS 2019), with bytes in place of transactions.

    Parameters
    ----------
    intensity_inst_per_byte
        Warp instructions over bytes moved at a memory level.
    issue_inst_per_s
        Peak of instruction issue: multiprocessors x schedulers x instructions a cycle x clock.
    bytes_per_s
        Bandwidth of that level.

    Raises
    ------
    ModelError
        If a ceiling is not above 0, or the intensity below 0.
    """
    not_negative(intensity=intensity_inst_per_byte)
    positive(issue_inst_per_s=issue_inst_per_s, bytes_per_s=bytes_per_s)
    return min(issue_inst_per_s, intensity_inst_per_byte * bytes_per_s)


def efficiency(amount: float, time_s: float, peak_per_s: float) -> float:
    """Return the share of a ceiling, W / (T P) of work or Q / (T B) of traffic; above 1 the ceiling is too low.

    Of the useful work it tells how much of the peak serves the result, of all work how busy the unit is.

    Raises
    ------
    ModelError
        If the amount is below 0, or time or ceiling not above 0.
    """
    not_negative(amount=amount)
    positive(time_s=time_s, peak_per_s=peak_per_s)
    return amount / (time_s * peak_per_s)


def memory_boundness(balance_flop_per_byte: float, intensity_flop_per_byte: float) -> float:
    """Return x = T_mem / T_cmp as balance over intensity; a kernel with x of 1 or more is memory bound.

    That holds where all work is multiply-adds at the peak; see ``instruction_mix`` for other work.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    positive(balance=balance_flop_per_byte, intensity=intensity_flop_per_byte)
    return balance_flop_per_byte / intensity_flop_per_byte


def boundness_of_times(t_mem: float, t_cmp: float) -> float:
    """Return x = T_mem / T_cmp of two times in one unit; whatever the mix of instructions.

    Raises
    ------
    ModelError
        If memory time is below 0, or compute time not above 0.
    """
    not_negative(t_mem=t_mem)
    positive(t_cmp=t_cmp)
    return t_mem / t_cmp


def instruction_mix(fma_share: float) -> float:
    """Return the compute time over W / P, from 1 (all FLOP in multiply-adds) to 2 (none).

    A lone addition or multiplication takes the issue slot of a multiply-add for half the FLOP. Divide x by this:
    SCALE, which only multiplies, has half the x of its intensity.

    Parameters
    ----------
    fma_share
        Part of the FLOP, in 0...1, that multiply-adds do.

    Raises
    ------
    ModelError
        If the share lies outside 0...1.
    """
    shares(fma_share=fma_share)
    return 2.0 - fma_share


def side(balance_flop_per_byte: float, intensity_flop_per_byte: float, uncertainty: float = 1e-9) -> Side:
    """Return the side of the ridge, or ``ridge`` if the intensity is within the relative uncertainty of the balance.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    positive(uncertainty=uncertainty)
    if uncertainty >= 1:
        raise ModelError(f"uncertainty of the balance must be below 1, not {uncertainty:.9g}")
    x = memory_boundness(balance_flop_per_byte, intensity_flop_per_byte)
    if abs(x - 1) <= uncertainty:
        return "ridge"
    return "memory" if x > 1 else "compute"


def is_memory_bound(balance_flop_per_byte: float, intensity_flop_per_byte: float) -> bool:
    """Tell whether x is at least 1; the ridge itself counts, since memory time is then the longest too.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    return side(balance_flop_per_byte, intensity_flop_per_byte) != "compute"

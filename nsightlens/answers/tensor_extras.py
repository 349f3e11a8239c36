"""What times, and what SCALE, tell beyond the bounds of any kernel."""

from math import inf
from typing import NamedTuple

from nsightlens.answers.answer import Fact, shown
from nsightlens.answers.limits import Limits
from nsightlens.models import overlap, roofline, scale, tensor_core
from nsightlens.units import percent


class Extra(NamedTuple):
    """Facts, sentences, and a bound of the speed-up that is closer than that of any overlap."""

    facts: tuple[Fact, ...] = ()
    words: tuple[str, ...] = ()
    bound: float = inf


def of_times(t_mem_s: float, t_cmp_s: float, total_s: float | None, ratio: float) -> Extra:
    """Return the overlap interval and the bound that the total time allows; nothing without it.

    Raises
    ------
    ModelError
        If a busy time is not above 0, or exceeds the total.
    """
    times = (Fact("t_mem_s", "T_mem", t_mem_s, "s"), Fact("t_cmp_s", "T_cmp", t_cmp_s, "s"))
    if total_s is None:
        return Extra(times)
    found = overlap.interval(total_s, t_mem_s, t_cmp_s)
    known = overlap.identifiable(total_s, t_mem_s, t_cmp_s)
    bound = tensor_core.most(total_s, t_mem_s, t_cmp_s, max(ratio, 1.0), found.low if known else 0.0)
    facts = (
        *times,
        Fact("time_s", "T", total_s, "s"),
        Fact("overlap_low", "overlap phi, at least", found.low if known else None),
        Fact("idle_low_s", "neither busy, at least", found.idle_low, "s"),
        Fact("time_speedup_high", "bound with this total time and overlap", bound),
    )
    words = (
        f"With a total of {shown(total_s, 's')} at least {percent(found.low)} of the shorter time hides under the"
        f" longer one, so tensor cores cannot give more than {shown(bound)}×."
        if known
        else "The shorter time is too short to tell the overlap from these times; the bound does not need it."
    )
    return Extra(facts, (words,), bound)


def of_scale(limits: Limits, balance: float, intensity_flop_per_byte: float) -> Extra:
    """Return what SCALE's lone multiplications change, and for FP64 the loss on m8n8k4 that arithmetic explains."""
    fma_x = roofline.memory_boundness(balance, intensity_flop_per_byte)
    fma = tensor_core.workload_bound(intensity_flop_per_byte, balance)
    facts = (
        Fact("fma_boundness", "x if the work were multiply-adds (article 1)", fma_x),
        Fact("fma_workload_bound", "1 + 1/x for that x", fma),
    )
    words = (
        (
            "SCALE multiplies only. A multiplication takes the issue slot of a multiply-add for half the FLOP, so"
            f" compute takes twice its FLOP over the peak: x is half of {shown(fma_x)}, and 1 + 1/x more than the"
            f" article's {shown(fma)}."
        ),
    )
    if limits.dtype != "fp64":
        return Extra(facts, words)
    loss = _scale_loss(limits)
    return Extra((*facts, *loss.facts), (*words, *loss.words))


def _scale_loss(limits: Limits) -> Extra:
    peaks = (limits.tensor, limits.cuda_flop_per_s)
    effective = scale.effective_ratio(*peaks)
    worst = scale.worst_ratio(*peaks, limits.bytes_per_s)
    worst_fma = scale.worst_ratio(*peaks, limits.bytes_per_s, fma=True)
    facts = (
        Fact("scale_useful_fraction", "useful part of m8n8k4 (data times q I)", scale.useful_fraction(8, 4)),
        Fact("scale_effective_ratio", "useful tensor-core over CUDA-core peak", effective),
        Fact("scale_worst_ratio", "speed on m8n8k4 if nothing overlaps, at least", worst),
        Fact("scale_worst_ratio_fma", "the same for multiply-adds", worst_fma),
    )
    words = (
        f"On m8n8k4 only one product of eight is useful, so tensor cores reach {shown(effective)} of the CUDA cores'"
        f" peak. Even so a slow-down of more than {percent(1 - worst)} is not explained by arithmetic: look at the"
        " access pattern and at what else the kernel issues."
    )
    return Extra(facts, (words,))

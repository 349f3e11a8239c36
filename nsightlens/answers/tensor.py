"""How much tensor cores can bring a kernel at most (article 1, arXiv 2502.16851, corrected)."""

from nsightlens.answers.answer import Answer, Fact, shown
from nsightlens.answers.limits import Limits
from nsightlens.answers.tensor_case import Case, Question, case_of
from nsightlens.answers.tensor_extras import Extra, of_scale, of_times
from nsightlens.models import tensor_core

ARTICLE_RATIO = 2.0
"""The ratio of FP64 peaks that article 1 takes."""
_ASSUMPTIONS = (
    "The same bytes move; an algorithm or layout that moves fewer lies outside of the bound.",
    "All work goes to tensor cores, and there is no more of it; padding and zeros cost extra.",
    "Time that is neither compute nor memory (launching, synchronisation) stays as it is.",
)


def tensor_answer(limits: Limits, question: Question) -> Answer:
    """Return what tensor cores can bring, with the reasons.

    Raises
    ------
    UsageError
        If not exactly one thing is asked, or the GPU has no tensor cores for the precision.
    ModelError
        If a number lies outside the range of the models.
    """
    case = case_of(limits, question)
    kernel, times = question.kernel, question.times
    extra = Extra()
    if times is not None:
        extra = of_times(times.t_mem_s, times.t_cmp_s, times.total_s, case.ratio)
    elif kernel is not None and kernel.name == "scale":
        extra = of_scale(limits, case.balance, kernel.intensity_flop_per_byte)
    return Answer(
        "tensor",
        _subject(question),
        (*limits.facts(), *(kernel.given if kernel else ())),
        (*_facts(case), *extra.facts, Fact("speedup_high", "bound", min(case.highest, extra.bound))),
        verdict=_verdict(case.ratio, min(case.highest, extra.bound)),
        reasoning=(*_reasons(case), *extra.words, _article(case, limits)),
        assumptions=_ASSUMPTIONS,
        cautions=limits.cautions(),
    )


def _subject(question: Question) -> str:
    if (kernel := question.kernel) is not None:
        return f"Tensor cores for {kernel.title}{'' if kernel.cost else ', large matrices'}"
    if question.times is not None:
        return "Tensor cores for a kernel of these times"
    return f"Tensor cores for a kernel of {shown(question.intensity_flop_per_byte, 'FLOP/byte')}"


def _facts(case: Case) -> tuple[Fact, ...]:
    workload = tensor_core.unoverlapped(tensor_core.UNLIMITED, case.x)
    return (
        Fact("intensity_flop_per_byte", "operational intensity, I", case.intensity, "FLOP/byte"),
        Fact("balance_flop_per_byte", "machine balance of CUDA cores, P / B", case.balance, "FLOP/byte"),
        Fact("tensor_balance_flop_per_byte", "machine balance of tensor cores", case.tensor_balance, "FLOP/byte"),
        Fact("boundness", "x = T_mem / T_cmp", case.x),
        Fact("memory_bound", "memory bound (x of 1 or more)", case.x >= 1),
        Fact("tc_ratio", "r = tensor-core over CUDA-core peak (alpha in article 1)", case.ratio),
        Fact("overlapped_speedup", "speed-up if memory and compute overlap fully", case.overlapped),
        Fact("unoverlapped_speedup", "speed-up if nothing overlaps, at most", case.unoverlapped),
        Fact("workload_bound", "the same for tensor cores that take no time, 1 + 1/x", workload),
        Fact("memory_bound_limit", "any memory-bound kernel, 2 - 2/(1 + r)", tensor_core.bound(case.ratio)),
    )


def _verdict(ratio: float, highest: float) -> str:
    if ratio <= 1:
        return "Tensor cores cannot give anything: they are no faster than CUDA cores here."
    if highest <= 1:
        return "Tensor cores cannot give anything: all compute time hides under memory time."
    return f"Tensor cores cannot give more than {shown(highest)}×."


def _article(case: Case, limits: Limits) -> str:
    own = shown(tensor_core.bound(case.ratio))
    return (
        f"Article 1 (arXiv 2502.16851) concludes 1× to {tensor_core.bound(ARTICLE_RATIO):.2f}× for memory-bound FP64"
        f" kernels, from r = {ARTICLE_RATIO:g}. For {limits.dtype.upper()} with these peaks r is {shown(case.ratio)},"
        f" and the limit {own}×, which only a kernel at x = 1 without any overlap comes near."
    )


def _reasons(case: Case) -> tuple[str, ...]:
    if case.ratio < 1:
        return (
            (
                f"Tensor cores are slower than CUDA cores (r = {shown(case.ratio)}). Without overlap the kernel would"
                f" run at {shown(case.unoverlapped)} of its speed; with full overlap at {shown(case.overlapped)}."
            ),
        )
    if case.x >= 1:
        return (
            (
                f"Memory takes {shown(case.x)} times as long as compute, and tensor cores make only compute shorter. If"
                " compute hides under memory, nothing is gained; if it does not, at most the compute time is saved:"
                " 1 + (r - 1)/(1 + r x)."
            ),
        )
    return (
        (
            f"The kernel is compute bound: memory takes {shown(case.x)} of the compute time. Faster compute pays until"
            " memory limits, so the bounds for memory-bound kernels do not apply."
        ),
    )

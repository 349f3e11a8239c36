"""Work, traffic and intensity of a kernel."""

from nsightlens.answers.answer import Answer, Fact
from nsightlens.answers.kernel import Kernel
from nsightlens.answers.limits import ELEMENT_BYTES

_ASSUMPTIONS = (
    (
        "Every array moves once between device memory and the chip: perfect reuse, no halo read again, and stores that"
        " fetch nothing."
    ),
    "A multiply-add counts as two FLOP, a lone multiplication as one.",
)


def intensity_answer(kernel: Kernel, dtype: str) -> Answer:
    """Return the intensity of a kernel, in symbols and in numbers."""
    cost = kernel.cost
    reasons = [f"The intensity is work over traffic, with {kernel.symbols}."]
    if cost is None:
        reasons.append(
            "No sizes were given: the intensity is the limit that large matrices come near and none exceeds."
        )
    if kernel.name == "scale":
        reasons.append(
            "SCALE multiplies only, and a multiplication takes the slot of a multiply-add: its compute time is twice"
            " its FLOP over the peak."
        )
    if kernel.name == "spmv":
        reasons.append("Blocked formats move more: padding and permutations come on top, and x may be read more often.")
    return Answer(
        "intensity",
        kernel.title,
        (
            Fact("dtype", "precision", dtype),
            Fact("element_bytes", "bytes an element, D", ELEMENT_BYTES[dtype]),
            *kernel.given,
        ),
        (
            Fact("work_formula", "work in symbols, FLOP", kernel.work),
            Fact("traffic_formula", "traffic in symbols, byte", kernel.traffic),
            Fact("intensity_formula", "intensity in symbols", kernel.intensity),
            Fact("work_flop", "work", cost.flop if cost else None, "FLOP"),
            Fact("traffic_bytes", "traffic", cost.traffic_bytes if cost else None, "byte"),
            Fact("intensity_flop_per_byte", "intensity", kernel.intensity_flop_per_byte, "FLOP/byte"),
            Fact("limit_flop_per_byte", "limit of the intensity", kernel.limit_flop_per_byte, "FLOP/byte"),
        ),
        reasoning=tuple(reasons),
        assumptions=_ASSUMPTIONS,
    )

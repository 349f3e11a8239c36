"""What is asked about tensor cores, and the numbers that decide it."""

from dataclasses import dataclass

from nsightlens.answers.kernel import Kernel
from nsightlens.answers.limits import Limits
from nsightlens.errors import UsageError
from nsightlens.models import roofline, scale, tensor_core


@dataclass(frozen=True, slots=True)
class Times:
    """Busy times and, if known, the total of a measured kernel, in seconds."""

    t_mem_s: float
    t_cmp_s: float
    total_s: float | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about: an intensity, a kernel, or times; one of them."""

    intensity_flop_per_byte: float | None = None
    kernel: Kernel | None = None
    times: Times | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """What is known of the kernel and the units.

    Attributes
    ----------
    ratio
        Tensor-core over CUDA-core peak.
    balance, tensor_balance
        Machine balances in FLOP/byte.
    intensity
        FLOP/byte; None if times are given.
    x
        T_mem / T_cmp.
    """

    ratio: float
    balance: float
    tensor_balance: float
    intensity: float | None
    x: float

    @property
    def overlapped(self) -> float:
        """Speed-up if memory and compute overlap fully."""
        return tensor_core.fully_overlapped(self.ratio, self.x)

    @property
    def unoverlapped(self) -> float:
        """Speed-up if nothing overlaps."""
        return tensor_core.unoverlapped(self.ratio, self.x)

    @property
    def highest(self) -> float:
        """The bound over all overlaps: the speed-up is monotone in it, so one of both ends is the largest."""
        return max(self.overlapped, self.unoverlapped)


def case_of(limits: Limits, question: Question) -> Case:
    """Return the case of a question.

    Raises
    ------
    UsageError
        If not exactly one thing is asked, or the GPU has no tensor cores for the precision.
    ModelError
        If a number lies outside the range of the models.
    """
    ratio = tensor_core.peak_ratio(limits.tensor, limits.cuda_flop_per_s)
    balance = roofline.machine_balance(limits.cuda_flop_per_s, limits.bytes_per_s)
    tensor_balance = roofline.machine_balance(limits.tensor, limits.bytes_per_s)
    kernel, times = question.kernel, question.times
    asked = [kernel.intensity_flop_per_byte if kernel else None, question.intensity_flop_per_byte]
    known = [intensity for intensity in asked if intensity is not None]
    if len(known) + (times is not None) != 1:
        raise UsageError(
            "asks about one thing at a time",
            where="model tensor",
            remedy="give one of --intensity, --kernel, or --t-mem with --t-cmp",
        )
    if times is not None:
        x = roofline.boundness_of_times(times.t_mem_s, times.t_cmp_s)
        return Case(ratio, balance, tensor_balance, None, x)
    x = roofline.memory_boundness(balance, known[0])
    if kernel is not None and kernel.name == "scale":
        x = scale.boundness(limits.cuda_flop_per_s, limits.bytes_per_s, limits.element_bytes)
    return Case(ratio, balance, tensor_balance, known[0], x)

"""A kernel of article 1 (arXiv 2502.16851) and its sizes."""

from dataclasses import dataclass, fields

from nsightlens.answers.answer import Fact
from nsightlens.models.intensity import Cost


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a kernel, as options give them."""

    elements: int | None = None
    rows: int | None = None
    columns: int | None = None
    nonzeros: int | None = None
    index_bytes: int | None = None
    reads_y: bool | None = None
    shape: str | None = None
    depth: int | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the options that were given."""
        return tuple(option(field.name) for field in fields(self) if getattr(self, field.name) is not None)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of one size and precision.

    Attributes
    ----------
    name, title
        ``scale``; ``SCALE, b = q a``.
    work, traffic, intensity
        Formulas in symbols, work in FLOP and traffic in bytes.
    symbols
        What they mean.
    limit_flop_per_byte
        Intensity that no size exceeds.
    cost
        Work and traffic; None if no sizes were given.
    sizes
        The sizes, as facts.
    """

    name: str
    title: str
    work: str
    traffic: str
    intensity: str
    symbols: str
    limit_flop_per_byte: float
    cost: Cost | None
    sizes: tuple[Fact, ...]

    @property
    def given(self) -> tuple[Fact, ...]:
        """The sizes that are known."""
        return tuple(fact for fact in self.sizes if fact.value is not None)

    @property
    def intensity_flop_per_byte(self) -> float:
        """Operational intensity; its limit for large matrices if no sizes were given."""
        return self.cost.intensity if self.cost else self.limit_flop_per_byte


def option(field: str) -> str:
    """Return the option of a size."""
    return f"--{field.replace('_', '-')}"

"""Kernels of article 1 (arXiv 2502.16851) by name: work, traffic and intensity, in symbols and in numbers."""

from collections.abc import Callable
from dataclasses import dataclass, fields

from nsightlens.answers.answer import Fact
from nsightlens.answers.limits import ELEMENT_BYTES
from nsightlens.answers.stencil_names import find_stencil
from nsightlens.errors import UsageError
from nsightlens.models import intensity, stencil
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
        return tuple(_option(field.name) for field in fields(self) if getattr(self, field.name) is not None)


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


def kernel(name: str, dtype: str, sizes: Sizes) -> Kernel:
    """Return a kernel.

    Raises
    ------
    UsageError
        If a size does not go with the kernel, or is missing.
    ModelError
        If a size is impossible.
    """
    make, fields_taken = KERNELS[name]
    taken = [_option(field) for field in fields_taken]
    for option in sizes.given:
        if option not in taken:
            raise UsageError(f"does not go with {name}", where=option, remedy=f"{name} takes {', '.join(taken)}")
    return make(sizes, ELEMENT_BYTES[dtype])


def _option(field: str) -> str:
    return f"--{field.replace('_', '-')}"


def _scale(sizes: Sizes, element_bytes: int) -> Kernel:
    elements = sizes.elements or 1
    cost = intensity.scale(elements, element_bytes)
    return Kernel(
        "scale",
        "SCALE, b = q a",
        "n",
        "2 n D",
        "1 / (2 D)",
        "n elements of D bytes",
        cost.intensity,
        cost,
        (Fact("elements", "elements, n", elements),),
    )


def _gemv(sizes: Sizes, element_bytes: int) -> Kernel:
    _all_or_none("gemv", rows=sizes.rows, columns=sizes.columns)
    reads_y = bool(sizes.reads_y)
    cost = None
    if sizes.rows is not None and sizes.columns is not None:
        cost = intensity.gemv(sizes.rows, sizes.columns, element_bytes, reads_y=reads_y)
    traffic = "(m n + m + n) D" + (" + m D" if reads_y else "")
    return Kernel(
        "gemv",
        "GEMV, y = A x",
        "2 m n",
        traffic,
        f"2 m n / ({traffic}), at most 2 / D",
        "m rows, n columns, D bytes an element",
        intensity.gemv_limit(element_bytes),
        cost,
        (Fact("rows", "rows, m", sizes.rows), Fact("columns", "columns, n", sizes.columns)),
    )


def _spmv(sizes: Sizes, element_bytes: int) -> Kernel:
    _all_or_none("spmv", rows=sizes.rows, nonzeros=sizes.nonzeros)
    index_bytes = 4 if sizes.index_bytes is None else sizes.index_bytes
    columns = sizes.rows if sizes.columns is None else sizes.columns
    cost = None
    if sizes.rows is not None and columns is not None and sizes.nonzeros is not None:
        cost = intensity.spmv_csr(sizes.rows, columns, sizes.nonzeros, element_bytes, index_bytes)
    return Kernel(
        "spmv",
        "SpMV, y = A x, A in CSR",
        "2 nnz",
        "(nnz + m + n) D + (nnz + m + 1) d",
        "2 nnz / ((nnz + m + n) D + (nnz + m + 1) d), at most 2 / (D + d)",
        "nnz non-zeros, m rows, n columns, D bytes an element, d bytes an index",
        intensity.spmv_csr_limit(element_bytes, index_bytes),
        cost,
        (
            Fact("rows", "rows, m", sizes.rows),
            Fact("columns", "columns, n", columns),
            Fact("nonzeros", "non-zeros, nnz", sizes.nonzeros),
            Fact("index_bytes", "bytes an index, d", index_bytes),
        ),
    )


def _stencil(sizes: Sizes, element_bytes: int) -> Kernel:
    if sizes.shape is None:
        raise UsageError("stencil needs a shape", where="--shape", remedy="--shape box2d1r")
    found, depth = find_stencil(sizes.shape), sizes.depth or 1
    cost = stencil.cost(found.taps, element_bytes, depth)
    return Kernel(
        "stencil",
        f"stencil {found.name}, per cell and pass",
        "2 t |S|",
        "2 D",
        "t |S| / D",
        "|S| points, t time steps a pass, D bytes an element",
        cost.intensity,
        cost,
        (
            Fact("stencil", "stencil", found.name),
            Fact("taps", "points, |S|", found.taps),
            Fact("depth", "time steps a pass, t", depth),
        ),
    )


def _all_or_none(name: str, **sizes: int | None) -> None:
    missing = [f"--{size}" for size, value in sizes.items() if value is None]
    if missing and len(missing) < len(sizes):
        both = " and ".join(f"--{size}" for size in sizes)
        raise UsageError(
            f"{name} needs {both}", where=missing[0], remedy="give both, or none for the limit of large matrices"
        )


KERNELS: dict[str, tuple[Callable[[Sizes, int], Kernel], tuple[str, ...]]] = {
    "scale": (_scale, ("elements",)),
    "gemv": (_gemv, ("rows", "columns", "reads_y")),
    "spmv": (_spmv, ("rows", "columns", "nonzeros", "index_bytes")),
    "stencil": (_stencil, ("shape", "depth")),
}

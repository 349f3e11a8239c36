"""Kernels of article 1 (arXiv 2502.16851) by name: work, traffic and intensity, in symbols and in numbers."""

from collections.abc import Callable

from nsightlens.answers.answer import Fact
from nsightlens.answers.kernel import Kernel, Sizes, option
from nsightlens.answers.limits import ELEMENT_BYTES
from nsightlens.answers.stencil_names import find_stencil
from nsightlens.errors import UsageError
from nsightlens.models import intensity, stencil


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
    taken = [option(field) for field in fields_taken]
    for given in sizes.given:
        if given not in taken:
            raise UsageError(f"does not go with {name}", where=given, remedy=f"{name} takes {', '.join(taken)}")
    return make(sizes, ELEMENT_BYTES[dtype])


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

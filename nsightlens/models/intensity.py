"""Work and least traffic of the kernels of article 1 (arXiv 2502.16851), with traffic to device memory.

Traffic counts every array once: perfect reuse of x, and stores that fetch nothing. D is the bytes of an element.
"""

from typing import NamedTuple

from nsightlens.errors import ModelError
from nsightlens.models.checks import positive, whole
from nsightlens.models.roofline import operational_intensity


class Cost(NamedTuple):
    """Work in FLOP (a multiply-add counts 2) and traffic in bytes."""

    flop: float
    traffic_bytes: float

    @property
    def intensity(self) -> float:
        """Operational intensity in FLOP/byte."""
        return operational_intensity(self.flop, self.traffic_bytes)


def scale(elements: int, element_bytes: int = 8) -> Cost:
    """Return the cost of b = q a: n FLOP, 2 n D bytes, so 1 / (2 D) FLOP/byte.

    Raises
    ------
    ModelError
        If an argument is not a whole number from 1.
    """
    whole(elements=elements, element_bytes=element_bytes)
    return Cost(elements, 2 * elements * element_bytes)


def gemv(rows: int, columns: int, element_bytes: int = 8, *, reads_y: bool = False) -> Cost:
    """Return the cost of y = A x: 2 m n FLOP, (m n + m + n) D bytes.

    Parameters
    ----------
    rows, columns
        m and n. For a single column the intensity is half of the limit.
    element_bytes
        D.
    reads_y
        Whether y is read too (y = A x + beta y): m D bytes more.

    Raises
    ------
    ModelError
        If a number is not a whole number from 1.
    """
    whole(rows=rows, columns=columns, element_bytes=element_bytes)
    elements = rows * columns + rows + columns + (rows if reads_y else 0)
    return Cost(2 * rows * columns, elements * element_bytes)


def gemv_limit(element_bytes: int = 8) -> float:
    """Return 2 / D in FLOP/byte: the intensity of GEMV that no matrix exceeds.

    Raises
    ------
    ModelError
        If ``element_bytes`` is not above 0.
    """
    positive(element_bytes=element_bytes)
    return 2 / element_bytes


def spmv_csr(rows: int, columns: int, nonzeros: int, element_bytes: int = 8, index_bytes: int = 4) -> Cost:
    """Return the cost of y = A x in CSR: 2 nnz FLOP, (nnz + m + n) D + (nnz + m + 1) index bytes.

    For blocked formats this is the useful traffic; padding and permutations come on top.

    Raises
    ------
    ModelError
        If a number is not a whole number from 1, or there are more non-zeros than places.
    """
    whole(rows=rows, columns=columns, nonzeros=nonzeros, element_bytes=element_bytes, index_bytes=index_bytes)
    if nonzeros > rows * columns:
        raise ModelError(f"{nonzeros} non-zeros do not fit into {rows} x {columns} places")
    values = (nonzeros + rows + columns) * element_bytes
    return Cost(2 * nonzeros, values + (nonzeros + rows + 1) * index_bytes)


def spmv_csr_limit(element_bytes: int = 8, index_bytes: int = 4) -> float:
    """Return 2 / (D + index bytes) in FLOP/byte: the intensity of CSR that no matrix exceeds.

    Raises
    ------
    ModelError
        If an argument is not above 0.
    """
    positive(element_bytes=element_bytes, index_bytes=index_bytes)
    return 2 / (element_bytes + index_bytes)

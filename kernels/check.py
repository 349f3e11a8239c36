"""Whether a workload computed what it must."""

import numpy as np

from nsightlens.errors import NsightlensError
from nsightlens.kernels.cupy_launch import Prepared
from nsightlens.kernels.workload import Array


def check(prepared: Prepared) -> float:
    """Compare the outputs of one launch with the reference and return the largest relative deviation.

    Raises
    ------
    NsightlensError
        If a result is wrong.
    """
    work = prepared.work
    expected = work.reference(prepared.host)
    worst = 0.0
    for found, right in zip(prepared.results(), expected, strict=True):
        if not agree(found, right, work.rtol, work.atol):
            message = f"wrong result: relative error {relative_error(found, right):.3g}, allowed {work.rtol:.3g}"
            raise NsightlensError(message, where=work.name, remedy="report it as a bug, with the GPU and CUDA version")
        worst = max(worst, relative_error(found, right))
    return worst


def agree(found: Array, right: Array, rtol: float, atol: float) -> bool:
    """Tell whether arrays have one shape and deviate no more than allowed; NaN agrees with NaN alone."""
    if found.shape != right.shape:
        return False
    if right.dtype.kind != "f":
        return bool(np.array_equal(found, right))
    return bool(np.allclose(_wide(found), _wide(right), rtol=rtol, atol=atol, equal_nan=True))


def relative_error(found: Array, right: Array) -> float:
    """Return the largest deviation relative to the reference, where that is not 0; NaN if it is not known."""
    if right.dtype.kind != "f" and np.array_equal(found, right):
        return 0.0
    one, other = _wide(found), _wide(right)
    size = np.abs(other)
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = np.abs(one - other) / np.where(size > 0, size, 1.0)
    return float(np.max(errors, initial=0.0))


def _wide(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind == "f" else array

"""Whether a workload computed what it must."""

from collections.abc import Sequence

import numpy as np

from nsightlens.errors import NsightlensError
from nsightlens.kernels.cupy_launch import Prepared
from nsightlens.kernels.workload import Array, Workload


def check(prepared: Prepared) -> float:
    """Compare the outputs of one launch with the reference and return the largest relative deviation.

    Raises
    ------
    NsightlensError
        If a result is wrong.
    """
    return compare(prepared.work, prepared.results(), prepared.work.reference(prepared.host))


def compare(work: Workload, results: Sequence[Array], expected: Sequence[Array]) -> float:
    """Compare results with what they must be, both on the host or both on the device, as ``check`` does.

    Raises
    ------
    NsightlensError
        If a result is wrong.
    """
    worst = 0.0
    for found, right in zip(results, expected, strict=True):
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
        return bool((found == right).all())
    one, other = _wide(found), _wide(right)
    with np.errstate(invalid="ignore"):
        near = np.isfinite(other) & (np.abs(one - other) <= atol + rtol * np.abs(other))
    return bool((near | (one == other) | (np.isnan(one) & np.isnan(other))).all())


def relative_error(found: Array, right: Array) -> float:
    """Return the largest deviation relative to the reference, where that is not 0; NaN if it is not known."""
    one, other = _wide(found), _wide(right)
    size = np.abs(other)
    with np.errstate(invalid="ignore"):
        errors = np.abs(one - other) / (size + (size == 0))
    return float(errors.max()) if errors.size else 0.0


def _wide(array: Array) -> Array:
    return array.astype(np.float64, copy=False)

"""The rate of one stencil on CUDA cores, dense and sparse tensor cores, by the way of the published codes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from nsightlens.answers.limits import Limits
from nsightlens.answers.stencil_schemes import comparison, scheme_of
from nsightlens.errors import ModelError
from nsightlens.models import implementations
from nsightlens.models.scheme import Scheme
from nsightlens.models.stencil_catalogue import Stencil
from nsightlens.models.stencil_tensor import REGIMES, Comparison

_WIDEST_DENSE = 3
_TF32_TOO = "as if in TF32: no published code"


@dataclass(frozen=True, slots=True)
class UnitRate:
    """A unit, how it would compute, and its comparison with CUDA cores; ``how`` says why where there is none."""

    unit: str
    how: str
    compared: Comparison | None = None

    @property
    def regime(self) -> str:
        """The regime in words."""
        return REGIMES[self.compared.regime] if self.compared else ""


def unit_rates(found: Stencil, limits: Limits, depth: int) -> tuple[UnitRate, ...]:
    """Return dense and sparse tensor cores against CUDA cores at one depth."""
    return (
        _compared("dense tensor cores", found, limits, depth, *_dense(found, limits, depth)),
        _compared("sparse tensor cores (2:4)", found, limits, depth, *_sparse(found, limits, depth)),
    )


def _compared(unit: str, found: Stencil, limits: Limits, depth: int, scheme: Scheme | None, how: str) -> UnitRate:
    if scheme is None:
        return UnitRate(unit, how)
    if limits.tensor_flop_per_s is None:
        return UnitRate(unit, f"{limits.name} has none for {limits.dtype}")
    try:
        return UnitRate(unit, how, comparison(found, limits, depth, scheme))
    except ModelError as error:
        return UnitRate(unit, error.message)


def _dense(found: Stencil, limits: Limits, depth: int) -> tuple[Scheme | None, str]:
    if found.dimensions != 2:  # noqa: PLR2004 – counted in two dimensions
        return None, "not predicted: instructions were counted for 2D stencils only"
    width = found.radius * depth
    if limits.dtype == "fp16":
        return _or_why(implementations.tcstencil, width, "as TCStencil, of the fused kernel")
    if width <= _WIDEST_DENSE:
        own = "as ConvStencil" if limits.dtype == "fp64" else f"as ConvStencil, {_TF32_TOO}"
        return scheme_of("ConvStencil", found, depth), own
    if limits.dtype == "fp64":
        return None, f"R t is {width}; the FP64 codes take 3 at most"
    scheme, how = _or_why(implementations.spider, width, f"the band of SPIDER, dense, {_TF32_TOO}")
    return (replace(scheme, sparse=False) if scheme else None), how


def _sparse(found: Stencil, limits: Limits, depth: int) -> tuple[Scheme | None, str]:
    if limits.dtype == "fp64":
        return None, "there are no sparse matrix instructions for FP64"
    if found.dimensions != 2:  # noqa: PLR2004 – counted in two dimensions
        return None, "not predicted: instructions were counted for 2D stencils only"
    if limits.gpu and not limits.gpu.sparse:
        return None, f"{limits.name} has no sparse tensor cores"
    how = "as SPIDER" if limits.dtype == "fp16" else f"as SPIDER, {_TF32_TOO}"
    return _or_why(implementations.spider, found.radius * depth, how)


def _or_why(make: Callable[[int], Scheme], width: int, how: str) -> tuple[Scheme | None, str]:
    try:
        return make(width), how
    except ModelError as error:
        return None, error.message

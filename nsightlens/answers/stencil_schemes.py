"""How the published tensor-core codes multiply a stencil, and the rate that this allows."""

from collections.abc import Callable

from nsightlens.answers.limits import Limits
from nsightlens.models import implementations, matrix_unit, stencil, stencil_tensor
from nsightlens.models.scheme import Scheme
from nsightlens.models.stencil_catalogue import Stencil
from nsightlens.models.stencil_tensor import Comparison

_RANK = 3
"""The rank of LoRAStencil's own weights."""


def scheme_of(code: str, found: Stencil, depth: int) -> Scheme | None:
    """Return how a tensor-core code multiplies a two-dimensional stencil; None where that was not counted.

    Raises
    ------
    ModelError
        If the stencil does not fit.
    """
    make = _SCHEMES.get(code)
    return make(found, depth) if make and found.dimensions == 2 else None  # noqa: PLR2004 – counted in two dimensions


def comparison(found: Stencil, limits: Limits, depth: int, scheme: Scheme) -> Comparison:
    """Return the rates of CUDA cores and of a scheme at one depth, and their regime.

    Raises
    ------
    ModelError
        If the scheme does not hold the stencil.
    UsageError
        If the GPU has no tensor cores for the precision.
    """
    fused = found.fused_taps(depth)
    useful = scheme.useful(fused)
    return stencil_tensor.compare(
        limits.cuda_flop_per_s,
        matrix_unit.sparse_peak(limits.tensor, useful) if scheme.sparse else limits.tensor,
        limits.bytes_per_s,
        taps=found.taps,
        element_bytes=limits.element_bytes,
        fusion_redundancy=stencil.fusion_redundancy(fused, found.taps, depth),
        useful=useful,
        cuda_steps=depth,
        tensor_steps=depth,
    )


def _convstencil(_found: Stencil, _depth: int) -> Scheme:
    return implementations.convstencil()


def _lorastencil(found: Stencil, depth: int) -> Scheme:
    if found.shape == "star" and (found.radius, depth) in {(3, 1), (1, 3)}:
        return implementations.lorastencil_star(depth)
    return implementations.lorastencil(_RANK)


def _tcstencil(found: Stencil, _depth: int) -> Scheme:
    return implementations.tcstencil(found.radius)


def _spider(found: Stencil, depth: int) -> Scheme:
    return implementations.spider(found.radius * depth)


_SCHEMES: dict[str, Callable[[Stencil, int], Scheme]] = {
    "ConvStencil": _convstencil,
    "LoRAStencil": _lorastencil,
    "TCStencil": _tcstencil,
    "SPIDER": _spider,
}

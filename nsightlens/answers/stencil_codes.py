"""Published stencil codes: whether they take a stencil, why not, and the rate that their way of computing allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nsightlens.answers.limits import Limits
from nsightlens.answers.stencil_schemes import comparison, scheme_of
from nsightlens.data import table
from nsightlens.errors import ModelError
from nsightlens.models import stencil, stencil_tensor
from nsightlens.models.stencil_catalogue import Stencil
from nsightlens.models.stencil_tensor import Rate


@dataclass(frozen=True, slots=True)
class Fit:
    """A code, whether it takes the stencil at the precision and depth, why, and its rate (None if not predicted)."""

    code: str
    unit: str
    fits: bool
    why: str
    steps: int
    rate: Rate | None = None


def fits(found: Stencil, limits: Limits, depth: int) -> tuple[Fit, ...]:
    """Return all codes of the table for a stencil, at a depth or at their own."""
    return tuple(_fit(name, entry, found, limits, depth) for name, entry in table("stencil_codes").items())


def _fit(name: str, entry: Mapping[str, Any], found: Stencil, limits: Limits, depth: int) -> Fit:
    steps = _steps(entry, found, limits.dtype, depth)
    against = _against(entry, found, limits.dtype, steps) or _lacking(entry, limits)
    if against:
        return Fit(name, entry["unit"], fits=False, why=against, steps=steps)
    rate, note = _rate(name, entry["unit"], found, limits, steps)
    return Fit(name, entry["unit"], fits=True, why=f"{entry['why']}{note}", steps=steps, rate=rate)


def _steps(entry: Mapping[str, Any], found: Stencil, dtype: str, depth: int) -> int:
    """Return the depth at which a code would run: the one asked for, or its own."""
    if entry.get("steps") == "config":
        return dict(found.ebisu_steps).get(dtype, depth)
    return depth if depth in entry.get("steps", (depth,)) else max(entry["steps"])


def _against(entry: Mapping[str, Any], found: Stencil, dtype: str, depth: int) -> str:
    """Return what speaks against a code; empty if nothing does."""
    width = found.radius * depth
    dimensions = ", ".join(f"{number}D" for number in entry["dimensions"])
    objections = (
        (dtype not in entry["precisions"], f"{' and '.join(map(str.upper, entry['precisions']))} only"),
        (found.dimensions not in entry["dimensions"], f"{dimensions} only"),
        (found.shape not in entry["shapes"], "stars and boxes only"),
        (entry.get("steps") == "config" and dtype not in dict(found.ebisu_steps), "not among its configurations"),
        (found.radius > entry.get("radius", found.radius), f"R at most {entry.get('radius')}"),
        (width > entry.get("widest", width), f"R t at most {entry.get('widest')}, here {width}"),
    )
    return next((words for holds, words in objections if holds), "")


def _lacking(entry: Mapping[str, Any], limits: Limits) -> str:
    """Return what a code needs that the GPU does not have; empty if it has all."""
    if entry["unit"] == "cuda":
        return ""
    if limits.tensor_flop_per_s is None:
        return f"{limits.name} has no tensor cores for it"
    sparse = "sparse" in entry["unit"]
    return f"{limits.name} has no sparse tensor cores" if sparse and limits.gpu and not limits.gpu.sparse else ""


def _rate(name: str, unit: str, found: Stencil, limits: Limits, steps: int) -> tuple[Rate | None, str]:
    if unit == "cuda":
        executed = 1.0
        if name == "DRStencil":
            executed = stencil.fusion_redundancy(found.fused_taps(steps), found.taps, steps)
        arguments = (limits.cuda_flop_per_s, limits.bytes_per_s, found.taps, limits.element_bytes, steps, executed)
        return stencil_tensor.rate(*arguments), ""
    try:
        scheme = scheme_of(name, found, steps)
    except ModelError as error:
        return None, f"; {error.message}"
    if scheme is None:
        return None, "; its instructions are counted in two dimensions only"
    return comparison(found, limits, steps, scheme).tensor, ""

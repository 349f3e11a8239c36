"""A stencil on a GPU: how deep fusing pays and fits, which unit limits, and which published code fits."""

from nsightlens.answers.answer import Answer, Fact, shown
from nsightlens.answers.limits import Limits
from nsightlens.answers.stencil_codes import fits
from nsightlens.answers.stencil_facts import balance_of, depth_facts, shape_facts
from nsightlens.answers.stencil_listings import codes_listing, rates_listing
from nsightlens.answers.stencil_names import find_stencil, trap
from nsightlens.answers.stencil_units import UnitRate, unit_rates
from nsightlens.models import roofline, stencil, stencil_tensor
from nsightlens.models.stencil_catalogue import Stencil
from nsightlens.text import count

FUSED_RADIUS = 3
"""Radius up to which steps are fused if no depth is given, as in article 1's comparisons."""
_TILE = {1: 256, 2: 256, 3: 32}
_ASSUMPTIONS = (
    "Each pass reads and writes every cell once: perfect reuse inside, no halo read again, stores that fetch nothing.",
    "Compute and memory overlap fully; without it the unit with more compute time loses more.",
    "CUDA cores do every step; tensor cores do the fused kernel, whose border cells differ from those of single steps.",
    "A cell update (St) is one cell and one base step; a multiply-add per point, whatever the weights.",
)


def stencil_answer(limits: Limits, shape: str, depth: int | None = None, tile: int | None = None) -> Answer:
    """Return what the models say of a stencil.

    Raises
    ------
    UsageError
        If there is no such stencil.
    ModelError
        If the depth or the tile is impossible.
    """
    found = find_stencil(shape)
    depth = max(1, FUSED_RADIUS // found.radius) if depth is None else depth
    tile = _TILE.get(found.dimensions, _TILE[3]) if tile is None else tile
    units = unit_rates(found, limits, depth)
    cuda = stencil_tensor.rate(limits.cuda_flop_per_s, limits.bytes_per_s, found.taps, limits.element_bytes, depth)
    warning = trap(found)
    return Answer(
        "stencil",
        f"Stencil {found.name} ({found.shape}, {found.dimensions}D, R {found.radius}), {count(depth, 'step')} a pass",
        (*limits.facts(), Fact("depth", "time steps a pass, t", depth), Fact("tile", "width of a tile, b", tile)),
        (*shape_facts(found, limits, depth), *depth_facts(found, limits, tile)),
        (rates_listing(cuda, units), codes_listing(fits(found, limits, depth))),
        _verdict(cuda, units),
        tuple(filter(None, (warning, *_reasons(found, limits, depth, units), _too_deep(found, depth, tile)))),
        _ASSUMPTIONS,
        limits.cautions(),
    )


def _verdict(cuda: stencil_tensor.Rate, units: tuple[UnitRate, ...]) -> str:
    rate = shown(cuda.updates_per_s, "St/s")
    compared = [(unit.unit, unit.compared) for unit in units if unit.compared]
    if not compared:
        return f"CUDA cores can reach {rate}; nothing is predicted for tensor cores."
    unit, best = max(compared, key=lambda pair: pair[1].speedup)
    if best.speedup > 1:
        return f"{unit.capitalize()} can be {shown(best.speedup)}× as fast as CUDA cores ({rate})."
    if best.speedup == 1:
        return f"Tensor cores bring nothing: at most {rate} on either unit."
    return f"Tensor cores are slower: at most {shown(best.speedup)}× the rate of CUDA cores ({rate})."


def _reasons(found: Stencil, limits: Limits, depth: int, units: tuple[UnitRate, ...]) -> list[str]:
    intensity = stencil.cost(found.taps, limits.element_bytes, depth).intensity
    side = roofline.side(balance_of(limits), intensity)
    place = {"memory": "below", "ridge": "on", "compute": "above"}[side]
    bound = "on the ridge" if side == "ridge" else f"{side} bound"
    balance = shown(balance_of(limits), "FLOP/byte")
    return [
        (
            f"{count(depth, 'step')} a pass: an intensity of {shown(intensity, 'FLOP/byte')}, {place} the balance of"
            f" {balance}: CUDA cores are {bound}."
        ),
        *(
            f"Regime of {unit.unit}: {unit.regime}. {_REGIME_WORDS[unit.compared.regime]}"
            for unit in units
            if unit.compared
        ),
    ]


def _too_deep(found: Stencil, depth: int, tile: int) -> str:
    """Return a warning if overlapped tiles of this width keep nothing at this depth."""
    if depth <= (most := stencil.most_steps_halo(tile, found.radius)):
        return ""
    return f"A tile {tile} wide keeps a cell for {most} steps at most: the rates hold for wider tiles only."


_REGIME_WORDS = {
    1: "Only the depth of fusion counts, so at equal depth both run alike; any compute time that does not overlap"
    " makes the unit with more of it slower.",
    2: "Tensor cores win if redundancy over useful part is below the ratio of peaks.",
    3: "Tensor cores lift the compute limit up to the memory limit.",
    4: "Tensor cores do so much more work that they fall below the memory limit: they lose.",
}

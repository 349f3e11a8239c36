"""A stencil on a GPU: how deep fusing pays and fits, which unit limits, and which published code fits."""

from nsightlens.answers.answer import Answer, Column, Fact, Listing, shown
from nsightlens.answers.limits import Limits
from nsightlens.answers.stencil_codes import Fit, fits
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
_RATES = (
    Column("unit", "unit"),
    Column("updates_per_s", "rate", "St/s"),
    Column("bound", "limited by"),
    Column("speedup", "× CUDA"),
    Column("how", "computed"),
)
_CODES = (
    Column("code", "code"),
    Column("unit", "unit"),
    Column("fits", "fits"),
    Column("steps", "t"),
    Column("updates_per_s", "rate at most", "St/s"),
    Column("why", "why"),
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
        (*_shape(found, limits, depth), *_depths(found, limits, tile)),
        (_rates(cuda, units), _codes(fits(found, limits, depth))),
        _verdict(cuda, units),
        tuple(filter(None, (warning, *_reasons(found, limits, depth, units), _too_deep(found, depth, tile)))),
        _ASSUMPTIONS,
        limits.cautions(),
    )


def _shape(found: Stencil, limits: Limits, depth: int) -> tuple[Fact, ...]:
    once = stencil.cost(found.taps, limits.element_bytes).intensity
    fused = stencil.cost(found.taps, limits.element_bytes, depth).intensity
    points = found.fused_taps(depth)
    redundancy = stencil.fusion_redundancy(points, found.taps, depth)
    return (
        Fact("taps", "points, |S|", found.taps),
        Fact("flop_per_update", "work of a cell and step, 2 |S|", found.flop, "FLOP"),
        Fact("intensity_flop_per_byte", "intensity of one step, |S| / D", once, "FLOP/byte"),
        Fact("fused_intensity_flop_per_byte", "intensity of t steps, t |S| / D", fused, "FLOP/byte"),
        Fact("fused_taps", "points of the fused kernel, |S_t|", points),
        Fact("fusion_redundancy", "its work over that of t steps, |S_t| / (t |S|)", redundancy),
        Fact("balance_flop_per_byte", "machine balance of CUDA cores, P / B", _balance(limits), "FLOP/byte"),
    )


def _balance(limits: Limits) -> float:
    return roofline.machine_balance(limits.cuda_flop_per_s, limits.bytes_per_s)


def _depths(found: Stencil, limits: Limits, tile: int) -> tuple[Fact, ...]:
    once = stencil.cost(found.taps, limits.element_bytes).intensity
    balance = _balance(limits)
    least = stencil.least_steps(balance, once)
    reached = stencil.cost(found.taps, limits.element_bytes, least).intensity
    shared = limits.gpu.architecture.shared_bytes_per_block if limits.gpu else None
    deepest = None
    if shared is not None:
        deepest = stencil.most_steps_shared(shared, tile, found.radius, found.dimensions, limits.element_bytes)
    return (
        Fact("threshold_steps", "compute bound on CUDA cores from t =", stencil.threshold(balance, once)),
        Fact("least_steps", "t_min, in whole steps", least),
        Fact("least_steps_on_ridge", "exactly on the ridge there", roofline.side(balance, reached) == "ridge"),
        Fact(
            "most_steps_halo", "most steps that leave a cell of the tile", stencil.most_steps_halo(tile, found.radius)
        ),
        Fact("most_steps_shared", "most steps whose rows fit into shared memory", deepest),
        Fact("shared_bytes", "shared memory of a block, L", shared, "byte"),
        Fact("ebisu_steps", "EBISU's own depth", dict(found.ebisu_steps).get(limits.dtype)),
    )


def _rates(cuda: stencil_tensor.Rate, units: tuple[UnitRate, ...]) -> Listing:
    first = ("CUDA cores", cuda.updates_per_s, cuda.bound, 1.0, "each step on its own")
    rows = (
        (u.unit, u.compared.tensor.updates_per_s, u.compared.tensor.bound, u.compared.speedup, u.how)
        if u.compared
        else (u.unit, None, None, None, u.how)
        for u in units
    )
    return Listing("rates", "Predicted rates at this depth, at most", _RATES, (first, *rows))


def _codes(found: tuple[Fit, ...]) -> Listing:
    rows = tuple(
        (fit.code, fit.unit, fit.fits, fit.steps, fit.rate.updates_per_s if fit.rate else None, fit.why)
        for fit in found
    )
    return Listing("codes", "Published codes, each at a depth it offers", _CODES, rows)


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
    side = roofline.side(_balance(limits), intensity)
    place = {"memory": "below", "ridge": "on", "compute": "above"}[side]
    bound = "on the ridge" if side == "ridge" else f"{side} bound"
    balance = shown(_balance(limits), "FLOP/byte")
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

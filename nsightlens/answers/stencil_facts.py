"""What is known of a stencil before any unit is chosen: points, intensities, and depths of fusing."""

from nsightlens.answers.answer import Fact
from nsightlens.answers.limits import Limits
from nsightlens.models import roofline, stencil
from nsightlens.models.stencil_catalogue import Stencil


def shape_facts(found: Stencil, limits: Limits, depth: int) -> tuple[Fact, ...]:
    """Return points, intensities and the machine balance."""
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
        Fact("balance_flop_per_byte", "machine balance of CUDA cores, P / B", balance_of(limits), "FLOP/byte"),
    )


def balance_of(limits: Limits) -> float:
    """Return the machine balance of CUDA cores, FLOP/byte."""
    return roofline.machine_balance(limits.cuda_flop_per_s, limits.bytes_per_s)


def depth_facts(found: Stencil, limits: Limits, tile: int) -> tuple[Fact, ...]:
    """Return how many steps pay and how many fit."""
    once = stencil.cost(found.taps, limits.element_bytes).intensity
    balance = balance_of(limits)
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

"""Pairs whose defect lies in how arithmetic is written: branches that lanes take apart, steps through FP64."""

from functools import cache

import numpy as np

from nsightlens.kernels.pairs.access import floats
from nsightlens.kernels.pairs.local_memory import recursive
from nsightlens.kernels.pairs.pair import PACKAGE, Pair, Planted
from nsightlens.kernels.vector import random_vector
from nsightlens.kernels.workload import Arguments, Array, Workload, poison

DIVERGENCE, SLOW = "divergence", "slow_pipe"
_M, _C = np.float32(0.999), np.float32(0.25)


def branches(sms: int, n: int, steps: int, alternate: bool, precise: bool = False) -> Workload:
    """Return FP32 chains of two kinds, which alternate from element to element or from warp to warp."""

    def arguments(random: np.random.Generator) -> Arguments:
        kinds = np.arange(n, dtype=np.uint32) // np.uint32(1 if alternate else 32) % np.uint32(2)
        return floats(random, n), kinds.astype(np.uint8), poison(n, np.float32), _M, _C, np.uint32(n)

    return Workload(
        name="branches",
        source="branches.cu",
        package=PACKAGE,
        entry="branches",
        defines={"PRECISE": int(precise), "STEPS": steps},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=arguments,
        outputs=(2,),
        reference=lambda given: (_branched(given[0], given[1], steps),),
        flop={"fp64" if precise else "fp32": 2 * steps * n},
        dram_bytes=9 * n,
        rtol=2e-4,
    )


def _branched(a: Array, kinds: Array, steps: int) -> Array:
    factor = np.where(kinds == 0, 1.0, -1.0) * float(_M)
    power = factor**steps
    return np.asarray(power * a + float(_C) * (1 - power) / (1 - factor), np.float32)


@cache
def _counts(shuffled: bool) -> Array:
    """Return how often each element is iterated, in fours of multiply-adds: always the same numbers."""
    counts = np.random.default_rng(0).integers(16, 128, 1 << 22, dtype=np.uint16)
    return counts if shuffled else np.sort(counts.reshape(-1, 8192), axis=1).ravel()


def iterations(shuffled: bool, grid: int, block: int) -> Workload:
    """Return FP64 chains of different lengths, as they come or sorted within stretches of 8192."""
    counts = _counts(shuffled)
    n, m, c = counts.size, 0.999, 0.25

    def arguments(random: np.random.Generator) -> Arguments:
        return random_vector(random, n), counts, poison(n, np.float64), np.float64(m), np.float64(c), np.uint32(n)

    def iterated(given: tuple[Array, ...]) -> Array:
        power = m ** (4.0 * given[1])
        return np.asarray(power * given[0] + c * (1 - power) / (1 - m))

    return Workload(
        name="iterations",
        source="iterations.cu",
        package=PACKAGE,
        entry="iterations",
        grid=(grid, 1, 1),
        block=(block, 1, 1),
        arguments=arguments,
        outputs=(2,),
        reference=lambda given: (iterated(tuple(given)),),
        flop={"fp64": 8 * int(counts.sum(dtype=np.int64))},
        dram_bytes=18 * n,
        rtol=1e-11,
    )


def _both(planted: Planted, sms: int) -> Workload:
    return branches(sms, 1 << 24, 128, alternate=DIVERGENCE in planted, precise=SLOW in planted)


PAIRS = (
    Pair(
        "branches_alternating",
        (DIVERGENCE,),
        lambda planted, sms: branches(sms, 1 << 24, 256, alternate=bool(planted)),
        "Neighbours take different branches, instead of warps.",
    ),
    Pair(
        "iterations_shuffled",
        (DIVERGENCE,),
        lambda planted, sms: iterations(bool(planted), sms * 8, 256),
        "Lanes of a warp iterate for different times.",
    ),
    Pair(
        "branches_double",
        (SLOW,),
        lambda planted, sms: branches(sms, 1 << 24, 128, alternate=False, precise=bool(planted)),
        "Each FP32 step goes through FP64.",
    ),
    Pair(
        "filter_double",
        (SLOW,),
        lambda planted, sms: recursive(sms, precise=bool(planted)),
        "Each FP32 multiply-add of a filter goes through FP64.",
    ),
    Pair("branches_both", (DIVERGENCE, SLOW), _both, "Neighbours take different branches; steps go through FP64."),
    Pair(
        "branches_null",
        (DIVERGENCE,),
        lambda planted, sms: branches(sms, 3 << 25, 1, alternate=bool(planted)),
        "Different branches of one step each, under device memory.",
        null=True,
    ),
)

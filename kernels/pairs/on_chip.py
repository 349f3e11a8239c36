"""Pairs whose defect lies inside the multiprocessor: conflicts, spills, atomics, branches."""

from functools import cache

import numpy as np

from nsightlens.kernels.pairs.access import CONFLICT, floats
from nsightlens.kernels.pairs.pair import PACKAGE, Pair, Planted
from nsightlens.kernels.vector import random_vector
from nsightlens.kernels.workload import Arguments, Array, Workload, poison

SPILL, ATOMIC, DIVERGENCE, SLOW = "register_spill", "atomic_contention", "divergence", "slow_pipe"
_M, _C = np.float32(0.999), np.float32(0.25)


def matmul(pad: int) -> Workload:
    """Return an FP32 product of tiles, one of them read along its columns."""
    n = 2048
    return Workload(
        name="matmul",
        source="matmul.cu",
        package=PACKAGE,
        entry="matmul",
        defines={"PAD": pad},
        grid=(n // 32, n // 32, 1),
        block=(32, 8, 1),
        arguments=lambda random: (
            floats(random, n, n),
            floats(random, n, n),
            poison((n, n), np.float32),
            np.uint32(n),
        ),
        outputs=(2,),
        reference=lambda given: (given[0] @ given[1],),
        flop={"fp32": 2 * n**3},
        dram_bytes=3 * 4 * n * n,
        rtol=1e-4,
        l2_resident=True,
    )


def columns(pad: int, sms: int, rounds: int = 100) -> Workload:
    """Return FP64 sums along the rows of shared tiles whose rows are so far apart."""
    grid = sms * 4
    return Workload(
        name="columns",
        source="columns.cu",
        package=PACKAGE,
        entry="columns",
        defines={"PAD": pad},
        grid=(grid, 1, 1),
        block=(128, 1, 1),
        arguments=lambda random: (
            random_vector(random, grid * 4096),
            poison(grid * 128, np.float64),
            np.uint32(rounds),
        ),
        outputs=(1,),
        reference=lambda given: (rounds * given[0].reshape(-1, 32).sum(axis=1),),
        flop={"fp64": grid * 4 * rounds * 32 * 33},
        dram_bytes=8 * grid * (4096 + 128),
        rtol=1e-12,
        l2_resident=True,
    )


def recursive(sms: int, local: bool = False, precise: bool = False, blocks: int = 4, steps: int = 2048) -> Workload:
    """Return a recursive filter whose past lies in registers or in local memory, in FP32 or through FP64."""
    rows, threads = 16, sms * blocks * 256
    products, sums = 2 * 16 * steps * threads, steps * threads
    return Workload(
        name="filter",
        source="filter.cu",
        package=PACKAGE,
        entry="filter",
        defines={"LOCAL": int(local), "PRECISE": int(precise), "ROWS": rows},
        grid=(sms * blocks, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (
            floats(random, rows, threads),
            poison(threads, np.float32),
            (floats(random, 16) * np.float32(0.03)),
            np.uint32(steps),
            np.uint32(0),
        ),
        outputs=(1,),
        reference=lambda given: (_filtered(given[0], given[2], steps),),
        flop={"fp64": products, "fp32": sums} if precise else {"fp32": products + sums},
        dram_bytes=4 * (threads * (rows + 1) + 16),
        rtol=1e-3,
        l2_resident=True,
    )


def _filtered(a: Array, weights: Array, steps: int) -> Array:
    past = np.zeros((16, a.shape[1]))
    total = np.zeros(a.shape[1])
    for step in range(steps):
        place = step % 16
        turned = np.roll(weights.astype(np.float64), place)  # past[(place + k) % 16] meets w[k]
        past[place] = a[step % a.shape[0]] + turned @ past
        total += past[place]
    return np.asarray(total, np.float32)


def registers(blocks: int, sms: int, rounds: int = 800) -> Workload:
    """Return 30 FP64 chains a thread, compiled for so many blocks a multiprocessor; two are resident."""
    live, grid = 30, sms * 4
    m, c = 0.999, 0.25
    power = m**rounds

    def chained(given: tuple[Array, ...]) -> Array:
        start = given[0][:, None] + np.arange(live)
        return np.asarray((power * start + c * (1 - power) / (1 - m)).sum(axis=1))

    return Workload(
        name="registers",
        source="registers.cu",
        package=PACKAGE,
        entry="registers",
        defines={"LIVE": live, "BLOCKS": blocks},
        grid=(grid, 1, 1),
        block=(256, 1, 1),
        shared_bytes=100 * 1024,
        arguments=lambda random: (
            random_vector(random, grid * 256),
            poison(grid * 256, np.float64),
            np.float64(m),
            np.float64(c),
            np.uint32(rounds),
        ),
        outputs=(1,),
        reference=lambda given: (chained(tuple(given)),),
        flop={"fp64": grid * 256 * live * (2 * rounds + 2)},
        dram_bytes=16 * grid * 256,
        rtol=1e-11,
        l2_resident=True,
    )


def histogram(shared: bool, copies: int, n: int, sms: int) -> Workload:
    """Return counts of eight kinds, each spread over so many addresses."""
    bins = 8
    return Workload(
        name="histogram",
        source="histogram.cu",
        package=PACKAGE,
        entry="histogram",
        defines={"SHARED": int(shared), "BINS": bins, "COPIES": copies},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (
            random.integers(0, bins, n, dtype=np.uint8),
            np.zeros(bins * copies, np.uint32),
            np.uint32(1),
            np.uint32(n),
        ),
        outputs=(1,),
        reference=lambda given: (_counted(given[0], bins, copies, sms * 8 * 256, shared),),
        flop={},
        dram_bytes=n + 4 * bins * copies,
    )


def _counted(kinds: Array, bins: int, copies: int, threads: int, shared: bool) -> Array:
    thread = np.arange(kinds.size, dtype=np.uint32) // np.uint32(4) % np.uint32(threads)
    copy = (thread % np.uint32(256) if shared else thread) % np.uint32(copies)
    return np.asarray(np.bincount(kinds * np.uint32(copies) + copy, minlength=bins * copies), np.uint32)


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
        "matmul_conflicts",
        (CONFLICT,),
        lambda planted, _: matmul(8 if planted else 1),
        "Eight-way conflicts.",
    ),
    Pair(
        "columns_conflicts",
        (CONFLICT,),
        lambda planted, sms: columns(8 if planted else 1, sms),
        "FP64 rows of 40: eight-way conflicts, data from L2.",
    ),
    Pair(
        "filter_local",
        (SPILL,),
        lambda planted, sms: recursive(sms, local=bool(planted)),
        "Indexed at run time.",
    ),
    Pair(
        "registers_spill",
        (SPILL,),
        lambda planted, sms: registers(4 if planted else 2, sms),
        "64 registers a thread where 30 FP64 values are alive; two blocks are resident in both.",
    ),
    Pair(
        "histogram_global",
        (ATOMIC,),
        lambda planted, sms: histogram(False, 128 if planted else 4096, 1 << 25, sms),
        "1024 addresses in L2, instead of 32768.",
    ),
    Pair(
        "histogram_shared",
        (ATOMIC,),
        lambda planted, sms: histogram(True, 1 if planted else 32, 1 << 27, sms),
        "Eight addresses in shared memory, instead of eight a lane.",
    ),
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

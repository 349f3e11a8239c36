"""Pairs whose defect is values in local memory that registers could hold."""

import numpy as np

from nsightlens.kernels.pairs.access import floats
from nsightlens.kernels.pairs.pair import PACKAGE, Pair
from nsightlens.kernels.vector import random_vector
from nsightlens.kernels.workload import Array, Workload, poison

SPILL = "register_spill"


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


PAIRS = (
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
)

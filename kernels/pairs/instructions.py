"""Pairs whose defect is needless instructions."""

import numpy as np

from nsightlens.kernels.pairs.access import floats
from nsightlens.kernels.pairs.pair import PACKAGE, Pair, Planted
from nsightlens.kernels.vector import random_vector
from nsightlens.kernels.workload import Array, Workload, poison

OVERHEAD, SMALL_GRID = "instruction_overhead", "small_grid"


def divide(by_division: bool, grid: int, block: int, n: int = 1 << 23, steps: int = 64) -> Workload:
    """Return FP64 chains of which every fourth step divides, or multiplies by the reciprocal."""
    d, c = 1 + 2.0**-10, 0.25
    power = (1 / d) ** (4 * steps)

    def divided(a: Array) -> Array:
        return np.asarray(power * a + c * (1 - power) / (1 - 1 / d))

    return Workload(
        name="divide",
        source="divide.cu",
        package=PACKAGE,
        entry="divide",
        defines={"DIVIDE": int(by_division)},
        grid=(grid, 1, 1),
        block=(block, 1, 1),
        arguments=lambda random: (
            random_vector(random, n),
            poison(n, np.float64),
            np.float64(d),
            np.float64(c),
            np.uint32(steps),
            np.uint32(n),
        ),
        outputs=(1,),
        reference=lambda given: (divided(given[0]),),
        flop={"fp64": 8 * steps * n},
        dram_bytes=16 * n,
        rtol=1e-11,
    )


def wrap(modulo: bool, sms: int, n: int, taps: int) -> Workload:
    """Return sums over neighbours of an image that wraps around, by remainder or by mask."""
    width = 4096

    def wrapped(a: Array) -> Array:
        rows = a.reshape(-1, width).astype(np.float64)
        return np.asarray(sum(np.roll(rows, -k, axis=1) for k in range(taps + 1)), np.float32).ravel()

    sizes = (np.uint32(width), np.uint32(width - 1), np.uint32(taps), np.uint32(n))
    return Workload(
        name="wrap",
        source="wrap.cu",
        package=PACKAGE,
        entry="wrap",
        defines={"MODULO": int(modulo)},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (floats(random, n), poison(n, np.float32), *sizes),
        outputs=(1,),
        reference=lambda given: (wrapped(given[0]),),
        flop={"fp32": taps * n},
        dram_bytes=8 * n,
        rtol=1e-5,
    )


def _both(planted: Planted, sms: int) -> Workload:
    return divide(OVERHEAD in planted, sms // 2 if SMALL_GRID in planted else sms, 1024)


PAIRS = (
    Pair(
        "divide_scalar",
        (OVERHEAD,),
        lambda planted, sms: divide(bool(planted), sms * 8, 256),
        "An FP64 division by the same number again and again.",
    ),
    Pair(
        "wrap_modulo",
        (OVERHEAD,),
        lambda planted, sms: wrap(bool(planted), sms, 3 << 23, 16),
        "The remainder of a division by a width that is a power of two.",
    ),
    Pair("divide_both", (OVERHEAD, SMALL_GRID), _both, "Divisions; blocks for half of the multiprocessors."),
    Pair(
        "wrap_null",
        (OVERHEAD,),
        lambda planted, sms: wrap(bool(planted), sms, 3 << 25, 1),
        "One remainder an element, under device memory.",
        null=True,
    ),
)

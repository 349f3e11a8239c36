"""Pairs whose defect lies in how device memory is used."""

import numpy as np

from nsightlens.kernels.pairs.access import floats
from nsightlens.kernels.pairs.pair import PACKAGE, Pair, Planted
from nsightlens.kernels.vector import scale
from nsightlens.kernels.workload import Arguments, Array, Workload, poison

MISS, DRAM, SHORT = "l2_miss", "dram_inefficiency", "launch_overhead"
CHUNK = 2048


def sweeps(far: bool, sms: int, count: int) -> Workload:
    """Return weighted sums over a large array, sweep after sweep or chunk by chunk.

    A vector takes three additions and a multiply-add; its weight is added up once a sweep, or once a chunk and sweep.
    """
    chunks, grid, weight = 24576, sms * 8, np.float32(0.5)

    def summed(a: Array) -> Array:
        each = a.reshape(chunks, CHUNK // 256, 256, 4).sum(axis=(1, 3), dtype=np.float64)
        total = np.zeros((grid, 256))
        for first in range(0, chunks, grid):
            some = each[first : first + grid]
            total[: len(some)] += some
        return np.asarray(total * sum(0.5 + sweep for sweep in range(count)), np.float32).ravel()

    scalars = (np.uint32(chunks), np.uint32(count), weight)
    weights = count * 256 * (grid if far else chunks)
    return Workload(
        name="sweeps",
        source="sweeps.cu",
        package=PACKAGE,
        entry="sweeps",
        defines={"FAR": int(far)},
        grid=(grid, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (floats(random, chunks * CHUNK, 4), poison(grid * 256, np.float32), *scalars),
        outputs=(1,),
        reference=lambda given: (summed(given[0]),),
        flop={"fp32": count * chunks * CHUNK * 5 + weights},
        dram_bytes=16 * chunks * CHUNK + 4 * grid * 256,
        rtol=1e-3,
    )


def chunks(shuffled: bool, sms: int, size: int) -> Workload:
    """Return a copy of chunks of so many times 16 bytes, in order or out of it."""
    n = (1 << 26) // size

    def arguments(random: np.random.Generator) -> Arguments:
        order = random.permutation(n).astype(np.uint32) if shuffled else np.arange(n, dtype=np.uint32)
        words = np.arange(n * size * 4, dtype=np.uint32).reshape(n, size * 4)
        return words, poison(words.shape, words.dtype), order, np.uint32(n)

    return Workload(
        name="chunks",
        source="chunks.cu",
        package=PACKAGE,
        entry="chunks",
        defines={"CHUNK": size},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=arguments,
        outputs=(1,),
        reference=lambda given: (given[0][given[2]],),
        flop={},
        dram_bytes=n * (32 * size + 4),
    )


def _far(planted: Planted, sms: int) -> Workload:
    return sweeps(bool(planted), sms, 4)


def _far_twice(planted: Planted, sms: int) -> Workload:
    return sweeps(bool(planted), sms, 2)


def _short(planted: Planted, _: int) -> Workload:
    return scale.make(n=1 << (17 if planted else 25))


PAIRS = (
    Pair("scale_short", (SHORT,), _short, "2 MB of SCALE in a launch of its own, instead of 512.", short=True),
    Pair("sweeps_four", (MISS,), _far, "Four sweeps over an array that no cache holds."),
    Pair("sweeps_two", (MISS,), _far_twice, "Two sweeps over an array that no cache holds."),
    Pair(
        "chunks_128",
        (DRAM,),
        lambda planted, sms: chunks(bool(planted), sms, 8),
        "Pieces of 128 bytes from all over device memory.",
    ),
    Pair(
        "chunks_64",
        (DRAM,),
        lambda planted, sms: chunks(bool(planted), sms, 4),
        "Pieces of 64 bytes from all over device memory.",
    ),
)

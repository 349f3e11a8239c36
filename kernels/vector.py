"""Kernels that turn a vector ``a`` into a vector ``b`` of the same length, FP64."""

import numpy as np

from nsightlens.errors import UsageError
from nsightlens.kernels.catalogue import family
from nsightlens.kernels.workload import Arguments, Array, Workload, blocks, poison

BLOCK = 256
FP64_BYTES = 8
_MOST_STRIDE = 65535  # blocks in y


def random_vector(generator: np.random.Generator, n: int) -> Array:
    """Return n numbers in [0.5, 1.5)."""
    return generator.random(n) + 0.5


@family(n="elements", q="factor")
def scale(n: int, q: float = 1.5) -> Workload:
    """B = q a with 16-byte accesses: as fast as memory goes."""
    return Workload(
        name="scale",
        source="scale.cu",
        entry="scale",
        grid=blocks((n + 1) // 2, BLOCK),
        block=(BLOCK, 1, 1),
        arguments=lambda random: (random_vector(random, n), poison(n, np.float64), np.float64(q), np.uint64(n)),
        outputs=(1,),
        reference=lambda given: (given[0] * q,),
        flop={"fp64": n},
        dram_bytes=2 * FP64_BYTES * n,
    )


@family(n="elements", q="factor", stride="elements from thread to thread, at most 65535")
def scale_strided(n: int, q: float = 1.5, stride: int = 32) -> Workload:
    """B = q a with neighbouring threads `stride` elements apart: the same work, uncoalesced."""
    if stride > _MOST_STRIDE:
        raise UsageError(f"stride is at most {_MOST_STRIDE}", where="scale_strided", remedy="take a smaller one")
    rows, _, _ = blocks(-(-n // stride), BLOCK)
    scalars = (np.float64(q), np.uint64(n), np.uint32(stride))
    return Workload(
        name="scale_strided",
        source="scale_strided.cu",
        entry="scale_strided",
        grid=(rows, stride, 1),
        block=(BLOCK, 1, 1),
        arguments=lambda random: (random_vector(random, n), poison(n, np.float64), *scalars),
        outputs=(1,),
        reference=lambda given: (given[0] * q,),
        flop={"fp64": n},
        dram_bytes=2 * FP64_BYTES * n,
    )


@family(n="elements", steps="fused multiply-adds per element", m="factor", c="summand")
def fma_chain(n: int, steps: int = 32, m: float = 1 - 2.0**-10, c: float = 2.0**-10) -> Workload:
    """B = a after `steps` fused multiply-adds x = m x + c: memory bound to compute bound as steps grow."""
    return Workload(
        name="fma_chain",
        source="fma_chain.cu",
        entry=f"fma_chain<{int(steps)}>",
        grid=blocks((n + 1) // 2, BLOCK),
        block=(BLOCK, 1, 1),
        arguments=lambda random: (
            random_vector(random, n),
            poison(n, np.float64),
            np.float64(m),
            np.float64(c),
            np.uint64(n),
        ),
        outputs=(1,),
        reference=lambda given: (_chained(given, int(steps), m, c),),
        flop={"fp64": 2 * int(steps) * n},
        dram_bytes=2 * FP64_BYTES * n,
        rtol=1e-12,
    )


def _chained(given: Arguments, steps: int, m: float, c: float) -> Array:
    power = m**steps
    total = steps if m == 1 else (1 - power) / (1 - m)
    return np.asarray(power * given[0] + c * total)

"""Pairs whose defect is bank conflicts in shared memory."""

import numpy as np

from nsightlens.kernels.pairs.access import CONFLICT, floats
from nsightlens.kernels.pairs.pair import PACKAGE, Pair
from nsightlens.kernels.vector import random_vector
from nsightlens.kernels.workload import Workload, poison


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
)

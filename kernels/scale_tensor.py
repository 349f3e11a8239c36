"""SCALE on tensor cores, FP64: in the published access pattern, and in one as neighbourly as on CUDA cores."""

import numpy as np

from nsightlens.errors import UsageError
from nsightlens.kernels.catalogue import family
from nsightlens.kernels.vector import BLOCK, FP64_BYTES, random_vector
from nsightlens.kernels.workload import Array, Workload, blocks, poison

WARP, TILE = 32, 64
ROWS = {8: "8.0", 16: "9.0"}
"""Rows of the mma instruction (m8n8k4, m16n8k4) to the oldest device that has it."""


@family(n="elements", q="factor", published="1: the published access pattern, 0: coalesced", rows="of the mma: 8 or 16")
def scale_tensor(n: int, q: float = 1.5, published: int = 0, rows: int = 8) -> Workload:
    """B = q a on tensor cores; of each row of 8 an infinity or NaN makes the others NaN, and -0 becomes +0."""
    if rows not in ROWS:
        raise UsageError(f"there is no such mma: {rows} rows", where="scale_tensor", remedy="rows=8 or rows=16")
    tile = TILE * rows // 8
    whole = n // tile
    return Workload(
        name="scale_tensor",
        source="scale_tensor.cu",
        entry="scale_tensor",
        defines={"PUBLISHED": published, "MMA_ROWS": rows},
        grid=blocks(-(-n // tile) * WARP, BLOCK),
        block=(BLOCK, 1, 1),
        arguments=lambda random: (random_vector(random, n), poison(n, np.float64), np.float64(q), np.uint64(n)),
        outputs=(1,),
        reference=lambda given: (tile_products(given[0], q, tile),),
        # Two products of rows x 4 and 4 x 8 a tile; the rest is a multiplication an element.
        flop={"tensor_fp64": whole * 2 * 2 * rows * 8 * 4, "fp64": n - whole * tile},
        dram_bytes=2 * FP64_BYTES * n,
        min_compute_capability=ROWS[rows],
    )


def tile_products(a: Array, q: float, tile: int) -> Array:
    """Return q a as sums of eight products, seven of them with 0, for whole tiles."""
    cut = a.size // tile * tile
    rows = a[:cut].reshape(-1, 8)
    odd = ~np.isfinite(rows)
    spoilt = odd.sum(axis=1, keepdims=True) > odd  # another element of the row, times 0, is NaN
    return np.concatenate([np.where(spoilt, np.nan, rows * q + 0.0).ravel(), q * a[cut:]])

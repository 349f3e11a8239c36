"""Kernels that ask whether CUDA cores and tensor cores can work at the same time."""

import numpy as np

from nsightlens.errors import UsageError
from nsightlens.kernels.catalogue import family
from nsightlens.kernels.ceilings_compute import HALF, THREADS, WARP
from nsightlens.kernels.workload import Workload, poison

CHAINS = 8
FMAS, MMAS = 128, 8
"""Instructions of each kind in a round: about the same time on an H200, and a tensor instruction for each chain."""
SHAPES = {64: (16, 8, 8), 32: (16, 8, 16)}


@family(
    bits="64: DFMA and DMMA, 32: FFMA and HMMA",
    fma="1: multiply-adds on CUDA cores, 0: none",
    mma="1: tensor instructions, 0: none",
    apart="1: by different warps, 0: by every warp in turn",
    blocks="blocks of 256 threads",
    rounds="times 128 multiply-adds and 8 tensor instructions a warp",
)
def co_issue(bits: int, blocks: int, rounds: int, fma: int = 1, mma: int = 1, apart: int = 0) -> Workload:
    """Multiply-adds beside tensor instructions: is the time the longer of both, or the sum of both."""
    if bits not in SHAPES:
        raise UsageError(f"there are no such data: {bits} bits", where="co_issue", remedy="bits=64 or bits=32")
    if not (fma or mma):
        raise UsageError("there is nothing to do", where="co_issue", remedy="fma=1, mma=1 or both")
    fmas, mmas, threads = FMAS * bool(fma), MMAS * bool(mma), blocks * THREADS
    (m, n, k), dtype = SHAPES[bits], np.float64 if bits == 64 else np.float32  # noqa: PLR2004
    even = np.arange(threads) // WARP % 2 == 0
    does_fma = np.where(even, 2.0, 0.0) if apart else 1.0
    does_mma = np.where(even, 0.0, 2.0) if apart else 1.0
    # Each of the 8 chains begins at 1; a tensor instruction adds k to each of its 4 sums.
    each = CHAINS + does_fma * fmas * rounds + does_mma * mmas * rounds * 4 * k
    one = np.float64(1) if bits == 64 else np.uint32(HALF)  # noqa: PLR2004
    warps = threads // WARP
    flop = {f"fp{bits}": 2 * fmas * rounds * threads}
    flop[f"tensor_fp{64 if bits == 64 else 16}"] = 2 * m * n * k * mmas * rounds * warps  # noqa: PLR2004
    return Workload(
        name="co_issue",
        source="co_issue.cu",
        entry="co_issue",
        defines={"BITS": bits, "APART": apart, "FMAS": fmas, "MMAS": mmas},
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=lambda _: (np.ones(3, dtype), np.array([one]), poison(threads, dtype), np.uint32(rounds)),
        outputs=(2,),
        reference=lambda _: (np.broadcast_to(np.asarray(each, dtype), threads).copy(),),
        flop=flop,
        dram_bytes=threads * np.dtype(dtype).itemsize,
        min_compute_capability="9.0",
        l2_resident=True,
    )

"""Kernels that show what the arithmetic pipes give at best, CUDA cores and mma.sync."""

from typing import Any, NamedTuple, TypeVar

import numpy as np

from nsightlens.errors import UsageError
from nsightlens.kernels.catalogue import family
from nsightlens.kernels.workload import Workload

THREADS, WARP, CHAINS, STEPS = 256, 32, 8, 8
_SOURCE = "ceilings_compute.cu"


class Fma(NamedTuple):
    """A multiply-add on CUDA cores: element type, summand, operations of an instruction and thread, macros."""

    dtype: Any
    summand: float
    lanes: int
    defines: tuple[str, ...] = ()


class Mma(NamedTuple):
    """A tensor instruction: logical shape, kept part of k, one as a word of A and B, accumulator, registers of it."""

    shape: tuple[int, int, int]
    word: int | float
    accumulator: Any
    registers: int
    kept: int = 1
    since: str = "8.0"


FMA = {
    "fp64": Fma(np.float64, 1.0, 1),
    "fp32": Fma(np.float32, 1.0, 1),
    "fp16": Fma(np.float16, 0.0, 2, ("NEEDS_HALF",)),
}
HALF, BFLOAT, SINGLE, BYTE, E4M3 = 0x3C003C00, 0x3F803F80, 0x3F800000, 0x01010101, 0x38383838
MMA = {
    "fp64_m8n8k4": Mma((8, 8, 4), 1.0, np.float64, 2),
    "fp64_m16n8k4": Mma((16, 8, 4), 1.0, np.float64, 4, since="9.0"),
    "fp64_m16n8k8": Mma((16, 8, 8), 1.0, np.float64, 4, since="9.0"),
    "fp64_m16n8k16": Mma((16, 8, 16), 1.0, np.float64, 4, since="9.0"),
    "tf32": Mma((16, 8, 8), SINGLE, np.float32, 4),
    "fp16": Mma((16, 8, 16), HALF, np.float32, 4),
    "fp16_fp16": Mma((16, 8, 16), 0, np.uint32, 2),
    "bf16": Mma((16, 8, 16), BFLOAT, np.float32, 4),
    "int8": Mma((16, 8, 32), BYTE, np.int32, 4),
    "fp8": Mma((16, 8, 32), E4M3, np.float32, 4, since="8.9"),
    "fp16_sparse": Mma((16, 8, 32), HALF, np.float32, 4, kept=2),
    "tf32_sparse": Mma((16, 8, 16), SINGLE, np.float32, 4, kept=2),
}
_NUMBERS = {f"FMA_{name.upper()}": 1 + place for place, name in enumerate(FMA)} | {
    f"MMA_{name.upper()}": 1 + len(FMA) + place for place, name in enumerate(MMA)
}


@family(kind="fp64, fp32 or fp16", blocks="blocks of 256 threads", rounds="times 64 multiply-adds a thread")
def fma_rate(kind: str, blocks: int, rounds: int) -> Workload:
    """Multiply-adds on the CUDA cores in 8 independent chains a thread."""
    one = _known(FMA, kind)
    threads = blocks * THREADS
    start = 1.0
    each = CHAINS * one.lanes * (start + rounds * STEPS * one.summand)
    return Workload(
        name=f"fma_{kind}",
        source=_SOURCE,
        entry="fma_rate",
        defines={**_NUMBERS, "KIND": f"FMA_{kind.upper()}", **dict.fromkeys(one.defines, 1)},
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=lambda _: (
            np.repeat(np.array([1.0, one.summand, start], one.dtype), one.lanes),
            np.zeros(threads, np.float32),
            np.uint32(rounds),
        ),
        outputs=(1,),
        reference=lambda _: (np.full(threads, each, np.float32),),
        flop={kind: 2 * one.lanes * CHAINS * STEPS * rounds * threads},
        dram_bytes=4 * threads,
        l2_resident=True,
    )


@family(kind="data type, and for FP64 the shape", blocks="blocks of 256 threads", rounds="times 8 instructions a warp")
def mma_rate(kind: str, blocks: int, rounds: int) -> Workload:
    """Tensor instructions (mma.sync) in 8 independent chains a warp; sparse work is counted as if it were dense."""
    one = _known(MMA, kind)
    threads = blocks * THREADS
    m, n, k = one.shape
    each = CHAINS * one.registers * rounds * (k // one.kept) * bool(one.word)
    operand = np.float64 if one.accumulator is np.float64 else np.uint32
    return Workload(
        name=f"mma_{kind}",
        source=_SOURCE,
        entry="mma_rate",
        defines={**_NUMBERS, "KIND": f"MMA_{kind.upper()}"},
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=lambda _: (np.full(2, one.word, operand), np.zeros(threads, one.accumulator), np.uint32(rounds)),
        outputs=(1,),
        reference=lambda _: (np.full(threads, each, one.accumulator),),
        flop={f"tensor_{kind.split('_', maxsplit=1)[0]}": 2 * m * n * k * CHAINS * rounds * threads // WARP},
        dram_bytes=threads * np.dtype(one.accumulator).itemsize,
        min_compute_capability=one.since,
        l2_resident=True,
    )


_Table = TypeVar("_Table", Fma, Mma)


def _known(table: dict[str, _Table], kind: str) -> _Table:
    if kind not in table:
        raise UsageError(f"there is no kind {kind}", where="kind", remedy=f"take one of: {', '.join(table)}")
    return table[kind]

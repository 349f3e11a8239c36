"""Kernels that show what the arithmetic pipes give at best, CUDA cores and mma.sync."""

from typing import Any, NamedTuple, TypeVar

import numpy as np

from nsightlens.errors import UsageError
from nsightlens.kernels.catalogue import family
from nsightlens.kernels.workload import Workload, poison

THREADS, WARP, CHAINS, STEPS = 256, 32, 8, 64
_SOURCE = "ceilings_compute.cu"


class Fma(NamedTuple):
    """A multiply-add on CUDA cores: type, factor, summand, start, numbers of an instruction and thread, macros."""

    dtype: Any
    factor: float
    summand: float
    start: float
    lanes: int
    defines: tuple[str, ...] = ()

    def after(self, steps: int) -> float:
        """Return what the start becomes, exactly.

        An FP16 number times the largest FP16 number below 1 is the next smaller one, down to the subnormal numbers.
        """
        if self.dtype is np.float16:
            return float((np.float16(self.start).view(np.uint16) - np.uint16(steps)).view(np.float16))
        return self.start + steps * self.summand

    @property
    def most_steps(self) -> int:
        """Steps while that is exact: to the smallest normal FP16 number, or while FP32 sums of all chains are."""
        if self.dtype is np.float16:
            return int(np.float16(self.start).view(np.uint16) - np.finfo(np.float16).tiny.view(np.uint16))
        return _EXACT_FP32 // CHAINS - 1


class Mma(NamedTuple):
    """A tensor instruction: logical shape, a word of A and B, accumulator, registers of it, kept part of k, devices.

    Words are ones, or for FP16 sums 1 / 2. ``only``: FP8 is a tensor instruction there; elsewhere the compiler makes
    of it others of FP16.
    """

    shape: tuple[int, int, int]
    word: int | float
    accumulator: Any
    registers: int
    kept: int = 1
    since: str = "8.0"
    only: tuple[str, ...] = ()

    @property
    def each_round(self) -> int:
        """What a round adds to each accumulator; to FP16, which holds few whole numbers, 1 for every 4 products.

        So it is exact even if a device rounds after every 4 of them.
        """
        return self.shape[2] // self.kept // (4 if self.accumulator is np.uint32 else 1)

    def start(self, rounds: int) -> Any:  # noqa: ANN401
        """Return where accumulators begin: 0; two FP16 numbers as far below 0 as they end above."""
        if self.accumulator is np.uint32:
            return _two_halves(-(rounds // 2) * self.each_round)
        return self.accumulator(0)

    def end(self, rounds: int) -> Any:  # noqa: ANN401
        """Return where they end."""
        if self.accumulator is np.uint32:
            return _two_halves((rounds - rounds // 2) * self.each_round)
        return self.accumulator(rounds * self.each_round)

    @property
    def most_rounds(self) -> int:
        """Rounds up to which all sums are exact."""
        if self.accumulator is np.uint32:
            return 2 * _EXACT_FP16 // self.each_round
        return _EXACT_FP32 // (CHAINS * self.registers * self.each_round)


_EXACT_FP16, _EXACT_FP32 = 1 << 11, 1 << 24
"""Whole numbers up to these are exact."""
FMA = {
    "fp64": Fma(np.float64, 1.0, 1.0, 1.0, 1),
    "fp32": Fma(np.float32, 1.0, 1.0, 1.0, 1),
    "fp16": Fma(np.float16, 1 - 2.0**-11, 0.0, 65504.0, 2, ("NEEDS_HALF",)),
}
HALF, HALVES, BFLOAT, SINGLE, BYTE, E4M3 = 0x3C003C00, 0x38003800, 0x3F803F80, 0x3F800000, 0x01010101, 0x38383838
MMA = {
    "fp64_m8n8k4": Mma((8, 8, 4), 1.0, np.float64, 2),
    "fp64_m16n8k4": Mma((16, 8, 4), 1.0, np.float64, 4, since="9.0"),
    "fp64_m16n8k8": Mma((16, 8, 8), 1.0, np.float64, 4, since="9.0"),
    "fp64_m16n8k16": Mma((16, 8, 16), 1.0, np.float64, 4, since="9.0"),
    "tf32": Mma((16, 8, 8), SINGLE, np.float32, 4),
    "fp16": Mma((16, 8, 16), HALF, np.float32, 4),
    "fp16_fp16": Mma((16, 8, 16), HALVES, np.uint32, 2),
    "bf16": Mma((16, 8, 16), BFLOAT, np.float32, 4),
    "int8": Mma((16, 8, 32), BYTE, np.int32, 4),
    "fp8": Mma((16, 8, 32), E4M3, np.float32, 4, since="8.9", only=("8.9", "12")),
    "fp16_sparse": Mma((16, 8, 32), HALF, np.float32, 4, kept=2),
    "tf32_sparse": Mma((16, 8, 16), SINGLE, np.float32, 4, kept=2),
}
_NUMBERS = {f"FMA_{name.upper()}": 1 + place for place, name in enumerate(FMA)} | {
    f"MMA_{name.upper()}": 1 + len(FMA) + place for place, name in enumerate(MMA)
}


@family(kind="fp64, fp32 or fp16", blocks="blocks of 256 threads", rounds="times 512 multiply-adds a thread")
def fma_rate(kind: str, blocks: int, rounds: int) -> Workload:
    """Multiply-adds on the CUDA cores in 8 independent chains a thread."""
    one = _known(FMA, kind)
    _exact("fma_rate", rounds, one.most_steps // STEPS)
    threads = blocks * THREADS
    each = CHAINS * one.lanes * one.after(rounds * STEPS)
    return Workload(
        name=f"fma_{kind}",
        source=_SOURCE,
        entry="fma_rate",
        defines={**_NUMBERS, "KIND": f"FMA_{kind.upper()}", **dict.fromkeys(one.defines, 1)},
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=lambda _: (
            np.repeat(np.array([one.factor, one.summand, one.start], one.dtype), one.lanes),
            poison(threads, np.float32),
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
    _exact("mma_rate", rounds, one.most_rounds)
    threads = blocks * THREADS
    m, n, k = one.shape
    with np.errstate(over="ignore"):  # two FP16 numbers in a word are added as whole numbers, which may wrap
        each = one.accumulator(CHAINS * one.registers) * one.end(rounds)
    operand = np.float64 if one.accumulator is np.float64 else np.uint32
    return Workload(
        name=f"mma_{kind}",
        source=_SOURCE,
        entry="mma_rate",
        defines={**_NUMBERS, "KIND": f"MMA_{kind.upper()}"},
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=lambda _: (
            np.full(2, one.word, operand),
            poison(threads, one.accumulator),
            one.start(rounds),
            np.uint32(rounds),
        ),
        outputs=(1,),
        reference=lambda _: (np.full(threads, each, one.accumulator),),
        flop={f"tensor_{kind.split('_', maxsplit=1)[0]}": 2 * m * n * k * CHAINS * rounds * threads // WARP},
        dram_bytes=threads * np.dtype(one.accumulator).itemsize,
        min_compute_capability=one.since,
        only=one.only,
        l2_resident=True,
    )


def _two_halves(value: int) -> np.uint32:
    return np.uint32(np.full(2, value, np.float16).view(np.uint32)[0])


def _exact(name: str, rounds: int, most: int) -> None:
    if rounds > most:
        what = f"rounds is at most {most}, where results are exact, not {rounds}"
        raise UsageError(what, where=name, remedy="take fewer")


_Table = TypeVar("_Table", Fma, Mma)


def _known(table: dict[str, _Table], kind: str) -> _Table:
    if kind not in table:
        raise UsageError(f"there is no kind {kind}", where="kind", remedy=f"take one of: {', '.join(table)}")
    return table[kind]

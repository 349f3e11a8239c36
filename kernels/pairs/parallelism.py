"""Pairs whose defect is too little, or unevenly spread, work under way."""

from collections.abc import Callable

import numpy as np

from nsightlens.kernels.overlap import pipelined
from nsightlens.kernels.pairs.access import LATENCY, floats, particles
from nsightlens.kernels.pairs.arithmetic import iterations
from nsightlens.kernels.pairs.instructions import SMALL_GRID
from nsightlens.kernels.pairs.pair import PACKAGE, Pair, Planted
from nsightlens.kernels.vector import random_vector
from nsightlens.kernels.workload import Array, Workload, poison

IMBALANCE, SERIAL, BARRIER = "imbalance", "unoverlapped_compute", "barrier"


def chase(chain: bool, sms: int, rows: int, loads: int) -> Workload:
    """Return sums of loads, each of which may have to wait for the one before: its address takes a product with 0."""
    threads = sms * 8 * 256

    def summed(a: Array) -> Array:
        turns, rest = divmod(loads, rows)
        return np.asarray(turns * a.sum(axis=0, dtype=np.float64) + a[:rest].sum(axis=0, dtype=np.float64), np.float32)

    return Workload(
        name="chase",
        source="chase.cu",
        package=PACKAGE,
        entry="chase",
        defines={"CHAIN": int(chain), "ROWS": rows},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (
            floats(random, rows, threads),
            poison(threads, np.float32),
            np.uint32(loads),
            np.float32(0),
        ),
        outputs=(1,),
        reference=lambda given: (summed(given[0]),),
        flop={"fp32": (1 + chain) * loads * threads},
        dram_bytes=4 * threads * (rows + 1),
        rtol=1e-4,
        l2_resident=rows < loads,
    )


def parts(lists: list[list[int]]) -> Workload:
    """Return FP64 chains of given lengths (in fours of multiply-adds), dealt out to blocks."""
    m, c = 0.999, 0.25
    lengths = np.array([length for mine in lists for length in mine], np.uint32)
    starts = np.cumsum([0, *map(len, lists)]).astype(np.uint32)

    def chained(a: Array) -> Array:
        power = m ** (4.0 * lengths)
        return np.asarray(a * power.sum() + (c * (1 - power) / (1 - m)).sum())

    return Workload(
        name="parts",
        source="parts.cu",
        package=PACKAGE,
        entry="parts",
        grid=(len(lists), 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (
            random_vector(random, 256),
            np.zeros(256),
            starts,
            lengths,
            np.float64(m),
            np.float64(c),
        ),
        outputs=(1,),
        reference=lambda given: (chained(given[0]),),
        flop={"fp64": 256 * (8 * int(lengths.sum()) + lengths.size)},
        dram_bytes=4 * (starts.size + lengths.size) + 16 * 256,
        rtol=1e-10,
        l2_resident=True,
    )


def _triangle(planted: Planted, sms: int) -> Workload:
    blocks, each = sms * 4, 8
    rows = [2 * (number + 1) // 5 for number in range(blocks * each)]
    if planted:
        return parts([rows[b * each : (b + 1) * each] for b in range(blocks)])
    there, back = range(blocks), range(blocks - 1, -1, -1)
    orders = [there if turn % 2 == 0 else back for turn in range(each)]
    return parts([[rows[turn * blocks + orders[turn][b]] for turn in range(each)] for b in range(blocks)])


def _straggler(planted: Planted, sms: int) -> Workload:
    blocks, length, extra = sms * 4, 4000, 8000
    if planted:
        return parts([[length + extra if b == 0 else length] for b in range(blocks)])
    share, rest = divmod(extra, blocks)
    return parts([[length + share + (b < rest)] for b in range(blocks)])


def phases(barrier: bool, sms: int, loads: bool, count: int) -> Workload:
    """Return phases in which the warps of a block do unequal shares, with or without a barrier after each.

    The factor of the multiply-adds is 1, so that every one of them shows in the result.
    """
    grid, block, spread, rows = sms * 2, 512, 2, 8 if loads else 1
    threads, warps = grid * block, block // 32
    m, c = np.float32(1), np.float32(0.25)

    def phased(a: Array) -> Array:
        x = a[0].astype(np.float64)
        warp = np.arange(threads) % block // 32
        for phase in range(count):
            turns = 1 + (warp + phase) % warps * spread
            for turn in range(int(turns.max())):
                on = turn < turns
                x += on * (8 * float(c) + (a[(phase + turn) % rows] if loads else 0.0))
        return np.asarray(x, np.float32)

    per_phase = sum(1 + warp * spread for warp in range(warps)) * 32 * (grid * block // (warps * 32))
    return Workload(
        name="phases",
        source="phases.cu",
        package=PACKAGE,
        entry="phases",
        defines={"BARRIER": int(barrier), "LOADS": int(loads), "SPREAD": spread, "ROWS": 8},
        grid=(grid, 1, 1),
        block=(block, 1, 1),
        arguments=lambda random: (
            floats(random, rows, threads),
            poison(threads, np.float32),
            m,
            c,
            np.uint32(count),
        ),
        outputs=(1,),
        reference=lambda given: (phased(given[0]),),
        flop={"fp32": count * per_phase * 2 * (8 + int(loads))},
        dram_bytes=4 * threads * (rows + 1),
        rtol=1e-3,
        l2_resident=True,
    )


def _serial(kind: int, steps: int) -> Callable[[Planted, int], Workload]:
    def make(planted: Planted, sms: int) -> Workload:
        return pipelined.make(kind=kind, steps=steps, tiles=sms * 100, blocks=sms, ahead=0 if planted else 4)

    return make


PAIRS = (
    Pair(
        "chase_chain",
        (LATENCY,),
        lambda planted, sms: chase(bool(planted), sms, 1024, 1024),
        "Each load waits for the one before.",
    ),
    Pair(
        "chase_l2",
        (LATENCY,),
        lambda planted, sms: chase(bool(planted), sms, 24, 1600),
        "Each load from L2 waits for the one before.",
    ),
    Pair(
        "particles_occupancy",
        (LATENCY,),
        lambda planted, sms: particles(False, sms, shared_bytes=50 * 1024 if planted else 0),
        "Shared memory that nobody uses leaves four blocks a multiprocessor instead of eight.",
    ),
    Pair(
        "iterations_small_grid",
        (SMALL_GRID,),
        lambda planted, sms: iterations(False, sms // 2 if planted else sms, 1024),
        "Blocks for half of the multiprocessors.",
    ),
    Pair(
        "particles_small_grid",
        (SMALL_GRID,),
        lambda planted, sms: particles(False, sms, grid=sms // 2 if planted else sms, block=1024),
        "Blocks for half of the multiprocessors, under device memory.",
    ),
    Pair("parts_triangle", (IMBALANCE,), _triangle, "Longer and longer rows dealt out in order."),
    Pair("parts_straggler", (IMBALANCE,), _straggler, "One block does three times as much as each other."),
    Pair("tiles_serial", (SERIAL,), _serial(64, 48), "FP64: tiles are fetched after the arithmetic on the one before."),
    Pair("tiles_serial_fp32", (SERIAL,), _serial(32, 96), "The same in FP32."),
    Pair(
        "phases_barrier",
        (BARRIER,),
        lambda planted, sms: phases(bool(planted), sms, loads=False, count=480),
        "Needless barriers.",
    ),
    Pair(
        "phases_barrier_loads",
        (BARRIER,),
        lambda planted, sms: phases(bool(planted), sms, loads=True, count=160),
        "Barriers nobody needs, between loads from L2.",
    ),
)

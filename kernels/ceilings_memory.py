"""Kernels that show what device memory, L2 and shared memory give at best."""

import numpy as np

from nsightlens.kernels.catalogue import family
from nsightlens.kernels.workload import Arguments, Array, Workload, poison

THREADS, PIECES, UNIT = 256, 4, 16
PIECE_BYTES = THREADS * PIECES * UNIT
"""What a block moves at a time, with so many accesses of a thread."""
EACH = "accesses of 16 bytes of a thread"
SHARED_ROWS = 8
_BLOCK = (THREADS, 1, 1)
_SOURCE = "ceilings_memory.cu"


def _words(random: np.random.Generator, pieces: int, each: int = PIECES) -> Array:
    return random.integers(0, 1 << 32, size=(pieces, _bytes(each) // 4), dtype=np.uint32)


def _bytes(each: int) -> int:
    return THREADS * each * UNIT


@family(pieces="blocks", each=EACH)
def dram_read(pieces: int, each: int = PIECES) -> Workload:
    """Read device memory once, and leave an exclusive or of each block's piece."""
    return Workload(
        name="dram_read",
        source=_SOURCE,
        entry="dram_read",
        defines={"PIECES": each},
        grid=(pieces, 1, 1),
        block=_BLOCK,
        arguments=lambda random: (_words(random, pieces, each), poison(pieces, np.uint32)),
        outputs=(1,),
        reference=lambda given: (np.bitwise_xor.reduce(given[0], axis=1),),
        flop={},
        dram_bytes=pieces * (_bytes(each) + 4),
        min_compute_capability="8.0",
    )


@family(pieces="blocks", each=EACH)
def dram_write(pieces: int, each: int = PIECES) -> Workload:
    """Write device memory once."""
    units = pieces * _bytes(each) // UNIT
    return Workload(
        name="dram_write",
        source=_SOURCE,
        entry="dram_write",
        defines={"PIECES": each},
        grid=(pieces, 1, 1),
        block=_BLOCK,
        arguments=lambda _: (poison((units, 4), np.uint32),),
        outputs=(0,),
        reference=lambda _: (np.repeat(np.arange(units, dtype=np.uint64).astype(np.uint32)[:, None], 4, axis=1),),
        flop={},
        dram_bytes=pieces * _bytes(each),
        min_compute_capability="8.0",
    )


@family(pieces="blocks", each=EACH)
def dram_copy(pieces: int, each: int = PIECES) -> Workload:
    """Copy an array: as many bytes read as written."""
    return Workload(
        name="dram_copy",
        source=_SOURCE,
        entry="dram_copy",
        defines={"PIECES": each},
        grid=(pieces, 1, 1),
        block=_BLOCK,
        arguments=lambda random: (_words(random, pieces, each), poison((pieces, _bytes(each) // 4), np.uint32)),
        outputs=(1,),
        reference=lambda given: (given[0],),
        flop={},
        dram_bytes=2 * pieces * _bytes(each),
        min_compute_capability="8.0",
    )


@family(pieces="16 KiB pieces of the array", blocks="blocks", rounds="pieces that each block reads")
def l2_read(pieces: int, blocks: int, rounds: int) -> Workload:
    """Read an array that fits into L2 again and again, past L1."""
    return Workload(
        name="l2_read",
        source=_SOURCE,
        entry="l2_read",
        grid=(blocks, 1, 1),
        block=_BLOCK,
        arguments=lambda random: (
            *(_words(random, pieces), poison(blocks, np.uint32)),
            *(np.uint32(pieces), np.uint32(rounds)),
        ),
        outputs=(1,),
        reference=lambda given: (_read_in_turn(given, blocks, rounds),),
        flop={},
        dram_bytes=pieces * PIECE_BYTES,
        min_compute_capability="8.0",
        l2_resident=True,
    )


def _read_in_turn(given: Arguments, blocks: int, rounds: int) -> Array:
    each = np.bitwise_xor.reduce(given[0], axis=1)
    before = np.concatenate([[np.uint32(0)], np.bitwise_xor.accumulate(np.tile(each, 2))])
    first = np.arange(blocks) % each.size
    rest = before[first + rounds % each.size] ^ before[first]
    whole = before[each.size] if rounds // each.size % 2 else np.uint32(0)
    return np.asarray(rest ^ whole)


@family(blocks="blocks", rounds="times that each thread reads 8 x 16 bytes")
def shared_read(blocks: int, rounds: int) -> Workload:
    """Read shared memory without conflicts, 16 bytes a thread."""
    return Workload(
        name="shared_read",
        source=_SOURCE,
        entry="shared_read",
        grid=(blocks, 1, 1),
        block=_BLOCK,
        arguments=lambda _: (poison(blocks, np.uint32), np.uint32(rounds)),
        outputs=(0,),
        reference=lambda _: (np.full(blocks, _shared_sum(rounds), np.uint32),),
        flop={},
        dram_bytes=4 * blocks,
        min_compute_capability="8.0",
        l2_resident=True,
    )


def _shared_sum(rounds: int) -> int:
    word = np.arange(SHARED_ROWS * THREADS, dtype=np.uint32).reshape(SHARED_ROWS, THREADS)
    folded = word ^ (2 * word) ^ (3 * word) ^ (5 * word)
    total = np.zeros(THREADS, np.uint32)
    for turn in range(rounds):
        for row in np.roll(folded, -32 * turn, axis=1):
            total = total * np.uint32(5) + row
    return int(np.bitwise_xor.reduce(total))

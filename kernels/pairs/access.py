"""Pairs whose defect lies in how threads reach global memory."""

import numpy as np

from nsightlens.kernels.pairs.pair import PACKAGE, Pair, Planted
from nsightlens.kernels.vector import random_vector
from nsightlens.kernels.workload import Array, Workload, poison

UNCOALESCED, NARROW, LATENCY, CONFLICT = "uncoalesced_access", "narrow_access", "latency", "bank_conflict"


def floats(random: np.random.Generator, *shape: int) -> Array:
    """Return FP32 numbers in [0.5, 1.5)."""
    return np.asarray(random.random(shape, dtype=np.float32) + np.float32(0.5))


def transpose(n: int, rounds: int, uncoalesced: int, pad: int) -> Workload:
    """Return a transposition: of four tiles so many are written uncoalesced; ``pad`` elements between shared rows."""
    return Workload(
        name="transpose",
        source="transpose.cu",
        package=PACKAGE,
        entry="transpose",
        defines={"PAD": pad, "UNCOALESCED": uncoalesced},
        grid=(n // 32, n // 32, 1),
        block=(32, 8, 1),
        arguments=lambda random: (
            floats(random, n, n),
            poison((n, n), np.float32),
            np.uint32(n),
            np.uint32(rounds),
        ),
        outputs=(1,),
        reference=lambda given: (np.ascontiguousarray(given[0].T),),
        flop={},
        dram_bytes=2 * 4 * n * n,
        l2_resident=rounds > 1,
    )


def particles(aos: bool, sms: int, shared_bytes: int = 0, grid: int | None = None, block: int = 256) -> Workload:
    """Return the energies of particles, fields together or apart; shared memory bounds the resident blocks."""
    n = 48_000_000
    return Workload(
        name="particles",
        source="particles.cu",
        package=PACKAGE,
        entry="particles",
        defines={"AOS": int(aos)},
        grid=(grid or sms * 8, 1, 1),
        block=(block, 1, 1),
        shared_bytes=shared_bytes,
        arguments=lambda random: (_fields(random, n, aos), poison(n, np.float32), np.uint32(n)),
        outputs=(1,),
        reference=lambda given: (_energies(given[0], aos),),
        flop={"fp32": 7 * n},
        dram_bytes=5 * 4 * n,
        rtol=1e-5,
    )


def _fields(random: np.random.Generator, n: int, aos: bool) -> Array:
    fields = np.empty((8, n), np.float32)
    fields[:4] = floats(random, 4, n)
    fields[4:] = 0.0
    return np.ascontiguousarray(fields.T) if aos else fields


def _energies(fields: Array, aos: bool) -> Array:
    u, v, w, mass = fields[:, :4].T if aos else fields[:4]
    return np.asarray(np.float32(0.5) * mass * (u * u + v * v + w * w))


def gather(sort: bool, sms: int) -> Workload:
    """Return a gather of FP64 values from a table in L2, the indices sorted or as they come."""
    n, size = 1 << 26, 1 << 20

    def arguments(random: np.random.Generator) -> tuple[Array, Array, Array, np.uint32]:
        index = random.integers(0, size, n, dtype=np.uint32)
        if sort:
            index.sort()
        return random_vector(random, size), index, poison(n, np.float64), np.uint32(n)

    return Workload(
        name="gather",
        source="gather.cu",
        package=PACKAGE,
        entry="gather",
        grid=(sms * 16, 1, 1),
        block=(256, 1, 1),
        arguments=arguments,
        outputs=(2,),
        reference=lambda given: (given[0][given[1]],),
        flop={},
        dram_bytes=8 * size + 12 * n,
    )


def pixels(narrow: bool, sms: int, n: int, steps: int) -> Workload:
    """Return a gain on 8-bit pixels, one or four bytes an access, with FP32 work on each besides."""
    scalars = (np.uint32(200), np.float32(1.0), np.float32(3.0))
    return Workload(
        name="pixels",
        source="pixels.cu",
        package=PACKAGE,
        entry="pixels",
        defines={"NARROW": int(narrow), "STEPS": steps},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (
            random.integers(0, 256, n, dtype=np.uint8),
            poison(n, np.uint8),
            *scalars,
            np.uint32(n),
        ),
        outputs=(1,),
        reference=lambda given: (_gained(steps)[given[0]],),
        flop={"fp32": 2 * steps * n},
        dram_bytes=2 * n,
    )


def _gained(steps: int) -> Array:
    """Return what becomes of each of the 256 values; the sums are exact."""
    return np.asarray((np.arange(256) * 200 >> 8) + 3 * steps & 255, np.uint8)


def halves(narrow: bool, sms: int, rounds: int = 200) -> Workload:
    """Return sums over an FP16 vector in L2, 2 or 4 bytes a load."""
    n, threads = 1 << 22, sms * 8 * 256
    return Workload(
        name="halves",
        source="halves.cu",
        package=PACKAGE,
        entry="halves",
        defines={"NARROW": int(narrow)},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (
            floats(random, n).astype(np.float16),
            poison(threads, np.float32),
            np.uint32(n),
            np.uint32(rounds),
        ),
        outputs=(1,),
        reference=lambda given: (_half_sums(given[0], narrow, threads, rounds),),
        flop={"fp32": n * rounds},
        dram_bytes=2 * n + 4 * threads,
        rtol=1e-3,
        l2_resident=True,
    )


def _half_sums(a: Array, narrow: bool, threads: int, rounds: int) -> Array:
    parts = a.astype(np.float64).reshape((8, -1) if narrow else (4, -1, 2))
    each = parts.sum(axis=0) if narrow else parts.sum(axis=(0, 2))
    turns = -(-each.size // threads)
    padded = np.append(each, np.zeros(turns * threads - each.size))
    return np.asarray(rounds * padded.reshape(turns, threads).sum(axis=0), np.float32)


def _transposed(planted: Planted, _: int) -> Workload:
    return transpose(10240, 1, uncoalesced=int(UNCOALESCED in planted), pad=1)


def _transposed_in_l2(planted: Planted, _: int) -> Workload:
    return transpose(1024, 200, uncoalesced=2 * (UNCOALESCED in planted), pad=0 if CONFLICT in planted else 1)


def _conflicts_at_dram(planted: Planted, _: int) -> Workload:
    return transpose(10240, 1, uncoalesced=0, pad=2 if CONFLICT in planted else 1)


def _particles(planted: Planted, sms: int) -> Workload:
    return particles(UNCOALESCED in planted, sms, shared_bytes=50 * 1024 if LATENCY in planted else 0)


PAIRS = (
    Pair("transpose_quarter", (UNCOALESCED,), _transposed, "A quarter of the tiles is written column by column."),
    Pair("particles_layout", (UNCOALESCED,), _particles, "Fields of a particle together, half of which are used."),
    Pair(
        "gather_order",
        (UNCOALESCED,),
        lambda planted, sms: gather(not planted, sms),
        "Indices into a table in L2 as they come, instead of sorted.",
    ),
    Pair(
        "pixels_narrow",
        (NARROW,),
        lambda planted, sms: pixels(bool(planted), sms, 3 << 27, 0),
        "A byte an access instead of four.",
    ),
    Pair("halves_narrow", (NARROW,), lambda planted, sms: halves(bool(planted), sms), "2 bytes a load from L2, not 4."),
    Pair("transpose_both", (UNCOALESCED, CONFLICT), _transposed_in_l2, "Half of the tiles uncoalesced; rows unpadded."),
    Pair("particles_both", (UNCOALESCED, LATENCY), _particles, "Fields together; four blocks a multiprocessor."),
    Pair(
        "transpose_null",
        (CONFLICT,),
        _conflicts_at_dram,
        "Two-way conflicts under a transposition that waits for device memory.",
        null=True,
    ),
    Pair(
        "pixels_null",
        (NARROW,),
        lambda planted, sms: pixels(bool(planted), sms, 1 << 27, 96),
        "A byte an access where FP32 work limits.",
        null=True,
    ),
)

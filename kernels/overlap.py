"""Kernels whose overlap fraction an experiment with four variants tells: memory on or off, arithmetic on or off."""

from collections.abc import Mapping

import numpy as np

from nsightlens.errors import UsageError
from nsightlens.kernels.catalogue import family
from nsightlens.kernels.workload import Arguments, Array, Workload, poison

THREADS, WARP = 256, 32
VECTOR_BYTES = 16
KINDS: Mapping[int, type] = {32: np.float32, 64: np.float64, 164: np.float64}
DMMA = 164
SM_SHARED_BYTES = 227 * 1024
"""Shared memory that blocks of one multiprocessor can have on these devices; each block also takes 1 KiB of its own."""
MOST_PER_SM = 2048 // THREADS
DEVICES = ("9", "10")
"""Compute capabilities with so much shared memory and so many threads (CUDA programming guide)."""
VARIANTS = {"full": (1, 1), "memory": (1, 0), "compute": (0, 1), "skeleton": (0, 0)}
"""Name to whether memory accesses and arithmetic are there."""
_FACTOR, _SUMMAND, _FAKE, _NEVER = 1 - 2.0**-10, 2.0**-10, 0.75, -12345.0


@family(
    kind="64 or 32: FP64 or FP32 multiply-adds, 164: DMMA",
    steps="operations on each element (multiply-adds, or tensor instructions a warp)",
    vectors="vectors of 16 bytes",
    blocks="blocks of 256 threads",
    per_sm="blocks on a multiprocessor",
    phases="1: memory and arithmetic kept apart by barriers",
    variant="full, memory, compute or skeleton",
)
def factorial(
    kind: int, steps: int, vectors: int, blocks: int, per_sm: int = 4, phases: int = 0, variant: str = "full"
) -> Workload:
    """Load 16 bytes, work on them, store them: at so many blocks a multiprocessor, in one of four variants."""
    if per_sm > MOST_PER_SM:
        raise UsageError(
            f"per_sm is at most {MOST_PER_SM}, not {per_sm}", where="factorial", remedy="take a smaller one"
        )
    define = _defines(kind, steps, variant) | {"PHASES": phases, "DEPTH": 1, "OF": 1, "AHEAD": 0}
    return _workload(
        "factorial", kind, steps, vectors, variant, define, blocks, SM_SHARED_BYTES // per_sm - 1024, np.uint64(vectors)
    )


@family(
    kind="64 or 32: FP64 or FP32 multiply-adds, 164: DMMA",
    steps="operations on each element",
    tiles="tiles of 256 x depth vectors of 16 bytes",
    blocks="blocks of 256 threads, one on a multiprocessor",
    ahead="tiles of every `of` that are fetched before the arithmetic of the tile before",
    of="tiles that `ahead` is a part of",
    depth="vectors of a thread in a tile",
    variant="full, memory, compute or skeleton",
)
def pipelined(
    kind: int, steps: int, tiles: int, blocks: int, ahead: int, of: int = 4, depth: int = 8, variant: str = "full"
) -> Workload:
    """Tiles through shared memory, a part of them double-buffered: so much of the arithmetic can hide."""
    _refuse_pipeline(tiles, blocks, ahead, of, depth)
    define = _defines(kind, steps, variant) | {"PHASES": 0, "DEPTH": depth, "OF": of, "AHEAD": ahead}
    vectors = tiles * THREADS * depth
    return _workload(
        "pipelined", kind, steps, vectors, variant, define, blocks, SM_SHARED_BYTES - 1024, np.uint32(tiles)
    )


def _refuse_pipeline(tiles: int, blocks: int, ahead: int, of: int, depth: int) -> None:
    most = (SM_SHARED_BYTES - 1024) // (2 * THREADS * VECTOR_BYTES)
    for bad, what in (
        (ahead > of, f"ahead is at most of, {of}, not {ahead}"),
        (tiles < blocks, f"tiles are at least blocks, {blocks}, not {tiles}"),
        (depth > most, f"depth is at most {most}, for two tiles in shared memory, not {depth}"),
    ):
        if bad:
            raise UsageError(what, where="pipelined", remedy="change one of them")


def _defines(kind: int, steps: int, variant: str) -> dict[str, str | int]:
    for value, known, where in ((kind, KINDS, "kind"), (variant, VARIANTS, "variant")):
        if value not in known:
            remedy = f"take one of: {', '.join(map(str, known))}"
            raise UsageError(f"there is no such thing: {value}", where=where, remedy=remedy)
    memory, compute = VARIANTS[variant]
    return {"KIND": kind, "STEPS": steps, "MEM": memory, "CMP": compute}


def _workload(
    name: str,
    kind: int,
    steps: int,
    vectors: int,
    variant: str,
    defines: Mapping[str, str | int],
    blocks: int,
    shared_bytes: int,
    size: np.unsignedinteger,
) -> Workload:
    if vectors % WARP:
        raise UsageError(f"vectors come in warps of {WARP}, not {vectors}", where=name, remedy=f"a multiple of {WARP}")
    dtype = KINDS[kind]
    memory, compute = VARIANTS[variant]
    lanes = VECTOR_BYTES // np.dtype(dtype).itemsize
    opaque = np.array((_FACTOR, _SUMMAND, _FAKE, _NEVER), np.dtype([(field, dtype) for field in "mcfn"]))
    work = compute * steps * vectors * lanes * 2
    # A DMMA m8n8k4 is 512 FLOP for the 64 elements of a warp.
    flop = {"tensor_fp64": compute * steps * (vectors // WARP) * 512} if kind == DMMA else {f"fp{kind}": work}
    return Workload(
        name=f"{name}_{variant}",
        source="overlap.cu",
        entry=name,
        defines=defines,
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        shared_bytes=shared_bytes,
        arguments=lambda random: (_data(random, vectors, lanes, dtype), poison((vectors, lanes), dtype), opaque, size),
        outputs=(1,),
        reference=lambda given: (_expected(given, kind, steps * compute, memory),),
        flop=flop,
        dram_bytes=memory * 2 * VECTOR_BYTES * vectors,
        rtol=1e-12 if dtype is np.float64 else 1e-4,
        min_compute_capability="9.0",
        only=DEVICES,
    )


def _data(random: np.random.Generator, vectors: int, lanes: int, dtype: type) -> Array:
    return np.asarray(random.random((vectors, lanes), dtype=dtype) + dtype(0.5))


def _expected(given: Arguments, kind: int, steps: int, memory: int) -> Array:
    a = given[0]
    if not memory:
        return np.asarray(given[1])
    if not steps:
        return np.asarray(a)
    if kind == DMMA:
        return _after_products(a, steps)
    power = _FACTOR**steps
    return np.asarray(power * a.astype(np.float64) + _SUMMAND * (1 - power) / (1 - _FACTOR)).astype(a.dtype)


def _after_products(a: Array, steps: int) -> Array:
    """Add steps x A B: A has the factor where the row is one of the first four, B the summand everywhere."""
    tiles = a.reshape(-1, 8, 8).copy()  # of a warp: lane 4 g + t holds row g, columns 2t and 2t + 1
    tiles[:, :4, :] += steps * _FACTOR * _SUMMAND
    return tiles.reshape(a.shape)

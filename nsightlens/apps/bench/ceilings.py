"""Measure what this GPU gives at best: memory, arithmetic pipes, tensor instructions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nsightlens.apps.bench.conditions import conditions
from nsightlens.apps.bench.launch_cost import FAR_BEYOND_L2, launch_cost_s
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.ceilings_compute import FMA, MMA
from nsightlens.kernels.ceilings_memory import PIECE_BYTES, PIECES
from nsightlens.kernels.check import check
from nsightlens.kernels.cupy_launch import prepare
from nsightlens.kernels.device import Device, device, sm_clock_hz
from nsightlens.kernels.timing import Timing, time_in_turn
from nsightlens.kernels.vendor import products
from nsightlens.kernels.workload import Workload
from nsightlens.measured import Measured, true_ceilings

ROUNDS = {"fma": 250, "mma": 4000, "shared": 2000}
FAMILIES = {"fp64": "dmma", "tf32": "hmma", "fp16": "hmma", "bf16": "hmma", "int8": "imma", "fp8": "qmma"}
"""Data type to the instruction family of its mma.sync, as Nsight Compute names it."""
VENDOR_FAMILIES = {"9.0": {"fp64": "dmma", "int8": "igmma", "fp8": "qgmma", None: "hgmma"}}
"""Compute capability to data type to the family that the vendor's products use there; None: any other type."""
TIMES = "CUDA events less the cost of a launch, warm, clocks as found"
Says = Callable[[str], None]


@dataclass(frozen=True)
class Rate:
    """One ceiling: its name, what may show it (the fastest counts), the bytes of a launch; without them its FLOP."""

    name: str
    works: Sequence[Workload]
    bytes: float | None = None
    clocked: bool = True


@dataclass(frozen=True)
class Found:
    """A measured rate with the kernel that showed it."""

    name: str
    value: float
    timing: Timing
    how: str
    clock_hz: float | None


def measure(say: Says = lambda _: None) -> Measured:
    """Measure all ceilings of the current device.

    Raises
    ------
    UsageError
        If there is no CuPy or no GPU.
    NsightlensError
        If a kernel computes something wrong.
    """
    here = device()
    cost = launch_cost_s(here)
    found: list[Found] = []
    for rate in _rates(here):
        say(rate.name)
        found.append(_best(rate, cost))
    for one in _vendor(here, cost):
        say(one.name)
        found.append(one)
    return _measured(here, found, cost)


def _rates(here: Device) -> Iterator[Rate]:
    yield from _memory(here)
    blocks = [here.multiprocessors * each for each in (2, 4)]
    for kind in FMA:
        works = [workload("fma_rate", kind=kind, blocks=b, rounds=ROUNDS["fma"]) for b in blocks]
        yield Rate(f"{kind}_flop_per_s", works)
    tensor = {
        kind: works
        for kind, one in MMA.items()
        if (
            works := [
                workload("mma_rate", kind=kind, blocks=b, rounds=min(ROUNDS["mma"], one.most_rounds)) for b in blocks
            ]
        )[0].runs_on(here.compute_capability)
    }
    for kind, works in tensor.items():
        dtype, _, more = kind.partition("_")
        yield Rate("_".join(filter(None, ("tensor", dtype, FAMILIES[dtype], more, "flop_per_s"))), works)
    shapes = [work for kind, works in tensor.items() if kind.startswith("fp64") for work in works]
    yield Rate("tensor_fp64_dmma_flop_per_s", shapes)


def _memory(here: Device) -> Iterator[Rate]:
    pieces = FAR_BEYOND_L2 * here.l2_bytes // PIECE_BYTES * PIECES
    size = float(pieces * PIECE_BYTES // PIECES)
    for kind, moved in (("read", size), ("write", size), ("copy", 2 * size)):
        works = [workload(f"dram_{kind}", pieces=pieces // each, each=each) for each in (1, 2, 4, 8)]
        yield Rate(f"dram_{kind}_bytes_per_s", works, moved, clocked=False)
    blocks, inside = here.multiprocessors * 8, here.l2_bytes // 3 // PIECE_BYTES
    works = [workload("l2_read", pieces=inside, blocks=blocks, rounds=1501)]
    yield Rate("l2_read_bytes_per_s", works, 1501.0 * blocks * PIECE_BYTES)
    works = [workload("shared_read", blocks=here.multiprocessors * 4, rounds=ROUNDS["shared"])]
    yield Rate("shared_bytes_per_s", works, float(here.multiprocessors * 4 * ROUNDS["shared"] * 8 * 256 * 16))


def _best(rate: Rate, cost: float) -> Found:
    every = [_timed(rate, work, cost) for work in rate.works]
    return max(every, key=lambda one: one.value)


def _timed(rate: Rate, work: Workload, cost: float) -> Found:
    prepared = prepare(work)
    prepared.launch()
    check(prepared)
    (timing,) = time_in_turn([prepared.launch])
    clock = sm_clock_hz(prepared.launch, timing.median_s) if rate.clocked else None
    amount = float(sum(work.flop.values())) if rate.bytes is None else rate.bytes
    how = f"{work.name}, {work.grid[0]} blocks of {work.block[0]} threads"
    return Found(rate.name, amount / (timing.median_s - cost), timing, how, clock)


def _vendor(here: Device, cost: float) -> Iterator[Found]:
    families = VENDOR_FAMILIES.get(here.compute_capability)
    if families is None:
        return
    for kind, product in products().items():
        (timing,) = time_in_turn([product.launch])
        name = f"tensor_{kind}_{families.get(kind, families[None])}_flop_per_s"
        clock = sm_clock_hz(product.launch, timing.median_s)
        yield Found(name, product.flop / (timing.median_s - cost), timing, product.doc, clock)


def _measured(here: Device, found: Sequence[Found], cost: float) -> Measured:
    best: dict[str, Found] = {}
    for one in found:
        if one.name not in best or best[one.name].value < one.value:
            best[one.name] = one
    values = true_ceilings({name: one.value for name, one in best.items()})
    return Measured(
        gpu=here.name,
        values=values,
        sm_clock_hz={name: clock for name in values if (clock := best[name].clock_hz) is not None},
        conditions=conditions(here)
        | {"launch_cost_s": cost, "times": TIMES, "kernels": [_record(one) for one in found]},
    )


def _record(one: Found) -> dict[str, Any]:
    times = {"median_s": one.timing.median_s, "low_quartile_s": one.timing.low_s, "high_quartile_s": one.timing.high_s}
    return {"name": one.name, "value": one.value, "kernel": one.how, "repeats": one.timing.repeats, **times}

"""SCALE on CUDA cores and on tensor cores: bandwidth over size, and how far tensor cores could help by theory."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from nsightlens.apps.bench.conditions import conditions
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.ceilings_memory import PIECE_BYTES, PIECES
from nsightlens.kernels.check import check, compare
from nsightlens.kernels.cupy_launch import Prepared, load_cupy, prepare
from nsightlens.kernels.device import device
from nsightlens.kernels.timing import Timing, time_in_turn
from nsightlens.kernels.vector import FP64_BYTES
from nsightlens.kernels.workload import Workload
from nsightlens.measured import Measured, find_ceilings
from nsightlens.models import scale as model
from nsightlens.models import tensor_core
from nsightlens.ranges import annotate
from nsightlens.units import si

SCHEMA = "nsightlens.bench/1"
BYTES = 16
"""Read and written for each element (the convention of STREAM)."""
VARIANTS: dict[str, tuple[str, dict[str, int]]] = {
    "CUDA cores": ("scale", {}),
    "tensor m8n8k4, published": ("scale_tensor", {"published": 1, "rows": 8}),
    "tensor m8n8k4, coalesced": ("scale_tensor", {"published": 0, "rows": 8}),
    "tensor m16n8k4, published": ("scale_tensor", {"published": 1, "rows": 16}),
    "tensor m16n8k4, coalesced": ("scale_tensor", {"published": 0, "rows": 16}),
}
COPY, CUDA, TENSOR = "best copy", "CUDA cores", "tensor"
SHAPES = ("m8n8k4", "m16n8k4")
"""The tensor instructions of the variants."""
SMALLEST, LARGEST = 18, 28
"""Powers of two of the elements; one more, so that no size is a multiple of anything."""
Says = Callable[[str], None]


def works(elements: int) -> dict[str, Workload]:
    """Return the variants of SCALE for so many elements."""
    return {name: workload(family, n=elements, **given) for name, (family, given) in VARIANTS.items()}


def measure(say: Says = lambda _: None, largest: int = LARGEST) -> dict[str, Any]:
    """Check and time all variants at all sizes.

    Raises
    ------
    UsageError
        If there is no CuPy or no GPU.
    NsightlensError
        If a variant computes something wrong.
    """
    here = device()
    rows = [row for power in range(SMALLEST, largest + 1) for row in _timed((1 << power) + 1, say)]
    return {
        "schema": SCHEMA,
        "suite": "scale",
        "conditions": conditions(here) | {"precision": "fp64", "bytes": "16 an element: read and written once"},
        "rows": rows,
    }


def launch_each(elements: int = (1 << 27) + 1) -> None:
    """Launch every variant once in a range ``scale/VARIANT``: what is to be profiled."""
    for name, work in works(elements).items():
        prepared = prepare(work)
        with annotate("scale"), annotate(name, flop=elements, dram_bytes=BYTES * elements, payload=elements):
            prepared.launch()
        del prepared
        load_cupy().get_default_memory_pool().free_all_blocks()


def _timed(elements: int, say: Says) -> Iterator[dict[str, Any]]:
    say(f"{elements} elements")
    every = works(elements)
    first = prepare(every["CUDA cores"])
    ready = {name: Prepared(work, first.host, first.device) for name, work in every.items()}
    for prepared in ready.values():
        prepared.restore()
        prepared.launch()
        check(prepared)
    copies = _copies(first, elements)
    for copy in copies:
        copy.check(first)
    launches = [*(prepared.launch for prepared in ready.values()), *(copy.launch for copy in copies)]
    times = time_in_turn(launches)
    for name, timing in zip(every, times, strict=False):
        yield _row(name, elements, timing)
    best = min(times[len(every) :], key=lambda timing: timing.median_s)
    yield _row(COPY, elements, best)
    load_cupy().get_default_memory_pool().free_all_blocks()


@dataclass(frozen=True)
class _Copy:
    """A way to copy the vector: elements beyond the last whole piece stay where they are."""

    work: Workload
    launch: Callable[[], None]
    elements: int

    def check(self, first: Prepared) -> None:
        """Copy, and compare with the vector; raise ``NsightlensError`` if the copy is none."""
        b = first.device[1]
        b.fill(np.nan)
        self.launch()
        compare(self.work, [b.get()[: self.elements]], [first.host[0][: self.elements]])


def _copies(first: Prepared, elements: int) -> list[_Copy]:
    """Return ways to copy the vector: the library's, and ours where there is a whole piece to move."""
    a, b = first.device[0], first.device[1]
    named = replace(first.work, name="cudaMemcpy")
    found = [_Copy(named, lambda: b.data.copy_from_device_async(a.data, a.nbytes), elements)]
    for each in (1, 2, 4, 8):
        pieces = FP64_BYTES * elements // (PIECE_BYTES // PIECES * each)
        if pieces:
            work = workload("dram_copy", pieces=pieces, each=each)
            moved = pieces * (PIECE_BYTES // PIECES * each) // FP64_BYTES
            found.append(_Copy(work, Prepared(work, (), (a, b)).launch, moved))
    return found


def _row(name: str, elements: int, timing: Timing) -> dict[str, Any]:
    moved = BYTES * elements
    return {
        "variant": name,
        "elements": elements,
        "bytes": moved,
        "bytes_per_s": moved / timing.median_s,
        **asdict(timing),
    }


def with_verdict(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result with its ``verdict``."""
    return {**result, "verdict": verdict(result)}


def verdict(result: Mapping[str, Any]) -> list[str]:
    """Return, for the largest size, what tensor cores brought, what theory allows, and how near to a copy all is.

    The bounds (article 1, arXiv 2502.16851, corrected) take the measured ceilings of such a GPU, if there are any.
    """
    largest = max(row["elements"] for row in result["rows"])
    rates = {row["variant"]: row["bytes_per_s"] for row in result["rows"] if row["elements"] == largest}
    cuda, copy = rates[CUDA], rates[COPY]
    tensor = {name: rate / cuda for name, rate in rates.items() if name.startswith(TENSOR)}
    found = ", ".join(f"{name} {ratio:.3f}" for name, ratio in tensor.items())
    return [
        f"{si(BYTES * largest, 'B')}: CUDA cores reach {cuda / copy:.3f} of the best copy of the same run.",
        f"Tensor cores against CUDA cores: {found}. Best found: {max(tensor.values()):.3f}.",
        *_allowed(find_ceilings(result["conditions"]["gpu"])),
    ]


def _allowed(best: Measured | None) -> Iterator[str]:
    """Yield the bounds of theory: no shape lies above that of the fastest one, each has its own slow-down."""
    tensor, cuda, bandwidth = map((best.values if best else {}).get, _NEEDED)
    if best is None or tensor is None or cuda is None or bandwidth is None:
        yield "No such ceilings of this GPU are known: measure them with nsightlens ceilings, and the bounds are shown."
        return
    boundness = model.boundness(cuda, bandwidth, FP64_BYTES)
    ratio = tensor_core.peak_ratio(tensor, cuda)
    known = f"peaks in the ratio {ratio:.3f}, memory time {boundness:.1f} times compute time"
    most, any_kernel = tensor_core.unoverlapped(ratio, boundness), tensor_core.bound(ratio)
    yield (
        f"Theory ({known}): never above {most:.4f} with these bytes in device memory "
        f"(any memory-bound kernel {any_kernel:.3f})."
    )
    rates = {shape: best.values.get(f"tensor_fp64_dmma_{shape}_flop_per_s") for shape in SHAPES}
    worst = [f"{shape} {model.worst_ratio(rate, cuda, bandwidth):.3f}" for shape, rate in rates.items() if rate]
    if worst:
        yield f"Of their work here an eighth is useful: if nothing overlapped, {', '.join(worst)}."


_NEEDED = ("tensor_fp64_dmma_flop_per_s", "fp64_flop_per_s", "dram_copy_bytes_per_s")

"""The overlap experiment: kernels with and without their memory accesses and their arithmetic."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from nsightlens.apps.bench.conditions import conditions
from nsightlens.errors import ModelError
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.check import compare
from nsightlens.kernels.cupy_launch import Prepared, load_cupy, prepare
from nsightlens.kernels.device import device
from nsightlens.kernels.overlap import VARIANTS
from nsightlens.kernels.timing import REPEATS, timed
from nsightlens.models import ablation
from nsightlens.ranges import annotate

SCHEMA = "nsightlens.overlap/1"
VECTORS = 1 << 25
STEPS: Mapping[int, Sequence[int]] = {64: (8, 32, 64, 128), 32: (16, 64, 128, 256), 164: (2, 4, 8, 16)}
PER_SM = (1, 2, 4, 8)
PIPELINED: Mapping[int, Sequence[int]] = {64: (48, 96), 32: (96,)}
RESAMPLES = 200
LEAST_WEIGHT = 0.1
"""Below this share of the time the shorter of memory and compute is too short for a point estimate."""
Says = Callable[[str], None]
Case = tuple[str, dict[str, int]]


def cases(sms: int, vectors: int = VECTORS) -> Iterator[Case]:
    """Yield the name and parameters of every kernel of the experiment, the variant left out."""
    for kind, steps in STEPS.items():
        for count, per_sm, phases in product(steps, PER_SM, (0, 1)):
            grid = sms * per_sm
            yield (
                "factorial",
                {"kind": kind, "steps": count, "vectors": vectors, "blocks": grid, "per_sm": per_sm, "phases": phases},
            )
    for kind, steps in PIPELINED.items():
        for count, ahead in product(steps, range(5)):
            yield "pipelined", {"kind": kind, "steps": count, "tiles": sms * 100, "blocks": sms, "ahead": ahead}


def label(case: Case) -> str:
    """Return a short name of a case, for its range and its row."""
    family, given = case
    place = f"{given['per_sm']} blocks an SM" if family == "factorial" else f"{given['ahead']} of 4 ahead"
    apart = " in phases" if given.get("phases") else ""
    return f"{family} {given['kind']} x {given['steps']}{apart}, {place}"


def measure(say: Says = lambda _: None) -> dict[str, Any]:
    """Check and time the four variants of every case, and return the overlap fractions with their spread.

    Raises
    ------
    UsageError
        If there is no CuPy or no GPU.
    NsightlensError
        If a kernel computes something wrong.
    """
    here = device()
    rows, shared = [], _Shared()
    for case in cases(here.multiprocessors):
        say(label(case))
        rows.append(_row(case, shared))
    return {"schema": SCHEMA, "conditions": conditions(here), "rows": rows}


def launch_each() -> None:
    """Launch every whole kernel once in a range ``overlap/CASE``: what is to be profiled."""
    shared = _Shared()
    for case in cases(device().multiprocessors):
        prepared = shared.prepared(case, "full")
        with annotate("overlap"), annotate(label(case)):
            prepared.launch()


class _Shared:
    """Data on the device, made once for all variants and cases of one kind and size."""

    def __init__(self) -> None:
        self._made: tuple[tuple[int, int], Prepared] | None = None
        self._right: tuple[tuple[Any, ...], dict[Any, Sequence[Any]]] | None = None

    def prepared(self, case: Case, variant: str) -> Prepared:
        family, given = case
        work = workload(family, variant=variant, **given)
        key = (given["kind"] % 100, given.get("vectors") or given["tiles"])
        if self._made is None or self._made[0] != key:
            self._made = self._right = None
            load_cupy().get_default_memory_pool().free_all_blocks()
            self._made = (key, prepare(work))
        return Prepared(work, self._made[1].host, self._made[1].device)

    def check(self, case: Case, variant: str) -> None:
        """Launch a variant and compare on the device, where most time goes, with what it must be.

        Raises
        ------
        NsightlensError
            If the result is wrong.
        """
        prepared = self.prepared(case, variant)
        results = [prepared.device[position] for position in prepared.work.outputs]
        for result in results:
            result.fill(np.nan)
        prepared.launch()
        compare(prepared.work, results, self._expected(case, variant, prepared))

    def _expected(self, case: Case, variant: str, prepared: Prepared) -> Sequence[Any]:
        """Return what a variant must leave, on the device; it is the same for all cases of a kind and steps."""
        key = (case[0], case[1]["kind"], case[1]["steps"])
        if self._right is None or self._right[0] != key:
            self._right = (key, {})
        known = self._right[1]
        if variant not in known:
            known[variant] = [load_cupy().asarray(one) for one in prepared.work.reference(prepared.host)]
        return known[variant]


def _row(case: Case, shared: _Shared) -> dict[str, Any]:
    for variant in VARIANTS:
        shared.check(case, variant)
    ready = {variant: shared.prepared(case, variant) for variant in VARIANTS}
    for prepared in ready.values():
        prepared.launch()
        prepared.launch()
    rounds = np.array([[timed(prepared.launch) for prepared in ready.values()] for _ in range(REPEATS)])
    times = dict(zip(VARIANTS, map(float, np.median(rounds, axis=0)), strict=True))
    family, given = case
    found = {"label": label(case), "family": family, **given, **{f"t_{name}_s": value for name, value in times.items()}}
    weight = (min(times["memory"], times["compute"]) - times["skeleton"]) / times["full"]
    return {**found, "weight": weight, **_estimate(rounds, weight)}


def _estimate(rounds: np.ndarray[Any, Any], weight: float) -> dict[str, float | None]:
    """Return the overlap fraction and its standard error by resampling; None if there is too little to hide."""
    if weight < LEAST_WEIGHT:
        return {"overlap": None, "overlap_error": None}
    random = np.random.default_rng(0)
    picks = random.integers(0, len(rounds), (RESAMPLES, len(rounds)))
    try:
        many = [_fraction(np.median(rounds[pick], axis=0)) for pick in picks]
        return {"overlap": _fraction(np.median(rounds, axis=0)), "overlap_error": float(np.std(many))}
    except ModelError:
        return {"overlap": None, "overlap_error": None}


def _fraction(times: np.ndarray[Any, Any]) -> float:
    full, memory, compute, skeleton = map(float, times)
    return ablation.overlap(full, memory, compute, skeleton)

"""Whether CUDA cores and tensor cores work at the same time: one alone, the other alone, both."""

from collections.abc import Callable, Mapping
from typing import Any

from nsightlens.apps.bench.conditions import conditions
from nsightlens.apps.bench.launch_cost import launch_cost_s
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.check import check
from nsightlens.kernels.cupy_launch import prepare
from nsightlens.kernels.device import device
from nsightlens.kernels.timing import time_in_turn

SCHEMA = "nsightlens.co-issue/1"
ROUNDS = 500
KINDS = {"fma": (1, 0), "mma": (0, 1), "both": (1, 1)}
Says = Callable[[str], None]


def measure(say: Says = lambda _: None) -> dict[str, Any]:
    """Return, for FP64 and FP32, in one warp and in different warps, the three times in seconds and what they tell.

    The times hold ``launch_s``, what a launch costs. ``together``, from the times less that, is the part of the shorter
    of both times that hides under the longer one: 1 if both units work at the same time, 0 if in turn.

    Raises
    ------
    UsageError
        If there is no CuPy or no GPU.
    NsightlensError
        If a kernel computes something wrong.
    """
    here = device()
    launch_s, rows = launch_cost_s(here), []
    for bits in (64, 32):
        for apart in (0, 1):
            say(f"{bits} bits, {'different warps' if apart else 'one warp'}")
            rows.append(_row({"bits": bits, "apart": apart}, 2 * here.multiprocessors, launch_s))
    return {"schema": SCHEMA, "conditions": conditions(here), "launch_s": launch_s, "rows": rows}


def _row(which: Mapping[str, int], blocks: int, launch_s: float) -> dict[str, Any]:
    ready = [
        prepare(workload("co_issue", blocks=blocks, rounds=ROUNDS, fma=fma, mma=mma, **which))
        for fma, mma in KINDS.values()
    ]
    for one in ready:
        one.launch()
        check(one)
    fma_s, mma_s, both_s = (timing.median_s for timing in time_in_turn([one.launch for one in ready]))
    together = (fma_s + mma_s - both_s - launch_s) / (min(fma_s, mma_s) - launch_s)
    return {**which, "fma_s": fma_s, "mma_s": mma_s, "both_s": both_s, "together": together}

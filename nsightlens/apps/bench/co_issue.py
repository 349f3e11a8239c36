"""Whether CUDA cores and tensor cores work at the same time: one alone, the other alone, both."""

from collections.abc import Callable
from typing import Any

from nsightlens.apps.bench.conditions import conditions
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.check import check
from nsightlens.kernels.cupy_launch import prepare
from nsightlens.kernels.device import device
from nsightlens.kernels.timing import time_in_turn

SCHEMA = "nsightlens.co-issue/1"
ROUNDS = 1000
KINDS = {"fma": (1, 0), "mma": (0, 1), "both": (1, 1)}
Says = Callable[[str], None]


def measure(say: Says = lambda _: None) -> dict[str, Any]:
    """Return, for FP64 and FP32, in one warp and in different warps, the three times in seconds and what they tell.

    ``together`` is the part of the shorter of both times that hides under the longer one: 1 if both units work at the
    same time, 0 if in turn.
    """
    here = device()
    blocks = 2 * here.multiprocessors
    rows = []
    for bits in (64, 32):
        for apart in (0, 1):
            say(f"{bits} bits, {'different warps' if apart else 'one warp'}")
            ready = []
            for fma, mma in KINDS.values():
                one = prepare(
                    workload("co_issue", bits=bits, blocks=blocks, rounds=ROUNDS, fma=fma, mma=mma, apart=apart)
                )
                one.launch()
                check(one)
                ready.append(one)
            fma_s, mma_s, both_s = (timing.median_s for timing in time_in_turn([one.launch for one in ready]))
            together = (fma_s + mma_s - both_s) / min(fma_s, mma_s)
            rows.append(
                {"bits": bits, "apart": apart, "fma_s": fma_s, "mma_s": mma_s, "both_s": both_s, "together": together}
            )
    return {"schema": SCHEMA, "conditions": conditions(here), "rows": rows}

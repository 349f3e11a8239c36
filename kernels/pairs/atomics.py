"""Pairs whose defect is atomics on few addresses."""

import numpy as np

from nsightlens.kernels.pairs.pair import PACKAGE, Pair
from nsightlens.kernels.workload import Array, Workload

ATOMIC = "atomic_contention"


def histogram(shared: bool, copies: int, n: int, sms: int) -> Workload:
    """Return counts of eight kinds, each spread over so many addresses."""
    bins = 8
    return Workload(
        name="histogram",
        source="histogram.cu",
        package=PACKAGE,
        entry="histogram",
        defines={"SHARED": int(shared), "BINS": bins, "COPIES": copies},
        grid=(sms * 8, 1, 1),
        block=(256, 1, 1),
        arguments=lambda random: (
            random.integers(0, bins, n, dtype=np.uint8),
            np.zeros(bins * copies, np.uint32),
            np.uint32(1),
            np.uint32(n),
        ),
        outputs=(1,),
        reference=lambda given: (_counted(given[0], bins, copies, sms * 8 * 256, shared),),
        flop={},
        dram_bytes=n + 4 * bins * copies,
    )


def _counted(kinds: Array, bins: int, copies: int, threads: int, shared: bool) -> Array:
    thread = np.arange(kinds.size, dtype=np.uint32) // np.uint32(4) % np.uint32(threads)
    copy = (thread % np.uint32(256) if shared else thread) % np.uint32(copies)
    return np.asarray(np.bincount(kinds * np.uint32(copies) + copy, minlength=bins * copies), np.uint32)


PAIRS = (
    Pair(
        "histogram_global",
        (ATOMIC,),
        lambda planted, sms: histogram(False, 128 if planted else 4096, 1 << 25, sms),
        "1024 addresses in L2, instead of 32768.",
    ),
    Pair(
        "histogram_shared",
        (ATOMIC,),
        lambda planted, sms: histogram(True, 1 if planted else 32, 1 << 27, sms),
        "Eight addresses in shared memory, instead of eight a lane.",
    ),
)

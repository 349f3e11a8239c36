"""What an annotated call costs without a profiler, beside nvtx's own annotate and beside nothing, in one run.

Run as ``python tests/benchmarks/annotate.py``; needs nvtx and no GPU.
"""

import argparse
import statistics
import timeit
from collections.abc import Callable

import nvtx

from nsightlens import annotate

CALLS = 20_000


def empty() -> None:
    """Do nothing."""


def with_nvtx() -> None:
    """Do nothing in a range of nvtx."""
    with nvtx.annotate("empty", domain="benchmark"):
        pass


def with_ours() -> None:
    """Do nothing in a range of nsightlens."""
    with annotate("empty"):
        pass


def with_figures() -> None:
    """Do nothing in a range of nsightlens that declares its work."""
    with annotate("empty", flop=2, dram_bytes=16, payload=1):
        pass


KEPT, KEPT_NVTX = annotate("empty"), nvtx.annotate("empty", domain="benchmark")


def with_kept() -> None:
    """Do nothing in a range of nsightlens that was made once."""
    with KEPT:
        pass


def with_kept_nvtx() -> None:
    """Do nothing in a range of nvtx that was made once."""
    with KEPT_NVTX:
        pass


CASES: dict[str, Callable[[], None]] = {
    "no range": empty,
    "nsightlens decorator": annotate("empty")(empty),
    "nvtx decorator": nvtx.annotate("empty", domain="benchmark")(empty),
    "nsightlens with, made once": with_kept,
    "nvtx with, made once": with_kept_nvtx,
    "nsightlens with": with_ours,
    "nsightlens with, work declared": with_figures,
    "nvtx with": with_nvtx,
}


def main() -> None:
    """Print nanoseconds a call and the ratio to the empty call and to nvtx's ``with``, medians over rounds."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    taken: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(rounds):
        for name, call in CASES.items():
            taken[name].append(timeit.timeit(call, number=CALLS) / CALLS * 1e9)
    for name, times in taken.items():
        ratios = [
            statistics.median(a / b for a, b in zip(times, taken[beside], strict=True))
            for beside in ("no range", "nvtx with")
        ]
        print(f"{name:32}{statistics.median(times):8.0f} ns {ratios[0]:7.2f} x empty {ratios[1]:6.2f} x nvtx with")


if __name__ == "__main__":
    main()

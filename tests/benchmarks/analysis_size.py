"""The analysis of 500 and of 10,000 launches, after reading, in one run.

Run as ``python tests/benchmarks/analysis_size.py``; no GPU. The launches are recorded ones, repeated, ten to a
range, so that ranges grow in number as in a long program.
"""

import argparse
import cProfile
import gc
import statistics
import time
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from nsightlens.analysis import analyze
from nsightlens.collectors.load import load
from nsightlens.report import render

DATA = Path(__file__).parent.parent / "data"
REPORTS = Path(__file__).parent.parent.parent / "docs" / "measurements" / "reports"
SOURCES = {
    "loss_pairs_a, full set": REPORTS / "loss_pairs_a.ncu-rep.xz",
    "torch_step, set losses": REPORTS / "torch_step.ncu-rep.xz",
}


def repeated(report, number):
    """Return the report with so many launches."""
    launches = (
        replace(launch, row={**launch.row, "launch": at, "nvtx": (*launch.row["nvtx"], f"d/step {at // 10}")})
        for at, launch in enumerate(islice(cycle(report.launched), number))
    )
    return replace(report, launched=tuple(launches))


def seconds(few, many, times, runs):
    """Return the median CPU time of a call with few launches and of one with many, measured in turn.

    The former is the mean of so many calls in a row: this processor is a quarter slower after the first second of work.
    """
    taken = [(cpu_seconds(few, times) / times, cpu_seconds(many, 1)) for _ in range(runs)]
    return map(statistics.median, zip(*taken, strict=True))


def cpu_seconds(do, times):
    """Return the CPU time of so many calls."""
    gc.collect()
    start = time.process_time()
    for _ in range(times):
        do()
    return time.process_time() - start


def calls_of(do):
    """Return how many functions a call calls in all, the same in every run."""
    counter = cProfile.Profile()
    counter.runcall(do)
    return sum(entry.callcount for entry in counter.getstats())


def main():
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--launches", type=int, nargs=2, default=(500, 10_000))
    given = parser.parse_args()
    few, many = given.launches
    print(f"| report | what | CPU time of {few} | of {many} launches | ratio | ratio of function calls |")
    print("|---|---|---|---|---|---|")
    for name, path in SOURCES.items():
        report = load(path)
        reports = [repeated(report, number) for number in (few, many)]
        analyses = [analyze([one]) for one in reports]
        steps = {
            "analyze": [lambda one=one: analyze([one]) for one in reports],
            "table": [lambda one=one: render(one, "table") for one in analyses],
        }
        for what, calls in steps.items():
            small, large = seconds(*calls, many // few, given.runs)
            fewer, more = map(calls_of, calls)
            row = (f"{small:.2f} s", f"{large:.2f} s", f"{large / small:.1f}", f"{more / fewer:.2f}")
            print("|", " | ".join((name, what, *row)), "|", flush=True)


if __name__ == "__main__":
    main()

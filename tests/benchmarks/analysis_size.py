"""The analysis of 500 and of 10,000 launches, after reading, in one run.

Run as ``python tests/benchmarks/analysis_size.py``; no GPU. The launches are recorded ones, repeated, ten to a
range, so that ranges grow in number as in a long program.
"""

import argparse
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


def seconds(do, runs):
    """Return the median CPU time of several calls."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        do()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main():
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--launches", type=int, nargs=2, default=(500, 10_000))
    given = parser.parse_args()
    few, many = given.launches
    print(f"| report | what | {few} launches | {many} launches | ratio (at most 20) |\n|---|---|---|---|---|")
    for name, path in SOURCES.items():
        report = load(path)
        reports = [repeated(report, number) for number in (few, many)]
        analyses = [analyze([one]) for one in reports]
        steps = {
            "analyze": [lambda one=one: analyze([one]) for one in reports],
            "table": [lambda one=one: render(one, "table") for one in analyses],
        }
        for what, calls in steps.items():
            small, large = (seconds(call, given.runs) for call in calls)
            print(f"| {name} | {what} | {small:.2f} s | {large:.2f} s | {large / small:.1f} |", flush=True)


if __name__ == "__main__":
    main()

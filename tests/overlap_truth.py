"""Recorded overlap experiments: the interval from counters beside what the four variants gave."""

import json
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from nsightlens.analysis import analyze
from nsightlens.collectors.load import load

TESTS = Path(__file__).parent
MEASUREMENTS = TESTS.parent / "docs" / "measurements"


class Point(NamedTuple):
    """One launch: blocks on a multiprocessor (None where tiles are pipelined), data type, truth in [0, 1], interval.

    ``independent`` is what independent busy times would give: the longer one's share of the time.
    """

    per_sm: int | None
    kind: str
    truth: float
    low: float
    high: float
    independent: float

    @property
    def covered(self):
        """Tell whether the interval holds the truth."""
        return self.low - 1e-9 <= self.truth <= self.high + 1e-9


def factorial():
    """Return the points of the recording on which the margin was chosen."""
    truth = json.loads((TESTS / "data" / "overlap_factorial.truth.json").read_text(encoding="utf-8"))
    rows = {row["label"]: (row["overlap"], row["blocks_per_sm"], row["dtype"]) for row in truth}
    return _points(TESTS / "data" / "overlap_factorial.ncu-rep.xz", rows)


def others(*, samples=False):
    """Return the points of kernels that had no part in choosing the margin, without or with their samples over time."""
    truth = json.loads((MEASUREMENTS / "data" / "overlap.json").read_text(encoding="utf-8"))["rows"]
    kinds = {32: "float", 64: "double", 164: "double, tensor"}
    rows = {row["label"]: (row["overlap"], row.get("per_sm"), kinds[row["kind"]]) for row in truth}
    return _points(MEASUREMENTS / "reports" / "overlap.ncu-rep.xz", rows, samples=samples)


@cache
def _read(report):
    return load(report, samples=True)


def _points(report, rows, *, samples=False):
    found, read = [], _read(report)
    if not samples:
        read = replace(read, launched=tuple(replace(launch, samples=None) for launch in read.launched))
    for launch in analyze([read]).launches:
        if not launch.nvtx:
            continue  # the launches that warm up lie outside the ranges
        truth, per_sm, kind = rows[launch.nvtx[0].split("/")[-1]]
        if truth is not None:
            low, high = launch.overlap.low, launch.overlap.high
            ends = (0.0, 1.0) if low is None else (low, high)
            longer = max(launch.overlap.t_mem_s, launch.overlap.t_cmp_s) / launch.time_s
            found.append(Point(per_sm, kind, min(1.0, max(0.0, truth)), *ends, independent=min(1.0, longer)))
    return found


def coverage(points):
    """Return the part of the intervals that hold the truth, and their mean width."""
    return sum(p.covered for p in points) / len(points), sum(p.high - p.low for p in points) / len(points)


def grouped(points):
    """Return the points by data type and blocks on a multiprocessor."""
    groups = defaultdict(list)
    for point in points:
        groups[point.kind, point.per_sm].append(point)
    return dict(sorted(groups.items(), key=str))

"""The same launches from a report and from the raw page printed from it, both through the public reader."""

import csv
import lzma
import math
from collections import Counter

import pytest

from nsightlens.collectors.load import load

PAIRS = {"nested_nvtx": 280, "two_processes": 4}
PREFIXES = {"K": 3, "M": 6, "G": 9, "T": 12}
TIMES = {"ns": 0, "us": 3, "ms": 6, "s": 9}  # ncu's base unit of time is the nanosecond


def by_process(launched):
    """Give each launch its process and its place in it: a page lists its launches by process."""
    seen = Counter()
    keys = {}
    for launch in launched:
        process_id = launch.row["process_id"]
        keys[process_id, seen[process_id]] = launch
        seen[process_id] += 1
    assert None not in seen
    return keys


def half_step(text, unit):
    """Return half a unit of the last digit that is printed, in base units."""
    numerator = unit.partition("/")[0]
    prefixed = numerator[:1] in PREFIXES and numerator[1:] in {"byte", "hz"}
    power = PREFIXES[numerator[0]] if prefixed else TIMES.get(numerator, 0)
    return 0.5 * 10.0 ** (power - len(text.partition(".")[2]))


@pytest.mark.parametrize("name", PAIRS)
def test_report_and_page_agree_on_every_common_counter_of_every_launch(data, name):
    packed = data / "csv" / f"{name}_raw.csv.xz"
    header, units, *rows = csv.reader(lzma.decompress(packed.read_bytes()).decode().splitlines())
    theirs, ours = by_process(load(data / f"{name}.ncu-rep.xz").launched), by_process(load(packed).launched)
    assert len(rows) == PAIRS[name]
    assert ours.keys() == theirs.keys()
    compared = Counter()
    for row, (key, mine) in zip(rows, ours.items(), strict=True):
        report = theirs[key]
        assert mine.row["name"] == report.row["name"]
        printed = {column: (text, unit) for column, text, unit in zip(header, row, units, strict=True)}
        assert set(report.counters) - {c for c, v in report.counters.items() if v in (None, "")} <= set(mine.counters)
        for counter in mine.counters.keys() & report.counters.keys():
            value, real = mine.counters[counter], report.counters[counter]
            if isinstance(real, int | float) and not math.isnan(real):
                assert abs(value - real) <= half_step(*printed[counter]) * (1 + 1e-9) + 1e-12 * abs(real), counter
                compared[counter] += 1
            else:
                assert value == real or (real != real and value != value), counter  # noqa: PLR0124 - both nan
    assert compared["gpu__time_duration.sum"] == PAIRS[name]
    assert len(compared) > 20

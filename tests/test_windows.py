"""The overlap interval from samples over time: bounds by hand and by properties, odd series, and which are one pass."""

import json
import math
from array import array
from dataclasses import asdict, replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.analysis import analyze
from nsightlens.collectors.ncu_rep_action import Wanted, copy_launch
from nsightlens.collectors.report import Report, make_launch
from nsightlens.collectors.samples import Samples, build_samples, copy_samples
from nsightlens.errors import ModelError
from nsightlens.models.overlap import interval
from nsightlens.models.windows import Window, busy, certain, joined, scaled
from nsightlens.report.json import document

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "analysis.schema.json").read_text(encoding="utf-8"))
SHARE = st.floats(0, 1)
WINDOWS = st.lists(st.builds(Window, st.floats(0.001, 10), SHARE, SHARE), min_size=1, max_size=30)
SEGMENTS = st.lists(st.tuples(st.floats(0.001, 10), st.booleans(), st.booleans()), min_size=1, max_size=40)

# -- the model -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("windows", "both", "alone"),
    [
        ([(1, 0.8, 0.4)], 0.2, 0),
        ([(1, 0.4, 0.8)], 0.2, 0),
        ([(1, 0.8, 0.4), (1, 0, 0)], 0.2, 0),
        ([(1, 1, 0), (1, 0, 1)], 0, 1),
        ([(2, 1, 0), (1, 0, 1)], 0, 1),
        ([(2, 0.9, 0.6), (4, 0.5, 0.5), (1, 0.1, 1)], 1.1, 0.6),
    ],
)
def test_vectors(windows, both, alone):
    assert certain([Window(*each) for each in windows]) == pytest.approx((both, alone))


@given(WINDOWS, st.floats(0, 0.2))
def test_windows_bound_at_least_as_closely_as_their_means_and_slack_loosens(windows, slack):
    total = sum(w.length for w in windows)
    memory, compute = busy(windows)
    found = certain(windows)
    assert found.both >= memory + compute - total - 1e-9 * total
    assert found.alone >= 0
    looser = certain(windows, slack)
    assert found.both - slack * total - 1e-9 * total <= looser.both <= found.both
    assert found.alone - slack * total - 1e-9 * total <= looser.alone <= found.alone


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.integers(1, 20))
def test_a_constant_series_gives_exactly_what_counters_give(memory, compute, count):
    found = certain([Window(1.0, memory, compute)] * count)
    counters = interval(count, count * memory, count * compute)
    assert found.both == pytest.approx(counters.low * count * min(memory, compute), abs=1e-9)
    assert found.alone == 0


@given(WINDOWS)
def test_splitting_each_window_in_two_changes_nothing(windows):
    halves = [half for w in windows for half in [w._replace(length=w.length / 2)] * 2]
    assert certain(halves) == pytest.approx(certain(windows), rel=1e-9, abs=1e-9)


@given(WINDOWS, st.floats(0, 50))
def test_joining_keeps_the_times_and_only_loosens(windows, least):
    found = joined(windows, least)
    assert busy(found) == pytest.approx(busy(windows), rel=1e-9, abs=1e-9)
    assert sum(w.length for w in found) == pytest.approx(sum(w.length for w in windows))
    assert len(found) == 1 or all(w.length >= least for w in found)
    slack = 1e-9 * sum(w.length for w in windows)
    memory, compute = busy(windows)
    assert certain(found).both <= certain(windows).both + slack
    if abs(memory - compute) > slack:  # else rounding decides which is the shorter one
        assert certain(found).alone <= certain(windows).alone + slack


@given(SEGMENTS, st.integers(1, 7))
def test_the_bounds_hold_the_truth_of_any_timeline(segments, each):
    """Cut a timeline of busy and idle stretches into windows: the joint time, known exactly, lies within."""
    cuts = [segments[start : start + each] for start in range(0, len(segments), each)]
    windows = [_window(cut) for cut in cuts]
    both = math.fsum(length for length, mem, cmp in segments if mem and cmp)
    shorter = min(busy(windows))
    found = certain(windows)
    assert found.both <= both + 1e-9
    assert both <= shorter - found.alone + 1e-9


def _window(cut):
    total = math.fsum(length for length, _, _ in cut)
    shares = (min(1.0, math.fsum(s[0] for s in cut if s[which]) / total) for which in (1, 2))
    return Window(total, *shares)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: certain([Window(1, 1.1, 0.5)]),
        lambda: certain([Window(1, math.nan, 0.5)]),
        lambda: certain([Window(-1, 0.5, 0.5)]),
        lambda: certain([Window(1, 0.5, 0.5)], -0.1),
        lambda: joined([Window(1, 0.5, 0.5)], math.nan),
        lambda: scaled([Window(1, 0.5, 0.5)], 2.1, 1),
        lambda: scaled([Window(1, 0.5, 0.5)], 1, -1),
    ],
)
def test_what_lies_outside_is_refused(wrong):
    with pytest.raises(ModelError):
        wrong()


# -- the analysis ----------------------------------------------------------------------------------------------------

STEP_NS = 10_000
COUNT = 100
"""A launch of 1 ms in samples of 10 microseconds."""
IDENTITY = {
    "launch": 0,
    "kind": "kernel",
    "process_id": 1,
    "name": "k",
    "full_name": "k()",
    "nvtx": (),
    "declared": {},
    "payload": None,
}


def report_of_one(dram, fp64, samples):
    busy_by = {"fp64": fp64, "fma": 0.0, "tensor": 0.0}
    counters = {
        "gpu__time_duration.sum": COUNT * STEP_NS,
        "dram__cycles_active.avg.pct_of_peak_sustained_elapsed": 100 * dram,
        **{f"sm__pipe_{n}_cycles_active.avg.pct_of_peak_sustained_elapsed": 100 * s for n, s in busy_by.items()},
    }
    launch = make_launch(dict(IDENTITY), counters, samples=samples)
    return Report("r.ncu-rep", "ncu-rep", complete=True, launched=(launch,))


def analysed(dram, fp64, samples):
    return asdict(analyze([report_of_one(dram, fp64, samples)]).launches[0].overlap)


def series(memory, compute, *, start=0, times=None):
    """Return samples of a launch amid idle time; the first time stamp is 0, as ncu writes it."""
    idle = [0.0] * 5
    memory, compute = ([*idle, *values, *idle] for values in (memory, compute))
    first = 1_796_100_238_116_132_416 + start
    times = [0, *range(first, first + (len(memory) - 1) * STEP_NS, STEP_NS)] if times is None else times
    return Samples(array("Q", times), {"dram_share": array("d", memory), "busy_fp64": array("d", compute)})


def mean(values):
    return sum(values) / COUNT


PHASED = ([0.7] * 50 + [0.0] * 50, [0.6] * 50 + [0.0] * 50)


def test_an_idle_phase_no_longer_hides_the_overlap():
    """Half of the time 0.7 and 0.6, then nothing: both busy for 0.3 of that half, which is half of compute."""
    found, plain = analysed(0.35, 0.3, series(*PHASED)), analysed(0.35, 0.3, None)
    assert (found["method"], found["status"]) == ("windowed", "bounded")
    assert (plain["method"], plain["low"]) == ("counters", 0)
    assert found["low"] == pytest.approx(50 * (0.3 - 0.01) / 30)
    assert found["high"] == plain["high"] == pytest.approx(0.65)
    assert "lower end 0.48 by samples over time, 0.00 without; upper end by experience" in found["reason"]
    assert found["idle_low_s"] == pytest.approx(1e-3 * (1 - 0.65 + found["low"] * 0.3))


def test_a_narrowed_interval_fits_the_schema_of_the_document():
    answer = document(analyze([report_of_one(0.35, 0.3, series(*PHASED))]))
    assert answer["launches"][0]["overlap"]["method"] == "windowed"
    jsonschema.validate(answer, SCHEMA)


def test_an_upper_end_by_experience_gives_way_to_a_bound():
    """Busy at 0.9 and 0.8 for half of the time: at least 0.7 of 0.8 hides, where experience says 0.75 at most."""
    found = analysed(0.45, 0.4, series([0.9] * 50 + [0.0] * 50, [0.8] * 50 + [0.0] * 50))
    assert analysed(0.45, 0.4, None)["high"] == pytest.approx(0.75)
    assert (found["low"], found["high"]) == (pytest.approx((0.7 - 0.01) / 0.8), 1)
    assert "upper end 1.00 by samples over time, 0.75 without" in found["reason"]


def test_phases_one_after_the_other_hide_nothing():
    """Memory 0.8 for 60 samples, then compute 0.9 for 40, the first 10 of which with memory 0.5."""
    memory, compute = [0.8] * 60 + [0.5] * 10 + [0.0] * 30, [1e-6] * 60 + [0.9] * 40
    found = analysed(mean(memory), mean(compute), series(memory, compute))
    alone = 30 * (0.9 - 0.01) + 10 * (0.4 - 0.01)
    assert found["method"] == "windowed"
    assert found["high"] == pytest.approx(1 - alone / sum(compute), abs=1e-3)
    assert found["low"] == pytest.approx(10 * (0.4 - 0.01) / sum(compute), abs=1e-3)
    assert f"upper end {found['high']:.2f} by samples" in found["reason"]
    assert found["idle_low_s"] <= found["idle_high_s"] < 1e-3 * (1 - mean(memory))


def test_samples_that_lack_memory_time_move_no_upper_end():
    """What they lack may lie beside the arithmetic that seems to be alone."""
    memory, compute = [0.8] * 60 + [0.5] * 10 + [0.0] * 30, [1e-6] * 60 + [0.9] * 40
    whole = analysed(mean(memory), mean(compute), series(memory, compute))
    lacking = analysed(mean(memory) + 0.1, mean(compute), series(memory, compute))
    plain = analysed(mean(memory) + 0.1, mean(compute), None)
    assert whole["high"] < 0.3
    assert lacking["high"] == plain["high"]


def test_a_constant_series_changes_nothing():
    assert analysed(0.8, 0.4, series([0.8] * COUNT, [0.4] * COUNT)) == analysed(0.8, 0.4, None)


def changed(**values):
    good = series(*PHASED)
    return replace(good, shares={**good.shares, **values})


def spoiled(value):
    shares = series(*PHASED).shares["busy_fp64"]
    shares[20] = value
    return changed(busy_fp64=shares)


@pytest.mark.parametrize(
    "samples",
    [
        *map(spoiled, (math.nan, math.inf, -0.1, 1e30)),
        changed(busy_fp64=array("d", [0.6] * 7)),
        changed(dram_share=array("d")),
        changed(busy_fp64=array("d", [0.0] * (COUNT + 10))),
        changed(dram_share=array("d", [0.0] * (COUNT + 10))),
        replace(series(*PHASED), times_ns=array("Q", [7] * (COUNT + 10))),
        replace(series(*PHASED), times_ns=array("Q", reversed(series(*PHASED).times_ns))),
        Samples(array("Q", [5]), {"dram_share": array("d", [0.9]), "busy_fp64": array("d", [0.6])}),
        Samples(array("Q"), {"dram_share": array("d"), "busy_fp64": array("d")}),
        Samples(array("Q", [1, 2]), {"busy_fp64": array("d", [0.9, 0.6])}),
        Samples(array("Q", [1, 2]), {"dram_share": array("d", [0.9, 0.6])}),
        series([share * 1.1 for share in PHASED[0]], PHASED[1]),
        series(PHASED[0], [share * 1.1 for share in PHASED[1]]),
        series(*PHASED, times=range(0, (COUNT + 10) * 10 * STEP_NS, 10 * STEP_NS)),
        series(*([share for share in half for _ in range(2)] for half in PHASED)),
    ],
)
def test_series_that_make_no_sense_or_show_another_launch_give_no_bound(samples):
    assert analysed(0.35, 0.3, samples) == analysed(0.35, 0.3, None)


def test_a_gap_between_samples_takes_nothing_but_what_it_hides():
    whole = series(*PHASED)
    times = [time + (COUNT * STEP_NS if index > 10 else 0) for index, time in enumerate(whole.times_ns)]
    found = analysed(0.35, 0.3, replace(whole, times_ns=array("Q", times)))
    assert found["low"] == pytest.approx(49 * (0.3 - 0.01) / 30)


PHASES = st.lists(st.tuples(SHARE, SHARE), min_size=10, max_size=10)


@given(PHASES, st.floats(0.9, 1.1), st.floats(0.9, 1.1))
def test_samples_never_widen_the_interval_whatever_they_are(phases, memory_off, compute_off):
    memory, compute = zip(*(phase for phase in phases for _ in range(COUNT // 10)), strict=True)
    shares = min(1.0, mean(memory) * memory_off), min(1.0, mean(compute) * compute_off)
    found, plain = analysed(*shares, series(memory, compute)), analysed(*shares, None)
    assert found["status"] == plain["status"]
    if plain["low"] is not None:
        assert plain["low"] <= found["low"] <= found["high"]
        assert found["high"] <= plain["high"] or found["low"] > plain["high"]
        assert plain["idle_low_s"] <= found["idle_low_s"] <= found["idle_high_s"] + 1e-12
        assert (found["method"] == "windowed") == (found != plain)


# -- the reader ------------------------------------------------------------------------------------------------------

DRAM = "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed"
FP64 = "TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed"
FMA = "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.avg.pct_of_peak_sustained_elapsed"
PIPES = {f"sm__pipe_{name}_cycles_active.avg.pct_of_peak_sustained_elapsed": 1.0 for name in ("fma", "tensor")}
FP64_BOUND = {**PIPES, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed": 40.0}
ONE, OTHER = [0, 1000, 2000, 3000], [0, 91000, 92000, 93000]


class Ids(list):
    def as_uint64(self, index):
        return self[index]


class Series:
    """Stands for a metric of NVIDIA's library."""

    def __init__(self, times, values=(0.0, 10.0, 20.0, 0.0)):
        self.times, self.values = times, values

    def has_correlation_ids(self):
        return self.times is not None

    def correlation_ids(self):
        return Ids(self.times)

    def num_instances(self):
        return len(self.times or ())

    def as_double(self, index):
        return self.values[index]


class Action(dict):
    metric_by_name = dict.__getitem__


def copied(metrics, counters=FP64_BOUND):
    return copy_samples(Action(metrics), list(metrics), counters)


def test_series_of_one_pass_are_read_and_only_the_pipe_that_limits():
    found = build_samples(copied({DRAM: Series(ONE), FP64: Series(ONE, (0, 1, 2, 3)), FMA: Series(ONE)}))
    assert list(found.times_ns) == ONE
    assert {name: list(values) for name, values in found.shares.items()} == {
        "dram_share": [0, 0.1, 0.2, 0],
        "busy_fp64": [0, 0.01, 0.02, 0.03],
    }


@pytest.mark.parametrize(
    "metrics",
    [
        {DRAM: Series(ONE), FP64: Series(OTHER)},
        {DRAM: Series(ONE), FP64: Series([*ONE, 4000], (0.0,) * 5)},
        {DRAM: Series(ONE), FP64: Series(None)},
        {DRAM: Series(None), FP64: Series(None)},
        {DRAM: Series([7], (1.0,)), FP64: Series([7], (1.0,))},
        {DRAM: Series([]), FP64: Series([])},
        {DRAM: Series(ONE), FMA: Series(ONE)},
        {DRAM: Series(ONE)},
        {FP64: Series(ONE)},
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed": Series(ONE), FP64: Series(ONE)},
        {},
    ],
)
def test_series_of_different_passes_or_without_a_partner_are_left(metrics):
    assert copied(metrics) is None


def test_of_series_in_three_passes_those_that_share_one_are_taken():
    """As ncu gives them if they are asked for by name beside the section PmSampling."""
    metrics = {
        "pmsampling:dram__throughput.avg.pct_of_peak_sustained_elapsed": Series([1, 2, 3, 4]),
        f"pmsampling:{FP64}": Series(OTHER),
        DRAM: Series(ONE, (1, 2, 3, 4)),
        FP64: Series(ONE),
    }
    assert copied(metrics)["times_ns"] == ONE
    assert copied(metrics)["percent"]["dram_share"] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("dram", "pipe"),
    [
        ("pmsampling:dramc__throughput", "pmsampling:sm__pipe_fp64_cycles_active_realtime"),
        ("pmsampling:dram__throughput", "pmsampling:sm__inst_executed_pipe_fp64"),
        ("FBPA.TriageA.dram__throughput", "SM_B.TriageA.sm__inst_executed_pipe_fp64_realtime"),
        ("FBSP.TriageSCG.dramc__throughput", "TriageCompute.sm__pipe_fp64_cycles_active_realtime"),
    ],
)
def test_names_of_other_chips_and_versions(dram, pipe):
    names = [f"{stem}.avg.pct_of_peak_sustained_elapsed" for stem in (dram, pipe)]
    assert copied(dict.fromkeys(names, Series(ONE)))["percent"].keys() == {"dram_share", "busy_fp64"}


@pytest.mark.parametrize("unknown", [None, math.nan, "n/a"])
def test_without_the_busiest_pipe_no_series_is_read(unknown):
    assert copied({DRAM: Series(ONE), FP64: Series(ONE)}, {**FP64_BOUND, next(iter(PIPES)): unknown}) is None


@pytest.mark.parametrize("found", [{"times_ns": [None, 1], "percent": {}}, {"times_ns": [-1], "percent": {}}])
def test_numbers_that_are_missing_or_cannot_be_give_no_series(found):
    assert build_samples(found) is None
    assert build_samples({"times_ns": [1], "percent": {"dram_share": [None]}}) is None


class Altered(Series):
    def as_double(self, index=None):
        if index is not None:
            raise TypeError
        return 1.0


class Kernel(Action):
    """Stands for a launch of NVIDIA's library, all of whose metrics are sound but for the samples."""

    NameBase_DEMANGLED = 1

    def metric_names(self):
        return tuple(self)

    def workload_type(self):
        return 0

    def name(self, _=0):
        return "k"

    def nvtx_state(self):
        return None

    def metric_by_name(self, name):
        return self.get(name)


@pytest.mark.parametrize(("dram", "expected"), [(Series(ONE), [0.0, 10.0, 20.0, 0.0]), (Altered(ONE), None)])
def test_altered_series_leave_the_rest_of_the_launch(dram, expected, monkeypatch):
    monkeypatch.setattr("nsightlens.collectors.ncu_rep_action._reader", lambda _: lambda metric: metric)
    launch = copy_launch(
        Kernel({DRAM: dram, FP64: Series(ONE), **FP64_BOUND}), Wanted([*FP64_BOUND], ["no such"], samples=True)
    )
    assert launch["counters"] == FP64_BOUND
    assert (launch["samples"] and launch["samples"]["percent"]["dram_share"]) == expected


def test_recorded_series_add_up_to_the_counters_of_the_launch(data):
    """The sampled pass is another execution of the kernel, and moves the same bytes."""
    from nsightlens.collectors.load import load

    report = load(data / "scale_full.ncu-rep.xz", samples=True)
    for launch in report.launched:
        times, shares = launch.samples.times_ns, launch.samples.shares["dram_share"]
        steps = zip(times[1:], times[2:], shares[2:], strict=False)
        moved = sum((end - start) * share for start, end, share in steps) * 1e-9 / launch.values["time_s"]
        assert moved == pytest.approx(launch.values["dram_share"], rel=0.03)


def test_samples_are_read_only_if_asked_for(report_of):
    assert all(launch.samples is None for launch in report_of("scale_full").launched)

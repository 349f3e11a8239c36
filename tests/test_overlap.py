"""The overlap interval: vectors worked out by hand, timelines with a known answer, and a recorded experiment."""

import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nsightlens.errors import ModelError
from nsightlens.models import ablation
from nsightlens.models.overlap import (
    both_busy,
    error,
    exposed_if_independent,
    fraction,
    identifiable,
    index,
    interval,
    total_time,
)

SEGMENTS = st.lists(
    st.tuples(st.floats(0.001, 10), st.booleans(), st.booleans()),
    min_size=1,
    max_size=30,
)


def upper_end(total, memory, compute):
    """Return the overlap of the timeline that starts memory and compute together."""
    shorter, longer = sorted((memory, compute))
    longer_is_memory = memory >= compute
    timeline = [
        (shorter, True, True),
        (longer - shorter, longer_is_memory, not longer_is_memory),
        (total - longer, False, False),
    ]
    *_, both, _ = measures(timeline)
    return both / shorter


@pytest.mark.parametrize(
    ("times", "low", "idle"),
    [
        ((10, 8, 4), 0.5, (0, 2)),
        ((8, 8, 4), 1, (0, 0)),
        ((12, 8, 4), 0, (0, 4)),
        ((14, 8, 4), 0, (2, 6)),
        ((100, 80, 1), 0, (19, 20)),
        ((1, 0.8, 0.4), 0.5, (0, 0.2)),
        ((1, 0.92, 0.3), 0.733333, (0, 0.08)),
        ((1, 0.5, 0.4), 0, (0.1, 0.5)),
        ((1, 0.95, 0.9), 0.944444, (0, 0.05)),
        ((1, 0.9, 0.0125), 0, (0.0875, 0.1)),
    ],
)
def test_vectors(times, low, idle):
    found = interval(*times)
    assert found.low == pytest.approx(low, abs=1e-6)
    assert found.high == upper_end(*times)
    assert (found.idle_low, found.idle_high) == pytest.approx(idle, abs=1e-6)


@pytest.mark.parametrize("times", [(7.9, 8, 4), (7.9, 4, 8), (1, 2, 2), (math.nan, 2, 2)])
def test_more_busy_time_than_time_is_refused(times):
    with pytest.raises(ValueError, match="exceeds the total"):
        interval(*times)


@pytest.mark.parametrize("times", [(10, 0, 4), (10, 8, 0), (10, -1, 4)])
def test_nothing_to_overlap_is_refused(times):
    with pytest.raises(ValueError, match="not positive"):
        interval(*times)


@pytest.mark.parametrize(("times", "expected"), [((10, 8, 4), 0.0482), ((81, 80, 1), 1.79)])
def test_standard_error_of_the_lower_end(times, expected):
    total, longer, shorter = times
    assert error(*times) == pytest.approx(expected, rel=0.005)
    direct = (0.01 * total) ** 2 + (0.02 * longer) ** 2
    assert error(*times) == pytest.approx(
        math.sqrt(direct / shorter**2 + ((total - longer) / shorter**2 * 0.02 * shorter) ** 2)
    )


def measures(segments):
    total = math.fsum(length for length, _, _ in segments)
    memory = math.fsum(length for length, mem, _ in segments if mem)
    compute = math.fsum(length for length, _, cmp in segments if cmp)
    both = math.fsum(length for length, mem, cmp in segments if mem and cmp)
    neither = math.fsum(length for length, mem, cmp in segments if not mem and not cmp)
    return total, memory, compute, both, neither


@given(SEGMENTS)
def test_interval_holds_the_truth_of_any_timeline(segments):
    total, memory, compute, both, neither = measures(segments)
    assume(memory > 0 and compute > 0)
    found = interval(total, min(memory, total), min(compute, total))
    truth = both / min(memory, compute)
    assert found.low - 1e-9 <= truth <= found.high + 1e-9
    assert found.idle_low - 1e-9 * total <= neither <= found.idle_high + 1e-9 * total


@given(SEGMENTS)
def test_the_upper_end_is_reached_by_the_timeline_with_the_most_overlap(segments):
    """With the same marginals, both starting together: all of the shorter lies under the longer."""
    total, memory, compute, _, _ = measures(segments)
    assume(memory > 0 and compute > 0)
    found = interval(total, min(memory, total), min(compute, total))
    assert found.high == pytest.approx(upper_end(total, memory, compute), abs=1e-9)
    assert found.idle_high == pytest.approx(total - max(memory, compute), abs=1e-9 * total)


@given(SEGMENTS)
def test_the_lower_end_is_reached_by_the_timeline_with_the_least_overlap(segments):
    """The bound is sharp: with the same marginals, memory first and compute last, overlap is the lower end."""
    total, memory, compute, _, _ = measures(segments)
    assume(memory > 0 and compute > 0)
    least = max(0.0, memory + compute - total) / min(memory, compute)
    found = interval(total, min(memory, total), min(compute, total))
    assert found.low == pytest.approx(least, abs=1e-9)
    assert found.idle_low == pytest.approx(max(0.0, total - memory - compute), abs=1e-9 * total)


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(1, 2), st.floats(1e-9, 1e6))
def test_interval_is_symmetric_and_has_no_unit(memory, compute, total, unit):
    found = interval(total, memory, compute)
    assert interval(total, compute, memory) == found
    scaled = interval(total * unit, memory * unit, compute * unit)
    assert scaled.low == pytest.approx(found.low, abs=1e-9)
    assert scaled.idle_high == pytest.approx(found.idle_high * unit, rel=1e-9, abs=1e-9 * unit)


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(1, 2), st.floats(1, 2))
def test_lower_end_never_rises_with_the_total(memory, compute, one, two):
    shorter, longer = sorted((one, two))
    assert interval(longer, memory, compute).low <= interval(shorter, memory, compute).low


def test_interval_holds_what_the_recorded_experiment_measured(document_of, data):
    """80 launches whose overlap was measured by leaving out memory, compute or both; none contradicts the lower end."""
    truth = json.loads((data / "overlap_factorial.truth.json").read_text())
    launches = document_of("overlap_factorial")["launches"]
    assert len(truth) == len(launches) == 80
    for launch, measured in zip(launches, truth, strict=True):
        assert any(measured["label"] in path for path in launch["nvtx"])
        overlap = launch["overlap"]
        assert overlap["status"] in {"bounded", "not_identifiable"}
        assert overlap["estimate"] is None
        assert overlap["low"] <= measured["overlap"], measured["label"]
        assert overlap["high"] >= min(measured["overlap"], 1), measured["label"]  # noise can pass the whole


def test_busy_times_of_a_launch_are_shares_of_its_time(document_of, raw_of):
    for launch, plain in zip(document_of("overlap_factorial")["launches"], raw_of("overlap_factorial"), strict=True):
        counters, time = plain["counters"], plain["counters"]["gpu__time_duration.sum"] / 1e9
        share = "{}_cycles_active.avg.pct_of_peak_sustained_elapsed"
        memory = counters[share.format("dram_")] / 100
        pipes = [counters[share.format(f"sm__pipe_{pipe}")] / 100 for pipe in ("fp64", "shared", "fma", "tensor")]
        overlap = launch["overlap"]
        assert overlap["t_mem_s"] == pytest.approx(memory * time, rel=1e-9)
        assert overlap["t_cmp_s"] == pytest.approx(max(pipes) * time, rel=1e-9)
        assert overlap["low"] == pytest.approx(max(0.0, memory + max(pipes) - 1) / min(memory, max(pipes)), abs=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "low", "high", "overlap"),
    [
        (0.8, 0.4, 0.2, 0.4, 0.5),
        (0.92, 0.3, 0.22, 0.3, 0.733333),
        (0.5, 0.4, 0, 0.4, 0),
        (0.95, 0.9, 0.85, 0.9, 0.944444),
        (0.9, 0.0125, 0, 0.0125, 0),
    ],
)
def test_frechet_bounds_of_two_utilisations(first, second, low, high, overlap):
    assert both_busy(1, first, second) == pytest.approx((low, high), abs=1e-9)
    assert interval(1, first, second).low == pytest.approx(overlap, abs=1e-6)


@pytest.mark.parametrize(
    ("times", "idle", "expected"),
    [
        ((10, 8, 4), (1, 1), (0.75, 0.75, 1, 1)),
        ((10, 8, 4), (0.5, 1), (0.625, 0.75, 0.5, 1)),
        ((10, 8, 4), (0, 9), (0.5, 1, 0, 2)),
        ((14, 8, 4), (1, None), (0, 1, 2, 6)),
        ((14, 8, 4), (3, 5), (0.25, 0.75, 3, 5)),
    ],
)
def test_known_idle_time_narrows_the_interval(times, idle, expected):
    assert interval(*times, *idle) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("idle", [(3, None), (1, 0.5), (2.5, 3), (0, -1), (0, math.nan)])
def test_idle_times_that_contradict_the_busy_times_are_refused(idle):
    with pytest.raises(ModelError, match="allow idle time of 2 at most"):
        interval(10, 8, 4, *idle)


@given(SEGMENTS, st.floats(0, 0.5))
def test_an_interval_from_known_idle_time_holds_the_truth_and_is_narrower(segments, doubt):
    total, memory, compute, both, neither = measures(segments)
    assume(memory > 1e-3 and compute > 1e-3)
    plain = interval(total, memory, compute) if max(memory, compute) <= total else None
    assume(plain is not None)
    low, high = neither * (1 - doubt) * (1 - 1e-9), neither * (1 + doubt) * (1 + 1e-9) + 1e-9
    found = interval(total, memory, compute, low, high)
    truth = both / min(memory, compute)
    assert found.low - 1e-5 <= truth <= found.high + 1e-5
    assert plain.low - 1e-9 <= found.low
    assert found.high <= plain.high


@given(SEGMENTS)
def test_the_definition_gives_back_the_time(segments):
    total, memory, compute, both, neither = measures(segments)
    assume(memory > 0 and compute > 0)
    phi = both / min(memory, compute)
    assert total_time(memory, compute, min(1.0, phi), neither) == pytest.approx(total)
    assert fraction(total, memory, compute, neither) * min(memory, compute) == pytest.approx(both, abs=1e-9 * total)


@given(st.lists(SEGMENTS, min_size=2, max_size=8))
def test_bounds_over_windows_are_at_least_as_tight(windows):
    marginals = [measures(window) for window in windows]
    total, memory, compute, both, _ = map(math.fsum, zip(*marginals, strict=True))
    windowed = math.fsum(both_busy(*one[:3])[0] for one in marginals)
    assert both_busy(total, memory, compute)[0] <= windowed + 1e-9
    assert windowed <= both + 1e-9


def test_identifiable_needs_a_long_shorter_time_and_a_small_error():
    assert identifiable(10, 8, 4)
    assert not identifiable(81, 80, 1)
    assert not identifiable(100, 96, 4.9)
    assert not identifiable(100, 60, 6)  # long enough, but the error is 0.29
    assert identifiable(100, 60, 30)


@given(st.floats(0.001, 1), st.floats(0.001, 1))
def test_time_exposed_if_independent(first, second):
    shorter, longer = sorted((first, second))
    assert exposed_if_independent(first, second) == pytest.approx(shorter - shorter * longer)


def test_index_of_many_resources():
    assert index(10, [10, 5, 5]) == 1
    assert index(20, [10, 5, 5]) == 0
    assert index(15, [10, 5, 5]) == 0.5
    assert index(10, [8, 4]) == pytest.approx(interval(10, 8, 4).low)
    with pytest.raises(ModelError, match="fewer than two"):
        index(10, [8, 0])


def test_overlap_from_leaving_parts_out():
    assert ablation.overlap(1.05, 1, 0.5) == pytest.approx(0.9)
    with pytest.raises(ModelError, match="skeleton takes as long"):
        ablation.overlap(1, 1, 0.5, 0.5)


def test_a_slowdown_is_the_product_of_its_factors():
    found = ablation.slowdown(0.66e-3, 0.60e-3, 0.30e-3, traffic_bytes=2.3e9, least_bytes=2.0e9, bytes_per_s=4.8e12)
    assert found == pytest.approx((1.15, 1.252174, 1.0, 1.1), abs=1e-6)
    assert math.prod(found) == pytest.approx(0.66e-3 / (2.0e9 / 4.8e12))
    assert math.prod(found) == pytest.approx(1.584, abs=1e-9)

"""Roofline and tensor-core models against numbers that were worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.models.roofline import attainable, machine_balance
from nsightlens.models.tensor_core import bound, most, speedup

TIMES = st.floats(1e-6, 1e3)
RATIOS = st.floats(1, 100)


@pytest.mark.parametrize(
    ("peak", "bandwidth", "balance"),
    [
        (9.7e12, 1.94e12, 5.000000),
        (19.5e12, 1.94e12, 10.051546),
        (34e12, 4e12, 8.500000),
        (67e12, 4e12, 16.750000),
        (33.5e12, 3.35e12, 10.000000),
        (33.5e12, 4.8e12, 6.979167),
        (66.9e12, 4.8e12, 13.937500),
    ],
)
def test_machine_balance(peak, bandwidth, balance):
    assert machine_balance(peak, bandwidth) == pytest.approx(balance, abs=1e-6)


def test_attainable_is_the_lower_of_both_roofs():
    assert attainable(1 / 16, 33.5e12, 4.8e12) == 0.3e12
    assert attainable(1000, 33.5e12, 4.8e12) == 33.5e12
    assert attainable(machine_balance(33.5e12, 4.8e12), 33.5e12, 4.8e12) == pytest.approx(33.5e12, rel=1e-12)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (1, 1),
        (67 / 34, 1.326733),
        (66.9 / 33.5, 1.332669),
        (2, 1.333333),
        (19.5 / 9.7, 1.335616),
        (4, 1.6),
        (494.7 / 66.9, 1.761752),
        (8, 1.777778),
        (16, 1.882353),
        (math.inf, 2),
    ],
)
def test_tensor_core_bound(ratio, expected):
    assert bound(ratio) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("ratio", "boundness", "other", "expected"),
    [
        (2, 1, 0, 1.333333),
        (2, 20, 0, 1.024390),
        (2, 80, 0, 1.006211),
        (8, 1, 0, 1.777778),
        (16, 3, 0, 1.306122),
        (2, 1, 0.5, 1.250000),
        (2, 20, 0.5, 1.023810),
        (8, 1, 0.5, 1.538462),
        (16, 3, 0.5, 1.263158),
        (0.25, 80, 0, 0.964286),
    ],
)
def test_speedup_without_overlap(ratio, boundness, other, expected):
    assert speedup(ratio, boundness, other=other) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("ratio", "boundness", "overlap", "other", "expected"),
    [
        (2, 1, 0.5, 0, 1.200000),
        (2, 20, 0.5, 0, 1.012346),
        (2, 1, 0.9, 0, 1.047619),
        (8, 1.5, 0.25, 0.1, 1.387454),
        (2, 1, 1, 0, 1),
        (2, 1, 0, 0, 1.333333),
    ],
)
def test_speedup_with_partial_overlap(ratio, boundness, overlap, other, expected):
    assert speedup(ratio, boundness, overlap, other) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("balance", "intensity", "expected"),
    [
        (5, 1 / 16, 1.012500),
        (5, 1 / 4, 1.050000),
        (5, 1 / 6, 1.033333),
        (8.5, 1 / 16, 1.007353),
        (8.5, 1 / 4, 1.029412),
        (8.5, 1 / 6, 1.019608),
        (6.979167, 1 / 16, 1.008955),
        (6.979167, 1 / 4, 1.035821),
        (6.979167, 1 / 6, 1.023881),
    ],
)
def test_workload_bound_is_the_speedup_for_endlessly_fast_tensor_cores(balance, intensity, expected):
    assert speedup(1e12, balance / intensity) == pytest.approx(expected, abs=1e-6)


def test_multiplications_take_the_time_of_multiply_adds():
    """SCALE on an H200: half of the FMA peak is all it can use, so the bound is 1 + 1/x with x halved."""
    assert speedup(1e12, 33.5e12 / 4.8e12 * 16 / 2) == pytest.approx(1.017910, abs=1e-6)


@pytest.mark.parametrize("boundness", [0.999, 0.5, 0])
def test_compute_bound_kernels_are_refused(boundness):
    with pytest.raises(ValueError, match="memory-bound"):
        speedup(2, boundness)


@given(RATIOS, st.floats(1, 1e3), st.floats(0, 1), st.floats(0, 100))
def test_speedup_lies_between_one_and_the_bound(ratio, boundness, overlap, other):
    value = speedup(ratio, boundness, overlap, other)
    assert 1 <= value <= bound(ratio) * (1 + 1e-12)


@given(RATIOS, st.floats(1, 1e3), st.floats(0, 1), st.floats(0, 1), st.floats(0, 100))
def test_speedup_falls_with_overlap(ratio, boundness, one, two, other):
    less, more = sorted((one, two))
    assert speedup(ratio, boundness, less, other) >= speedup(ratio, boundness, more, other) * (1 - 1e-12)


@given(TIMES, st.floats(0.001, 1), st.floats(0, 1), st.floats(0, 3), RATIOS)
def test_most_is_the_formula_of_partial_overlap_where_memory_takes_longer(t_mem, share, overlap, idle, ratio):
    """With T = T_mem + T_cmp - phi T_cmp + E, the speed-up is 1 + (1-phi)(a-1) / ((1-phi) + a(x+e))."""
    t_cmp = share * t_mem
    rest = idle * t_cmp
    total = t_mem + t_cmp - overlap * t_cmp + rest
    x, e = t_mem / t_cmp, rest / t_cmp
    expected = 1 + (1 - overlap) * (ratio - 1) / ((1 - overlap) + ratio * (x + e))
    assert most(total, t_mem, t_cmp, ratio, overlap) == pytest.approx(expected, rel=1e-9)


@given(TIMES, TIMES, st.floats(0, 3), RATIOS, st.floats(0, 1))
def test_most_never_promises_more_than_either_limit(t_mem, t_cmp, more, ratio, overlap):
    total = max(t_mem, t_cmp) * (1 + more)
    value = most(total, t_mem, t_cmp, ratio, overlap)
    assert 1 - 1e-12 <= value <= min(ratio, total / t_mem) * (1 + 1e-9)


@given(TIMES, TIMES, TIMES, RATIOS, st.lists(st.tuples(TIMES, st.booleans(), st.booleans()), min_size=1, max_size=8))
def test_most_bounds_the_speedup_of_any_timeline_whose_compute_alone_shrinks(one, two, three, ratio, extra):
    """Shrink the parts in which only compute is busy by the ratio: no real change of the kernel saves more."""
    segments = [(one, True, False), (two, False, True), (three, True, True), *extra]
    total = sum(length for length, _, _ in segments)
    t_mem = sum(length for length, mem, _ in segments if mem)
    t_cmp = sum(length for length, _, cmp in segments if cmp)
    both = sum(length for length, mem, cmp in segments if mem and cmp)
    shrunk = sum(length / ratio if cmp and not mem else length for length, mem, cmp in segments)
    low = max(0.0, (t_mem + t_cmp - total) / min(t_mem, t_cmp))
    assert both >= low * min(t_mem, t_cmp) - 1e-12 * total
    assert total / shrunk <= most(total, t_mem, t_cmp, ratio, min(low, 1.0)) * (1 + 1e-9)


def test_most_of_a_compute_bound_launch_stops_at_its_memory_time():
    assert most(10, 2, 10, 8) == pytest.approx(5)
    assert most(10, 2, 10, 2) == pytest.approx(2)
    assert most(12, 2, 10, 8) == pytest.approx(12 / 3.25)

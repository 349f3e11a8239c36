"""Roofline and tensor-core models against numbers that were worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.errors import ModelError
from nsightlens.models import ablation, matrix_unit, overlap, roofline, scale, stencil, tensor_core
from nsightlens.models.overlap import total_time
from nsightlens.models.roofline import (
    attainable,
    boundness_of_times,
    efficiency,
    instruction_mix,
    is_memory_bound,
    machine_balance,
    memory_boundness,
    operational_intensity,
    side,
)
from nsightlens.models.tensor_core import (
    bound,
    fully_overlapped,
    most,
    peak_ratio,
    speedup,
    unoverlapped,
    workload_bound,
)

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
    assert workload_bound(intensity, balance) == pytest.approx(expected, abs=1e-6)
    assert speedup(1e12, balance / intensity) == pytest.approx(expected, abs=1e-6)


def test_multiplications_take_the_time_of_multiply_adds():
    """SCALE on an H200: half of the FMA peak is all it can use, so the bound is 1 + 1/x with x halved."""
    x = memory_boundness(machine_balance(33.5e12, 4.8e12), 1 / 16) / instruction_mix(0)
    assert x == pytest.approx(55.833333, abs=1e-6)
    assert speedup(math.inf, x) == pytest.approx(1.017910, abs=1e-6)
    assert instruction_mix(1) == 1
    assert instruction_mix(0.5) == 1.5  # of 4 FLOP, one FMA and two multiplications: 3 slots where 2 FMA take 2


def test_efficiency_is_the_share_of_a_ceiling():
    assert efficiency(2.3e9, 0.6e-3, 4.8e12) == pytest.approx(0.798611, abs=1e-6)
    assert efficiency(attainable(2, 10, 4), 1, 10) == 0.8


def test_at_the_ridge_a_kernel_is_memory_bound_and_said_to_be_on_it():
    assert is_memory_bound(5, 5)
    assert not is_memory_bound(5, 5.000001)
    assert [side(5, i) for i in (4.99, 5, 5.01)] == ["memory", "ridge", "compute"]
    assert [side(5, i, 0.01) for i in (4.9, 4.96, 5.04, 5.1)] == ["memory", "ridge", "ridge", "compute"]


@pytest.mark.parametrize(
    ("ratio", "boundness", "other", "expected"),
    [
        (2, 1, 0, 1),
        (16, 1.5, 0, 1),
        (0.25, 4, 0, 1),
        (0.25, 2, 0, 0.5),
        (2, 0.25, 0, 2),
        (8, 0.25, 0.5, 2),
        (2, 1, 9, 1),
    ],
)
def test_fully_overlapped_only_the_longest_time_counts(ratio, boundness, other, expected):
    assert fully_overlapped(ratio, boundness, other) == expected


@given(st.floats(0.01, 100), st.floats(0.01, 1e3), st.floats(0, 10))
def test_both_extremes_are_the_ratio_of_their_times(ratio, boundness, other):
    before, after = (1, boundness, other), (1 / ratio, boundness, other)
    assert unoverlapped(ratio, boundness, other) == pytest.approx(sum(before) / sum(after), rel=1e-12)
    assert fully_overlapped(ratio, boundness, other) == pytest.approx(max(before) / max(after), rel=1e-12)


@given(st.floats(0.01, 100), st.floats(0.01, 1e3), st.floats(0, 10))
def test_without_other_time_the_gain_or_loss_is_largest(ratio, boundness, other):
    extreme, value = unoverlapped(ratio, boundness), unoverlapped(ratio, boundness, other)
    if ratio >= 1:
        assert 1 <= value <= extreme * (1 + 1e-12)
    else:
        assert extreme * (1 - 1e-12) <= value <= 1


@given(st.floats(0.01, 100), st.floats(1, 1e3), st.floats(0, 1), st.floats(0, 10))
def test_partial_overlap_is_the_ratio_of_the_total_times(ratio, boundness, overlap, other):
    boundness = max(boundness, 1 / ratio * (1 + 1e-9))
    before = total_time(boundness, 1, overlap, other)
    after = total_time(boundness, 1 / ratio, overlap, other)
    assert speedup(ratio, boundness, overlap, other) == pytest.approx(before / after, rel=1e-9)


def test_limits_are_continuous():
    assert speedup(1 + 1e-9, 3, 0.4, 0.2) == pytest.approx(1, abs=1e-8)
    assert speedup(1, 3, 0.4, 0.2) == 1
    assert speedup(1e12, 3, 0.4, 0.2) == pytest.approx(speedup(math.inf, 3, 0.4, 0.2), rel=1e-9)
    assert speedup(8, 3, 1e-12, 0.2) == pytest.approx(unoverlapped(8, 3, 0.2), rel=1e-9)
    assert speedup(8, 3, 1 - 1e-12, 0.2) == pytest.approx(speedup(8, 3, 1, 0.2), rel=1e-9)
    assert speedup(8, 3, 1, 0.2) == fully_overlapped(8, 3, 0.2) == 1
    assert bound(1 + 1e-12) == pytest.approx(bound(1), abs=1e-9)


def test_slower_tensor_cores_must_leave_the_kernel_memory_bound_where_overlap_is_partial():
    with pytest.raises(ModelError, match=r"on tensor cores .* 0\.5"):
        speedup(0.25, 2, 0.5)
    assert speedup(0.25, 80) == pytest.approx(0.964286, abs=1e-6)


@pytest.mark.parametrize(
    ("gpu", "peak", "ratio", "fma", "multiply"),
    [
        ((19.5e12, 9.7e12, 1.94e12), 2.4375e12, 0.251289, 0.964521, 0.932253),
        ((67e12, 34e12, 4e12), 8.375e12, 0.246324, 0.978154, 0.957539),
        ((66.9e12, 33.5e12, 4.8e12), 8.3625e12, 0.249627, 0.974013, 0.949766),
    ],
)
def test_scale_on_tensor_cores(gpu, peak, ratio, fma, multiply):
    tensor, cuda, bandwidth = gpu
    assert scale.useful_fraction(8, 4) * tensor == peak
    assert scale.useful_fraction(8, 16) == 1 / 16
    assert scale.effective_ratio(tensor, cuda) == pytest.approx(ratio, abs=1e-6)
    assert scale.worst_ratio(tensor, cuda, bandwidth, fma=True) == pytest.approx(fma, abs=1e-6)
    assert scale.worst_ratio(tensor, cuda, bandwidth) == pytest.approx(multiply, abs=1e-6)


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 8))
def test_useful_fraction_of_scale_counts_the_products_with_an_entry_of_the_unit_matrix(m, n, k):
    executed = [(row, column, inner) for row in range(m) for column in range(n) for inner in range(k)]
    useful = [1 for _, column, inner in executed if column == inner]
    assert scale.useful_fraction(n, k) == pytest.approx(len(useful) / len(executed))


NAN = math.nan


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: machine_balance(0, 1), "peak flop per s must be above 0, not 0"),
        (lambda: machine_balance(1, NAN), "bytes per s must be above 0, not nan"),
        (lambda: operational_intensity(-1, 1), "work flop must not be below 0"),
        (lambda: operational_intensity(1, 0), "traffic bytes must be above 0"),
        (lambda: attainable(NAN, 1, 1), "intensity must not be below 0, not nan"),
        (lambda: memory_boundness(5, 0), "intensity must be above 0"),
        (lambda: boundness_of_times(1, 0), "t cmp must be above 0"),
        (lambda: efficiency(1, 0, 1), "time s must be above 0"),
        (lambda: instruction_mix(1.1), "fma share must lie in 0...1, not 1.1"),
        (lambda: side(1, 1, 1), "uncertainty of the balance must be below 1"),
        (lambda: peak_ratio(1, 0), "CUDA core peak must be above 0"),
        (lambda: bound(0), "tc ratio must be above 0"),
        (lambda: unoverlapped(2, 0), "boundness must be above 0"),
        (lambda: fully_overlapped(2, 1, -1), "other must not be below 0"),
        (lambda: speedup(2, 1, 1.5), "overlap must lie in 0...1"),
        (lambda: speedup(2, NAN), "not memory-bound"),
        (lambda: most(1, 1, 1, 0.5), "ratio must be at least 1, not 0.5"),
        (lambda: scale.useful_fraction(8.5, 4), "n must be a whole number, not 8.5"),
        (lambda: scale.useful_fraction(8, 0), "k must be at least 1, not 0"),
    ],
)
def test_what_lies_outside_a_model_is_refused_with_the_reason(call, what):
    with pytest.raises(ModelError) as caught:
        call()
    assert what in str(caught.value)
    assert caught.value.exit_code == 2
    assert isinstance(caught.value, ValueError)


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


@pytest.mark.parametrize(
    "call",
    [
        lambda: overlap.both_busy(1, 2, 0.5),
        lambda: overlap.index(0.1, [1, 1]),
        lambda: overlap.fraction(math.nan, 1, 1, 0),
        lambda: overlap.fraction(3, 1, 1, -1),
        lambda: overlap.error(math.nan, 1, 1),
        lambda: overlap.error(2, 1, 1, -0.1),
        lambda: overlap.likely_high(1.2, 0.5),
        lambda: tensor_core.most(1, 2, 0.5, 2),
        lambda: tensor_core.most(math.inf, 1, 1, 2),
        lambda: roofline.machine_balance(math.inf, math.inf),
        lambda: roofline.boundness_of_times(math.inf, math.inf),
        lambda: ablation.slowdown(1, 1, 1, traffic_bytes=1, least_bytes=2, bytes_per_s=1),
        lambda: ablation.overlap(math.inf, 1, 1),
    ],
)
def test_times_that_cannot_be_are_refused(call):
    with pytest.raises(ModelError):
        call()


def test_an_unlimited_tensor_core_is_no_mistake():
    assert tensor_core.bound(math.inf) == 2


def test_in_one_dimension_fusing_can_save_work():
    assert stencil.fusion_redundancy(5, 3, 2) == pytest.approx(5 / 6)
    assert matrix_unit.inflation(5 / 6, 0.5) == pytest.approx(5 / 3)

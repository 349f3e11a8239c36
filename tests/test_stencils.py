"""Stencils: points by brute force, and the catalogue, depths and predictions against numbers typed in by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.data import table
from nsightlens.errors import ModelError
from nsightlens.models import stencil as model
from nsightlens.models.roofline import machine_balance, side
from nsightlens.models.stencil_catalogue import Stencil, names, of_points, regular, stencil
from nsightlens.models.stencil_points import box_points, star_points, summed_points

BALANCES = {"A100": 5.0, "GH200": 8.5, "H200": 33.5 / 4.8}

# name: shape, points, FLOP, FLOP/byte of FP64, FP32, FP16, steps at the balance of A100, GH200, H200 (FP64)
CATALOGUE = {
    "2d5pt": ("star", 5, 10, 0.625, 1.25, 2.5, 8.0000, 13.6000, 11.1667),
    "2d9pt": ("box", 9, 18, 1.125, 2.25, 4.5, 4.4444, 7.5556, 6.2037),
    "2ds9pt": ("star", 9, 18, 1.125, 2.25, 4.5, 4.4444, 7.5556, 6.2037),
    "2d13pt": ("star", 13, 26, 1.625, 3.25, 6.5, 3.0769, 5.2308, 4.2949),
    "2d17pt": ("star", 17, 34, 2.125, 4.25, 8.5, 2.3529, 4.0000, 3.2843),
    "2d21pt": ("star", 21, 42, 2.625, 5.25, 10.5, 1.9048, 3.2381, 2.6587),
    "2d25pt": ("box", 25, 50, 3.125, 6.25, 12.5, 1.6000, 2.7200, 2.2333),
    "2ds25pt": ("star", 25, 50, 3.125, 6.25, 12.5, 1.6000, 2.7200, 2.2333),
    "2d49pt": ("box", 49, 98, 6.125, 12.25, 24.5, 0.8163, 1.3878, 1.1395),
    "box-2d7r": ("box", 225, 450, 28.125, 56.25, 112.5, None, None, None),
    "3d7pt": ("star", 7, 14, 0.875, 1.75, 3.5, 5.7143, 9.7143, 7.9762),
    "3d13pt": ("star", 13, 26, 1.625, 3.25, 6.5, 3.0769, 5.2308, 4.2949),
    "3d17pt": ("points", 17, 34, 2.125, 4.25, 8.5, 2.3529, 4.0000, 3.2843),
    "poisson": ("points", 19, 38, 2.375, 4.75, 9.5, 2.1053, 3.5789, 2.9386),
    "3d27pt": ("box", 27, 54, 3.375, 6.75, 13.5, 1.4815, 2.5185, 2.0679),
}
RADII = {
    "2d5pt": 1,
    "2d9pt": 1,
    "2ds9pt": 2,
    "2d13pt": 3,
    "2d17pt": 4,
    "2d21pt": 5,
    "2d25pt": 2,
    "2ds25pt": 6,
    "2d49pt": 3,
    "box-2d7r": 7,
    "3d7pt": 1,
    "3d13pt": 2,
    "3d17pt": 1,
    "poisson": 1,
    "3d27pt": 1,
}
EBISU_STEPS = {
    "2d5pt": (12, 9),
    "2ds9pt": (8, 8),
    "2d9pt": (6, 8),
    "2d25pt": (4, 6),
    "3d7pt": (8, 8),
    "3d13pt": (5, 5),
    "3d27pt": (5, 6),
    "3d17pt": (6, 6),
    "poisson": (6, 6),
    "2d49pt": (1, 1),
}


def points_of(shape, dimensions, radius):
    """Return the offsets of a star or box, straight from its definition."""
    every = itertools.product(range(-radius, radius + 1), repeat=dimensions)
    return {p for p in every if shape == "box" or sum(x != 0 for x in p) <= 1}


def convolved(points, steps):
    """Return the points of a stencil applied several times, by convolving an array of random weights with itself."""
    dimensions, radius = len(next(iter(points))), max(abs(x) for point in points for x in point)
    dice = np.random.default_rng(7)
    weights = {point: dice.uniform(1, 2) for point in points}  # positive: nothing cancels
    field = np.zeros([2 * radius * steps + 1] * dimensions)
    field[(radius * steps,) * dimensions] = 1
    for _ in range(steps):
        shifted = [weight * np.roll(field, point, tuple(range(dimensions))) for point, weight in weights.items()]
        field = np.sum(shifted, axis=0)
    return np.count_nonzero(field)


def test_the_catalogue_holds_the_known_stencils():
    assert set(names()) == set(CATALOGUE) == set(table("stencils"))


@pytest.mark.parametrize("name", CATALOGUE)
def test_catalogue(name):
    shape, taps, flop, *numbers = CATALOGUE[name]
    intensities, steps = numbers[:3], numbers[3:]
    found = stencil(name)
    assert (found.shape, found.taps, found.flop) == (shape, taps, flop)
    assert found.radius == RADII[name]
    assert found.dimensions == (3 if name.startswith("3d") or name == "poisson" else 2)
    assert tuple(dict(found.ebisu_steps).values()) == EBISU_STEPS.get(name, ())
    assert [model.cost(taps, size).intensity for size in (8, 4, 2)] == intensities
    thresholds = [model.threshold(balance, intensities[0]) for balance in BALANCES.values()]
    if steps[0] is None:
        assert max(thresholds) < 1
    else:
        assert thresholds == pytest.approx(steps, abs=5.1e-5)


@pytest.mark.parametrize("name", [name for name in CATALOGUE if RADII[name] < 5])
def test_fused_points_of_the_catalogue_by_self_convolution(name):
    found = stencil(name)
    points = found.points or points_of(found.shape, found.dimensions, found.radius)
    for steps in (1, 2, 3):
        assert found.fused_taps(steps) == convolved(points, steps)


@given(st.sampled_from(["star", "box"]), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_closed_forms_count_the_sums_of_sets(shape, dimensions, radius, steps):
    points = points_of(shape, dimensions, radius)
    expected = {(0,) * dimensions}
    for _ in range(steps):
        expected = {tuple(map(sum, zip(p, q, strict=True))) for p in expected for q in points}
    assert regular(shape, dimensions, radius).fused_taps(steps) == len(expected)
    assert summed_points(points, steps) == len(expected)


@given(st.sets(st.tuples(st.integers(-3, 3), st.integers(-2, 4)), min_size=1, max_size=9), st.integers(1, 4))
def test_points_of_any_set_by_self_convolution(points, steps):
    assert of_points("any", frozenset(points)).fused_taps(steps) == convolved(points, steps)


@pytest.mark.parametrize(
    ("shape", "dimensions", "radius", "expected"),
    [
        ("box", 2, 1, {1: 1, 2: 1.388889, 3: 1.814815, 7: 3.571429}),
        ("star", 2, 1, {1: 1, 2: 1.3, 3: 1.666667, 7: 3.228571}),
        ("box", 3, 1, {1: 1, 2: 2.314815, 3: 4.234568}),
        ("star", 3, 1, {1: 1, 2: 1.785714, 3: 3.0}),
        ("box", 2, 2, {1: 1, 2: 1.62, 3: 2.253333}),
    ],
)
def test_fusion_redundancy(shape, dimensions, radius, expected):
    one = regular(shape, dimensions, radius)
    for steps, redundancy in expected.items():
        assert model.fusion_redundancy(one.fused_taps(steps), one.taps, steps) == pytest.approx(redundancy, abs=1e-6)


@pytest.mark.parametrize(
    ("balance", "intensity", "steps"), [(8.5, 0.625, 14), (5, 0.625, 8), (33.5 / 4.8, 0.625, 12), (5, 6.125, 1)]
)
def test_least_steps(balance, intensity, steps):
    assert model.least_steps(balance, intensity) == steps
    assert steps == 1 or (steps - 1) * intensity < balance <= steps * intensity


def test_rounding_of_a_balance_costs_no_step():
    balance = machine_balance(1e12, 1 / (3 * 1.125) * 1e12)
    assert balance > 3 * 1.125
    assert model.least_steps(balance, 1.125) == 3


def test_a_threshold_that_is_whole_puts_the_stencil_on_the_ridge():
    balance = machine_balance(9.7e12, 1.94e12)
    steps = model.least_steps(balance, model.cost(5, 8).intensity)
    assert side(balance, model.cost(5, 8, steps).intensity) == "ridge"
    assert side(balance, model.cost(5, 8, steps + 1).intensity) == "compute"


def test_depth_limits_of_tiles():
    assert model.most_steps_shared(232448, 256, 1, 2, 8) == 37
    assert model.most_steps_shared(100, 256, 1, 2, 8) == 0
    assert model.most_steps_halo(256, 1) == 127
    assert model.halo_factor(256, 1, 3) == 256 / 250
    assert model.halo_factor(256, 1, 127) == 128
    with pytest.raises(ModelError, match="keeps no cell"):
        model.halo_factor(256, 1, 128)


@given(st.integers(1, 40), st.integers(1, 5), st.integers(1, 10))
def test_halo_by_counting_cells_that_stay_valid(width, radius, steps):
    valid = set(range(width))
    for _ in range(steps):
        valid = {x for x in valid if all(x + d in valid for d in range(-radius, radius + 1))}
    assert bool(valid) == (steps <= model.most_steps_halo(width, radius))
    if valid:
        assert model.halo_factor(width, radius, steps) == pytest.approx(width / len(valid))


def test_traffic_of_a_sweep():
    assert model.least_traffic(8) == 16
    assert model.least_traffic(8, radius=1, layer_condition=False) == 32  # three rows read, one written
    assert model.least_traffic(4, radius=2, layer_condition=False, source_terms=1) == 28
    assert model.missed_bytes(5, 8, 0) == 48
    assert model.missed_bytes(5, 8, 2 / 3) == pytest.approx(16)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: stencil("9pt"), "no such stencil: 9pt (known are: 2d5pt"),
        (lambda: regular("ring", 2, 1), "no such shape: ring (star or box)"),
        (lambda: regular("box", 2, 0), "radius must be at least 1"),
        (lambda: stencil("2d5pt").fused_taps(0), "steps must be at least 1, not 0"),
        (lambda: box_points(2, 1, 1.5), "steps must be a whole number, not 1.5"),
        (lambda: star_points(0, 1), "dimensions must be at least 1"),
        (lambda: of_points("none", frozenset()), "no points"),
        (lambda: of_points("mixed", frozenset({(1,), (1, 2)})), "different dimensions"),
        (lambda: stencil("poisson").fused_taps(81), "too many to sum"),
        (lambda: of_points("of nothing", frozenset({()})), "no points"),
        (lambda: of_points("halves", frozenset({(0.5,), (0,)})), "whole numbers of cells"),
        (lambda: model.fusion_redundancy(4, 5, 1), "1 fused steps of 5 points have at least 5 points, not 4"),
        (lambda: model.fusion_redundancy(9, 9, 5), "at least 41 points, not 9"),
        (lambda: model.cost(5, math.nan), "element bytes must be a whole number, not nan"),
        (lambda: model.least_steps(0, 1), "balance must be above 0"),
        (lambda: model.missed_bytes(5, 8, 0.9), "leaves less than the 16 bytes"),
        (lambda: model.least_traffic(8, source_terms=-1), "there are no -1 source terms"),
    ],
)
def test_what_is_no_stencil_is_refused_with_the_reason(call, what):
    with pytest.raises(ModelError) as caught:
        call()
    assert what in str(caught.value)


def test_names_of_regular_stencils_and_of_the_catalogue():
    assert regular("box", 2, 3) == Stencil("box-2d3r", "box", 2, 3)
    assert stencil("Box-2D7R").taps == regular("box", 2, 7).taps

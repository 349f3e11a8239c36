"""Stencils on tensor cores: the four regimes, and multiply-adds of published codes against hand-counted numbers."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nsightlens.errors import ModelError
from nsightlens.models import implementations as codes
from nsightlens.models import matrix_unit
from nsightlens.models import stencil_tensor as model
from nsightlens.models.stencil import fusion_redundancy
from nsightlens.models.stencil_catalogue import regular, stencil

# CUDA-core peak, tensor-core peak (FP64), bandwidth
GPUS = {"A100": (9.7e12, 19.5e12, 1.94e12), "GH200": (34e12, 67e12, 4e12), "H200": (33.5e12, 66.9e12, 4.8e12)}

CASES = st.fixed_dictionaries(
    {
        "cuda_flop_per_s": st.floats(1e12, 1e14),
        "tensor_flop_per_s": st.floats(1e12, 2e15),
        "bytes_per_s": st.floats(1e12, 8e12),
        "taps": st.integers(3, 225),
        "element_bytes": st.sampled_from([2, 4, 8]),
        "fusion_redundancy": st.floats(1, 10),
        "useful": st.floats(0.01, 1),
        "cuda_steps": st.integers(1, 20),
        "tensor_steps": st.integers(1, 20),
    }
)


def compared(case):
    case = dict(case)
    peaks = [case.pop(name) for name in ("cuda_flop_per_s", "tensor_flop_per_s", "bytes_per_s")]
    return model.compare(*peaks, **case)


def by_regime(case):
    """Return the speed-up that each regime's own formula gives."""
    balance = case["cuda_flop_per_s"] / case["bytes_per_s"]
    balance_tensor = case["tensor_flop_per_s"] / case["bytes_per_s"]
    intensity = case["taps"] / case["element_bytes"]
    executed = case["fusion_redundancy"] / case["useful"]
    return {
        1: case["tensor_steps"] / case["cuda_steps"],
        2: balance_tensor / balance / executed,
        3: case["tensor_steps"] * intensity / balance,
        4: balance_tensor / (executed * case["cuda_steps"] * intensity),
    }


@given(CASES)
def test_each_regime_has_its_formula(case):
    found = compared(case)
    assert found.speedup == pytest.approx(by_regime(case)[found.regime], rel=1e-9)


@given(CASES)
def test_regimes_meet_at_the_ridge_of_cuda_cores(case):
    """On the ridge both neighbours give the same; a hair to either side changes the regime but not the speed-up."""
    ridge = case["bytes_per_s"] * case["cuda_steps"] * case["taps"] / case["element_bytes"]
    around = [compared(case | {"cuda_flop_per_s": ridge * factor}) for factor in (1 - 1e-6, 1, 1 + 1e-6)]
    assert around[0].speedup == pytest.approx(around[1].speedup, rel=2e-6)
    assert around[2].speedup == pytest.approx(around[1].speedup, rel=2e-6)
    assume(around[0].tensor.bound != "ridge")
    assert around[1].cuda.bound == "ridge"
    assert (around[0].regime, around[2].regime) in {(2, 4), (3, 1)}
    formulas = by_regime(case | {"cuda_flop_per_s": ridge})
    assert formulas[around[0].regime] == pytest.approx(formulas[around[2].regime], rel=1e-9)


@given(CASES)
def test_regimes_meet_at_the_ridge_of_tensor_cores(case):
    executed = case["fusion_redundancy"] / case["useful"]
    ridge = executed * case["bytes_per_s"] * case["tensor_steps"] * case["taps"] / case["element_bytes"]
    around = [compared(case | {"tensor_flop_per_s": ridge * factor}) for factor in (1 - 1e-6, 1, 1 + 1e-6)]
    assert around[0].speedup == pytest.approx(around[1].speedup, rel=2e-6)
    assert around[2].speedup == pytest.approx(around[1].speedup, rel=2e-6)
    assume(around[0].cuda.bound != "ridge")
    assert around[1].tensor.bound == "ridge"
    assert (around[0].regime, around[2].regime) in {(2, 3), (4, 1)}
    formulas = by_regime(case | {"tensor_flop_per_s": ridge})
    assert formulas[around[0].regime] == pytest.approx(formulas[around[2].regime], rel=1e-9)


@given(CASES)
def test_tensor_cores_lose_where_only_they_are_compute_bound_without_deeper_fusion(case):
    assume(case["cuda_steps"] >= case["tensor_steps"])
    found = compared(case)
    if found.regime == 4:
        assert found.speedup < 1
    if found.regime == 1:
        assert found.speedup <= 1


@given(CASES)
def test_the_criterion_decides_where_both_are_compute_bound_and_only_there(case):
    found = compared(case)
    ratio = case["tensor_flop_per_s"] / case["cuda_flop_per_s"]
    wins = matrix_unit.wins_if_compute_bound(case["fusion_redundancy"], case["useful"], ratio)
    assume(abs(found.speedup - 1) > 1e-9)
    if found.regime == 2:
        assert wins == (found.speedup > 1)


def test_the_criterion_says_yes_where_nothing_is_won():
    found = model.compare(*GPUS["H200"], taps=5, element_bytes=8, fusion_redundancy=1, useful=0.9)
    assert matrix_unit.wins_if_compute_bound(1, 0.9, 66.9 / 33.5)
    assert (found.regime, found.speedup) == (1, 1)


@pytest.mark.parametrize(
    ("case", "regime"),
    [
        ((19.5e12, 156e12, 1.935e12, 9, 4, 225 / 63, 15 / 32, 7), 2),
        ((19.5e12, 312e12, 1.935e12, 9, 4, 225 / 63, 15 / 32, 7), 3),
        ((19.5e12, 156e12, 1.935e12, 49, 4, 1, 49 / 104, 1), 3),
        ((9.7e12, 19.5e12, 1.94e12, 49, 8, 1, 49 / 104, 1), 2),
        ((9.7e12, 19.5e12, 1.94e12, 9, 8, 49 / 27, 49 / 104, 3), 4),
        ((33.5e12, 66.9e12, 4.8e12, 9, 8, 49 / 27, 49 / 104, 3), 1),
        ((133.8e12, 1978.9e12, 4.8e12, 225, 2, 1, 15 / 32, 1), 3),
    ],
)
def test_regimes_of_known_cases(case, regime):
    *peaks, taps, element_bytes, redundancy, useful, steps = case
    found = model.compare(
        *peaks,
        taps=taps,
        element_bytes=element_bytes,
        fusion_redundancy=redundancy,
        useful=useful,
        cuda_steps=steps,
        tensor_steps=steps,
    )
    assert found.regime == regime
    assert model.REGIMES[regime].count("memory bound") == {1: 1, 2: 0, 3: 1, 4: 1}[regime]


def test_sparse_units_double_the_peak_and_keep_the_useful_fraction():
    assert matrix_unit.sparse_peak(156e12, 15 / 32) == 312e12
    assert matrix_unit.physical_useful_fraction(15 / 32) == 0.9375
    assert matrix_unit.physical_useful_fraction(0.5) == matrix_unit.physical_useful_fraction(0.8) == 1
    with pytest.raises(ModelError, match=r"2:4 pattern holds 0\.5"):
        matrix_unit.sparse_peak(156e12, 0.51)


# scheme, instructions, outputs, multiply-adds per output, points, multiply-adds over points
COUNTS = [
    (codes.convstencil(), 26, 64, 104, 49, 2.122449),
    (codes.lorastencil(3, "paper"), 36, 64, 144, 49, 2.938776),
    (codes.lorastencil(3), 27 * 4, 64 * 4, 108, 49, 2.204082),
    (codes.lorastencil_star(1), 8, 64, 32, 13, 2.461538),
    (codes.lorastencil_star(3), 9, 64, 36 + 8, None, None),
    (codes.tcstencil(3, "paper"), 7, 100, 286.72, 49, 5.851429),
    (codes.tcstencil(2), 5, 256, 80, 25, 3.2),
    (codes.tcstencil(1), 3, 256, 48, 9, 5.333333),
    (codes.spider(7), 30, 128, 480, 225, 2.133333),
]


@pytest.mark.parametrize(("scheme", "instructions", "outputs", "macs", "taps", "over"), COUNTS)
def test_multiply_adds_per_output(scheme, instructions, outputs, macs, taps, over):
    assert (scheme.instructions, scheme.outputs) == (instructions, outputs)
    assert scheme.macs == pytest.approx(macs)
    if taps is not None:
        assert 1 / scheme.useful(taps) == pytest.approx(over, abs=1e-6)


@pytest.mark.parametrize(
    ("scheme", "name", "steps", "macs", "over"),
    [
        (codes.convstencil(), "2d9pt", 3, 34.667, 3.851852),
        (codes.convstencil(), "2d5pt", 3, 34.667, 6.933333),
        (codes.convstencil(), "2d13pt", 1, 104, 8.0),
        (codes.convstencil(), "2d49pt", 1, 104, 2.122449),
        (codes.lorastencil(3), "2d9pt", 3, 36, 4.0),
        (codes.lorastencil_star(3), "2d5pt", 3, 14.667, 2.933333),
        (codes.spider(7), "2d9pt", 7, 68.571, 7.619048),
    ],
)
def test_multiply_adds_per_update(scheme, name, steps, macs, over):
    taps, fused = stencil(name).taps, stencil(name).fused_taps(steps)
    assert scheme.macs_per_update(steps) == pytest.approx(macs, abs=5e-4)
    assert scheme.macs_per_update(steps) / taps == pytest.approx(over, abs=1e-6)
    inflation = matrix_unit.inflation(fusion_redundancy(fused, taps, steps), scheme.useful(fused))
    assert inflation == pytest.approx(over, abs=1e-6)


def test_physical_multiply_adds_of_spider():
    scheme = codes.spider(7)
    assert (scheme.physical_macs, scheme.physical_macs / 225) == (240, pytest.approx(1.066667, abs=1e-6))
    assert scheme.physical_macs / 7 == pytest.approx(34.286, abs=5e-4)
    assert scheme.physical_macs / 7 / 9 == pytest.approx(3.809524, abs=1e-6)
    assert codes.convstencil().physical_macs == codes.convstencil().tensor_macs


# stencil, fused steps, FLOP/byte, CUDA cores bound by; then per GPU: memory roof, CUDA-core roof (1e9 updates/s)
PREDICTED = {
    ("A100", "2d5pt"): (3, 1.875, "memory", 363.750, 970.000, 363.750),
    ("A100", "2d9pt"): (3, 3.375, "memory", 363.750, 538.889, 363.750),
    ("A100", "2d13pt"): (1, 1.625, "memory", 121.250, 373.077, 121.250),
    ("A100", "2d49pt"): (1, 6.125, "compute", 121.250, 98.980, 98.980),
    ("A100", "3d7pt"): (3, 2.625, "memory", 363.750, 692.857, 363.750),
    ("A100", "3d27pt"): (3, 10.125, "compute", 363.750, 179.630, 179.630),
    ("GH200", "2d5pt"): (3, 1.875, "memory", 750.000, 3400.000, 750.000),
    ("GH200", "2d9pt"): (3, 3.375, "memory", 750.000, 1888.889, 750.000),
    ("GH200", "2d13pt"): (1, 1.625, "memory", 250.000, 1307.692, 250.000),
    ("GH200", "2d49pt"): (1, 6.125, "memory", 250.000, 346.939, 250.000),
    ("GH200", "3d7pt"): (3, 2.625, "memory", 750.000, 2428.571, 750.000),
    ("GH200", "3d27pt"): (3, 10.125, "compute", 750.000, 629.630, 629.630),
    ("H200", "2d5pt"): (3, 1.875, "memory", 900.000, 3350.000, 900.000),
    ("H200", "2d9pt"): (3, 3.375, "memory", 900.000, 1861.111, 900.000),
    ("H200", "2d13pt"): (1, 1.625, "memory", 300.000, 1288.462, 300.000),
    ("H200", "2d49pt"): (1, 6.125, "memory", 300.000, 341.837, 300.000),
    ("H200", "3d7pt"): (3, 2.625, "memory", 900.000, 2392.857, 900.000),
    ("H200", "3d27pt"): (3, 10.125, "compute", 900.000, 620.370, 620.370),
}
# tensor-core roof, the lower of it and memory, over CUDA cores
CONVSTENCIL = {
    ("A100", "2d5pt"): (281.250, 281.250, 0.773),
    ("A100", "2d9pt"): (281.250, 281.250, 0.773),
    ("A100", "2d13pt"): (93.750, 93.750, 0.773),
    ("A100", "2d49pt"): (93.750, 93.750, 0.947),
    ("GH200", "2d5pt"): (966.346, 750.000, 1.000),
    ("GH200", "2d9pt"): (966.346, 750.000, 1.000),
    ("GH200", "2d13pt"): (322.115, 250.000, 1.000),
    ("GH200", "2d49pt"): (322.115, 250.000, 1.000),
    ("H200", "2d5pt"): (964.904, 900.000, 1.000),
    ("H200", "2d9pt"): (964.904, 900.000, 1.000),
    ("H200", "2d13pt"): (321.635, 300.000, 1.000),
    ("H200", "2d49pt"): (321.635, 300.000, 1.000),
}
LORASTENCIL = {
    ("A100", "2d9pt"): (270.833, 270.833, 0.745),
    ("A100", "2d13pt"): (304.688, 121.250, 1.000),
    ("A100", "2d49pt"): (90.278, 90.278, 0.912),
    ("GH200", "2d9pt"): (930.556, 750.000, 1.000),
    ("GH200", "2d13pt"): (1046.875, 250.000, 1.000),
    ("GH200", "2d49pt"): (310.185, 250.000, 1.000),
    ("H200", "2d9pt"): (929.167, 900.000, 1.000),
    ("H200", "2d13pt"): (1045.312, 300.000, 1.000),
    ("H200", "2d49pt"): (309.722, 300.000, 1.000),
}


@pytest.mark.parametrize("key", PREDICTED)
def test_predicted_rates_of_cuda_cores(key):
    steps, intensity, bound, memory, compute, least = PREDICTED[key]
    peak, _, bandwidth = GPUS[key[0]]
    taps = stencil(key[1]).taps
    assert taps * steps / 8 == intensity
    found = model.rate(peak, bandwidth, taps, 8, steps)
    assert (found.updates_per_s / 1e9, found.bound) == (pytest.approx(least, abs=6e-4), bound)
    assert (found.memory_roof / 1e9, found.compute_roof / 1e9) == pytest.approx((memory, compute), abs=6e-4)


@pytest.mark.parametrize(
    ("table", "schemes"),
    [
        (CONVSTENCIL, dict.fromkeys(("2d5pt", "2d9pt", "2d13pt", "2d49pt"), codes.convstencil())),
        (
            LORASTENCIL,
            {"2d9pt": codes.lorastencil(), "2d13pt": codes.lorastencil_star(), "2d49pt": codes.lorastencil()},
        ),
    ],
)
def test_predicted_rates_of_tensor_cores(table, schemes):
    for (gpu, name), (compute, least, over) in table.items():
        peak, tensor, bandwidth = GPUS[gpu]
        taps, steps = stencil(name).taps, PREDICTED[gpu, name][0]
        executed = schemes[name].macs_per_update(steps) / taps
        found = model.rate(tensor, bandwidth, taps, 8, steps, executed)
        assert (found.compute_roof / 1e9, found.updates_per_s / 1e9) == pytest.approx((compute, least), abs=6e-4)
        assert found.updates_per_s / model.rate(peak, bandwidth, taps, 8, steps).updates_per_s == pytest.approx(
            over, abs=6e-4
        )


def test_what_grows_with_the_kernel():
    assert [codes.convstencil(width).macs for width in (3, 5, 7)] == [48, 74.66666666666667, 104]
    assert [codes.lorastencil(rank).macs for rank in (1, 4, 7)] == [36, 144, 252]
    assert [codes.spider(radius).useful((2 * radius + 1) ** 2) for radius in (1, 3, 7)] == [3 / 32, 7 / 32, 15 / 32]
    assert codes.spider_density(7, padded=32) == 0.46875
    assert [codes.spider_fits(radius) for radius in (7, 8)] == [True, False]
    assert [codes.spider_fits(radius, 8) for radius in (3, 4)] == [True, False]
    assert [codes.spider_fits(3, strip) for strip in (6, 7, 8)] == [False, False, True]


@given(st.integers(1, 12), st.integers(2, 30))
def test_spiders_exchange_leaves_two_of_four_exactly_where_it_fits(radius, strip):
    """Exchange columns j and j + strip for even j in the band matrix, and look at each group of four."""
    length = 2 * radius + 1
    assume(strip % 2 == 0)
    rows = [[int(row <= column < row + length) for column in range(2 * strip)] for row in range(strip)]
    assume(length <= strip + 1)  # beyond, the band does not fit two strips
    for row in rows:
        for column in range(0, strip, 2):
            row[column], row[column + strip] = row[column + strip], row[column]
    pairs = [sum(row[at : at + 2]) for row in rows for at in range(0, 2 * strip, 2)]
    assert codes.spider_fits(radius, strip) == (max(pairs) <= 1)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: matrix_unit.useful_fraction(5, 4), "4 multiply-adds do not hold 5 useful ones"),
        (lambda: matrix_unit.inflation(0, 0.5), "fusion redundancy must be above 0"),
        (lambda: codes.lorastencil(3, "nonsense"), "no such accounting: nonsense"),
        (lambda: codes.tcstencil(3, "nonsense"), "no such accounting: nonsense"),
        (lambda: matrix_unit.inflation(1, 0), "useful must be above 0"),
        (lambda: matrix_unit.inflation(1, 1.5), "useful must lie in 0...1"),
        (lambda: model.rate(1e12, 1e12, 5, 8, 0), "steps must be at least 1"),
        (lambda: model.rate(0, 1e12, 5, 8), "peak flop per s must be above 0"),
        (lambda: codes.convstencil(9), "kernels 3, 5 or 7 wide, not 9"),
        (lambda: codes.convstencil(4), "kernels 3, 5 or 7 wide, not 4"),
        (lambda: codes.lorastencil(8), "rank 7 at most, not 8"),
        (lambda: codes.lorastencil_star(2), "1 or 3 steps of stars, not 2"),
        (lambda: codes.tcstencil(8), "keeps no cell at radius 8"),
        (lambda: codes.spider(8), "band of 2 x 8 + 1 does not fit"),
        (lambda: codes.spider_density(4, 8), "does not fit"),
        (lambda: codes.spider_density(7, padded=16), "16 columns do not hold 30"),
        (lambda: codes.lorastencil_star().useful(49), "32 multiply-adds do not hold 49"),
        (lambda: codes.spider().macs_per_update(0), "steps must be at least 1"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(call, what):
    with pytest.raises(ModelError) as caught:
        call()
    assert what in str(caught.value)


def test_a_regular_stencil_and_its_fused_form_agree_on_the_executed_work():
    fused = regular("box", 2, 1).fused_taps(3)
    assert fused == stencil("2d49pt").taps

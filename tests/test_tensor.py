"""Tensor-core work from counters, without counting parts and totals twice."""

import math

import pytest

from nsightlens.collectors.tensor import tensor_work

PREFIX = "sm__ops_path_tensor_"


def counters(**values):
    """Return counters by the part of their name between the common prefix and ``.sum``."""
    return {f"{PREFIX}{name}.sum": value for name, value in values.items()}


def peaks(**values):
    return {f"{PREFIX}{name}.sum.peak_sustained": value for name, value in values.items()}


def test_parts_of_a_total_are_not_added_to_it():
    """Names of sm_90: the op_* counters are parts of the src_* totals."""
    found = tensor_work(
        counters(
            src_fp16=96.0,
            op_hgmma_src_fp16_sparsity_off=64.0,
            op_hgmma_src_fp16_sparsity_on=0.0,
            op_hmma_src_fp16_dst_fp16_sparsity_off=0.0,
            op_hmma_src_fp16_dst_fp32_sparsity_off=32.0,
            src_fp64=10.0,
        )
    )
    assert found.flop == {"fp16": 96, "fp64": 10}


def test_parts_serve_where_there_is_no_total():
    found = tensor_work(
        counters(
            op_hgmma_src_bf16_dst_fp32_sparsity_off=64.0,
            op_hgmma_src_bf16_dst_fp32_sparsity_on=2.0,
            op_hmma_src_bf16_dst_fp32_sparsity_off=32.0,
            op_hmma_src_bf16_dst_fp32_sparsity_on=0.0,
        )
    )
    assert found.flop == {"bf16": 98}


def test_sparse_and_dense_names_add_up_unless_a_name_without_suffix_holds_both():
    assert tensor_work(counters(src_fp8_sparsity_off=3.0, src_fp8_sparsity_on=4.0)).flop == {"fp8": 7}
    assert tensor_work(counters(src_int8=7.0, src_int8_sparsity_off=3.0, src_int8_sparsity_on=4.0)).flop == {"int8": 7}


def test_names_of_sm_80_and_sm_75():
    ampere = counters(
        src_fp16_dst_fp16_sparsity_off=1.0,
        src_fp16_dst_fp16_sparsity_on=2.0,
        src_fp16_dst_fp32_sparsity_off=4.0,
        src_fp16_dst_fp32_sparsity_on=8.0,
        src_tf32_dst_fp32_sparsity_off=16.0,
        src_tf32_dst_fp32_sparsity_on=0.0,
        src_fp64=32.0,
    )
    assert tensor_work(ampere).flop == {"fp16": 15, "tf32": 16, "fp64": 32}
    turing = counters(src_fp16_dst_fp16=1.0, src_fp16_bf16_tf32_dst_fp32=2.0, src_int8=0.0)
    assert tensor_work(turing).flop == {"fp16": 1, "fp16_bf16_tf32": 2, "int8": 0}


def test_the_path_is_the_instruction_family_that_did_the_work():
    found = tensor_work(
        counters(
            src_fp16=100.0,
            op_hgmma_src_fp16_sparsity_off=20.0,
            op_hmma_src_fp16_dst_fp32_sparsity_off=80.0,
            src_bf16_dst_fp32=0.0,
            op_hgmma_src_bf16_dst_fp32_sparsity_off=0.0,
        )
    )
    assert found.path == {"fp16": "hmma"}


def test_peaks_are_dense_and_of_the_path_that_ran():
    of_paths = peaks(
        src_fp16=4096.0,
        op_hgmma_src_fp16_sparsity_off=2048.0,
        op_hgmma_src_fp16_sparsity_on=4096.0,
        op_hmma_src_fp16_dst_fp32_sparsity_off=1365.0,
        op_hmma_src_fp16_dst_fp32_sparsity_on=2730.0,
        src_fp64=128.0,
    )
    mma = counters(op_hmma_src_fp16_dst_fp32_sparsity_off=5.0, op_hgmma_src_fp16_sparsity_off=0.0, src_fp16=5.0)
    assert tensor_work(of_paths | mma).peak_flop_per_cycle == {"fp16": 1365, "fp64": 128}
    assert tensor_work(of_paths).peak_flop_per_cycle == {"fp16": 2048, "fp64": 128}


def test_a_peak_of_the_recorded_h200_is_half_of_the_sparse_one(report_of):
    launch = report_of("scale_roofline").launched[9]
    work = launch.tensor
    assert work.flop["fp64"] > 0
    assert {kind for kind, value in work.flop.items() if value > 0} == {"fp64"}
    for kind in ("bf16", "fp16", "tf32"):
        sparse = max(
            value
            for name, value in launch.counters.items()
            if f"src_{kind}" in name and name.endswith("sparsity_on.sum.peak_sustained")
        )
        assert work.peak_flop_per_cycle[kind] == sparse / 2


@pytest.mark.parametrize("bad", [None, math.nan, "n/a"])
def test_a_counter_without_value_makes_its_type_unknown_rather_than_zero(bad):
    found = tensor_work(counters(src_fp16=bad, src_tf32_dst_fp32=0.0))
    assert math.isnan(found.flop["fp16"])
    assert found.flop["tf32"] == 0
    halves = tensor_work(counters(src_fp8_sparsity_off=bad, src_fp8_sparsity_on=0.0))
    assert math.isnan(halves.flop["fp8"])


def test_types_without_counters_are_absent():
    assert tensor_work({}).flop == {}
    assert tensor_work({"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed": 50.0}).flop == {}


def test_other_names_around_the_totals_do_not_count():
    noise = {
        f"{PREFIX}src_fp64.avg": 5.0,
        f"{PREFIX}src_fp64.sum.per_second": 5.0,
        f"{PREFIX}src_fp64.sum.pct_of_peak_sustained_elapsed": 5.0,
        f"{PREFIX}src_fp64_realtime.sum": 5.0,
        "derived__sm__ops_path_tensor_src_fp64.sum": 5.0,
        "smsp__ops_path_tensor_src_fp64.sum": 5.0,
    }
    assert tensor_work(noise).flop == {}
    assert tensor_work(noise | counters(src_fp64=1.0)).flop == {"fp64": 1}


@pytest.mark.parametrize(
    "partial",
    [
        {"src_fp8_sparsity_off": 4.0},
        {"src_fp8_sparsity_on": 4.0},
        {"src_fp16_dst_fp16_sparsity_off": 4.0, "src_fp16_dst_fp16_sparsity_on": 0.0},
        {"op_hmma_src_bf16_dst_fp32_sparsity_off": 4.0},
        {"src_fp16_dst_fp32_sparsity_off": 4.0, "src_fp16_dst_fp16_sparsity_off": 0.0},
    ],
)
def test_a_part_of_a_set_is_no_total_but_shows_that_tensor_cores_ran(partial):
    found = tensor_work(counters(**partial))
    (kind,) = found.flop
    assert math.isnan(found.flop[kind])
    assert found.ran == {kind}


def test_a_count_below_zero_is_no_work():
    found = tensor_work(counters(src_fp64=-1.0))
    assert math.isnan(found.flop["fp64"])
    assert not found.ran


def test_turing_has_no_sparse_operations_so_the_peak_of_a_total_is_dense():
    turing = peaks(src_fp16_dst_fp16=512.0) | {"device__attribute_compute_capability_major": 7}
    assert tensor_work(turing).peak_flop_per_cycle == {"fp16": 512}
    hopper = peaks(src_fp16=4096.0) | {"device__attribute_compute_capability_major": 9}
    assert tensor_work(hopper).peak_flop_per_cycle == {}

"""``nsightlens model``: its numbers against ones worked out by hand from the articles, its words, its errors."""

import json
import math
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from nsightlens.cli import cli
from nsightlens.errors import UsageError
from nsightlens.gpus import gpus
from nsightlens.models.stencil_catalogue import names

ROOT = Path(__file__).parents[1]
ALL = (
    ["gpus"],
    ["gpus", "h200"],
    ["gpus", "b200"],
    ["intensity", "gemv"],
    ["intensity", "spmv", "--rows", "62451", "--nonzeros", "4007383"],
    ["tensor", "--gpu", "h200", "--kernel", "scale"],
    ["tensor", "--gpu", "h100_sxm", "--dtype", "fp16", "--intensity", "3"],
    ["tensor", "--gpu", "a100_80_pcie", "--t-mem", "3", "--t-cmp", "1", "--time", "3.5"],
    ["stencil", "--gpu", "h200", "--shape", "2d9pt"],
    ["stencil", "--gpu", "a100_80_sxm", "--shape", "star3d1r", "--dtype", "fp32"],
    ["stencil", "--gpu", "h200", "--shape", "box2d7r", "--dtype", "fp16"],
)


def run(*arguments):
    return CliRunner().invoke(cli, ["model", *map(str, arguments)])


def text(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.output


def answer(*arguments):
    return json.loads(text(*arguments, "--format", "json"))


def results(*arguments):
    return answer(*arguments)["results"]


def refused(*arguments):
    """Return the one line of an error of the library."""
    error = run(*arguments).exception
    assert isinstance(error, UsageError)
    assert error.exit_code == 2
    assert "\n" not in str(error)
    return str(error)


# -- gpus ------------------------------------------------------------------------------------------------------------


def test_the_table_lists_every_gpu_with_its_peaks():
    rows = results("gpus")["gpus"]
    assert [row["key"] for row in rows] == [gpu.key for gpu in gpus()]
    h200 = next(row for row in rows if row["key"] == "h200")
    assert h200["dram_bytes_per_s"] == 4.8e12
    assert h200["tensor_fp64_flop_per_s"] == 66.9e12
    v100 = next(row for row in rows if row["key"] == "v100_sxm2")
    assert v100["tensor_fp64_flop_per_s"] is None


def test_one_gpu_comes_with_the_source_of_every_number():
    found = results("gpus", "H200")
    documents = {row["source"]: row["address"] for row in found["sources"]}
    assert {row["source"] for row in found["numbers"]} == set(documents)
    units = {row["name"]: row["unit"] for row in found["numbers"]}
    assert units["tensor_int8_flop_per_s"] == "op/s"
    assert units["fp64_flop_per_s"] == "FLOP/s"
    bandwidth = next(row for row in found["numbers"] if row["name"] == "dram_bytes_per_s")
    assert bandwidth["value"] == 4.8e12
    assert "h200" in documents[bandwidth["source"]]


def test_what_is_uncertain_is_marked_and_explained():
    found = answer("gpus", "b200")
    doubtful = {row["name"] for row in found["results"]["numbers"] if row["uncertain"]}
    assert {"fp64_flop_per_s", "tensor_fp64_flop_per_s"} <= doubtful
    assert any("37" in words for words in found["cautions"])


def test_rates_of_slower_instructions_are_not_guessed():
    assert any("mma.sync reaches less" in words for words in answer("gpus", "h100_sxm")["cautions"])
    assert not any("mma.sync" in words for words in answer("gpus", "a100_80_sxm")["cautions"])


# -- intensity -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "flop", "moved", "intensity"),
    [
        (["scale", "--elements", "1000"], 1000, 16000, 0.0625),
        (["scale", "--dtype", "fp16", "--elements", "8"], 8, 32, 0.25),
        (["gemv", "--rows", "1000", "--columns", "1000"], 2e6, 8 * 1002000, 0.249501),
        (["gemv", "--rows", "4096", "--columns", "1"], 8192, 8 * 8193, 0.124985),
        (["gemv", "--rows", "10", "--columns", "10", "--reads-y"], 200, 8 * 130, 200 / 1040),
        (["spmv", "--rows", "62451", "--nonzeros", "4007383"], 2 * 4007383, 49337620, 0.162447),
        (["spmv", "--rows", "5558326", "--nonzeros", "59524291"], 2 * 59524291, 825458016, 0.144221),
        (["stencil", "--shape", "2d5pt"], 10, 16, 0.625),
        (["stencil", "--shape", "box2d3r", "--dtype", "fp32"], 98, 8, 12.25),
        (["stencil", "--shape", "box2d1r", "--depth", "7", "--dtype", "fp32"], 126, 8, 15.75),
    ],
)
def test_work_traffic_and_intensity(arguments, flop, moved, intensity):
    found = results("intensity", *arguments)
    assert found["work_flop"] == flop
    assert found["traffic_bytes"] == moved
    assert found["intensity_flop_per_byte"] == pytest.approx(intensity, rel=1e-5)


@pytest.mark.parametrize(("kernel", "limit"), [("gemv", 1 / 4), ("spmv", 1 / 6)])
def test_without_sizes_the_limit_of_large_matrices_holds(kernel, limit):
    found = results("intensity", kernel)
    assert found["intensity_flop_per_byte"] == pytest.approx(limit)
    assert found["work_flop"] is None
    assert found["traffic_bytes"] is None


def test_the_formulas_stand_there_in_symbols():
    shown = text("intensity", "spmv")
    assert "2 nnz" in shown
    assert "(nnz + m + n) D + (nnz + m + 1) d" in shown


# -- tensor ----------------------------------------------------------------------------------------------------------


def unoverlapped(ratio, x):
    return (1 + x) / (1 / ratio + x)


@pytest.mark.parametrize(
    ("gpu", "kernel", "bound"),
    [
        ("a100_80_pcie", "gemv", None),
        ("h200", "gemv", 1.035821),
        ("h200", "spmv", 1.023881),
        ("gh200_96", "gemv", 1.029412),
        ("gh200_96", "spmv", 1.019608),
        ("h200", "scale", 1.017910),
    ],
)
def test_the_bounds_of_article_1(gpu, kernel, bound):
    found = results("tensor", "--gpu", gpu, "--kernel", kernel)
    if bound:
        assert found["workload_bound"] == pytest.approx(bound, rel=1e-6)
    assert found["overlapped_speedup"] == 1
    assert 1 < found["unoverlapped_speedup"] < found["workload_bound"]
    assert found["speedup_high"] == found["unoverlapped_speedup"]


def test_balance_boundness_ratio_and_bound_of_an_intensity():
    found = results("tensor", "--gpu", "h200", "--dtype", "fp64", "--intensity", "0.25")
    assert found["balance_flop_per_byte"] == pytest.approx(6.979167, rel=1e-6)
    assert found["tensor_balance_flop_per_byte"] == pytest.approx(13.9375)
    assert found["boundness"] == pytest.approx(27.916667, rel=1e-6)
    assert found["memory_bound"] is True
    assert found["tc_ratio"] == pytest.approx(1.997015, rel=1e-6)
    assert found["memory_bound_limit"] == pytest.approx(1.332669, rel=1e-6)
    assert found["unoverlapped_speedup"] == pytest.approx(unoverlapped(66.9 / 33.5, 27.916667), rel=1e-6)


def test_article_1_with_its_own_numbers():
    """A100: 9.7 and 19.5 TFLOP/s, 1.94 TB/s; GEMV, with the real ratio and with unlimited tensor cores."""
    own = ("--peak-flop-per-s", "9.7e12", "--tensor-peak-flop-per-s", "19.4e12", "--bandwidth-bytes-per-s", "1.94e12")
    found = results("tensor", *own, "--kernel", "gemv")
    assert found["workload_bound"] == pytest.approx(1.05)
    assert found["unoverlapped_speedup"] == pytest.approx(1.024390, rel=1e-6)
    assert found["memory_bound_limit"] == pytest.approx(4 / 3)


def test_own_peaks_come_before_those_of_the_table():
    found = answer("tensor", "--gpu", "h200", "--peak-flop-per-s", "30e12", "--intensity", "1")
    assert found["given"]["cuda_core_flop_per_s"] == 30e12
    assert found["given"]["tensor_core_flop_per_s"] == 66.9e12
    assert found["results"]["balance_flop_per_byte"] == pytest.approx(6.25)


def test_scale_says_that_multiplications_count_double_and_how_slow_arithmetic_makes_it():
    found = answer("tensor", "--gpu", "h200", "--kernel", "scale")
    numbers = found["results"]
    assert numbers["boundness"] == pytest.approx(55.833333, rel=1e-6)
    assert numbers["fma_boundness"] == pytest.approx(111.666667, rel=1e-6)
    assert numbers["fma_workload_bound"] == pytest.approx(1.008955, rel=1e-6)
    assert numbers["scale_effective_ratio"] == pytest.approx(0.249627, rel=1e-5)
    assert numbers["scale_worst_ratio"] == pytest.approx(0.949766, rel=1e-6)
    assert numbers["scale_worst_ratio_fma"] == pytest.approx(0.974013, rel=1e-6)
    assert any("more than 5.0 %" in words and "arithmetic" in words for words in found["reasoning"])


def test_the_loss_on_m8n8k4_is_told_for_fp64_alone():
    found = results("tensor", "--gpu", "h200", "--kernel", "scale", "--dtype", "fp16")
    assert "scale_worst_ratio" not in found
    assert found["fma_boundness"] == pytest.approx(133.8 / 4.8 / 0.25)


def test_times_and_their_total_bound_the_overlap_and_so_the_speed_up():
    """T = 3.5, T_mem = 3, T_cmp = 1: half of the compute time hides, half can be shortened."""
    found = results("tensor", "--gpu", "h200", "--t-mem", "3", "--t-cmp", "1", "--time", "3.5")
    assert found["boundness"] == 3
    assert found["overlap_low"] == pytest.approx(0.5)
    assert found["speedup_high"] == pytest.approx(3.5 / (3.5 - 0.5 * (1 - 33.5 / 66.9)))
    without = results("tensor", "--gpu", "h200", "--t-mem", "3", "--t-cmp", "1")
    assert without["speedup_high"] == pytest.approx(unoverlapped(66.9 / 33.5, 3))


def test_a_compute_bound_kernel_may_gain_up_to_the_memory_limit():
    found = answer("tensor", "--gpu", "h200", "--intensity", "10")
    assert found["results"]["memory_bound"] is False
    assert found["results"]["speedup_high"] == pytest.approx(10 / 6.979167, rel=1e-6)
    assert "compute bound" in " ".join(found["reasoning"])


def test_equal_peaks_give_nothing_and_slower_tensor_cores_cost():
    assert "cannot give anything" in answer("tensor", "--gpu", "b200", "--kernel", "gemv")["verdict"]
    own = ("--peak-flop-per-s", "4", "--tensor-peak-flop-per-s", "1", "--bandwidth-bytes-per-s", "1")
    found = results("tensor", *own, "--intensity", "0.05")
    assert found["unoverlapped_speedup"] == pytest.approx(0.964286, rel=1e-6)


def test_the_verdict_comes_with_assumptions_and_the_article_beside_it():
    found = answer("tensor", "--gpu", "h200", "--kernel", "gemv")
    high = found["results"]["speedup_high"]
    assert found["verdict"] == f"Tensor cores cannot give more than {high:.5g}×."
    assert any("1× to 1.33×" in words and "FP64" in words for words in found["reasoning"])
    assert any("same bytes" in words for words in found["assumptions"])


def test_the_peak_of_fp32_results_is_told_where_it_is_half():
    found = answer("tensor", "--gpu", "rtx_4090", "--dtype", "fp16", "--intensity", "1")["cautions"]
    assert any("with FP32 results it is 165.2 TFLOP/s" in words for words in found)


def test_compute_that_hides_under_memory_leaves_nothing_to_give():
    found = answer("tensor", "--gpu", "h200", "--t-mem", "3", "--t-cmp", "1", "--time", "3")
    assert found["results"]["speedup_high"] == 1
    assert found["verdict"] == "Tensor cores cannot give anything: all compute time hides under memory time."


def test_fp32_goes_to_tensor_cores_as_tf32_and_mma_sync_is_named_where_it_is_slower():
    assert any(
        "TF32" in words
        for words in answer("tensor", "--gpu", "a100_80_sxm", "--dtype", "fp32", "--intensity", "1")["cautions"]
    )
    hopper = answer("tensor", "--gpu", "h200", "--dtype", "fp16", "--intensity", "1")["cautions"]
    assert any("mma.sync" in words for words in hopper)


# -- stencil ---------------------------------------------------------------------------------------------------------


def rates(*arguments):
    found = results("stencil", *arguments)
    return {row["unit"]: row for row in found["rates"]}, {row["code"]: row for row in found["codes"]}, found


@pytest.mark.parametrize(
    ("gpu", "dtype", "shape", "depth", "cuda", "dense", "sparse"),
    [
        ("h200", "fp64", "box2d1r", 3, 900.0, 900.0, None),
        ("h200", "fp64", "2d9pt", 3, 900.0, 900.0, None),
        ("h200", "fp64", "box2d3r", 1, 300.0, 300.0, None),
        ("h200", "fp64", "star2d1r", 3, 900.0, 900.0, None),
        ("h200", "fp64", "2d13pt", 1, 300.0, 300.0, None),
        ("h200", "fp16", "box2d7r", 1, 297.333, 1200.0, 1200.0),
        ("a100_80_pcie", "fp32", "box2d1r", 7, 1083.333, 1137.5, 1693.125),
        ("a100_80_pcie", "fp32", "box2d3r", 1, 198.980, 241.875, 241.875),
        ("gh200_96", "fp64", "2d9pt", 3, 750.0, 750.0, None),
        ("h200", "fp64", "3d27pt", 3, 620.370, None, None),
        ("h200", "fp64", "3d7pt", 3, 900.0, None, None),
    ],
)
def test_the_rates_of_article_2_by_hand(gpu, dtype, shape, depth, cuda, dense, sparse):
    units, _, _ = rates("--gpu", gpu, "--dtype", dtype, "--shape", shape, "--depth", depth)
    found = [units[name]["updates_per_s"] for name in ("CUDA cores", "dense tensor cores", "sparse tensor cores (2:4)")]
    for value, expected in zip(found, (cuda, dense, sparse), strict=True):
        assert value == (None if expected is None else pytest.approx(expected * 1e9, rel=1e-5))


@pytest.mark.parametrize(
    ("shape", "depth", "cuda", "dense", "ratio"),
    [
        ("2d9pt", 3, 363.750, 281.250, 0.773196),
        ("box2d3r", 1, 98.980, 93.750, 0.947165),
        ("2d5pt", 3, 363.750, 281.250, 0.773196),
    ],
)
def test_on_an_a100_the_fp64_tensor_codes_are_compute_bound_and_lose(shape, depth, cuda, dense, ratio):
    own = ("--gpu", "a100_80_pcie", "--bandwidth-bytes-per-s", "1.94e12")
    units, codes, _ = rates(*own, "--shape", shape, "--depth", depth)
    tensor = units["dense tensor cores"]
    assert units["CUDA cores"]["updates_per_s"] == pytest.approx(cuda * 1e9, rel=1e-5)
    assert tensor["updates_per_s"] == pytest.approx(dense * 1e9, rel=1e-5)
    assert tensor["speedup"] == pytest.approx(ratio, rel=1e-5)
    assert tensor["bound"] == "compute"
    assert codes["ConvStencil"]["updates_per_s"] == tensor["updates_per_s"]
    assert "slower" in answer("stencil", *own, "--shape", shape, "--depth", depth)["verdict"]


def test_lorastencil_by_its_released_code():
    _, codes, _ = rates(
        "--gpu", "a100_80_pcie", "--bandwidth-bytes-per-s", "1.94e12", "--shape", "2d9pt", "--depth", "3"
    )
    assert codes["LoRAStencil"]["updates_per_s"] == pytest.approx(270.833e9, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("--gpu", "h200", "--shape", "2d5pt"),
            {"threshold_steps": 11.1667, "least_steps": 12, "most_steps_shared": 37, "ebisu_steps": 12},
        ),
        (("--gpu", "gh200_96", "--shape", "2d5pt"), {"threshold_steps": 13.6, "least_steps": 14}),
        (
            ("--gpu", "a100_80_pcie", "--bandwidth-bytes-per-s", "1.94e12", "--shape", "2d5pt"),
            {"threshold_steps": 8.0, "least_steps": 8, "least_steps_on_ridge": True},
        ),
        (
            ("--gpu", "h200", "--shape", "box2d1r"),
            {"taps": 9, "flop_per_update": 18, "fused_taps": 49, "fusion_redundancy": 49 / 27, "most_steps_halo": 127},
        ),
        (
            ("--gpu", "h200", "--shape", "star3d1r"),
            {"taps": 7, "fused_taps": 63, "fusion_redundancy": 3.0, "most_steps_halo": 15},
        ),
        (("--gpu", "h200", "--shape", "2d9pt", "--dtype", "fp32"), {"ebisu_steps": 8, "intensity_flop_per_byte": 2.25}),
        (("--gpu", "h200", "--shape", "box2d7r"), {"taps": 225, "ebisu_steps": None}),
    ],
)
def test_depths_and_points(arguments, expected):
    found = results("stencil", *arguments)
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(value, rel=1e-5) if isinstance(value, float) else value for name, value in expected.items()
    }


@pytest.mark.parametrize(
    ("text_", "name"),
    [
        ("box2d1r", "2d9pt"),
        ("Box-2D1R", "2d9pt"),
        ("Heat-2D", "2d5pt"),
        ("star2d1r", "2d5pt"),
        ("star-2d-2r", "2ds9pt"),
        ("j2d9pt", "2ds9pt"),
        ("STAR3D1R", "3d7pt"),
        ("box3d1r", "3d27pt"),
        ("heat3d", "3d7pt"),
        ("box3d2r", "box-3d2r"),
        ("star1d1r", "star-1d1r"),
        ("poisson", "poisson"),
    ],
)
def test_stencils_go_by_many_names(text_, name):
    assert answer("intensity", "stencil", "--shape", text_)["given"]["stencil"] == name


@pytest.mark.parametrize("name", names())
def test_every_stencil_of_the_catalogue_has_an_answer_in_every_precision(name):
    for dtype in ("fp64", "fp32", "fp16"):
        found = results("stencil", "--gpu", "h200", "--shape", name, "--dtype", dtype)
        assert found["rates"][0]["updates_per_s"] > 0


@pytest.mark.parametrize("name", ["2d9pt", "box2d1r", "2ds9pt"])
def test_the_trap_in_the_name_is_told(name):
    assert any("other suites" in words for words in answer("stencil", "--gpu", "h200", "--shape", name)["reasoning"])


@pytest.mark.parametrize(
    ("arguments", "fitting"),
    [
        (("--shape", "2d9pt", "--depth", "3"), {"ConvStencil", "LoRAStencil", "EBISU", "DRStencil"}),
        (("--shape", "2d9pt", "--depth", "4"), {"EBISU", "DRStencil"}),
        (("--shape", "3d7pt", "--depth", "3"), {"ConvStencil", "LoRAStencil", "EBISU", "Brick", "DRStencil"}),
        (("--shape", "poisson"), {"EBISU", "Brick"}),
        (("--shape", "2d9pt", "--dtype", "fp32"), {"EBISU"}),
        (("--shape", "2d9pt", "--dtype", "fp16", "--depth", "7"), {"TCStencil", "SPIDER"}),
        (("--shape", "box2d7r", "--dtype", "fp16"), {"SPIDER"}),
        (("--shape", "3d7pt", "--dtype", "fp16"), set()),
    ],
)
def test_which_published_code_fits(arguments, fitting):
    _, codes, _ = rates("--gpu", "h200", *arguments)
    assert {name for name, row in codes.items() if row["fits"]} == fitting
    assert all(row["why"] for row in codes.values())


def test_a_code_runs_at_a_depth_it_offers():
    _, codes, _ = rates("--gpu", "h200", "--shape", "2d9pt", "--depth", "5")
    assert (codes["EBISU"]["steps"], codes["DRStencil"]["steps"]) == (6, 3)
    assert codes["EBISU"]["updates_per_s"] == pytest.approx(6 * 4.8e12 / 16)


def test_drstencil_pays_for_fusing_on_cuda_cores():
    """3d7pt fused three times does three times the work: 33.5e12 / (14 x 3) cells a second, below 3 B / 16."""
    _, codes, _ = rates("--gpu", "h200", "--shape", "3d7pt", "--depth", "3")
    assert codes["DRStencil"]["updates_per_s"] == pytest.approx(33.5e12 / 42)


def test_a_depth_that_leaves_nothing_of_the_tile_is_told():
    assert any(
        "keeps a cell for 15 steps" in words
        for words in answer("stencil", "--gpu", "h200", "--shape", "3d7pt", "--depth", "16")["reasoning"]
    )
    assert not any(
        "keeps a cell" in words
        for words in answer("stencil", "--gpu", "h200", "--shape", "3d7pt", "--depth", "15")["reasoning"]
    )


def test_without_tensor_cores_for_it_the_rest_is_still_said():
    units, codes, _ = rates("--gpu", "v100_sxm2", "--shape", "2d9pt")
    assert units["CUDA cores"]["updates_per_s"] == pytest.approx(3 * 0.9e12 / 16)
    assert units["dense tensor cores"]["updates_per_s"] is None
    assert codes["ConvStencil"]["updates_per_s"] is None


# -- output and errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", ALL, ids=" ".join)
def test_tables_are_eighty_columns_wide_and_plain(arguments):
    shown = text(*arguments)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80 or all("http" in line for line in lines if len(line) > 80)
    assert all(line == line.rstrip() for line in lines)
    assert "\x1b" not in shown
    assert "nan" not in shown


@pytest.mark.parametrize("arguments", ALL, ids=" ".join)
def test_every_answer_is_one_json_document_and_markdown(arguments):
    found = answer(*arguments)
    assert found["schema"] == "nsightlens.model/1"
    assert found["model"] == arguments[0]
    assert set(found) == {
        "schema", "tool", "model", "subject", "given", "results", "verdict", "reasoning", "assumptions", "cautions"
    }  # fmt: skip
    numbers = [value for value in found["results"].values() if isinstance(value, float)]
    assert all(map(math.isfinite, numbers))
    tables = [line for line in text(*arguments, "--format", "markdown").splitlines() if line.startswith("|")]
    assert tables
    assert all(line.endswith("|") for line in tables)


def test_output_goes_to_a_file_by_its_extension_and_never_over_another(tmp_path):
    target = tmp_path / "answer.json"
    assert run("gpus", "h200", "-o", target).exit_code == 0
    assert json.loads(target.read_text())["subject"] == "H200 SXM 141 GB"
    assert "--force" in refused("gpus", "-o", target)
    assert run("gpus", "-o", target, "--force").exit_code == 0
    assert json.loads(target.read_text())["subject"] == "GPUs of the table"
    assert run("gpus", "-o", tmp_path / "answer.md").exit_code == 0
    assert (tmp_path / "answer.md").read_text().startswith("**GPUs of the table**")
    assert ".json" in refused("gpus", "-o", tmp_path / "answer.csv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gpus", "h100"), ("h100_sxm", "h100_pcie", "h100_nvl")),
        (("gpus", "rtx4080"), ("rtx_4090",)),
        (("tensor", "--intensity", "1"), ("--gpu", "--peak-flop-per-s")),
        (("tensor", "--gpu", "h200"), ("--intensity", "--kernel", "--t-mem")),
        (("tensor", "--gpu", "h200", "--intensity", "1", "--kernel", "gemv"), ("--intensity", "--kernel")),
        (("tensor", "--gpu", "v100_sxm2", "--intensity", "1"), ("V100", "fp64", "--tensor-peak-flop-per-s")),
        (("tensor", "--gpu", "h100_pcie", "--dtype", "fp16", "--intensity", "1"), ("fp16", "--peak-flop-per-s")),
        (("tensor", "--gpu", "h200", "--t-mem", "1"), ("--t-cmp",)),
        (("tensor", "--gpu", "h200", "--intensity", "1", "--time", "1"), ("--t-mem",)),
        (("tensor", "--gpu", "h200", "--t-mem", "2", "--t-cmp", "1", "--time", "1"), ("busy time exceeds",)),
        (("tensor", "--gpu", "h200", "--intensity", "1", "--rows", "4"), ("--rows", "--kernel")),
        (("tensor", "--gpu", "h200", "--kernel", "scale", "--rows", "4"), ("--rows", "--elements")),
        (("intensity", "gemv", "--rows", "4"), ("--columns",)),
        (("intensity", "spmv", "--rows", "2", "--nonzeros", "5"), ("5 non-zeros",)),
        (("intensity", "stencil"), ("--shape",)),
        (("stencil", "--gpu", "h200", "--shape", "2d9p"), ("2d9pt",)),
        (("stencil", "--gpu", "h200", "--shape", "\x1b[31mred"), ("is no stencil",)),
    ],
)
def test_bad_arguments_are_one_line_that_names_the_way_out(arguments, words):
    line = refused(*arguments)
    assert all(word in line for word in words)


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1", "many"])
def test_rates_and_intensities_are_finite_and_above_zero(value):
    done = run("tensor", "--gpu", "h200", "--intensity", value)
    assert done.exit_code == 2
    assert "is no finite number above 0" in done.output


# -- documents -------------------------------------------------------------------------------------------------------


def commands_of_the_readme():
    lines = re.findall(r"^nsightlens model (.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def test_the_examples_of_the_readme_run_and_show_what_it_says():
    shown = [text(*command) for command in commands_of_the_readme()]
    assert len(shown) > 4
    (excerpt,) = re.findall(r"```text\n(Stencil.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert shown[-2].startswith(excerpt)


def test_the_contract_names_every_result():
    """Every name of a result stands in the section of the contract, and nothing else that looks like one."""
    contract = (ROOT / "docs" / "contract.md").read_text()
    section = contract.partition("## `model --format json`")[2].partition("\n## ")[0]
    told = set(re.findall(r"`([a-z][a-z0-9_]+)`", section))
    for command in ALL:
        found = results(*command)
        rows = [row for value in found.values() if isinstance(value, list) for row in value]
        peaks = {name for row in rows for name in row if name.endswith("_per_s") and command == ["gpus"]}
        assert set(found) | {name for row in rows for name in row} - peaks <= told

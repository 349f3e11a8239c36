"""The analysis of single launches and its totals; above all that what was not measured is never taken for zero."""

import math
from dataclasses import replace

import pytest

from nsightlens.analysis import analyze
from nsightlens.analysis.context import options
from nsightlens.analysis.losses import REASONS
from nsightlens.analysis.result import Ceiling, Overlap
from nsightlens.analysis.select import Selection, select
from nsightlens.analysis.tensor_core import tensor_core
from nsightlens.collectors.report import Report, make_launch
from nsightlens.errors import UsageError
from nsightlens.report.json import document

IDENTITY = {
    "launch": 0,
    "process_id": 7,
    "kind": "kernel",
    "name": "k",
    "full_name": "void k()",
    "nvtx": (),
    "declared": {},
    "payload": None,
}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
LAUNCHES = [("scale_full", 0), ("scale_full", 4), ("scale_roofline", 9), ("overlap_factorial", 0)]


def analysed(*launches):
    """Return the JSON document of launches given as counters, or as (row, counters, opcodes)."""
    made = []
    for number, launch in enumerate(launches):
        row, counters, opcodes = launch if isinstance(launch, tuple) else ({}, launch, None)
        made.append(make_launch({**IDENTITY, "launch": number, **row}, counters, opcodes))
    return document(analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=tuple(made))]))


def one(counters, **row):
    return analysed((row, counters, None))["launches"][0]


def recorded(report_of, name, index):
    launch = report_of(name).launched[index]
    return {key: launch.row[key] for key in IDENTITY}, launch.counters, launch.opcodes


def figures(launch):
    """Return the numbers that stand for one thing each, by path."""
    plain = {"time_s": launch["time_s"]}
    for part in ("utilisation", "traffic_bytes", "overlap"):
        plain |= {f"{part}.{name}": value for name, value in launch[part].items() if not isinstance(value, str)}
    work = dict(launch["work"])
    tensor = work.pop("tensor_flop")
    return plain | {f"work.{name}": flop for name, flop in work.items()} | {f"tensor.{k}": v for k, v in tensor.items()}


def require_same_or_null(found, whole, what):
    """A figure without one of its counters is unknown, or comes from other counters and is the same."""
    before = figures(whole)
    for name, value in figures(found).items():
        if value is None:
            continue
        assert before[name] is not None, (what, name)
        assert value == pytest.approx(before[name], rel=0.02, abs=1e-12), (what, name)
    assert found["roofline"]["bound"] in {whole["roofline"]["bound"], "unknown"}, what
    assert found["tensor_core"]["used"] in {whole["tensor_core"]["used"], None}, what
    assert found["overlap"]["status"] in {whole["overlap"]["status"], "unknown"}, what


def require_sound_ledger(launch, what):
    parts = [launch["ideal_s"], launch["losses"], launch["unexplained_s"]]
    if None in parts:
        assert parts == [None] * 3, what
        return
    total = launch["ideal_s"] + sum(loss["seconds"] for loss in launch["losses"]) + launch["unexplained_s"]
    assert total == pytest.approx(launch["time_s"], rel=1e-9), what
    assert min([launch["ideal_s"], launch["unexplained_s"], *(loss["seconds"] for loss in launch["losses"])]) >= 0


@pytest.mark.parametrize(
    ("name", "index", "bad"),
    [
        *[(name, index, "absent") for name, index in LAUNCHES],
        ("scale_full", 4, None),
        ("scale_full", 4, math.nan),
        ("overlap_factorial", 0, None),
        ("overlap_factorial", 0, math.nan),
    ],
)
def test_without_any_one_counter_figures_stay_or_are_unknown(report_of, name, index, bad):
    row, counters, opcodes = recorded(report_of, name, index)
    whole = analysed((row, counters, opcodes))["launches"][0]
    for counter in counters:
        rest = {key: value for key, value in counters.items() if key != counter}
        if bad != "absent":
            rest[counter] = bad
        found = analysed((row, rest, opcodes))["launches"][0]
        require_same_or_null(found, whole, counter)
        require_sound_ledger(found, counter)


@pytest.mark.parametrize(("name", "index"), LAUNCHES)
def test_counters_of_no_concern_change_nothing(report_of, name, index):
    row, counters, opcodes = recorded(report_of, name, index)
    noise = {
        "sm__made_up.sum": 1e12,
        "lts__t_sectors_op_made_up.sum": 5.0,
        "breakdown:sm__throughput": "a,b",
        "derived_tempMetric1": math.nan,
        "smsp__pcsamp_warps_issue_stalled_barrier": 10**9,
    }
    whole = analysed((row, counters, opcodes))["launches"][0]
    assert analysed((row, {**noise, **counters, **noise}, opcodes))["launches"][0] == whole


def require_nothing_known(launch):
    assert {name: value for name, value in figures(launch).items() if value is not None} == {}
    assert launch["ceilings"] == {}
    assert launch["roofline"] == {
        "bound": "unknown",
        "level": None,
        "pipe": None,
        "intensity_flop_per_byte": None,
        "performance_flop_per_s": None,
        "attainable_flop_per_s": None,
        "roof_fraction": None,
        "ridge_flop_per_byte": None,
        "points": [],
        "instructions": None,
        "useful": None,
        "above_roof": None,
    }
    assert launch["overlap"]["status"] == "unknown"
    assert launch["overlap"]["reason"]
    assert (launch["ideal_s"], launch["losses"], launch["unexplained_s"]) == (None, None, None)
    assert [launch["tensor_core"][name] for name in ("used", "ratio", "speedup_low", "speedup_high")] == [None] * 4
    assert (launch["gpu"], launch["grid"], launch["block"]) == (None, None, None)
    assert [launch["context"][name] for name in ("stream", "device", "passes")] == [None] * 3


def test_a_launch_without_counters_is_all_unknown():
    launch = one({})
    require_nothing_known(launch)
    assert launch["status"] == "ok"
    assert {value["state"] for value in launch["values"].values()} == {"not_collected"}
    assert "gpu__time_duration.sum" in launch["missing"]
    assert launch["remedy"].startswith("ncu ")


@pytest.mark.parametrize(("bad", "state", "status"), [(math.nan, "failed", "failed"), (None, "not_available", "ok")])
@pytest.mark.parametrize(("name", "index"), LAUNCHES)
def test_a_launch_whose_counters_hold_nothing_is_all_unknown(report_of, name, index, bad, state, status):
    _, counters, _ = recorded(report_of, name, index)
    launch = one(dict.fromkeys(counters, bad))
    require_nothing_known(launch)
    assert launch["status"] == status
    assert {value["state"] for value in launch["values"].values()} <= {state, "not_collected"}
    assert launch["values"]["time_s"]["state"] == state


def test_zero_everywhere_is_no_error(report_of):
    _, counters, _ = recorded(report_of, "scale_full", 0)
    launch = one({name: value if isinstance(value, str) else 0 for name, value in counters.items()})
    assert launch["time_s"] is None  # nothing takes no time
    assert launch["status"] == "failed"
    assert launch["losses"] is None
    assert launch["roofline"]["performance_flop_per_s"] is None


def test_a_failed_launch_in_a_whole_file_is_data(report_of):
    row, counters, opcodes = recorded(report_of, "scale_full", 0)
    failed = {name: math.nan if name.startswith(("gpu__", "sm__", "dram__")) else v for name, v in counters.items()}
    found = analysed((row, counters, opcodes), (row, failed, opcodes))
    assert [launch["status"] for launch in found["launches"]] == ["ok", "failed"]
    assert found["launches"][1]["time_s"] is None
    assert found["launches"][1]["grid"] == found["launches"][0]["grid"]
    assert found["ranges"][0]["launches"] == 2
    assert found["ranges"][0]["time_s"] is None


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_an_incomplete_set_of_stall_reasons_splits_no_waiting_time(report_of, reason):
    row, counters, opcodes = recorded(report_of, "overlap_factorial", 0)
    generic = {"latency", "barrier", "unoverlapped_compute", "dram_inefficiency"}
    whole = analysed((row, counters, opcodes))["launches"][0]
    assert generic & {loss["cause"] for loss in whole["losses"]}
    assert not [name for name in whole["missing"] if "stalled" in name]
    rest = {name: value for name, value in counters.items() if name != STALL.format(reason)}
    assert len(rest) == len(counters) - 1
    found = analysed((row, rest, opcodes))["launches"][0]
    assert not generic & {loss["cause"] for loss in found["losses"]}
    assert found["unexplained_s"] > whole["unexplained_s"]
    assert [name for name in found["missing"] if "stalled" in name]


def test_stall_reasons_that_only_some_chips_have_are_not_needed(report_of):
    row, counters, opcodes = recorded(report_of, "overlap_factorial", 0)
    rest = dict(counters)
    for reason in ("gmma", "imc_miss", "tex_throttle", "misc", "sleeping", "membar"):
        assert rest.pop(STALL.format(reason)) is not None
    found = analysed((row, rest, opcodes))["launches"][0]
    assert {loss["cause"] for loss in found["losses"]} & {"latency", "unoverlapped_compute"}


# -- missing counters and the command that brings them ---------------------------------------------------------------


def test_missing_counters_are_named_and_the_command_asks_for_them_all(document_of):
    for launch in document_of("nested_nvtx")["launches"][:3]:
        assert "sm__cycles_active.avg" in launch["missing"]
        assert launch["values"]["dram_share"]["counter"] == "dram_bytes / (dram_bytes_per_s * time_s)"
        assert not [name for name in launch["missing"] if "ops_path_tensor" in name]
        command, asked = launch["remedy"].split(" --metrics ")
        assert command.startswith("ncu ")
        assert all(name in asked for name in launch["missing"])
        assert not any(name.startswith(("launch__", "device__")) for name in launch["missing"])


def test_what_is_there_is_never_missing(recording, document_of, raw_of):
    for launch, plain in zip(document_of(recording)["launches"], raw_of(recording), strict=True):
        assert not set(launch["missing"]) & set(plain["counters"])
        assert (launch["remedy"] is None) == (launch["missing"] == [])


# -- ceilings --------------------------------------------------------------------------------------------------------

BALANCED = {
    "gpu__time_duration.sum": 1e6,
    "device__attribute_display_name": "NVIDIA H200",
    "device__attribute_compute_capability_major": 9,
    "device__attribute_compute_capability_minor": 0,
}


def test_peaks_of_the_report_come_before_those_of_the_table():
    spec = one(BALANCED)["ceilings"]
    assert spec["dram_bytes_per_s"] == {"value": 4.8e12, "source": "spec"}
    own = {"dram__bytes.sum.peak_sustained": 2048.0, "dram__cycles_elapsed.avg.per_second": 2e9}
    found = one(BALANCED | own)["ceilings"]
    assert found["dram_bytes_per_s"] == {"value": 4.096e12, "source": "report"}
    assert {name: value for name, value in found.items() if name != "dram_bytes_per_s"} == {
        name: value for name, value in spec.items() if name != "dram_bytes_per_s"
    }


@pytest.mark.parametrize(
    ("gpu", "bandwidth"),
    [
        ("NVIDIA H200", 4.8e12),
        ("NVIDIA GH200 120GB", 4.0e12),
        ("NVIDIA GH200 480GB", 4.0e12),
        ("NVIDIA H100 80GB HBM3", 3.35e12),
        ("NVIDIA A100-SXM4-80GB", 2.039e12),
        ("NVIDIA A100 80GB PCIe", 1.935e12),
        ("NVIDIA A100-SXM4-40GB", 1.555e12),
        ("NVIDIA H100 PCIe", 2.0e12),
        ("NVIDIA H200 NVL", 4.8e12),
        ("Tesla V100-SXM2-32GB", 0.9e12),
        ("NVIDIA L4", 0.3e12),
        ("NVIDIA L40S", 0.864e12),
        ("NVIDIA GeForce RTX 4090", 1.008e12),
    ],
)
def test_the_table_knows_a_device_by_its_name(gpu, bandwidth):
    ceiling = one(BALANCED | {"device__attribute_display_name": gpu})["ceilings"]["dram_bytes_per_s"]
    assert ceiling == {"value": bandwidth, "source": "spec"}


@pytest.mark.parametrize(
    "gpu", ["NVIDIA H800", "NVIDIA H100", "NVIDIA A10G", "NVIDIA GeForce RTX 3090 Ti", "h200", "A100", "", None, 5]
)
def test_an_unknown_device_has_no_ceiling(gpu):
    assert one(BALANCED | {"device__attribute_display_name": gpu})["ceilings"] == {}


def test_peaks_that_sources_give_differently_are_no_ceilings():
    found = one(BALANCED | {"device__attribute_display_name": "NVIDIA B200"})["ceilings"]
    assert found["tensor_fp16_flop_per_s"] == {"value": 2.25e15, "source": "spec"}
    assert not {"fp64_flop_per_s", "tensor_fp64_flop_per_s", "dram_bytes_per_s"} & set(found)


# -- roofline and tensor cores ---------------------------------------------------------------------------------------

SASS = "sm__sass_thread_inst_executed_op_{}_pred_on.sum"


def work(**counts):
    """Return counters of all CUDA-core instructions, zero where not given."""
    kinds = [prefix + operation for prefix in "dfh" for operation in ("add", "mul", "fma")]
    return {SASS.format(kind): float(counts.get(kind, 0)) for kind in kinds}


def busy(dram, fp64=0.0, fma=0.0, tensor=0.0):
    share = "sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_elapsed"
    return {
        "dram__cycles_active.avg.pct_of_peak_sustained_elapsed": 100 * dram,
        share.format("fp64"): 100 * fp64,
        share.format("fma"): 100 * fma,
        share.format("tensor"): 100 * tensor,
    }


def test_a_kernel_on_both_roofs():
    counters = BALANCED | work(dfma=1e9) | busy(0.5, fp64=0.06) | {"dram__bytes.sum": 2.4e9}
    roofline = one(counters)["roofline"]
    assert roofline["pipe"] == "fp64"
    assert roofline["level"] == "dram"
    assert roofline["intensity_flop_per_byte"] == pytest.approx(2e9 / 2.4e9)
    assert roofline["performance_flop_per_s"] == pytest.approx(2e12)
    assert roofline["attainable_flop_per_s"] == pytest.approx(4e12)
    assert roofline["roof_fraction"] == pytest.approx(0.5)
    assert roofline["ridge_flop_per_byte"] == pytest.approx(33.5 / 4.8)
    assert roofline["bound"] == "latency"


def test_points_stand_for_each_level_and_pipe_that_was_measured():
    counters = BALANCED | work(dfma=1e9, fadd=5e8) | {"dram__bytes.sum": 2e9, "lts__t_bytes.sum": 4e9}
    points = {(p["level"], p["pipe"]): p for p in one(counters)["roofline"]["points"]}
    assert set(points) == {("dram", "fp64"), ("dram", "fp32"), ("l2", "fp64"), ("l2", "fp32")}
    assert points["l2", "fp32"]["intensity_flop_per_byte"] == pytest.approx(5e8 / 4e9)
    assert points["l2", "fp32"]["attainable_flop_per_s"] is None


@pytest.mark.parametrize(
    ("shares", "bound"),
    [
        ({"dram": 0.8, "fp64": 0.2}, "memory"),
        ({"dram": 0.2, "fp64": 0.8}, "compute"),
        ({"dram": 0.3, "tensor": 0.9}, "compute"),
        ({"dram": 0.5, "fp64": 0.5}, "latency"),
    ],
)
def test_a_launch_is_bound_by_its_busiest_resource_if_that_is_busy(shares, bound):
    assert one(BALANCED | work(dfma=1) | busy(**shares))["roofline"]["bound"] == bound


def test_constants_that_hopper_loads_with_half_precision_instructions_are_no_work():
    counters = BALANCED | work(dmul=1e6, hfma=2e6) | tensor(**ALL_TYPES) | {"dram__bytes.sum": 1e9}
    launch = one(counters)
    assert launch["work"]["fp16_flop"] == 8e6
    assert launch["roofline"]["pipe"] == "fp64"
    assert one(counters | work(dmul=1e6, hfma=2e6, hadd=1e6))["roofline"]["pipe"] == "fp16"
    assert one(counters | work(dmul=1e6, hfma=5e7))["roofline"]["pipe"] == "fp64"


def tensor(**flop):
    names = {"fp64": "fp64", "tf32": "tf32_dst_fp32", "bf16": "bf16_dst_fp32", "fp16": "fp16", "int8": "int8"}
    return {f"sm__ops_path_tensor_src_{names[kind]}.sum": float(value) for kind, value in flop.items()}


ALL_TYPES = {"fp64": 0, "tf32": 0, "bf16": 0, "fp16": 0, "int8": 0}


@pytest.mark.parametrize(
    ("counts", "opcodes", "used"),
    [
        (ALL_TYPES | {"fp16": 5}, None, True),
        (ALL_TYPES, None, False),
        ({"fp64": 0}, None, None),
        ({"fp64": 5}, None, True),
        ({kind: 0 for kind in ALL_TYPES if kind != "fp64"}, None, None),
        ({kind: 0 for kind in ALL_TYPES if kind != "int8"}, None, None),
        (ALL_TYPES | {"tf32": math.nan}, None, None),
        ({}, None, None),
        ({}, {"FFMA": 5, "LDG.E": 2}, False),
        ({}, {"HMMA.16816.F32": 5}, True),
        ({}, {"HFMA2.MMA": 5}, False),
        ({}, {"DMMA": 0, "IADD3": 1}, False),
        ({}, {}, False),
        ({"fp64": 0}, {"HGMMA.64x128x16.F32": 1}, True),
    ],
)
def test_tensor_cores_are_used_unused_or_unknown_but_never_judged_by_pipe_activity(counts, opcodes, used):
    counters = BALANCED | work(ffma=10) | tensor(**counts) | busy(0.5, tensor=0.5, fma=0.1)
    launch = analysed(({}, counters, opcodes))["launches"][0]
    assert launch["tensor_core"]["used"] is used


def test_a_double_precision_kernel_gains_at_most_what_the_model_says():
    """T = 1 ms, T_mem = 0.8 ms, T_cmp = 0.4 ms: overlap at least 0.5, so at most 0.2 ms of compute is exposed."""
    counters = BALANCED | work(dfma=1e9) | busy(0.8, fp64=0.4) | {"dram__bytes.sum": 3.8e9}
    launch = one(counters)
    assert (launch["overlap"]["low"], launch["overlap"]["high"]) == pytest.approx((0.5, 1))
    assert launch["overlap"]["status"] == "bounded"
    bound = launch["tensor_core"]
    ratio = 66.9 / 33.5
    x, phi = 2, 0.5
    assert bound["ratio"] == pytest.approx(ratio)
    assert bound["speedup_low"] == 1
    assert bound["speedup_high"] == pytest.approx(1 + (1 - phi) * (ratio - 1) / ((1 - phi) + ratio * x), rel=1e-9)
    assert "same bytes" in bound["why"]


def test_without_floating_point_work_there_is_nothing_to_gain():
    bound = one(BALANCED | work() | busy(0.8))["tensor_core"]
    assert (bound["speedup_low"], bound["speedup_high"]) == (1, 1)


def test_unknown_work_leaves_the_gain_unknown():
    counters = {name: value for name, value in (BALANCED | work() | busy(0.8)).items() if "dfma" not in name}
    bound = one(counters)["tensor_core"]
    assert (bound["speedup_low"], bound["speedup_high"]) == (None, None)
    assert "FP64" in bound["why"]


# -- overlap ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shares", "status"),
    [
        ({"dram": 0.8, "fp64": 0.4}, "bounded"),
        ({"dram": 0.9, "fp64": 0.049}, "not_identifiable"),
        ({"dram": 0.95, "fp64": 0.06}, "not_identifiable"),
        ({"dram": 0.9, "fp64": 0.0}, "not_applicable"),
        ({"dram": 0.0, "fp64": 0.9}, "not_applicable"),
        ({"dram": 1.004, "fp64": 0.4}, "bounded"),
        ({"dram": 1.1, "fp64": 0.4}, "ceiling_violation"),
        ({"dram": 0.4, "fma": 1.02}, "ceiling_violation"),
    ],
)
def test_when_the_overlap_can_be_told(shares, status):
    launch = one(BALANCED | work(dfma=1e9) | busy(**shares))
    overlap = launch["overlap"]
    assert overlap["status"] == status
    assert overlap["estimate"] is None
    assert overlap["method"] == "counters"
    assert (overlap["low"] is not None) == (status in {"bounded", "not_identifiable"})
    assert overlap["reason"]
    require_sound_ledger(launch, status)


def test_a_launch_above_its_ceiling_has_no_losses_and_says_by_how_much():
    launch = one(BALANCED | work(dfma=1e9) | busy(1.1, fp64=0.4))
    assert launch["ideal_s"] == launch["time_s"] == 1e-3
    assert launch["losses"] == []
    assert launch["unexplained_s"] == 0
    assert "10.0 %" in launch["overlap"]["reason"]


@pytest.mark.parametrize("lacking", ["fp64", "fma", "tensor"])
def test_without_one_of_the_pipes_compute_time_is_unknown(lacking):
    """The missing pipe may be the busiest: the largest of the others is no compute time."""
    counters = {name: value for name, value in busy(0.8, 0.4, 0.1, 0.0).items() if f"pipe_{lacking}" not in name}
    launch = one(BALANCED | work(dfma=1e9) | counters)
    assert launch["overlap"]["status"] == "unknown"
    assert launch["overlap"]["t_cmp_s"] is None
    assert launch["losses"] is None
    assert launch["tensor_core"]["speedup_high"] is None
    assert launch["roofline"]["bound"] == "unknown"


# -- losses ----------------------------------------------------------------------------------------------------------


def active(average, longest, grid=None):
    cycles = {"sm__cycles_elapsed.avg": 1000.0, "sm__cycles_elapsed.max": 1000.0}
    cycles |= {"sm__cycles_active.avg": 1000.0 * average, "sm__cycles_active.max": 1000.0 * longest}
    return cycles | {"launch__sm_count": 100, **({} if grid is None else {"launch__grid_size": grid})}


def shares_of(launch):
    return {loss["cause"]: loss["share"] for loss in launch["losses"]}


def test_blocks_for_a_quarter_of_the_multiprocessors_are_a_small_grid():
    launch = one(BALANCED | busy(0.01, fp64=0.2) | active(0.25, 1.0, grid=25))
    assert shares_of(launch) == {"small_grid": pytest.approx(0.75)}


def test_a_full_grid_with_idle_multiprocessors_is_imbalanced():
    launch = one(BALANCED | busy(0.01, fp64=0.2) | active(0.6, 1.0, grid=1000))
    assert shares_of(launch) == {"imbalance": pytest.approx(0.4)}


def test_an_idle_device_at_the_ends_is_launch_overhead_up_to_four_microseconds():
    short = BALANCED | {"gpu__time_duration.sum": 8e3}
    launch = one(short | busy(0.01, fp64=0.2) | active(0.7, 0.7, grid=1000))
    assert shares_of(launch) == {"launch_overhead": pytest.approx(0.3)}
    long = one(BALANCED | busy(0.01, fp64=0.2) | active(0.7, 0.7, grid=1000))
    assert shares_of(long) == {"launch_overhead": pytest.approx(0.004)}
    assert long["unexplained_s"] == pytest.approx((1 - 0.2 - 0.004) * 1e-3)


def test_spreading_work_cannot_beat_device_memory():
    launch = one(BALANCED | busy(0.9, fp64=0.2) | active(0.5, 1.0, grid=1000))
    assert shares_of(launch) == {"imbalance": pytest.approx(0.1)}


def pattern(requests, sectors, bytes_per_sector):
    load = "l1tex__t_{}_pipe_lsu_mem_global_op_ld{}.sum"
    return {
        load.format("requests", ""): requests,
        load.format("sectors", ""): sectors,
        load.format("sectors", "_lookup_miss"): sectors,
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 0,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 0,
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio": bytes_per_sector,
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio": 0.0,
        "lts__t_sectors_srcunit_tex.sum": sectors,
    }


def test_uncoalesced_access_costs_time_on_a_dram_bound_kernel_down_to_the_next_resource():
    strided = pattern(1e6, 32e6, 8.0) | {"dram__bytes.sum": 32e6 * 32}
    launch = one(BALANCED | busy(0.8, fp64=0.3) | strided)
    assert shares_of(launch)["uncoalesced_access"] == pytest.approx(0.5)
    assert launch["ideal_s"] == pytest.approx(0.3e-3)


def test_uncoalesced_access_costs_nothing_where_arithmetic_limits():
    strided = pattern(1e6, 32e6, 8.0) | {"dram__bytes.sum": 32e6 * 32}
    assert shares_of(one(BALANCED | busy(0.5, fp64=0.9) | strided)) == {}


@pytest.mark.parametrize(("dram", "l2", "claimed"), [(0.6, 0.3, True), (0.3, 0.6, False)])
def test_only_waits_for_device_memory_are_inefficiency_of_it(dram, l2, claimed):
    stalls = dict.fromkeys(map(STALL.format, REASONS), 0.0) | {STALL.format("long_scoreboard"): 10.0}
    l2_use = {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed": 100 * l2}
    assert ("dram_inefficiency" in shares_of(one(BALANCED | busy(dram) | stalls | l2_use))) is claimed


def test_tensor_cores_slower_than_cuda_cores_bring_nothing():
    launch = make_launch(IDENTITY, BALANCED | work(dfma=1e9), {"DFMA": 1e6})
    peaks = {"fp64_flop_per_s": Ceiling(4e13, "spec"), "tensor_fp64_flop_per_s": Ceiling(2e13, "spec")}
    found = tensor_core(launch, "fp64", peaks, Overlap(status="bounded", t_mem_s=2e-4, t_cmp_s=9e-4, low=0.1))
    assert (found.used, found.ratio, found.speedup_low, found.speedup_high) == (False, 0.5, 1.0, 1.0)


def test_a_share_below_zero_is_no_time_that_could_hide():
    overlap = one(BALANCED | busy(-0.01, fp64=0.5))["overlap"]
    assert (overlap["status"], overlap["t_mem_s"], overlap["low"]) == ("not_applicable", 0.0, None)


def test_losses_carry_what_a_reader_needs():
    strided = pattern(1e6, 32e6, 8.0) | {"dram__bytes.sum": 32e6 * 32}
    (loss,) = one(BALANCED | busy(0.8, fp64=0.3) | strided)["losses"]
    assert loss["confidence"] == "high"
    assert loss["evidence"] == {"load_bytes_per_sector": 8, "store_bytes_per_sector": 0, "dram_share": 0.8}
    assert loss["where"] == []
    assert loss["advice"]


def test_the_recorded_strided_kernel_loses_its_time_to_uncoalesced_access(document_of):
    launches = {launch["name"]: launch for launch in document_of("scale_full")["launches"]}
    strided = launches["scale_strided"]
    assert strided["losses"][0]["cause"] == "uncoalesced_access"
    true = 1 - launches["scale"]["time_s"] / strided["time_s"]
    assert strided["losses"][0]["share"] == pytest.approx(true, abs=0.3)
    assert "uncoalesced_access" not in shares_of(launches["scale"])


# -- totals ----------------------------------------------------------------------------------------------------------


def test_totals_of_a_range_are_sums_over_its_launches_and_those_of_inner_ranges():
    counters = BALANCED | busy(0.8, fp64=0.3) | active(0.9, 1.0, grid=1000)
    found = analysed(
        ({"nvtx": ("d/outer/inner",)}, counters, None),
        ({"nvtx": ("d/outer",)}, counters, None),
        ({"nvtx": ("d/outer/inner", "d/outer", "e/other")}, counters, None),
        ({"nvtx": ()}, counters, None),
    )
    totals = {total["nvtx"]: total for total in found["ranges"]}
    assert list(totals) == ["d/outer", "d/outer/inner", "e/other"]
    assert {path: total["launches"] for path, total in totals.items()} == {
        "d/outer": 3,
        "d/outer/inner": 2,
        "e/other": 1,
    }
    one_launch = found["launches"][0]
    assert totals["d/outer"]["time_s"] == pytest.approx(3e-3)
    assert totals["d/outer"]["ideal_s"] == pytest.approx(3 * one_launch["ideal_s"])
    assert totals["d/outer"]["losses"] == [
        {"cause": loss["cause"], "seconds": pytest.approx(3 * loss["seconds"])} for loss in one_launch["losses"]
    ]
    assert totals["d/outer"]["unexplained_s"] == pytest.approx(3 * one_launch["unexplained_s"])


def test_a_total_holds_results_of_one_kind_and_counts_its_processes_and_devices():
    rows = [
        {"nvtx": ("d/a",), "process_id": 1},
        {"nvtx": ("d/a",), "process_id": 2},
        {"nvtx": ("d/a",), "process_id": 2, "kind": "graph"},
        {"nvtx": ("d/a",), "process_id": 2, "kind": "range"},
    ]
    devices = (0, 1, 0, 0)
    found = analysed(
        *((row, BALANCED | {"launch__device_id": device}, None) for row, device in zip(rows, devices, strict=True))
    )
    assert [(t["kind"], t["launches"], t["processes"], t["devices"], t["time_s"]) for t in found["ranges"]] == [
        ("kernel", 2, 2, 2, pytest.approx(2e-3)),
        ("graph", 1, 1, 1, pytest.approx(1e-3)),
        ("range", 1, 1, 1, pytest.approx(1e-3)),
    ]


def test_ranges_of_two_reports_are_not_added_up():
    launch = make_launch({**IDENTITY, "launch": 0, "nvtx": ("d/a",)}, BALANCED)
    report = Report("run.ncu-rep", "ncu-rep", complete=True, launched=(launch,))
    totals = document(analyze([report, report]))["ranges"]
    assert [(total["report"], total["launches"]) for total in totals] == [(0, 1), (1, 1)]


def test_ranges_that_overlap_on_one_path_count_a_launch_once():
    """Start/end ranges of one name can be open twice at a time."""
    (total,) = analysed(({"nvtx": ("d/a", "d/a")}, BALANCED, None))["ranges"]
    assert (total["launches"], total["time_s"]) == (1, pytest.approx(1e-3))


def test_a_range_with_a_launch_that_cannot_be_judged_has_no_ledger():
    counters = BALANCED | busy(0.8, fp64=0.3)
    found = analysed(({"nvtx": ("d/a",)}, counters, None), ({"nvtx": ("d/a",)}, BALANCED, None))
    (total,) = found["ranges"]
    assert total["time_s"] == pytest.approx(2e-3)
    assert (total["ideal_s"], total["losses"], total["unexplained_s"]) == (None, None, None)


def test_the_first_things_are_the_largest_sums_by_cause_and_innermost_range():
    counters = BALANCED | busy(0.3, fp64=0.2)
    small, uneven = active(0.25, 1.0, grid=25), active(0.6, 1.0, grid=1000)
    found = analysed(
        ({"nvtx": ("d/a/b",)}, counters | uneven, None),
        ({"nvtx": ("d/a/b", "d/a")}, counters | uneven, None),
        ({"nvtx": ("d/a",)}, counters | small, None),
        ({"nvtx": ()}, counters | uneven, None),
    )
    assert [(thing["cause"], thing["nvtx"], thing["seconds"]) for thing in found["first"]] == [
        ("imbalance", "d/a/b", pytest.approx(2 * 0.4e-3)),
        ("small_grid", "d/a", pytest.approx(0.7e-3)),
        ("imbalance", None, pytest.approx(0.4e-3)),
    ]


def test_the_steps_of_a_loop_are_one_thing_and_its_costliest_kernel_is_named():
    counters = BALANCED | busy(0.3, fp64=0.2)
    little, much = counters | active(0.9, 1.0, grid=1000), counters | active(0.5, 1.0, grid=1000)
    found = analysed(
        ({"nvtx": ("d/step 9/a",), "name": "small"}, little, None),
        ({"nvtx": ("d/step 9/a",), "name": "large"}, much, None),
        ({"nvtx": ("d/step 10/a",), "name": "large"}, much, None),
        ({"nvtx": ("d/step 10/b",), "name": "small"}, much, None),
    )
    keys = ("cause", "nvtx", "kernel", "launches", "seconds")
    assert [tuple(thing[key] for key in keys) for thing in found["first"]] == [
        ("imbalance", "d/step */a", "large", 3, pytest.approx((0.1 + 0.5 + 0.5) * 1e-3)),
        ("imbalance", "d/step 10/b", "small", 1, pytest.approx(0.5e-3)),
    ]


def test_the_totals_are_the_ledger_of_the_whole_program():
    counters = BALANCED | busy(0.3, fp64=0.2) | active(0.6, 1.0, grid=1000)
    found = analysed(({"nvtx": ("d/a",)}, counters, None), ({}, counters, None), ({"kind": "graph"}, counters, None))
    assert [(total["kind"], total["nvtx"], total["launches"]) for total in found["totals"]] == [
        ("kernel", None, 2),
        ("graph", None, 1),
    ]
    whole, launch = found["totals"][0], found["launches"][0]
    assert whole["time_s"] == pytest.approx(2e-3)
    assert whole["ideal_s"] == pytest.approx(2 * launch["ideal_s"])
    assert whole["losses"] == [
        {"cause": loss["cause"], "seconds": pytest.approx(2 * loss["seconds"])} for loss in launch["losses"]
    ]


# -- selection -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selection", "launches"),
    [
        (Selection(), list(range(10))),
        (Selection(kernel="scale"), [3, 4]),
        (Selection(kernel="^scale$"), [3]),
        (Selection(kernel=r"fma_mem\b"), [5, 6, 7, 8]),
        (Selection(launch=(9, 0)), [0, 9]),
        (Selection(kernel="fma", launch=(5, 9)), [5]),
        (Selection(nvtx="nsightlens/scale"), [3]),
        (Selection(nvtx="nsightlens/scale/"), [3]),
        (Selection(nvtx="nsightlens"), [3, 4, 5, 6, 7, 8, 9]),
        (Selection(top=3), [4, 1, 8]),
        (Selection(top=2, sort="name"), [2, 9]),
        (Selection(kernel="scale", sort="time"), [4, 3]),
        (Selection(sort="name", launch=(3, 9, 0)), [9, 0, 3]),
    ],
)
def test_selection(analysis_of, selection, launches):
    found = select(analysis_of("scale_roofline"), selection)
    assert [launch.launch for launch in found.launches] == launches


def test_selection_by_loss_puts_unjudged_launches_last():
    counters = BALANCED | busy(0.1, fp64=0.2)
    whole = [
        make_launch({**IDENTITY, "launch": number}, one_of)
        for number, one_of in enumerate(
            [
                BALANCED,
                counters | active(0.9, 1.0, grid=1000),
                counters | active(0.5, 1.0, grid=1000),
                counters,
            ]
        )
    ]
    analysis = analyze([Report("r", "ncu-rep", complete=True, launched=tuple(whole))])
    assert [launch.launch for launch in select(analysis, Selection(sort="loss")).launches] == [2, 1, 3, 0]


def test_totals_follow_the_selection(analysis_of):
    whole = analysis_of("scale_roofline")
    found = select(whole, Selection(kernel="^scale$"))
    assert [total.nvtx for total in found.ranges] == ["nsightlens/scale"]
    assert {thing.nvtx for thing in found.first} == {"nsightlens/scale"}
    assert found.reports == whole.reports


@pytest.mark.parametrize(
    "selection", [Selection(kernel="nothing"), Selection(launch=(10,)), Selection(nvtx="nsightlens/sca")]
)
def test_a_selection_that_fits_nothing_is_an_error(analysis_of, selection):
    with pytest.raises(UsageError, match="no launch fits"):
        select(analysis_of("scale_roofline"), selection)


# -- context ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ncu ./app", ("base", "all", "kernel", None)),
        ("ncu --set full --clock-control none ./app", ("none", "all", "kernel", "full")),
        ("ncu --set=full --cache-control=none ./app", ("base", "none", "kernel", "full")),
        ("/opt/n/ncu --nvtx --replay-mode range -f --set roofline app it's", ("base", "all", "range", "roofline")),
        ("ncu --set full ./app --set small --clock-control=mine", ("base", "all", "kernel", "full")),
        ("ncu ./app --set small --clock-control none", ("base", "all", "kernel", None)),
        ("ncu -o out python a.py --cache-control none", ("base", "all", "kernel", None)),
        (r"C:\Program Files\NVIDIA\ncu.exe --set full app.exe", ("base", "all", "kernel", "full")),
        ("", (None,) * 4),
        (None, (None,) * 4),
    ],
)
def test_how_a_report_was_made_is_read_from_the_command_line(line, expected):
    found = options(line)
    assert tuple(found.get(name) for name in ("clock-control", "cache-control", "replay-mode", "set")) == expected


def test_declared_work_and_payload_of_a_range_are_given_back():
    row = {"declared": {"flop": 5.0, "dram_bytes": 7.0}, "payload": 3}
    assert one(BALANCED, **row)["declared"] == {"flop": 5, "dram_bytes": 7, "payload": 3}
    assert one(BALANCED)["declared"] == {"flop": None, "dram_bytes": None, "payload": None}


def test_several_reports_keep_their_numbers(report_of):
    reports = [report_of("two_processes"), report_of("range_replay")]
    found = document(analyze(reports))
    assert [launch["report"] for launch in found["launches"]] == [0, 0, 0, 0, 1]
    assert [launch["launch"] for launch in found["launches"]] == [0, 1, 2, 3, 0]
    assert len(found["reports"]) == 2


def test_frames_of_a_hollow_launch_say_nothing_rather_than_none():
    hollow = make_launch({**IDENTITY, "status": "hollow", "name": "", "full_name": ""}, {})
    frame = Report("r", "ncu-rep", complete=False, launched=(hollow,)).launches
    assert frame.status[0] == "hollow"
    assert frame.gpu.isna()[0]
    assert frame.time_s.isna()[0]
    assert frame.stream.isna()[0]
    assert replace(hollow).row["grid"] is None

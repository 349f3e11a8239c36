"""The roofline at every memory level and by instructions, against numbers worked out from raw counters."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import recorded_path
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.analysis import analyze, analyze_reports
from nsightlens.analysis.names import pipe_name
from nsightlens.collectors.report import Report, make_launch
from nsightlens.errors import ModelError
from nsightlens.measured import find_ceilings
from nsightlens.models import roofline as model
from nsightlens.report.json import document
from nsightlens.report.markdown import render_markdown
from nsightlens.report.roofs import roof_lines
from nsightlens.report.table import render_table

ROOT = Path(__file__).parent.parent
PAIRS = ROOT / "docs" / "measurements" / "reports" / "loss_pairs_a.ncu-rep.xz"
TORCH = PAIRS.with_name("torch_step.ncu-rep.xz")
SHIPPED = json.loads((ROOT / "nsightlens" / "data" / "ceilings" / "h200.json").read_text())
STREAM, HALVES, COLUMNS, TRANSPOSE = 2, 8, 24, 10  # launches of the pairs: one from device memory, three from L2
SASS = "{}__sass_thread_inst_executed_op_{}_pred_on.sum"


@pytest.fixture(scope="module")
def raw():
    """Return the raw counters of the loss pairs, read without a line of nsightlens."""
    script = Path(__file__).with_name("plain_reader.py")
    answer = subprocess.run([sys.executable, script, PAIRS], capture_output=True, check=True)
    return [launch["counters"] for launch in json.loads(answer.stdout)]


@pytest.fixture(scope="module")
def pairs():
    """Return the analysis of the loss pairs without measured ceilings."""
    return analyze_reports(PAIRS)


@pytest.fixture(scope="module")
def measured():
    """Return the analysis of the loss pairs with the ceilings that are shipped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NSIGHTLENS_CEILINGS", str(ROOT / "nsightlens" / "data" / "ceilings" / "h200.json"))
        find_ceilings.cache_clear()
        found = analyze_reports(PAIRS)
    find_ceilings.cache_clear()
    return found


def time_of(counters):
    return counters["gpu__time_duration.sum"] / 1e9


def clock_of(counters):
    return counters["sm__cycles_elapsed.avg.per_second"]


def fp64_of(counters):
    add, mul, fma = (counters[SASS.format("smsp", op)] for op in ("dadd", "dmul", "dfma"))
    return add + mul + 2 * fma


# -- recorded launches -----------------------------------------------------------------------------------------------


def test_roofs_of_the_caches_come_from_the_reports_own_peaks(pairs, raw):
    for launch, counters in zip(pairs.launches, raw, strict=True):
        sectors = counters["lts__t_sectors.avg.peak_sustained"] * counters["lts__cycles_elapsed.sum.per_second"]
        l1 = counters["derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.peak_sustained"] * clock_of(counters)
        assert launch.ceilings["l2_bytes_per_s"].value == pytest.approx(32 * sectors, rel=1e-9)
        assert launch.ceilings["l1_bytes_per_s"].value == pytest.approx(l1, rel=1e-9)
        assert {launch.ceilings[f"{level}_bytes_per_s"].source for level in ("dram", "l2", "l1")} == {"report"}


def test_a_launch_that_lives_in_l2_is_held_against_l2(pairs, raw):
    roofline, counters = pairs.launches[COLUMNS].roofline, raw[COLUMNS]
    moved = 32 * counters["lts__t_sectors.sum"]
    roof = 96 * counters["lts__cycles_elapsed.sum.per_second"]  # three sectors of 32 bytes a cycle of each slice
    assert 50 * (counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]) < moved
    assert (roofline.level, roofline.pipe, roofline.bound) == ("l2", "fp64", "memory")
    assert roofline.intensity_flop_per_byte == pytest.approx(fp64_of(counters) / moved)
    assert roofline.attainable_flop_per_s == pytest.approx(fp64_of(counters) / moved * roof)
    assert roofline.roof_fraction == pytest.approx(moved / time_of(counters) / roof)


def test_measured_reads_of_l2_are_scaled_to_all_look_ups(measured, raw):
    """The rate was measured as bytes that multiprocessors read; a copy makes L2 look up more than that."""
    for number in (HALVES, COLUMNS, TRANSPOSE):
        launch, counters = measured.launches[number], raw[number]
        rate = SHIPPED["values"]["l2_read_bytes_per_s"] / SHIPPED["sm_clock_hz"]["l2_read_bytes_per_s"]
        extra = counters["lts__t_sectors.sum"] / counters["lts__t_sectors_srcunit_tex.sum"]
        assert launch.roofline.level == "l2"
        assert launch.ceilings["l2_bytes_per_s"].source == "measured"
        assert launch.ceilings["l2_bytes_per_s"].value == pytest.approx(rate * clock_of(counters) * extra)
    counters = raw[COLUMNS]
    asked = 32 * counters["lts__t_sectors_srcunit_tex.sum"] / time_of(counters)
    assert measured.launches[COLUMNS].roofline.roof_fraction == pytest.approx(
        asked / (rate * clock_of(counters)), rel=0.01
    )
    # What the return path of L2 says of itself, in another pass, is near.
    busy = counters["lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed"] / 100
    assert measured.launches[COLUMNS].roofline.roof_fraction == pytest.approx(busy, abs=0.02)


def test_more_look_ups_than_l2_can_do_give_way_to_the_reports_peak(measured, raw):
    counters = raw[STREAM]
    rate = SHIPPED["values"]["l2_read_bytes_per_s"] / SHIPPED["sm_clock_hz"]["l2_read_bytes_per_s"]
    extra = counters["lts__t_sectors.sum"] / counters["lts__t_sectors_srcunit_tex.sum"]
    roof = 96 * counters["lts__cycles_elapsed.sum.per_second"]
    assert rate * clock_of(counters) * extra > roof
    assert measured.launches[STREAM].ceilings["l2_bytes_per_s"].source == "report"
    assert measured.launches[STREAM].roofline.level == "dram"


def test_a_stream_stays_under_the_roof_of_device_memory(pairs, raw):
    roofline, counters = pairs.launches[STREAM].roofline, raw[STREAM]
    moved = counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]
    roof = counters["dram__bytes.sum.peak_sustained"] * counters["dram__cycles_elapsed.avg.per_second"]
    assert roofline.level == "dram"
    assert roofline.roof_fraction == pytest.approx(moved / time_of(counters) / roof)


def test_a_launch_without_floating_point_work_has_an_instruction_roofline(pairs, raw):
    roofline, counters = pairs.launches[TRANSPOSE].roofline, raw[TRANSPOSE]
    issued, moved = counters["smsp__inst_executed.sum"], 32 * counters["lts__t_sectors.sum"]
    found = roofline.instructions
    assert (roofline.pipe, roofline.roof_fraction, roofline.level) == (None, None, "l2")
    assert found.performance_inst_per_s == pytest.approx(issued / time_of(counters))
    assert found.intensity_inst_per_byte == pytest.approx(issued / moved)
    roof = 96 * counters["lts__cycles_elapsed.sum.per_second"]
    assert found.attainable_inst_per_s == pytest.approx(issued / moved * roof)
    assert found.roof_fraction == pytest.approx(moved / time_of(counters) / roof)
    slots = 4 * 132 * clock_of(counters)
    assert found.ridge_inst_per_byte == pytest.approx(slots / roof, rel=1e-4)


def test_issue_limits_a_kernel_of_many_instructions(pairs, raw):
    """Launch 26 computes on data that stay on the chip: instructions over issue slots, as their own busy share says."""
    found, counters = pairs.launches[26].roofline.instructions, raw[26]
    slots = 4 * counters["sm__cycles_elapsed.sum"] / time_of(counters)
    assert found.attainable_inst_per_s == pytest.approx(slots, rel=1e-3)
    busy = counters["sm__inst_issued.avg.pct_of_peak_sustained_elapsed"] / 100
    assert found.roof_fraction == pytest.approx(busy, rel=0.01)


def test_useful_against_actual_of_a_recorded_range():
    """Two to the 27th FP64 numbers: one FLOP and 16 bytes each were declared."""
    launch = analyze_reports(recorded_path("h200_scale")).launches[1]
    script = Path(__file__).with_name("plain_reader.py")
    answer = subprocess.run([sys.executable, script, recorded_path("h200_scale")], capture_output=True, check=True)
    counters = json.loads(answer.stdout)[1]["counters"]
    moved = counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]
    useful = launch.roofline.useful
    assert useful.flop_share == pytest.approx(2**27 / fp64_of(counters))
    assert useful.dram_bytes_share == pytest.approx(16 * 2**27 / moved)
    assert useful.intensity_flop_per_byte == 1 / 16
    assert useful.performance_flop_per_s == pytest.approx(2**27 / time_of(counters))
    roof = counters["dram__bytes.sum.peak_sustained"] * counters["dram__cycles_elapsed.avg.per_second"]
    assert useful.roof_fraction == pytest.approx(16 * 2**27 / time_of(counters) / roof)


def test_what_a_range_of_several_kernels_declares_is_of_none_of_them():
    """A training step: passes forward and backward hold several kernels, the optimizer one."""
    launches = [launch for launch in analyze_reports(TORCH).launches if launch.declared.flop is not None]
    alone = {launch.nvtx[-1].rsplit("/", 1)[-1] for launch in launches if launch.roofline.useful is not None}
    assert {launch.nvtx[-1].rsplit("/", 1)[-1] for launch in launches} == {"forward", "backward", "optimizer"}
    assert alone == {"optimizer"}


# -- launches made up ------------------------------------------------------------------------------------------------

MEGA = 1e6
BASE = {
    "gpu__time_duration.sum": 1e6,  # 1 ms
    "sm__cycles_elapsed.avg.per_second": 1.5e9,
    "launch__sm_count": 100,
    "dram__cycles_elapsed.avg.per_second": 2e9,
    "dram__bytes.sum.peak_sustained": 1000.0,  # 2 TB/s
    "dram__bytes.sum": 1e9,
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained": 4000.0,  # 12 TFLOP/s
    **{SASS.format("sm", kind + op): 0.0 for kind in "dfh" for op in ("add", "mul", "fma")},
    **{f"sm__ops_path_tensor_src_{kind}.sum": 0.0 for kind in ("fp64", "fp16", "int8", "tf32_dst_fp32")},
    "sm__ops_path_tensor_src_bf16_dst_fp32.sum": 0.0,
}
ROW = {
    "launch": 0,
    "process_id": 7,
    "kind": "kernel",
    "name": "k",
    "full_name": "void k()",
    "nvtx": (),
    "declared": {},
    "payload": None,
}


def analysis(*launches):
    made = tuple(make_launch({**ROW, "launch": n, **row}, BASE | more) for n, (row, more) in enumerate(launches))
    return analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=made)])


def one(row=(), **more):
    """Return the roofline and ceilings of a launch; ``more`` are counters, ``__`` for the dots of their roll-ups."""
    return analysis((dict(row), {name.replace("___", "."): value for name, value in more.items()})).launches[0]


def tensor(**counts):
    return {f"sm__ops_path_tensor_{name}.sum": float(value) for name, value in counts.items()}


def peaks(**rates):
    return {f"sm__ops_path_tensor_{name}.sum.peak_sustained": float(value) for name, value in rates.items()}


SPARSE_COUNTERS = (
    tensor(
        src_fp16=96 * MEGA,
        op_hmma_src_fp16_dst_fp32_sparsity_off=32 * MEGA,
        op_hmma_src_fp16_dst_fp32_sparsity_on=64 * MEGA,
        op_hgmma_src_fp16_sparsity_off=0,
        op_hgmma_src_fp16_sparsity_on=0,
    )
    | peaks(
        src_fp16=99999,
        op_hmma_src_fp16_dst_fp32_sparsity_off=2000,
        op_hmma_src_fp16_dst_fp32_sparsity_on=4000,
        op_hgmma_src_fp16_sparsity_off=3000,
        op_hgmma_src_fp16_sparsity_on=6000,
    )
    | {"dram__bytes.sum": 1000.0}
)


def test_sparse_work_is_held_against_the_sparse_roof_of_the_path_that_ran():
    launch = analysis(({}, SPARSE_COUNTERS)).launches[0]
    assert launch.work.tensor_flop["fp16"] == 96 * MEGA
    assert launch.ceilings["tensor_fp16_flop_per_s"].value == pytest.approx(2000 * 1.5e9)
    assert launch.ceilings["tensor_fp16_sparse_flop_per_s"].value == pytest.approx(4000 * 1.5e9)
    points = {p.pipe: p for p in launch.roofline.points}
    # 32 MFLOP at 3 TFLOP/s and 64 MFLOP at 6 TFLOP/s take equally long: the first in order is the dominant one.
    assert launch.roofline.pipe == "tensor_fp16"
    assert points["tensor_fp16"].performance_flop_per_s == pytest.approx(32e9)
    assert points["tensor_fp16_sparse"].performance_flop_per_s == pytest.approx(64e9)
    assert points["tensor_fp16_sparse"].attainable_flop_per_s == pytest.approx(6e12)


def test_there_is_no_sparse_roof_without_sparse_work():
    dense = SPARSE_COUNTERS | tensor(src_fp16=32 * MEGA, op_hmma_src_fp16_dst_fp32_sparsity_on=0)
    launch = analysis(({}, dense)).launches[0]
    assert [name for name in launch.ceilings if "sparse" in name] == []
    assert {point.pipe for point in launch.roofline.points} == {"tensor_fp16"}


def test_the_sparse_roof_is_that_of_wgmma_where_wgmma_ran():
    moved = tensor(op_hmma_src_fp16_dst_fp32_sparsity_on=0, op_hgmma_src_fp16_sparsity_on=64 * MEGA)
    launch = analysis(({}, SPARSE_COUNTERS | moved)).launches[0]
    assert launch.ceilings["tensor_fp16_sparse_flop_per_s"].value == pytest.approx(6000 * 1.5e9)


def test_sparse_work_beside_an_unknown_total_is_no_pipe():
    lacking = {name: value for name, value in SPARSE_COUNTERS.items() if "sparsity_off" not in name}
    del lacking["sm__ops_path_tensor_src_fp16.sum"]
    counters = {name: value for name, value in (BASE | lacking).items() if name != "sm__ops_path_tensor_src_fp16.sum"}
    made = make_launch(ROW, counters)
    (launch,) = analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=(made,))]).launches
    assert launch.roofline.pipe is None


@pytest.mark.parametrize(
    ("pipe", "name"),
    [
        ("fp64", "FP64"),
        ("tensor_fp64", "tensor FP64"),
        ("tensor_fp16_sparse", "tensor FP16 sparse"),
        ("tensor_fp16_bf16_tf32", "tensor FP16/BF16/TF32"),
    ],
)
def test_names_of_pipes(pipe, name):
    assert pipe_name(pipe) == name


WORK = {SASS.format("sm", "dfma"): 5e5}  # 1 GFLOP/s in 1 ms


def test_bytes_of_l1_have_a_roof_by_specification():
    launch = one(**WORK, **{"l1tex__t_bytes.sum": 1e9})
    assert launch.ceilings["l1_bytes_per_s"].value == pytest.approx(128 * 100 * 1.5e9)
    assert launch.ceilings["l1_bytes_per_s"].source == "spec"


def test_traffic_of_device_memory_that_is_unknown_leaves_the_level_open():
    counters = {name: value for name, value in (BASE | WORK).items() if not name.startswith("dram__bytes.sum")}
    made = make_launch(ROW, counters | {"l1tex__t_bytes.sum": 1e9})
    (launch,) = analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=(made,))]).launches
    assert (launch.roofline.level, launch.roofline.roof_fraction) == (None, None)
    (point,) = launch.roofline.points
    assert point.attainable_flop_per_s == pytest.approx(min(12e12, 1e6 / 1e9 * 128 * 100 * 1.5e9))


def test_a_launch_that_moves_nothing_to_device_memory_is_held_against_the_next_level():
    launch = one(**WORK, **{"dram__bytes.sum": 0.0, "l1tex__t_bytes.sum": 1e9})
    assert launch.roofline.level == "l1"
    assert launch.roofline.roof_fraction == pytest.approx(1e9 / 1e-3 / (128 * 100 * 1.5e9))


def test_instructions_are_taken_from_issue_slots_where_they_were_not_counted():
    launch = one(**{"sm__inst_issued.avg.pct_of_peak_sustained_elapsed": 25.0})
    found = launch.roofline.instructions
    assert found.performance_inst_per_s == pytest.approx(0.25 * 4 * 100 * 1.5e9)
    assert launch.values["issued_instructions"].state == "derived"


def test_instructions_without_ceilings_have_no_attainable_rate():
    made = make_launch(ROW, {"gpu__time_duration.sum": 1e6, "smsp__inst_executed.sum": 1e6, "dram__bytes.sum": 1e6})
    (launch,) = analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=(made,))]).launches
    (point,) = launch.roofline.instructions.points
    assert (point.intensity_inst_per_byte, point.attainable_inst_per_s) == (1.0, None)
    assert launch.roofline.instructions.roof_fraction is None


# -- above the roof --------------------------------------------------------------------------------------------------


def test_within_the_roof_nothing_is_said():
    assert one(**WORK, **{"dram__bytes.sum": 2.009e9}).roofline.above_roof is None


def test_bytes_and_time_of_unlike_passes_are_told_by_the_busy_time_of_one():
    launch = one(
        **WORK,
        **{"dram__bytes.sum": 2.4e9, "dram__cycles_active.avg.pct_of_peak_sustained_elapsed": 97.0},
    )
    said = launch.roofline.above_roof
    assert said.startswith("20.0 % above the roof of DRAM, 2.000 TB/s (report)")
    assert "busy for 97.0 % of one pass" in said
    assert launch.overlap.status == "ceiling_violation"


def test_an_excess_that_no_counter_explains_is_left_unexplained():
    assert "do not tell" in one(**WORK, **{"dram__bytes.sum": 2.4e9}).roofline.above_roof


SPEC = {name: value for name, value in BASE.items() if not name.endswith("peak_sustained")}


@pytest.mark.parametrize(("clock", "told"), [(2.5e9, True), (1.5e9, False)])
def test_a_clock_above_that_of_the_table_is_named(clock, told):
    """An H200 by the table: 33.5 TFLOP/s at 1.98 GHz."""
    more = {
        "device__attribute_display_name": "NVIDIA H200",
        "sm__cycles_elapsed.avg.per_second": clock,
        SASS.format("sm", "dfma"): 2e10,
        "dram__bytes.sum": 1e6,
    }
    made = make_launch(ROW, SPEC | more)
    (launch,) = analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=(made,))]).launches
    assert launch.ceilings["fp64_flop_per_s"].source == "spec"
    assert "above the roof of FP64" in launch.roofline.above_roof
    assert ("the clock was 2.500 GHz, 26.3 % above the 1.980 GHz" in launch.roofline.above_roof) is told


def test_a_tensor_roof_of_another_family_is_named_as_a_reason():
    counters = tensor(src_fp16=1e12) | peaks(op_hmma_src_fp16_dst_fp32_sparsity_off=2000) | {"dram__bytes.sum": 1e6}
    said = analysis(({}, counters)).launches[0].roofline.above_roof
    assert "above the roof of tensor FP16" in said
    assert "which instructions did the work was not counted" in said


# -- useful work -----------------------------------------------------------------------------------------------------


def test_useful_work_beside_the_actual():
    useful = one({"declared": {"flop": 5e5, "dram_bytes": 2.5e8}}, **WORK).roofline.useful
    assert (useful.flop_share, useful.dram_bytes_share) == (0.5, 0.25)
    assert useful.intensity_flop_per_byte == pytest.approx(5e5 / 2.5e8)
    assert useful.attainable_flop_per_s == pytest.approx(5e5 / 2.5e8 * 2e12)
    assert useful.roof_fraction == pytest.approx(0.125)


def test_a_share_of_what_was_not_counted_is_unknown():
    counters = {name: value for name, value in (BASE | WORK).items() if "_op_hadd_" not in name}
    made = make_launch({**ROW, "declared": {"flop": 5e5}}, counters)
    (launch,) = analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=(made,))]).launches
    assert launch.roofline.useful.flop_share is None
    assert launch.roofline.useful.intensity_flop_per_byte is None


def test_passes_of_a_loop_are_told_from_a_pass_of_several_kernels():
    declared = {"declared": {"flop": 5e5}}
    loop = analysis((declared, WORK), (declared, WORK))
    assert [launch.roofline.useful.flop_share for launch in loop.launches] == [0.5, 0.5]
    mixed = analysis((declared, WORK), ({**declared, "full_name": "void other()"}, WORK), ({}, WORK), (declared, WORK))
    assert [launch.roofline.useful is not None for launch in mixed.launches] == [False, False, False, True]


def test_sentences_on_roofs_stand_in_table_and_markdown():
    result = analysis(
        ({"declared": {"flop": 6.2e5, "dram_bytes": 2e9}}, WORK),
        ({}, {"smsp__inst_executed.sum": 1e6}),
        ({}, {**WORK, "l1tex__t_bytes.sum": 1e11}),
        ({}, WORK),
    )
    lines = roof_lines(result.launches, several=False)
    assert [line.split(": ", 1) for line in lines[:2]] == [
        ["0 k", "useful 62 % of the FLOP; declares 2.00 × the DRAM bytes counted"],
        ["1 k", "instructions at 50 % of the roof of DRAM"],
    ]
    assert lines[2].startswith("2 k: held against L1; ")
    assert len(lines) == 3
    assert f"Roofs\n - {lines[0]}" in render_table(result, width=200)
    assert "**Roofs**" in render_markdown(result)


def test_the_frame_holds_level_instructions_and_useful_shares(pairs):
    frame = pairs.frame()
    assert list(frame["roofline_level"][[STREAM, COLUMNS]]) == ["dram", "l2"]
    fraction = pairs.launches[TRANSPOSE].roofline.instructions.roof_fraction
    assert frame["instruction_roof_fraction"][TRANSPOSE] == fraction
    assert math.isnan(frame["useful_flop_share"][TRANSPOSE])


# -- every report: no roof without a source, and the lowest one counts ---------------------------------------------


def require_sound_roofline(launch):
    roofs, roofline = launch["ceilings"], launch["roofline"]
    assert all(ceiling["source"] in {"measured", "report", "spec"} for ceiling in roofs.values())
    counted = roofline["instructions"] or {"points": []}
    for point in roofline["points"]:
        names = (f"{point['level']}_bytes_per_s", f"{point['pipe']}_flop_per_s")
        require_attainable(point, roofs, *names, "flop")
    for point in counted["points"]:
        require_attainable(point, roofs, f"{point['level']}_bytes_per_s", "issue_inst_per_s", "inst")
    for points, found, unit in ((roofline["points"], roofline, "flop"), (counted["points"], counted, "inst")):
        own = [p for p in points if p.get("pipe", None) in {None, roofline["pipe"]}]
        rates = [p[f"attainable_{unit}_per_s"] for p in own]
        lowest = min((rate for rate in rates if rate is not None), default=None)
        if found.get(f"attainable_{unit}_per_s") is not None:
            assert found[f"attainable_{unit}_per_s"] == pytest.approx(lowest, rel=1e-12)
            expected = found[f"performance_{unit}_per_s"] / lowest
            assert found["roof_fraction"] == pytest.approx(expected, rel=1e-12)


def require_attainable(point, roofs, slant, flat, unit):
    found = point[f"attainable_{unit}_per_s"]
    if slant not in roofs or flat not in roofs:
        assert found is None
        return
    slope = point[f"intensity_{unit}_per_byte"] * roofs[slant]["value"]
    assert found == pytest.approx(min(roofs[flat]["value"], slope), rel=1e-12)


def test_no_recorded_launch_has_a_roof_without_a_source(recording, document_of):
    for launch in document_of(recording)["launches"]:
        require_sound_roofline(launch)


def test_no_public_launch_has_a_roof_without_a_source(public):
    levels = set()
    for _, done in public.values():
        for launch in json.loads(done.out)["launches"]:
            require_sound_roofline(launch)
            levels.add(launch["roofline"]["level"])
    assert {"dram", "l2"} <= levels


def test_no_launch_of_the_pairs_has_a_roof_without_a_source(pairs, measured):
    for result in (pairs, measured):
        for launch in document(result)["launches"]:
            require_sound_roofline(launch)


# -- the models ------------------------------------------------------------------------------------------------------

AMOUNT = st.floats(1e-3, 1e15)


@given(AMOUNT, AMOUNT, AMOUNT, AMOUNT)
def test_attainable_grows_with_intensity_and_stays_under_both_roofs(first, second, peak, bandwidth):
    low, high = sorted((first, second))
    for attainable in (model.attainable, model.attainable_instructions):
        assert attainable(low, peak, bandwidth) <= attainable(high, peak, bandwidth) <= peak
        assert attainable(low, peak, bandwidth) <= low * bandwidth


@given(st.dictionaries(st.sampled_from(["dram", "l2", "l1"]), st.tuples(AMOUNT, AMOUNT), min_size=1), AMOUNT, AMOUNT)
def test_the_limiting_level_has_the_lowest_roof(levels, work, peak):
    moved, rates = ({name: pair[i] for name, pair in levels.items()} for i in (0, 1))
    limiting = model.limiting_level(moved, rates)
    roofs = {name: model.attainable(work / moved[name], peak, rates[name]) for name in levels}
    assert roofs[limiting] == pytest.approx(min(roofs.values()), rel=1e-9)


def test_levels_without_bandwidth_or_traffic_do_not_limit():
    assert model.limiting_level({"dram": 1.0, "l2": 5.0}, {"dram": 1.0}) == "dram"
    assert model.limiting_level({"dram": 1.0}, {}) is None
    assert model.limiting_level({"dram": 0.0, "l1": 1.0}, {"dram": 1.0, "l1": 9.0}) == "l1"


@pytest.mark.parametrize(("moved", "rate"), [(-1.0, 1.0), (1.0, 0.0)])
def test_amounts_out_of_range_are_refused(moved, rate):
    with pytest.raises(ModelError):
        model.limiting_level({"dram": moved}, {"dram": rate})
    with pytest.raises(ModelError):
        model.attainable_instructions(moved, 1.0, rate)


def test_the_issue_peak_of_a_v100_in_the_article():
    """80 multiprocessors, four schedulers, 1.53 GHz: 489.6 billion warp instructions a second (Ding and Williams)."""
    assert model.attainable_instructions(1e9, 80 * 4 * 1.53e9, 9e11) == pytest.approx(489.6e9)

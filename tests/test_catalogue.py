"""The catalogue against real reports: formulas that a report allows agree, and names of every chip are known."""

import itertools
import json
import math
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from nsightlens.collectors.formulas import parse
from nsightlens.collectors.quantities import evaluate
from nsightlens.data import table

AGREEMENT = 0.01
PUBLIC = (
    "cutlass__384",
    "esmm__4_profile",
    "hyperspec__profile",
    "mms__thrust-analysis",
    "mojo__profile",
    "ncar__MW_Baseline",
    "nukexc__profile",
    "nvtrain__manual_nvtx",
    "scan__profile",
    "sglang__profile",
)
DEVICE = {"device__attribute_compute_capability_major": 9, "device__attribute_compute_capability_minor": 0}


@cache
def public_counters(path):
    script = Path(__file__).with_name("plain_reader.py")
    answer = subprocess.run([sys.executable, script, path], capture_output=True, check=True)
    return [launch["counters"] for launch in json.loads(answer.stdout)]


def results(formulas, known):
    """Return what each formula gives whose names all have a number."""
    for text in formulas:
        formula = parse(text)
        inputs = {name: known.get(name) for name in formula.names}
        if all(isinstance(value, int | float) and math.isfinite(value) for value in inputs.values()):
            try:
                yield text, formula.compute(inputs)
            except ZeroDivisionError:
                continue


def disagreements(launches):
    """Return the pairs of formulas of one quantity that differ, and how many pairs were compared."""
    found, compared = [], 0
    for number, counters in enumerate(launches):
        values, _ = evaluate(counters)
        for name, entry in table("counters").items():
            for (one, a), (other, b) in itertools.combinations(results(entry["formulas"], {**counters, **values}), 2):
                compared += 1
                if abs(a - b) > AGREEMENT * max(abs(a), abs(b)):
                    found.append((number, name, one, a, other, b))
    return found, compared


def test_formulas_of_one_quantity_agree_in_every_recording(recording, raw_of):
    found, compared = disagreements([launch["counters"] for launch in raw_of(recording)])
    assert found == []
    assert compared > 0


@pytest.mark.parametrize("name", PUBLIC)
def test_formulas_of_one_quantity_agree_in_public_reports(name, corpus):
    found, compared = disagreements(public_counters(corpus / f"{name}.ncu-rep"))
    assert found == []
    assert compared > 0


def test_a_disagreement_would_be_found():
    time = {"gpu__time_duration.sum": 1e9}
    same = {**time, "lts__t_sectors.sum": 100.0, "lts__t_sectors.sum.per_second": 100.5}
    assert disagreements([same]) == ([], 1)
    assert len(disagreements([same | {"lts__t_sectors.sum.per_second": 102.0}])[0]) == 1


def test_bytes_of_device_memory_are_the_same_by_direction_and_by_rate(raw_of):
    checked = 0
    for launch in raw_of("scale_full"):
        counters = launch["counters"]
        both = counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]
        rate = counters["dram__bytes.sum.per_second"] * counters["gpu__time_duration.sum"] / 1e9
        assert both == pytest.approx(rate, rel=AGREEMENT)
        assert evaluate(counters)[0]["dram_bytes"] == pytest.approx(rate, rel=AGREEMENT)
        checked += 1
    assert checked == 7


def test_bytes_are_never_taken_from_a_share_of_the_peak():
    """On B200 the roll-up says 31.8 % where the bytes make 27.6 %."""
    roll_up = {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 31.8, "gpu__time_duration.sum": 1e6}
    peak = {"dram__bytes.sum.peak_sustained": 1000.0, "dram__cycles_elapsed.avg.per_second": 1e9}
    values, origins = evaluate(roll_up | peak | DEVICE)
    assert math.isnan(values["dram_bytes"])
    assert values["dram_share"] == pytest.approx(0.318)
    assert origins["dram_share"].counter == "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed / 100"
    values, origins = evaluate(roll_up | peak | {"dram__bytes.sum": 0.276 * 1e12 * 1e-3})
    assert values["dram_share"] == pytest.approx(0.276)
    assert origins["dram_share"].counter == "dram_bytes / (dram_bytes_per_s * time_s)"


def test_a_quantity_with_stand_ins_says_how_they_differ():
    with_them = {name: entry for name, entry in table("counters").items() if "stand_ins" in entry}
    assert set(with_them) >= {"dram_share", "busy_fp64", "occupancy_share"}
    for name, entry in with_them.items():
        assert "Stand-in" in entry["doc"], name
        assert not set(entry["stand_ins"]) & set(entry["formulas"]), name
    assert {name for name, e in table("counters").items() if "Stand-in" in e["doc"]} == set(with_them)


@pytest.mark.parametrize("capability", [(7, 2), (8, 7), (11, 0), (12, 1)])
def test_devices_without_counters_of_device_memory_have_no_bytes_and_are_not_asked_for_them(capability):
    major, minor = capability
    chip = {
        "device__attribute_compute_capability_major": major,
        "device__attribute_compute_capability_minor": float(minor),
    }
    values, origins = evaluate({"gpu__time_duration.sum": 1e6, **chip})
    names = {"dram_read_bytes", "dram_write_bytes", "dram_bytes", "dram_share", "dram_bytes_per_s"}
    assert {name for name, origin in origins.items() if origin.state == "not_available"} == names
    assert all(math.isnan(values[name]) for name in names)
    assert evaluate({"dram__bytes.sum": 64.0, **chip})[0]["dram_bytes"] == 64


def test_other_chips_lack_such_counters_only_for_now():
    assert evaluate(DEVICE)[1]["dram_bytes"].state == "not_collected"


TIME = {"gpu__time_duration.sum": 2e9}
FFMA = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
HFMA = "smsp__sass_thread_inst_executed_op_hfma_pred_on"


@pytest.mark.parametrize(
    ("counters", "quantity", "expected"),
    [
        pytest.param({"dram__read_bytes": 3.0, "dram__write_bytes": 4.0}, "dram_bytes", 7, id="Pascal bytes"),
        pytest.param({"dram__read_sectors": 3.0}, "dram_read_bytes", 96, id="Pascal sectors"),
        pytest.param({**TIME, "dram__write_bytes_per_sec": 5.0}, "dram_write_bytes", 10, id="Pascal rate"),
        pytest.param({"sm__active_warps_avg_per_active_cycle_pct": 25.0}, "occupancy_share", 0.25, id="Pascal warps"),
        pytest.param({"lts__request_total_sectors_hitrate_pct": 50.0}, "l2_hit_share", 0.5, id="Pascal L2"),
        pytest.param({"tex__hitrate_pct": 75.0}, "l1_hit_share", 0.75, id="Pascal L1"),
        pytest.param({"sm__elapsed_cycles_avg": 9.0}, "sm_cycles", 9, id="Pascal cycles"),
        pytest.param({"sm__sol_pct": 40.0}, "sm_share", 0.4, id="Pascal roll-up"),
        pytest.param({"smsp__thread_inst_executed_per_inst_executed": 8.0}, "threads_per_instruction", 8, id="Pascal"),
        pytest.param(
            {"sm__inst_executed_avg_per_elapsed_cycle": 1.0, "sm__inst_executed_avg_per_active_cycle": 4.0},
            "sm_active_share",
            0.25,
            id="Pascal activity",
        ),
        pytest.param(
            {
                "smsp__cycles_elapsed.sum": 800.0,
                "device__attribute_multiprocessor_count": 2,
                "sm__cycles_active.avg": 25.0,
            },
            "sm_active_share",
            0.25,
            id="V100 activity",
        ),
        pytest.param({"dram__sectors_op_read.sum": 2.0}, "dram_read_bytes", 64, id="sm_120 sectors"),
        pytest.param({**TIME, "dram__bytes_op_write.sum.per_second": 2.0}, "dram_write_bytes", 4, id="sm_120 rate"),
        pytest.param({**TIME, "lts__t_bytes.sum.per_second": 2.0}, "l2_bytes", 4, id="hierarchical roofline, L2"),
        pytest.param({**TIME, "lts__t_sectors.sum.per_second": 2.0}, "l2_bytes", 128, id="L2 rate"),
        pytest.param({**TIME, "l1tex__t_bytes.sum.per_second": 2.0}, "l1_bytes", 4, id="hierarchical roofline, L1"),
        pytest.param({**TIME, f"{FFMA}.per_second": 3.0}, "fp32_fma", 6, id="rate for a sum"),
        pytest.param(
            {f"derived__{HFMA}_x4": 2.0, "smsp__cycles_elapsed.avg": 10.0}, "fp16_fma", 5, id="derived, four each"
        ),
        pytest.param({"gpu__time_duration.max": 5.0}, "time_s", 5e-9, id="duration by another roll-up"),
    ],
)
def test_names_of_chips_and_versions(counters, quantity, expected):
    assert evaluate(counters)[0][quantity] == pytest.approx(expected, rel=1e-12)


def test_a_derived_counter_without_a_value_is_not_zero():
    """ncu 2025.1 names these, and gives them no value."""
    names = {f"derived__smsp__sass_thread_inst_executed_op_{op}_pred_on_x2": None for op in ("hadd", "hmul")}
    values, origins = evaluate({**names, "smsp__cycles_elapsed.avg": 10.0})
    assert math.isnan(values["fp16_add"])
    assert origins["fp16_add"].state == origins["fp16_mul"].state == "not_available"

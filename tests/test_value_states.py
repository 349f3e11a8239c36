"""Value states from counter to frame, JSON and totals; and odd values, which give a state and never an error."""

import json
import math
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsightlens.analysis import analyze
from nsightlens.collectors.quantities import counter_names
from nsightlens.collectors.report import Report, make_launch
from nsightlens.report.json import document, render_json
from nsightlens.report.table import render_table

IDENTITY = {
    "launch": 0,
    "kind": "kernel",
    "process_id": 1,
    "name": "k",
    "full_name": "k()",
    "nvtx": ("app/step",),
    "declared": {},
    "payload": None,
}
TIME = {"gpu__time_duration.sum": 1e6}
HITS = "lts__t_sector_hit_rate.pct"
SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "analysis.schema.json").read_text())


def report_with(*launches, **row):
    made = [make_launch({**IDENTITY, "launch": n, **row}, counters) for n, counters in enumerate(launches)]
    return Report("run.ncu-rep", "ncu-rep", complete=True, launched=tuple(made))


@pytest.mark.parametrize(
    ("state", "counters", "share"),
    [
        ("measured", {HITS: 25.0}, 0.25),
        ("measured", {HITS: 0.0}, 0.0),
        ("out_of_range", {HITS: 100.39}, 1.0039),
        ("not_collected", {}, None),
        ("not_available", {HITS: None}, None),
        ("not_available", {HITS: "n/a"}, None),
        ("failed", {HITS: math.nan}, None),
        ("failed", {HITS: math.inf}, None),
    ],
)
def test_a_state_stays_beside_the_value_from_counter_to_json(state, counters, share):
    report = report_with(TIME | counters)
    launch = document(analyze([report]))["launches"][0]
    assert launch["values"]["l2_hit_share"]["state"] == state
    assert launch["utilisation"]["l2_hit_share"] == (None if share is None else pytest.approx(share))
    cell = report.launches["l2_hit_share"][0]
    assert math.isnan(cell) if share is None else cell == pytest.approx(share)
    asked_for = HITS in launch["missing"]
    assert asked_for is (state == "not_collected")


@pytest.mark.parametrize(
    ("duration", "state"),
    [({"gpu__time_duration.sum": 5e5}, "measured"), ({}, "not_collected")]
    + [({"gpu__time_duration.sum": bad}, state) for bad, state in ((None, "not_available"), (math.nan, "failed"))],
)
def test_a_total_is_null_unless_every_part_was_measured(duration, state):
    found = document(analyze([report_with(TIME, duration)]))
    assert found["launches"][1]["values"]["time_s"]["state"] == state
    (total,) = found["ranges"]
    assert total["launches"] == 2
    assert total["time_s"] == (pytest.approx(1.5e-3) if state == "measured" else None)


def test_a_derived_value_names_its_formula():
    report = report_with({"dram__bytes_read.sum": 3.0, "dram__bytes_write.sum": 4.0})
    value = document(analyze([report]))["launches"][0]["values"]["dram_bytes"]
    assert value == {"counter": "dram_read_bytes + dram_write_bytes", "state": "derived"}


def test_what_a_program_declares_is_marked_and_fills_no_measured_field():
    report = report_with(TIME, declared={"flop": 8, "dram_bytes": 16})
    launch = document(analyze([report]))["launches"][0]
    assert launch["declared"] == {"flop": 8, "dram_bytes": 16, "payload": None}
    assert launch["values"]["declared_flop"] == {"counter": None, "state": "declared"}
    assert launch["values"]["declared_dram_bytes"]["state"] == "declared"
    assert launch["traffic_bytes"]["dram"] is None
    assert launch["work"]["fp64_flop"] is None
    assert report.launches["declared"][0] == {"flop": 8, "dram_bytes": 16}


def test_without_counters_of_device_memory_the_reason_is_given_and_nothing_is_zero():
    chip = {"device__attribute_compute_capability_major": 8, "device__attribute_compute_capability_minor": 7}
    launch = document(analyze([report_with(TIME | chip)]))["launches"][0]
    assert launch["traffic_bytes"]["dram"] is None
    assert "no counters of device memory" in launch["overlap"]["reason"]
    assert not any(name.startswith("dram__") for name in launch["missing"])


def test_a_peak_by_specification_is_called_one():
    chip = {"device__attribute_max_mem_frequency_khz": 1e6, "device__attribute_global_memory_bus_width": 1024}
    own = {"dram__bytes.sum.peak_sustained": 100.0, "dram__cycles_elapsed.avg.per_second": 1e9}
    spec, measured = document(analyze([report_with(chip, chip | own)]))["launches"]
    assert spec["ceilings"]["dram_bytes_per_s"] == {"value": 2 * 1e9 * 1024 / 8, "source": "spec"}
    assert measured["ceilings"]["dram_bytes_per_s"] == {"value": 1e11, "source": "report"}


def test_ids_that_no_column_holds_are_unknown():
    report = report_with({"launch__stream_id": 2**63, "launch__device_id": -1}, process_id=2**64)
    row = report.launches.iloc[0]
    assert pd.isna(row["stream"])
    assert pd.isna(row["device"])
    assert pd.isna(row["process_id"])
    assert report_with({"launch__stream_id": 2**63 - 1}).launches["stream"][0] == 2**63 - 1


ODD = st.one_of(
    st.none(),
    st.text(max_size=5),
    st.booleans(),
    st.sampled_from([0, 0.0, -1, -0.5, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf, 2**63, -(2**64), 10**400]),
    st.floats(),
    st.integers(),
)
NAMES = [
    *counter_names(),
    *(f"launch__{what}_dim_{axis}" for what in ("grid", "block") for axis in "xyz"),
    "launch__stream_id",
    "launch__device_id",
    "device__attribute_display_name",
    "device__attribute_compute_capability_major",
    "device__attribute_compute_capability_minor",
    "profiler__replayer_passes",
    "sm__ops_path_tensor_src_fp16.sum",
    "sm__ops_path_tensor_src_fp64.sum.peak_sustained",
    "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_off.sum",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
]
STATES = {"measured", "derived", "not_collected", "not_available", "failed", "out_of_range"}


def require_sound(report):
    analysis = analyze([report])
    found = json.loads(render_json(analysis))
    jsonschema.validate(found, SCHEMA)
    assert render_table(analysis)
    assert len(report.launches) == len(report.launched)
    assert len(report.metrics) <= sum(len(launch.counters) for launch in report.launched)
    for launch in found["launches"]:
        assert {value["state"] for value in launch["values"].values()} <= STATES


@given(st.dictionaries(st.sampled_from(NAMES), ODD, max_size=25), ODD.filter(lambda x: not isinstance(x, str)))
def test_odd_values_give_a_state_and_no_error(counters, process_id):
    require_sound(report_with(counters, process_id=process_id))


@settings(max_examples=15)
@given(draws=st.data())
def test_odd_values_in_a_recorded_launch_give_a_state_and_no_error(draws, report_of):
    counters = dict(report_of("scale_full").launched[0].counters)
    changed = draws.draw(st.dictionaries(st.sampled_from(sorted(counters)), ODD, min_size=1, max_size=12))
    require_sound(report_with(counters | changed))

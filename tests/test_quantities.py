"""From counters to quantities: which formula is taken, and what is said where there is no value."""

import math
import re

import pytest

from nsightlens.collectors.quantities import PATTERNS, catalogue, counter_names, evaluate
from nsightlens.data import table

TIME = {"gpu__time_duration.sum": 2000.0}
GPU_NAME = "device__attribute_display_name"
PER_CYCLE = "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed"


def value_and_state(counters, quantity):
    values, origins = evaluate(counters)
    return values[quantity], origins[quantity].state


def test_every_quantity_has_a_value_and_an_origin_whatever_was_collected():
    names = {quantity.name for quantity in catalogue()}
    for counters in ({}, TIME, dict.fromkeys(counter_names(), 1.0), dict.fromkeys(counter_names(), math.nan)):
        values, origins = evaluate(counters)
        assert set(values) == set(origins) == names
        assert all(isinstance(value, float) for value in values.values())


def test_nothing_collected_is_nothing_known():
    values, origins = evaluate({})
    assert all(math.isnan(value) for value in values.values())
    assert {origin.state for origin in origins.values()} == {"not_collected"}
    assert {origin.counter for origin in origins.values()} == {None}


def test_counters_without_a_value_are_not_available_throughout():
    values, origins = evaluate(dict.fromkeys(counter_names()))
    assert all(math.isnan(value) for value in values.values())
    assert {origin.state for origin in origins.values()} == {"not_available"}


def test_failed_counters_leave_nothing_known_and_are_called_failed():
    values, origins = evaluate(dict.fromkeys(counter_names(), math.nan))
    assert {name: value for name, value in values.items() if not math.isnan(value)} == {}
    assert {origin.state for origin in origins.values()} == {"failed"}


def test_text_is_no_number():
    assert evaluate({"gpu__time_duration.sum": "2000"})[1]["time_s"].state == "not_available"


def test_the_first_formula_whose_counters_are_there_is_taken_and_recorded():
    both = {**TIME, "dram__bytes_read.sum": 64.0, "dram__bytes_write.sum": 32.0}
    values, origins = evaluate(both)
    assert values["dram_bytes"] == 96
    assert origins["dram_bytes"].counter == "dram_read_bytes + dram_write_bytes"
    values, origins = evaluate({**both, "dram__bytes.sum": 97.0})
    assert values["dram_bytes"] == 97
    assert (origins["dram_bytes"].counter, origins["dram_bytes"].state) == ("dram__bytes.sum", "measured")


@pytest.mark.parametrize("bad", [None, math.nan])
def test_a_counter_without_a_value_gives_way_to_the_next_formula(bad):
    counters = {**TIME, "dram__bytes.sum": bad, "dram__bytes.sum.per_second": 4e12}
    value, state = value_and_state(counters, "dram_bytes")
    assert value == pytest.approx(8e6)
    assert state == "derived"


@pytest.mark.parametrize(("bad", "state"), [(None, "not_available"), (math.nan, "failed")])
def test_what_is_made_of_a_quantity_without_value_has_its_state(bad, state):
    counters = {"dram__bytes_read.sum": bad, "dram__bytes_write.sum": 32.0}
    assert value_and_state(counters, "dram_read_bytes")[1] == state
    value, found = value_and_state(counters, "dram_bytes")
    assert math.isnan(value)
    assert found == state


def test_one_direction_of_traffic_is_no_total():
    value, state = value_and_state({"dram__bytes_write.sum": 32.0}, "dram_bytes")
    assert math.isnan(value)
    assert state == "not_collected"


def test_two_of_three_kinds_of_instructions_are_no_work():
    name = "sm__sass_thread_inst_executed_op_{}_pred_on.sum"
    two = {name.format(kind): 10.0 for kind in ("dadd", "dmul")}
    assert math.isnan(value_and_state(two, "fp64_flop")[0])
    assert value_and_state({**two, name.format("dfma"): 5.0}, "fp64_flop") == (30, "derived")


def test_half_precision_instructions_are_pairs():
    name = "sm__sass_thread_inst_executed_op_{}_pred_on.sum"
    counters = {name.format(kind): count for kind, count in {"hadd": 1.0, "hmul": 2.0, "hfma": 3.0}.items()}
    assert value_and_state(counters, "fp16_flop")[0] == 2 * 1 + 2 * 2 + 4 * 3


def test_a_rate_per_cycle_becomes_a_whole_number_of_instructions():
    cycles = 1072147.8484848484
    counters = {PER_CYCLE: 2**27 / cycles, "smsp__cycles_elapsed.avg": cycles}
    assert value_and_state(counters, "fp64_mul")[0] == 2**27


def test_a_measured_zero_is_zero():
    counters = {PER_CYCLE: 0.0, "smsp__cycles_elapsed.avg": 100.0}
    assert value_and_state(counters, "fp64_mul") == (0, "derived")
    assert value_and_state({"lts__t_sectors.sum": 0}, "l2_bytes") == (0, "measured")


def test_a_division_by_zero_is_a_failure_and_no_error():
    counters = {"sm__cycles_active.avg": 0.0, "sm__cycles_elapsed.avg": 0.0}
    value, state = value_and_state(counters, "sm_active_share")
    assert math.isnan(value)
    assert state == "failed"


@pytest.mark.parametrize(
    ("percentage", "state"), [(0, "measured"), (100, "measured"), (100.4, "out_of_range"), (-0.1, "out_of_range")]
)
def test_a_share_beyond_its_range_is_shown_and_marked(percentage, state):
    value, found = value_and_state({"lts__t_sector_hit_rate.pct": percentage}, "l2_hit_share")
    assert value == pytest.approx(percentage / 100)
    assert found == state


@pytest.mark.parametrize("duration", [-1.0, 0.0, math.inf, -math.inf])
def test_a_duration_that_cannot_be_is_a_failed_one(duration):
    value, found = value_and_state({"gpu__time_duration.sum": duration}, "time_s")
    assert math.isnan(value)
    assert found == "failed"


def test_counters_that_no_formula_names_change_nothing():
    counters = {**TIME, "lts__t_sectors.sum": 7, "dram__bytes.sum": 5.0}
    noise = {"sm__made_up.sum": 1e9, "breakdown:sm__throughput": "a,b", "derived_tempMetric1": math.nan, "time": 3.0}
    assert repr(evaluate({**counters, **noise})) == repr(evaluate(counters))


def test_the_reader_asks_for_every_counter_of_the_catalogue():
    """The names are taken from the text of the catalogue, not from the parsed formulas."""
    written = {
        name
        for entry in table("counters").values()
        for text in (*entry["formulas"], *entry.get("stand_ins", ()))
        for name in re.findall(r"[a-z]\w*__[\w.]*\w", text)
    }
    assert len(written) > 100
    assert written == set(counter_names())


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_matches_counters_of_a_recorded_report(pattern, raw_of):
    assert any(re.match(pattern, name) for name in [*raw_of("scale_full")[0]["counters"], GPU_NAME])


def test_the_reader_hands_over_what_it_asks_for_and_nothing_else(report_of, raw_of):
    held = raw_of("scale_full")[0]["counters"]
    taken = set(report_of("scale_full").launched[0].counters)
    assert set(counter_names()) & set(held) <= taken
    rest = taken - set(counter_names())
    assert all(any(re.match(pattern, name) for pattern in PATTERNS) for name in rest)
    assert {"launch__stream_id", "launch__grid_dim_x", GPU_NAME} <= rest


@pytest.mark.parametrize(
    ("counters", "quantity", "expected"),
    [
        ({"gpu__time_duration": 5.0}, "time_s", 5e-9),
        ({**TIME, "dram__bytes_per_sec": 1e12}, "dram_bytes", 2e6),
        ({"dram__bytes_op_read.sum": 1.0, "dram__bytes_op_write.sum": 2.0}, "dram_bytes", 3),
        ({"dram__sectors_read.sum": 1.0, "dram__sectors_write.sum": 2.0}, "dram_bytes", 96),
        ({"lts__t_bytes.sum": 64.0, "lts__t_sectors.sum": 9.0}, "l2_bytes", 64),
        ({"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 50.0}, "dram_share", 0.5),
        (
            {"dram__bytes.sum.peak_sustained": 1024.0, "dram__cycles_elapsed.avg.per_second": 2e9},
            "dram_bytes_per_s",
            2.048e12,
        ),
        (
            {
                "device__attribute_max_mem_frequency_khz": 3201000.0,
                "device__attribute_global_memory_bus_width": 6144.0,
            },
            "dram_spec_bytes_per_s",
            2 * 3.201e9 * 6144 / 8,
        ),
        (
            {
                "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained": 8448.0,
                "sm__cycles_elapsed.avg.per_second": 1e9,
            },
            "fp64_flop_per_s",
            16.896e12,
        ),
        (
            {
                "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed": 10.0,
                "sm__pipe_shared_cycles_active.avg.pct_of_peak_sustained_elapsed": 30.0,
            },
            "busy_fp64",
            0.3,
        ),
        (
            {
                "smsp__issue_active.avg.pct_of_peak_sustained_active": 50.0,
                "sm__cycles_active.avg": 10.0,
                "sm__cycles_elapsed.avg": 40.0,
            },
            "busy_issue",
            0.125,
        ),
    ],
)
def test_names_of_other_versions_and_chips(counters, quantity, expected):
    assert value_and_state(counters, quantity)[0] == pytest.approx(expected, rel=1e-12)

"""The ledger of recorded launches follows its evidence: more of it never lowers a loss, none of it makes no claim."""

import json
import math
from pathlib import Path

import jsonschema
import pair_truth
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nsightlens.analysis import analyze
from nsightlens.analysis.ceilings import ceilings
from nsightlens.analysis.losses import account
from nsightlens.collectors.report import Report, make_launch
from nsightlens.report import render

ROW = ("launch", "process_id", "kind", "name", "full_name", "nvtx", "declared", "payload")
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
MASKED = "smsp__thread_inst_executed_per_inst_executed.ratio"
BYTES = "smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.ratio"
EVIDENCE = {
    "bank_conflict": (("matmul_conflicts", "columns_conflicts", "transpose_both"), (CONFLICTS,), 1.3),
    "divergence": (("branches_alternating", "iterations_shuffled"), (MASKED,), 0.8),
    "uncoalesced_access": (("gather_order", "particles_layout"), tuple(map(BYTES.format, ("ld", "st"))), 0.8),
}
"""Cause to pairs that have it, the counters that show it, and a factor that makes it worse."""
KEYS = sorted(pair_truth.launches())
SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "analysis.schema.json").read_text(encoding="utf-8"))


def rebuilt(launch, changed):
    """Return the launch with some counters changed; ``None`` takes one away."""
    counters = {name: value for name, value in {**launch.counters, **changed}.items() if value is not None}
    return make_launch({key: launch.row[key] for key in ROW}, counters, launch.opcodes)


def shares(launch):
    """Return the ledger of a launch as shares, or None."""
    ledger, time = account(launch, ceilings(launch), violated=False), launch.values["time_s"]
    if ledger.losses is None:
        return None
    losses = {loss.cause: loss.share for loss in ledger.losses}
    assert all(0 < share <= 1 for share in losses.values())
    assert ledger.ideal_s / time + sum(losses.values()) + ledger.unexplained_s / time == pytest.approx(1, abs=1e-9)
    return losses


@pytest.mark.parametrize("cause", EVIDENCE)
def test_more_evidence_is_never_a_smaller_loss(cause):
    pairs, counters, factor = EVIDENCE[cause]
    steps = 0
    for (pair, _), launch in pair_truth.launches().items():
        if pair in pairs and cause in shares(launch):
            found = []
            for scale in (1.0, math.sqrt(factor), factor):
                changed = {name: launch.counters[name] * scale for name in counters}
                found.append(shares(rebuilt(launch, changed)).get(cause, 0.0))
            assert found == sorted(found), (pair, found)
            steps += found[-1] > found[0]
    assert steps


@given(st.sampled_from(KEYS), st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_with_counters_taken_away_the_ledger_still_sums_or_is_none(key, data):
    launch = pair_truth.launches()[key]
    gone = data.draw(st.sets(st.sampled_from(sorted(launch.counters)), max_size=60))
    shares(rebuilt(launch, dict.fromkeys(gone)))


ODD = st.sampled_from([math.nan, math.inf, -1.0, 0.0, 1e300, -1e300, 5e-324, 1e6, None])


@given(st.sampled_from(KEYS), st.data())
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_odd_counters_never_break_the_analysis_and_the_ledger_still_sums(key, data):
    launch = pair_truth.launches()[key]
    odd = data.draw(st.dictionaries(st.sampled_from(sorted(launch.counters)), ODD, max_size=60))
    made = rebuilt(launch, odd)
    shares(made)
    found = analyze([Report("run.ncu-rep", "ncu-rep", complete=True, launched=(made,))])
    jsonschema.validate(json.loads(render(found, "json")), SCHEMA)


@pytest.mark.parametrize("value", [1e300, -1e300, 5e-324])
def test_an_absurd_count_is_no_measurement(value):
    whole = pair_truth.launches()[KEYS[0]]
    launch = rebuilt(whole, {name: value for name in whole.counters if "dram__" in name})
    assert math.isnan(launch.values["dram_bytes"])
    assert launch.origins["dram_bytes"].state == "failed"


@given(st.sampled_from(KEYS), st.floats(allow_nan=True, allow_infinity=True))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_counters_of_nothing_in_the_ledger_change_nothing(key, value):
    launch = pair_truth.launches()[key]
    strangers = {"some__other_counter.sum": value, "sm__warps_launched.sum": value, "derived__tempMetric1": value}
    assert shares(rebuilt(launch, strangers)) == shares(launch)


@pytest.mark.parametrize("word", ["time_duration", "dram"])
def test_without_time_or_memory_use_there_is_no_ledger(word):
    launch = pair_truth.launches()[KEYS[0]]
    names = [name for name in launch.counters if word in name]
    assert shares(rebuilt(launch, dict.fromkeys(names, math.nan))) is None
    assert shares(rebuilt(launch, dict.fromkeys(names))) is None

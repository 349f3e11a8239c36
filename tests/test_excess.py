"""Excess work per cause: patterns whose excess can be worked out by hand, and nothing where nothing was measured."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.analysis.excess import (
    EVIDENCE,
    RULES,
    atomic_contention,
    bank_conflict,
    divergence,
    register_spill,
    uncoalesced_access,
)
from nsightlens.analysis.resources import RESOURCES
from nsightlens.data import table

NAMES = tuple(table("counters"))
L2 = {"busy_l2_sectors", "busy_l2_tags", "busy_l2_data", "busy_l2_to_sm", "busy_sm_to_l2"}


def quantities(**known):
    """Return all quantities: NaN but for the ones given."""
    return dict.fromkeys(NAMES, math.nan) | known


def loads(requests, sectors, bytes_per_sector, *, misses=None, dram_bytes=math.nan, **more):
    """Return the quantities of a kernel that only loads."""
    nothing = dict.fromkeys(
        ("global_store_requests", "global_store_sectors", "shared_wavefronts", "local_sectors"), 0.0
    )
    return quantities(
        global_load_requests=requests,
        global_load_sectors=sectors,
        load_bytes_per_sector=bytes_per_sector,
        global_load_miss_sectors=sectors if misses is None else misses,
        dram_bytes=dram_bytes,
        l1_to_l2_sectors=sectors if misses is None else misses,
        **nothing | more,
    )


def test_neighbouring_doubles_are_no_excess():
    assert uncoalesced_access(loads(1000.0, 8000.0, 32.0, dram_bytes=8000 * 32.0, l1_wavefronts=2000.0)) == {}


def test_one_sector_per_double_is_three_quarters_too_much():
    found = uncoalesced_access(loads(1000.0, 32000.0, 8.0, dram_bytes=32000 * 32.0, l1_wavefronts=32000.0))
    assert {found[name] for name in L2} == {0.75}
    assert found["dram_share"] == 0.75
    assert found["busy_l1_wavefronts"] == pytest.approx(1 - 2000 / 32000)


def test_what_l1_absorbs_never_reaches_l2_or_device_memory():
    found = uncoalesced_access(loads(1000.0, 32000.0, 8.0, misses=8000.0, dram_bytes=8000 * 32.0))
    assert found == {}


def test_a_broadcast_has_few_bytes_and_no_excess():
    assert uncoalesced_access(loads(1000.0, 1000.0, 8.0)) == {}


def test_device_memory_that_moved_no_more_than_needed_has_no_excess():
    found = uncoalesced_access(loads(1000.0, 32000.0, 8.0, dram_bytes=8000 * 32.0))
    assert "dram_share" not in found
    assert found["busy_l2_sectors"] == 0.75


def test_stores_count_like_loads():
    found = uncoalesced_access(
        quantities(
            global_load_requests=0.0,
            global_load_sectors=0.0,
            global_load_miss_sectors=0.0,
            global_store_requests=1000.0,
            global_store_sectors=16000.0,
            store_bytes_per_sector=8.0,
            l1_to_l2_sectors=16000.0,
        )
    )
    assert found == dict.fromkeys(L2, 0.75)


def test_only_the_part_of_the_traffic_that_such_accesses_make_is_at_fault():
    found = uncoalesced_access(loads(1000.0, 32000.0, 8.0, dram_bytes=256000 * 32.0) | {"l1_to_l2_sectors": 128000.0})
    assert {found[name] for name in L2} == {0.75 / 4}
    assert found["dram_share"] == pytest.approx((1 - 8000 / 256000) / 4)


def test_asynchronous_copies_whose_bytes_are_not_counted_are_not_judged():
    """The sectors of such copies are counted, their bytes are not: the ratio reads 0."""
    assert uncoalesced_access(loads(1000.0, 8000.0, 0.0, dram_bytes=8000 * 32.0)) == {}


@pytest.mark.parametrize(
    "lacking",
    [
        "l1_to_l2_sectors",
        "load_bytes_per_sector",
        "global_load_requests",
        "global_load_sectors",
        "global_load_miss_sectors",
    ],
)
def test_access_patterns_are_not_judged_by_half(lacking):
    """Without the bytes per sector every coalesced load of more than one sector would look like a defect."""
    assert uncoalesced_access(loads(1000.0, 32000.0, 8.0) | {lacking: math.nan}) == {}


def test_bank_conflicts_are_a_part_of_all_wavefronts():
    assert bank_conflict(quantities(bank_conflicts=30.0, l1_wavefronts=120.0)) == {"busy_l1_wavefronts": 0.25}
    assert bank_conflict(quantities(bank_conflicts=1.0, l1_wavefronts=120.0)) == {}
    assert bank_conflict(quantities(bank_conflicts=500.0, l1_wavefronts=120.0)) == {"busy_l1_wavefronts": 1}


def test_local_memory_takes_wavefronts_and_sectors():
    beyond = {"local_sectors_beyond_l1": 100.0, "l1_to_l2_sectors": 500.0}
    found = register_spill(quantities(local_sectors=400.0, l1_wavefronts=1000.0, **beyond))
    assert found == {"busy_l1_wavefronts": 0.1} | dict.fromkeys(L2, 0.2)
    assert register_spill(quantities(local_sectors=0.0, l1_wavefronts=1000.0, **beyond)) == {}


def test_what_l1_holds_of_local_memory_costs_no_traffic():
    held = quantities(local_sectors=400.0, l1_wavefronts=1000.0, local_sectors_beyond_l1=0.0, l1_to_l2_sectors=500.0)
    assert register_spill(held) == {"busy_l1_wavefronts": 0.1}


def test_a_hot_atomic_unit_does_more_than_the_average_one():
    assert atomic_contention(quantities(busy_atomics=0.8, busy_atomics_avg=0.2)) == {"busy_atomics": 0.75}
    assert atomic_contention(quantities(busy_atomics=0.2, busy_atomics_avg=0.2)) == {}


def test_masked_lanes_are_excess_on_everything_issued_per_warp():
    found = divergence(quantities(threads_per_instruction=8.0))
    assert set(found.values()) == {0.75}
    assert {"busy_issue", "busy_fma", "busy_fp64", "busy_alu", "busy_xu", "busy_lsu"} <= set(found)
    assert not set(found) & (L2 | {"dram_share"})
    assert divergence(quantities(threads_per_instruction=32.0)) == {}


USED = sorted(
    {name for name in NAMES if name.startswith(("global_", "busy_atomics"))}
    | {"load_bytes_per_sector", "store_bytes_per_sector", "dram_bytes", "l1_wavefronts", "shared_wavefronts"}
    | {"bank_conflicts", "local_sectors", "local_sectors_beyond_l1", "l1_to_l2_sectors", "threads_per_instruction"}
)
VALUES = st.fixed_dictionaries({name: st.sampled_from([0.0, 1.0, 8.0, 32.0, 1e3, 1e5]) for name in USED})


@given(VALUES)
def test_excess_is_a_part_of_the_work_of_a_resource(values):
    for rule in RULES.values():
        found = rule(values)
        assert set(found) <= set(RESOURCES)
        assert all(0 < share <= 1 for share in found.values())


@given(VALUES, st.sets(st.sampled_from(USED)))
def test_what_is_not_measured_takes_claims_away_and_never_adds_or_changes_one(values, lacking):
    for rule in RULES.values():
        found = rule(values | dict.fromkeys(lacking, math.nan))
        assert found.items() <= rule(values).items()


class Watched(dict):
    """A mapping that remembers what was looked at."""

    def __init__(self, values):
        super().__init__(values)
        self.seen = set()

    def __getitem__(self, name):
        self.seen.add(name)
        return super().__getitem__(name)


@given(VALUES)
def test_rules_look_at_no_quantity_that_the_tests_leave_out(values):
    for cause, rule in RULES.items():
        watched = Watched(quantities(**values))
        rule(watched)
        assert watched.seen <= set(USED), cause


def test_every_quantity_that_the_tests_vary_is_looked_at():
    only_loads = loads(1000.0, 32000.0, 8.0, dram_bytes=32000 * 32.0, l1_wavefronts=32000.0)
    seen = set()
    for values in (only_loads, quantities(**dict.fromkeys(USED, 1.0))):
        watched = Watched(values)
        for rule in RULES.values():
            rule(watched)
        seen |= watched.seen
    assert seen == set(USED)


def test_nothing_measured_is_nothing_claimed():
    assert [rule(quantities()) for rule in RULES.values()] == [{}] * len(RULES)


def test_zero_everywhere_is_nothing_claimed_and_no_error():
    assert [rule(dict.fromkeys(NAMES, 0.0)) for rule in RULES.values()] == [{}] * len(RULES)


def test_every_cause_has_words_and_evidence():
    causes = table("causes")
    assert set(RULES) <= set(EVIDENCE) == set(causes)
    for cause, entry in causes.items():
        assert entry["confidence"] in {"high", "medium", "low"}, cause
        assert entry["doc"], cause
        assert entry["advice"], cause
        assert set(EVIDENCE[cause]) <= set(NAMES)

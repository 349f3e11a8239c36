"""Excess work per cause: patterns whose excess can be worked out by hand, and nothing where nothing was measured."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.analysis.resources import RESOURCES
from nsightlens.analysis.rules import Excess, Facts, rules
from nsightlens.analysis.waits import _GROUPS
from nsightlens.data import table

NAMES = tuple(table("counters"))
L2 = {"busy_l2_sectors", "busy_l2_tags", "busy_l2_data", "busy_l2_to_sm", "busy_sm_to_l2"}


RULES = {rule.cause: rule for rule in rules()}


def work_of(cause):
    """Return a function from quantities, and perhaps opcodes and declared traffic, to the excess work of a cause."""

    def found(values, opcodes=None, dram_bytes=math.nan):
        return dict(RULES[cause].find(Facts(values, opcodes, dram_bytes)).work)

    return found


uncoalesced_access, bank_conflict, register_spill, atomic_contention, divergence, l2_miss, narrow_access = map(
    work_of,
    (
        *("uncoalesced_access", "bank_conflict", "register_spill", "atomic_contention", "divergence"),
        *("l2_miss", "narrow_access"),
    ),
)
slow_pipe, instruction_overhead = map(work_of, ("slow_pipe", "instruction_overhead"))


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
    assert found == {"busy_l1_wavefronts": 0.1, "dram_share": 0.2} | dict.fromkeys(L2, 0.2)
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


def test_conflicts_of_shared_atomics_are_contention_and_no_bank_conflict():
    found = atomic_contention(quantities(shared_atomic_conflicts=60.0, l1_wavefronts=120.0))
    assert found == {"busy_l1_wavefronts": 0.5}


def test_spills_take_their_instructions_with_their_waits():
    values = quantities(
        local_sectors=400.0,
        l1_wavefronts=1000.0,
        local_load_instructions=30.0,
        local_store_instructions=10.0,
        instructions=400.0,
        lsu_instructions=80.0,
        read_instructions=60.0,
    )
    found = RULES["register_spill"].find(Facts(values))
    assert (found.work["busy_issue"], found.work["busy_lsu"]) == (0.1, 0.5)
    assert found.waits == {"memory": 0.5}


def test_bytes_fetched_again_show_where_the_program_says_what_it_needs():
    values = loads(1000.0, 8000.0, 32.0, dram_bytes=4e6, l1_wavefronts=2000.0)
    assert l2_miss(values, dram_bytes=1e6) == {"dram_share": 0.75}
    assert l2_miss(values, dram_bytes=4e6) == {}
    assert l2_miss(values) == {}


def test_bytes_that_nobody_asked_for_are_no_misses():
    values = loads(1000.0, 32000.0, 8.0, dram_bytes=32000 * 32.0, l1_wavefronts=32000.0)
    # Three quarters of the traffic are uncoalesced; of the last quarter half is needed.
    assert l2_miss(values, dram_bytes=8000 * 32.0 / 2) == {"dram_share": 0.5}


def test_a_byte_an_access_could_be_four():
    opcodes = {"LDG.E.U8.CONSTANT": 100.0, "STG.E.U8": 100.0, "IADD3": 200.0}
    values = quantities(
        load_bytes_per_sector=32.0,
        store_bytes_per_sector=32.0,
        global_load_requests=100.0,
        global_store_requests=100.0,
        lsu_instructions=200.0,
        instructions=400.0,
        read_instructions=100.0,
    )
    found = RULES["narrow_access"].find(Facts(values, opcodes))
    assert (found.work["busy_lsu"], found.work["busy_issue"]) == (0.75, 150 / 400)
    assert found.waits == {"memory": 0.75, "memory_queue": 0.75}
    halves = {"LDG.E.U16": 100.0, "STG.E.U16": 100.0, "IADD3": 200.0}
    assert narrow_access(values, halves)["busy_lsu"] == 0.5
    wide = {"LDG.E.64": 100.0, "STG.E": 100.0}
    assert narrow_access(values, wide) == {}
    gathered = values | {"load_bytes_per_sector": 2.0, "store_bytes_per_sector": 2.0}
    assert narrow_access(gathered, opcodes) == {}


def test_divisions_are_known_by_their_reciprocals():
    opcodes = {"MUFU.RCP64H": 10.0, "DFMA": 110.0, "DMUL": 10.0, "FFMA": 10.0, "IADD3": 180.0}
    found = instruction_overhead(quantities(), opcodes)
    assert found["busy_fp64"] == pytest.approx(80 / 120)
    assert found["busy_issue"] == pytest.approx(160 / 320)
    integers = {
        "MUFU.RCP": 10.0,
        "I2F.U32.RP": 10.0,
        "F2I.FTZ.U32.TRUNC.NTZ": 10.0,
        "IMAD.HI.U32": 40.0,
        "ISETP": 530.0,
    }
    found = instruction_overhead(quantities(), integers)
    assert found["busy_issue"] == pytest.approx((10 * 12 + 30 * 7) / 600)
    assert instruction_overhead(quantities(), {"MUFU.EX2": 10.0, "IMAD": 500.0}) == {}


def test_fp64_between_fp32_is_a_slow_pipe_and_sums_in_fp64_are_not():
    there_and_back = {"F2F.F64.F32": 100.0, "F2F.F32.F64": 100.0, "DFMA": 100.0, "DSETP.GEU.AND": 100.0, "FMUL": 200.0}
    found = slow_pipe(quantities(fp64_flop_per_s=1.0, fp32_flop_per_s=2.0), there_and_back)
    assert found == pytest.approx({"busy_fp64": 0.75, "busy_xu": 1.0, "busy_issue": 500 / 600})
    sums = {"F2F.F64.F32": 1000.0, "F2F.F32.F64": 1.0, "DADD": 1000.0}
    assert slow_pipe(quantities(), sums) == {}


USED = sorted(
    {name for name in NAMES if name.startswith(("global_", "busy_atomics", "local_"))}
    | {"load_bytes_per_sector", "store_bytes_per_sector", "dram_bytes", "l1_wavefronts", "shared_wavefronts"}
    | {"bank_conflicts", "l1_to_l2_sectors", "threads_per_instruction", "instructions", "lsu_instructions"}
    | {"read_instructions", "l1_to_l2_requests", "shared_atomic_conflicts", "fp64_flop_per_s", "fp32_flop_per_s"}
)
VALUES = st.fixed_dictionaries({name: st.sampled_from([0.0, 1.0, 8.0, 32.0, 1e3, 1e5]) for name in USED})
OPCODES = st.none() | st.dictionaries(
    st.sampled_from(
        [
            *(
                "MUFU.RCP64H",
                "MUFU.RCP",
                "I2F.U32.RP",
                "IMAD.HI.U32",
                "DFMA",
                "DSETP.GEU.AND",
                "F2F.F64.F32",
                "F2F.F32.F64",
            ),
            *("LDG.E.U8", "STG.E.U16", "LDG.E", "FMUL", "IADD3", "FFMA"),
        ]
    ),
    st.sampled_from([0.0, 1.0, 10.0, 1e4]),
)
DECLARED = st.sampled_from([math.nan, 0.0, 1e3, 1e9])


def every(values, opcodes, declared):
    facts = Facts(values, opcodes, declared)
    return {cause: rule.find(facts) for cause, rule in RULES.items()}


@given(VALUES, OPCODES, DECLARED)
def test_excess_is_a_part_of_the_work_of_a_resource(values, opcodes, declared):
    for found in every(values, opcodes, declared).values():
        assert set(found.work) <= set(RESOURCES)
        assert set(found.waits) <= set(_GROUPS)
        assert all(0 < share <= 1 for share in (*found.work.values(), *found.waits.values()))


@given(VALUES, OPCODES, DECLARED, st.sets(st.sampled_from(USED)), st.booleans())
def test_what_is_not_measured_takes_claims_away_and_adds_none(values, opcodes, declared, lacking, without):
    full = every(values, opcodes, declared)
    less = every(values | dict.fromkeys(lacking - PEAKS, math.nan), None if without else opcodes, declared)
    for cause, found in less.items():
        assert set(found.work) <= set(full[cause].work)
        assert all(share <= full[cause].work[name] + 1e-9 for name, share in found.work.items())


@pytest.mark.parametrize("lacking", ["global_load_sectors", "global_load_requests", "load_bytes_per_sector"])
def test_wavefronts_are_not_held_against_loads_that_were_not_counted(lacking):
    absorbed = loads(1000.0, 32000.0, 8.0, misses=8000.0, dram_bytes=8000 * 32.0, l1_wavefronts=32000.0)
    assert set(uncoalesced_access(absorbed)) == {"busy_l1_wavefronts"}
    assert uncoalesced_access(absorbed | {lacking: math.nan}) == {}


def test_bytes_are_no_misses_where_sectors_that_left_l1_were_not_counted():
    scattered = loads(1000.0, 32000.0, 8.0, dram_bytes=32000 * 32.0)
    assert l2_miss(scattered, dram_bytes=8000 * 32.0) == {}
    assert l2_miss(scattered, dram_bytes=4000 * 32.0) == {"dram_share": pytest.approx(1 - 4000 / 8000)}
    assert l2_miss(scattered | {"global_load_miss_sectors": math.nan}, dram_bytes=4000 * 32.0) == {}


PEAKS = {"fp64_flop_per_s", "fp32_flop_per_s"}
"""Without them the ratio of most devices is taken."""


class Watched(dict):
    """A mapping that remembers what was looked at."""

    def __init__(self, values):
        super().__init__(values)
        self.seen = set()

    def __getitem__(self, name):
        self.seen.add(name)
        return super().__getitem__(name)


@given(VALUES, OPCODES, DECLARED)
def test_rules_look_at_no_quantity_that_the_tests_leave_out(values, opcodes, declared):
    watched = Watched(quantities(**values))
    every(watched, opcodes, declared)
    assert watched.seen <= set(USED)


def test_nothing_measured_is_nothing_claimed():
    assert every(quantities(), None, math.nan) == dict.fromkeys(RULES, Excess())


def test_zero_everywhere_is_nothing_claimed_and_no_error():
    assert every(dict.fromkeys(NAMES, 0.0), {}, 0.0) == dict.fromkeys(RULES, Excess())


def test_every_cause_has_words_and_every_rule_evidence():
    causes = table("causes")
    assert set(RULES) <= set(causes)
    for cause, entry in causes.items():
        assert entry["confidence"] in {"high", "medium", "low"}, cause
        assert entry["doc"], cause
        assert entry["advice"], cause
    for rule in RULES.values():
        assert rule.doc
        assert rule.evidence
        assert set(rule.evidence) <= set(NAMES)

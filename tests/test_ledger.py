"""The arithmetic of the loss ledger on numbers, and the ledger of launches made of counters."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.models.ledger import (
    MOST_SHAPLEY,
    Launch,
    Wait,
    cause_losses,
    duration,
    knee,
    remaining,
    split_waiting,
    waits_without,
)

RESOURCES = ("dram", "l2", "l1", "fma")
CAUSES = ("uncoalesced", "conflict", "spill")
SHARE = st.floats(0, 1)


IDLE = ("small_grid", "imbalance")


@st.composite
def launches(draw):
    """Draw a launch whose idle, busy and waiting parts are shares of one time."""
    busy = draw(st.dictionaries(st.sampled_from(RESOURCES), SHARE, min_size=1))
    room = 1 - max(busy.values())
    split, more = draw(SHARE), draw(SHARE)
    idle = {"small_grid": room * split * draw(SHARE), "imbalance": room * (1 - split) * more / 2}
    overhead = room * (1 - split) * more / 2 * draw(SHARE)
    waiting = max(0.0, 1 - sum(idle.values()) - overhead - max(busy.values()))
    weights = draw(st.lists(SHARE, min_size=3, max_size=3))
    total = max(1.0, sum(weights))
    vanishing = st.dictionaries(st.sampled_from(CAUSES), SHARE)
    waits = {
        name: Wait(waiting * w / total, draw(SHARE), draw(st.sampled_from([None, *busy])), draw(vanishing), draw(SHARE))
        for name, w in zip(("memory", "pipe", "barrier"), weights, strict=True)
    }
    excess = {cause: draw(st.dictionaries(st.sampled_from(list(busy)), SHARE)) for cause in CAUSES}
    shared = tuple(draw(st.sets(st.sampled_from(RESOURCES))))
    return Launch(idle, busy, excess, draw(st.sampled_from([waits, {}])), overhead, shared)


@given(launches())
def test_with_nothing_imagined_away_the_launch_takes_its_time(launch):
    assert duration(launch, ()) == pytest.approx(1, abs=1e-9)


@given(launches(), st.permutations((*CAUSES, *IDLE)))
def test_losses_are_not_negative_and_sum_to_what_removing_all_causes_saves(launch, order):
    losses = cause_losses(launch, order)
    assert list(losses) == order
    assert all(loss >= 0 for loss in losses.values())
    assert sum(losses.values()) >= 1 - duration(launch, order) - 1e-9


@given(launches(), st.permutations((*CAUSES, *IDLE)))
def test_the_order_of_removal_changes_no_loss(launch, order):
    forth, back = cause_losses(launch, order), cause_losses(launch, order[::-1])
    assert all(forth[cause] == pytest.approx(back[cause], abs=1e-9) for cause in order)


@given(launches(), st.sets(st.sampled_from((*CAUSES, *IDLE))))
def test_no_time_is_negative_or_longer_than_what_was_measured(launch, away):
    assert 0 <= duration(launch, away) <= 1 + 1e-9
    assert knee(launch, tuple(away)) >= 0


@given(launches(), SHARE)
def test_a_defect_where_nothing_limits_and_nothing_queues_costs_nothing(launch, part):
    limit = launch.busy[launch.limiting]
    for name in [name for name in launch.busy if launch.busy[name] < limit]:
        waits = {
            group: replace(wait, vanishing={}, path=0.0)
            for group, wait in launch.waits.items()
            if wait.resource != name
        }
        changed = replace(launch, excess={"conflict": {name: part}}, waits=waits)
        assert cause_losses(changed, ("conflict",)) == {"conflict": pytest.approx(0, abs=1e-9)}


@given(launches())
def test_waits_that_remain_are_parts_of_the_waits_that_were(launch):
    for away in ((), CAUSES):
        for name, (queue, unloaded) in waits_without(launch, away).items():
            wait = launch.waits[name]
            assert -1e-12 <= queue <= wait.share * wait.queueing + 1e-12
            assert -1e-12 <= unloaded <= wait.share * (1 - wait.queueing) + 1e-12
            if not away:
                assert queue + unloaded == pytest.approx(wait.share, abs=1e-12)


def test_removing_excess_stops_at_the_next_resource():
    launch = Launch({}, {"dram": 0.9, "l2": 0.6}, {"uncoalesced": {"dram": 0.5}})
    assert cause_losses(launch, ("uncoalesced",)) == {"uncoalesced": pytest.approx(0.3)}
    alone = replace(launch, second_limit=False)
    assert cause_losses(alone, ("uncoalesced",)) == {"uncoalesced": pytest.approx(0.45)}


def test_a_bank_conflict_on_a_dram_bound_kernel_costs_nothing():
    launch = Launch({}, {"dram": 0.9, "l1": 0.8}, {"bank_conflict": {"l1": 0.9}})
    assert cause_losses(launch, ("bank_conflict",)) == {"bank_conflict": 0}


def test_queueing_shrinks_with_the_work_and_latency_does_not():
    waits = {"memory": Wait(0.4, 0.25, "dram")}
    launch = Launch({}, {"dram": 0.5}, {"uncoalesced": {"dram": 0.5}}, waits)
    # 0.25 of busy time, and half of the tenth that queues, go away; 0.3 of latency stays
    assert cause_losses(launch, ("uncoalesced",)) == {"uncoalesced": pytest.approx(0.25 + 0.05)}
    assert waits_without(launch, ("uncoalesced",)) == {"memory": pytest.approx((0.05, 0.3))}


def test_waits_go_with_the_instructions_that_wait():
    launch = Launch({}, {"l1": 0.5}, {}, {"memory": Wait(0.4, 0.0, None, {"spill": 0.5})})
    assert cause_losses(launch, ("spill",)) == {"spill": pytest.approx(0.2)}


def test_a_queue_shrinks_by_work_or_by_instructions_whichever_shrinks_more():
    fewer = Launch({}, {"l1": 0.5}, {"spill": {"l1": 0.5}}, {"memory": Wait(0.4, 1.0, "l1", {"spill": 0.75})})
    assert cause_losses(fewer, ("spill",)) == {"spill": pytest.approx(0.25 + 0.75 * 0.4)}
    less = Launch({}, {"l1": 0.5}, {"spill": {"l1": 0.5}}, {"memory": Wait(0.4, 1.0, "l1", {"spill": 0.25})})
    assert cause_losses(less, ("spill",)) == {"spill": pytest.approx(0.25 + 0.5 * 0.4)}


def test_what_hid_behind_a_queue_comes_to_light():
    waits = {"memory": Wait(0.2, 1.0, "dram", {}, path=0.3)}
    launch = Launch({}, {"dram": 0.8}, {"uncoalesced": {"dram": 0.5}}, waits)
    # 0.4 busy and 0.1 queueing would be left, but a warp's own path of 0.3 shows: the root of 0.4^2 + 0.3^2
    assert duration(launch, ("uncoalesced",)) == pytest.approx(0.5)
    longer = replace(launch, waits={"memory": replace(waits["memory"], path=0.6)})
    assert duration(longer, ("uncoalesced",)) == pytest.approx((0.4**2 + 0.6**2) ** 0.5)


def test_two_causes_on_one_resource_share_what_both_save():
    launch = Launch({}, {"l1": 0.8, "dram": 0.1}, {"conflict": {"l1": 0.5}, "spill": {"l1": 0.5}})
    assert remaining(launch, ("conflict", "spill"), "l1") == pytest.approx(0.2)
    # alone 0.4, after the other 0.2
    assert cause_losses(launch, ("conflict", "spill")) == {"conflict": pytest.approx(0.3), "spill": pytest.approx(0.3)}


def test_idle_multiprocessors_wait_in_proportion_to_the_others():
    launch = Launch({"small_grid": 0.5}, {"fma": 0.5}, {"slow": {"fma": 0.5}})
    assert launch.resident == 0.5
    assert duration(launch, ("slow",)) == pytest.approx(0.5)
    assert duration(launch, ("small_grid",)) == pytest.approx(0.5)
    assert cause_losses(launch, ("slow", "small_grid")) == {
        "slow": pytest.approx(0.375),
        "small_grid": pytest.approx(0.375),
    }


def test_spreading_work_does_not_relieve_what_all_share():
    waits = {"memory": Wait(0.0, 0.0, None, {}, path=0.4)}
    launch = Launch({"small_grid": 0.5}, {"dram": 0.5}, {}, waits, device_wide=("dram",))
    assert cause_losses(launch, ("small_grid",)) == {"small_grid": pytest.approx(1 - (0.5**2 + 0.4**2) ** 0.5)}


def test_overhead_stays_whatever_the_others_save():
    launch = Launch({}, {"dram": 0.8}, {"uncoalesced": {"dram": 0.5}}, overhead=0.2)
    assert duration(launch, ("uncoalesced",)) == pytest.approx(0.2 + 0.4)


def test_many_causes_are_removed_in_turn_and_still_add_up():
    names = [f"cause {number}" for number in range(MOST_SHAPLEY + 1)]
    launch = Launch({}, {"l1": 1.0}, {name: {"l1": 0.1} for name in names})
    losses = cause_losses(launch, names)
    assert sum(losses.values()) == pytest.approx(1 - 0.9 ** len(names))


GROUPS = {"memory": ("long", "drain"), "barrier": ("barrier",)}


def test_waiting_is_split_in_proportion_to_the_warps_that_wait():
    parts = split_waiting(0.6, {"long": 2, "drain": 1, "barrier": 1, "selected": 5}, GROUPS)
    assert parts == {"memory": pytest.approx(0.45), "barrier": pytest.approx(0.15)}


@pytest.mark.parametrize("stalls", [{}, {"selected": 1}, {"long": 0}, {"long": float("nan"), "barrier": 1}])
def test_without_warps_that_wait_nothing_is_split(stalls):
    assert split_waiting(0.6, stalls, GROUPS) == {}


@given(SHARE, st.dictionaries(st.sampled_from(["long", "drain", "barrier", "other"]), st.floats(0, 1e6)))
def test_parts_of_the_waiting_sum_to_it(waiting, stalls):
    parts = split_waiting(waiting, stalls, GROUPS)
    if parts:
        assert sum(parts.values()) == pytest.approx(waiting, abs=1e-12)
        assert all(part >= 0 for part in parts.values())

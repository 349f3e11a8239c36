"""The arithmetic of the loss ledger on numbers, and the ledger of launches made of counters."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.models.ledger import (
    Launch,
    Wait,
    duration,
    excess_losses,
    remaining,
    split_waiting,
    waits_without,
)

RESOURCES = ("dram", "l2", "l1", "fma")
CAUSES = ("uncoalesced", "conflict", "spill")
SHARE = st.floats(0, 1)


@st.composite
def launches(draw):
    """Draw a launch whose idle, busy and waiting parts are shares of one time."""
    busy = draw(st.dictionaries(st.sampled_from(RESOURCES), SHARE, min_size=1))
    room = 1 - max(busy.values())
    split = draw(st.floats(0, 1))
    idle = {"small_grid": room * split * draw(SHARE), "imbalance": room * (1 - split) * draw(SHARE)}
    waiting = max(0.0, 1 - sum(idle.values()) - max(busy.values()))
    weights = draw(st.lists(SHARE, min_size=3, max_size=3))
    total = max(1.0, sum(weights))
    waits = {
        name: Wait(waiting * weight / total, draw(SHARE), draw(st.sampled_from([None, *busy])))
        for name, weight in zip(("memory", "pipe", "barrier"), weights, strict=True)
    }
    excess = {cause: draw(st.dictionaries(st.sampled_from(list(busy)), SHARE)) for cause in CAUSES}
    return Launch(idle, busy, excess, draw(st.sampled_from([waits, {}])))


@given(launches())
def test_with_nothing_imagined_away_the_launch_takes_its_time(launch):
    assert duration(launch, ()) == pytest.approx(1, abs=1e-12)


@given(launches(), st.permutations(CAUSES))
def test_losses_are_not_negative_and_sum_to_what_removing_all_causes_saves(launch, order):
    losses = excess_losses(launch, order)
    assert list(losses) == order
    assert all(loss >= 0 for loss in losses.values())
    assert sum(losses.values()) == pytest.approx(1 - duration(launch, order), abs=1e-12)


@given(launches())
def test_the_order_of_removal_changes_no_total(launch):
    forth = sum(excess_losses(launch, CAUSES).values())
    back = sum(excess_losses(launch, CAUSES[::-1]).values())
    assert forth == pytest.approx(back, abs=1e-12)


@given(launches(), SHARE, SHARE)
def test_more_excess_on_the_limiting_resource_never_costs_less(launch, one, two):
    less, more = sorted((one, two))
    costs = []
    for part in (less, more):
        changed = replace(launch, excess={**launch.excess, "conflict": {launch.limiting: part}})
        costs.append(excess_losses(changed, ("conflict",))["conflict"])
    assert costs[0] <= costs[1] + 1e-12


@given(launches(), SHARE)
def test_a_defect_where_nothing_limits_and_nothing_queues_costs_nothing(launch, part):
    limit = launch.busy[launch.limiting]
    quiet = [name for name in launch.busy if launch.busy[name] < limit]
    for name in quiet:
        waits = {group: wait for group, wait in launch.waits.items() if wait.resource != name}
        changed = replace(launch, excess={"conflict": {name: part}}, waits=waits)
        assert excess_losses(changed, ("conflict",)) == {"conflict": pytest.approx(0, abs=1e-12)}


@given(launches())
def test_waits_that_remain_are_parts_of_the_waits_that_were(launch):
    for away in ((), CAUSES):
        for name, (queue, unloaded) in waits_without(launch, away).items():
            wait = launch.waits[name]
            assert -1e-12 <= queue <= wait.share * wait.queueing + 1e-12
            assert unloaded == pytest.approx(wait.share * (1 - wait.queueing), abs=1e-12)
            if not away:
                assert queue + unloaded == pytest.approx(wait.share, abs=1e-12)


@given(launches())
def test_ideal_idle_losses_and_remaining_waits_add_up_to_the_time(launch):
    ideal = max(remaining(launch, CAUSES, name) for name in launch.busy)
    lost = sum(excess_losses(launch, CAUSES).values())
    waits = sum(queue + unloaded for queue, unloaded in waits_without(launch, CAUSES).values())
    unknown = launch.waiting - sum(wait.share for wait in launch.waits.values())
    assert ideal + lost + waits + unknown + sum(launch.idle.values()) == pytest.approx(1, abs=1e-9)


def test_removing_excess_stops_at_the_next_resource():
    launch = Launch({}, {"dram": 0.9, "l2": 0.6}, {"uncoalesced": {"dram": 0.5}})
    assert excess_losses(launch, ("uncoalesced",)) == {"uncoalesced": pytest.approx(0.3)}


def test_a_bank_conflict_on_a_dram_bound_kernel_costs_nothing():
    launch = Launch({}, {"dram": 0.9, "l1": 0.8}, {"bank_conflict": {"l1": 0.9}})
    assert excess_losses(launch, ("bank_conflict",)) == {"bank_conflict": 0}


def test_queueing_shrinks_with_the_work_and_latency_does_not():
    waits = {"memory": Wait(0.4, 0.25, "dram")}
    launch = Launch({}, {"dram": 0.5}, {"uncoalesced": {"dram": 0.5}}, waits)
    # 0.25 of busy time, and half of the tenth that queues, go away; 0.3 of latency stays
    assert excess_losses(launch, ("uncoalesced",)) == {"uncoalesced": pytest.approx(0.25 + 0.05)}
    assert waits_without(launch, ("uncoalesced",)) == {"memory": pytest.approx((0.05, 0.3))}


def test_two_causes_on_one_resource_multiply():
    launch = Launch({}, {"l1": 0.8, "dram": 0.1}, {"conflict": {"l1": 0.5}, "spill": {"l1": 0.5}})
    assert remaining(launch, ("conflict", "spill"), "l1") == pytest.approx(0.2)
    losses = excess_losses(launch, ("conflict", "spill"))
    assert losses == {"conflict": pytest.approx(0.4), "spill": pytest.approx(0.2)}


def test_idle_multiprocessors_leave_less_to_wait_for():
    launch = Launch({"small_grid": 0.3}, {"dram": 0.2})
    assert launch.limiting == "dram"
    assert launch.waiting == pytest.approx(0.5)


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

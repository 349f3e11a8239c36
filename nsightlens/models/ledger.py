"""A loss ledger as a set of counterfactuals: the time that the launch would take without each cause.

All times are shares of the measured time. ``duration`` gives the time with some causes imagined away; with none
away it is 1 by construction. The causes get the Shapley value of the time saved, so that their losses add up to
``1 - duration(all away)`` whatever the order; what is left is split among generic causes, and the remainder stays
unexplained. The model is ours; docs/analysis.md derives it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import factorial, hypot, prod

MOST_SHAPLEY = 8
"""Causes above this number are removed one after the other: subsets double with each."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A part of the not-busy time in which warps wait for one group of resources.

    Attributes
    ----------
    share
        Part of the measured time.
    queueing
        Part of the wait, in 0...1, that is queueing and shrinks with the work on the resource.
    resource
        The busiest resource of the group, or ``None``.
    vanishing
        Cause to the part, in 0...1, of the whole wait that goes with the instructions that the cause adds.
    path
        Share of the time that a warp spends in this wait outside queues, whether hidden by other warps or not.
    """

    share: float
    queueing: float = 0.0
    resource: str | None = None
    vanishing: Mapping[str, float] = field(default_factory=dict)
    path: float = 0.0

    def kept(self, away: Iterable[str]) -> float:
        """Return the part of the instructions that still wait with some causes imagined away."""
        return prod(1.0 - self.vanishing.get(cause, 0.0) for cause in away)


@dataclass(frozen=True, slots=True)
class Launch:
    """What a ledger needs to know of one launch.

    Attributes
    ----------
    idle
        Cause of idle multiprocessors to its share of the time, for causes that grow with what the others do.
    busy
        Resource to its busy share.
    excess
        Cause to resource to the part, in 0...1, of the resource's work that the cause adds.
    waits
        Group of stall reasons to its wait. Empty if stall reasons were not collected.
    overhead
        Share of the time in which no multiprocessor holds a block.
    device_wide
        Resources that all multiprocessors share: spreading work does not relieve them.
    second_limit
        Whether the next resource caps what is saved (always, but where the worth of that is measured).
    """

    idle: Mapping[str, float]
    busy: Mapping[str, float]
    excess: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    waits: Mapping[str, Wait] = field(default_factory=dict)
    overhead: float = 0.0
    device_wide: tuple[str, ...] = ()
    second_limit: bool = True

    @property
    def limiting(self) -> str:
        """The busiest resource."""
        return max(self.busy, key=lambda resource: self.busy[resource])

    @property
    def resident(self) -> float:
        """Share of the time in which the average multiprocessor holds a block."""
        return max(0.0, 1.0 - self.overhead - sum(self.idle.values()))

    @property
    def waiting(self) -> float:
        """Share of the time in which multiprocessors hold blocks and the limiting resource is not busy."""
        return max(0.0, self.resident - self.busy[self.limiting])


def remaining(launch: Launch, away: Iterable[str], resource: str) -> float:
    """Return the busy share of a resource with some causes imagined away."""
    share = launch.busy[resource]
    for cause in away:
        share *= 1.0 - launch.excess.get(cause, {}).get(resource, 0.0)
    return share


def busiest(launch: Launch, away: Iterable[str]) -> float:
    """Return the busy share of whatever resource limits with some causes imagined away."""
    away = tuple(away)
    candidates = launch.busy if launch.second_limit else (launch.limiting,)
    return max(remaining(launch, away, resource) for resource in candidates)


def duration(launch: Launch, away: Iterable[str]) -> float:
    """Return the time of the launch with some causes imagined away; 1 for none.

    Idle multiprocessors wait for the others in proportion, so their time shrinks with that of the others. Near the
    balance of bandwidth and latency the two add in squares: a launch whose queue shrinks, or whose blocks spread over
    more multiprocessors, comes to wait for what was hidden.
    """
    away = tuple(away)
    return launch.overhead + _active(launch, away) * _idle_factor(launch, away) + knee(launch, away)


def knee(launch: Launch, away: Sequence[str]) -> float:
    """Return what a launch comes to wait for beyond the sum of its parts, with some causes imagined away."""
    away = tuple(away)
    if not any(acts(launch, cause) for cause in away):
        return 0.0
    spread = any(cause in launch.idle for cause in away)
    shared = [remaining(launch, away, resource) for resource in launch.device_wide if resource in launch.busy]
    least = hypot(max(shared, default=0.0), _path(launch, away)) if spread else 0.0
    least = max(least, hypot(busiest(launch, away), _path(launch, away)) if not spread else 0.0)
    most = max(0.0, 1.0 - launch.overhead)
    return max(0.0, min(most, least) - _active(launch, away) * _idle_factor(launch, away))


def _active(launch: Launch, away: tuple[str, ...]) -> float:
    known = sum(wait.share for wait in launch.waits.values())
    waits = sum(_left(launch, away, wait) for wait in launch.waits.values())
    return busiest(launch, away) + waits + launch.waiting - known


def _idle_factor(launch: Launch, away: tuple[str, ...]) -> float:
    if launch.resident <= 0:
        return 1.0
    return 1.0 + sum(share for cause, share in launch.idle.items() if cause not in away) / launch.resident


def _path(launch: Launch, away: tuple[str, ...]) -> float:
    return sum(wait.path * wait.kept(away) for wait in launch.waits.values())


def _left(launch: Launch, away: tuple[str, ...], wait: Wait) -> float:
    kept = wait.kept(away)
    if wait.resource is None or launch.busy[wait.resource] <= 0:
        return wait.share * kept
    work = remaining(launch, away, wait.resource) / launch.busy[wait.resource]
    return wait.share * ((1.0 - wait.queueing) * kept + wait.queueing * min(kept, work))


def cause_losses(launch: Launch, causes: Sequence[str]) -> dict[str, float]:
    """Return the loss of each cause: its Shapley value; they sum to ``1 - duration(causes)`` if none is negative."""
    active = [cause for cause in causes if acts(launch, cause)]
    if len(active) > MOST_SHAPLEY:
        losses = _in_turn(launch, active)
    else:
        times = {frozenset(away): duration(launch, away) for away in _subsets(active)}
        losses = {cause: _value(cause, active, times) for cause in active}
    return {cause: max(0.0, losses.get(cause, 0.0)) for cause in causes}


def acts(launch: Launch, cause: str) -> bool:
    """Return whether imagining a cause away changes anything: it adds work, idle time or waits."""
    waits = any(cause in wait.vanishing for wait in launch.waits.values())
    return bool(launch.excess.get(cause)) or waits or launch.idle.get(cause, 0.0) > 0


def _subsets(causes: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return (chosen for size in range(len(causes) + 1) for chosen in combinations(causes, size))


def _value(cause: str, active: Sequence[str], times: Mapping[frozenset[str], float]) -> float:
    """Return the mean, over all orders of removal, of the time that removing the cause saves."""
    others = [other for other in active if other != cause]
    total = factorial(len(active))
    return sum(
        factorial(len(before))
        * factorial(len(others) - len(before))
        / total
        * (times[frozenset(before)] - times[frozenset((*before, cause))])
        for before in _subsets(others)
    )


def _in_turn(launch: Launch, causes: Sequence[str]) -> dict[str, float]:
    losses = {}
    before = duration(launch, ())
    for number, cause in enumerate(causes, 1):
        after = duration(launch, causes[:number])
        losses[cause] = before - after
        before = after
    return losses


def waits_without(launch: Launch, away: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return, per group, the queueing and the unloaded part of the wait that remain with some causes away."""
    parts = {}
    for name, wait in launch.waits.items():
        unloaded = wait.share * (1.0 - wait.queueing) * wait.kept(away)
        parts[name] = (_left(launch, tuple(away), wait) - unloaded, unloaded)
    return parts


def split_waiting(waiting: float, stalls: Mapping[str, float], groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Split the not-busy time over groups of stall reasons, in proportion to how many warps wait for each.

    Parameters
    ----------
    waiting
        Share of the time to split.
    stalls
        Stall reason to warps waiting for it, per issue.
    groups
        Group to the stall reasons it holds; a reason in no group is left out of the split.
    """
    sums = {name: sum(stalls.get(reason, 0.0) for reason in reasons) for name, reasons in groups.items()}
    total = sum(sums.values())
    return {name: waiting * (value / total) for name, value in sums.items()} if total > 0 else {}

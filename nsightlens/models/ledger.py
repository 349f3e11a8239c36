"""A loss ledger as a set of counterfactuals: the time that the launch would take without each cause.

All times are shares of the measured time. ``duration`` gives the time with some causes imagined away; with none
away it is 1 by construction. Causes of excess work are removed in turn, so that their losses add up to
``1 - duration(all away)``; what is left is split among generic causes, and the remainder stays unexplained.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


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
    """

    share: float
    queueing: float = 0.0
    resource: str | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """What a ledger needs to know of one launch.

    Attributes
    ----------
    idle
        Cause of idle multiprocessors to its share of the time.
    busy
        Resource to its busy share.
    excess
        Cause to resource to the part, in 0...1, of the resource's work that the cause adds.
    waits
        Group of stall reasons to its wait. Empty if stall reasons were not collected.
    """

    idle: Mapping[str, float]
    busy: Mapping[str, float]
    excess: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    waits: Mapping[str, Wait] = field(default_factory=dict)

    @property
    def limiting(self) -> str:
        """The busiest resource."""
        return max(self.busy, key=lambda resource: self.busy[resource])

    @property
    def waiting(self) -> float:
        """Share of the time in which multiprocessors hold blocks and the limiting resource is not busy."""
        return max(0.0, 1.0 - sum(self.idle.values()) - self.busy[self.limiting])


def remaining(launch: Launch, away: Iterable[str], resource: str) -> float:
    """Return the busy share of a resource with some causes imagined away."""
    share = launch.busy[resource]
    for cause in away:
        share *= 1.0 - launch.excess.get(cause, {}).get(resource, 0.0)
    return share


def duration(launch: Launch, away: Iterable[str]) -> float:
    """Return the time of the launch with some causes imagined away; 1 for none."""
    away = tuple(away)
    busy = max(remaining(launch, away, resource) for resource in launch.busy)
    known = sum(wait.share for wait in launch.waits.values())
    waits = sum(_left(launch, away, wait) for wait in launch.waits.values())
    return sum(launch.idle.values()) + busy + waits + launch.waiting - known


def _left(launch: Launch, away: tuple[str, ...], wait: Wait) -> float:
    if wait.resource is None or launch.busy[wait.resource] <= 0:
        return wait.share
    kept = remaining(launch, away, wait.resource) / launch.busy[wait.resource]
    return wait.share * (1.0 - wait.queueing * (1.0 - kept))


def excess_losses(launch: Launch, order: Sequence[str]) -> dict[str, float]:
    """Return the loss of each cause of excess work, removing them in ``order``; they sum to ``1 - duration(order)``."""
    losses = {}
    before = duration(launch, ())
    for number, cause in enumerate(order, 1):
        after = duration(launch, order[:number])
        losses[cause] = max(0.0, before - after)
        before = after
    return losses


def waits_without(launch: Launch, away: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return, per group, the queueing and the unloaded part of the wait that remain with some causes away."""
    parts = {}
    for name, wait in launch.waits.items():
        unloaded = wait.share * (1.0 - wait.queueing)
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

"""The time in which the limiting resource is not busy, split by what warps wait for, and how much of it is queueing."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from nsightlens.analysis.resources import DEVICE_WIDE
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.data import table
from nsightlens.models import ledger

_GROUPS = {
    "memory": ("long_scoreboard", "drain", "membar"),
    "memory_queue": ("lg_throttle", "tex_throttle"),
    "shared_memory": ("short_scoreboard", "mio_throttle"),
    "pipe": ("math_pipe_throttle", "dispatch_stall"),
    "fixed": ("wait",),
    "barrier": ("barrier",),
    "front_end": ("no_instruction", "branch_resolving", "imc_miss", "misc", "sleeping", "gmma"),
}
_QUEUES = {
    "memory": DEVICE_WIDE,
    "memory_queue": ("busy_lsu", "busy_l1_wavefronts"),
    "shared_memory": ("busy_l1_wavefronts", "busy_lsu", "busy_xu"),
    "pipe": ("busy_fma", "busy_fma_heavy", "busy_fp64", "busy_alu", "busy_tensor"),
}
_NOT_EVERYWHERE = frozenset({"membar", "tex_throttle", "imc_miss", "misc", "sleeping", "gmma"})
REASONS = frozenset(reason for group in _GROUPS.values() for reason in group) - _NOT_EVERYWHERE
"""Stall reasons that every chip has; with one of them missing the waiting time cannot be split."""
_FULL_QUEUES = frozenset({"memory_queue", "pipe"})
_NEGLIGIBLE = 1e-4


class Parts(NamedTuple):
    """Which parts of the model are in use; all, but where their worth is measured.

    ``queueing``: waits shrink with the work on what they queue for. ``vanishing``: waits go with the instructions
    of a cause. ``latency``: the measured latency of reads tells queueing from latency. ``second_limit``: the next
    resource caps what removing a cause saves.
    """

    queueing: bool = True
    vanishing: bool = True
    latency: bool = True
    second_limit: bool = True


ALL = Parts()


Vanishing = Mapping[str, Mapping[str, float]]
"""Cause to group of stall reasons to the part of the wait that goes with the instructions of the cause."""


def with_waits(launch: Launch, model: ledger.Launch, vanishing: Vanishing, parts: Parts = ALL) -> ledger.Launch:
    """Return the model with its waits; without any where the stall reasons were not all collected.

    Parameters
    ----------
    launch
        The launch.
    model
        Its idle and busy shares, and the excess.
    vanishing
        What goes with the instructions of each cause.
    parts
        What of the model to use.
    """
    if not set(launch.stalls) >= REASONS:
        return model
    shares = ledger.split_waiting(model.waiting, launch.stalls, _GROUPS)
    going = vanishing if parts.vanishing else {}
    waits = {}
    for name, share in shares.items():
        wait = _wait(launch, name, share, model, parts)
        waits[name] = replace(wait, vanishing=_of(name, going), path=_path(launch, name, wait, model))
    return replace(model, waits=waits)


def _of(group: str, vanishing: Vanishing) -> dict[str, float]:
    return {cause: groups[group] for cause, groups in vanishing.items() if group in groups}


def _wait(launch: Launch, name: str, share: float, model: ledger.Launch, parts: Parts) -> ledger.Wait:
    queues = [resource for resource in _QUEUES.get(name, ()) if resource in model.busy]
    if not queues or not parts.queueing:
        return ledger.Wait(share)
    resource = max(queues, key=lambda queue: model.busy[queue])
    active = max(model.resident, _NEGLIGIBLE)
    load = min(1.0, model.busy[resource] / active)
    queueing = 1.0 if name in _FULL_QUEUES else load
    if name == "memory":
        queueing = _memory_queueing(launch, load, parts)
    return ledger.Wait(share, queueing, resource)


def _memory_queueing(launch: Launch, load: float, parts: Parts) -> float:
    """Return the part of the wait for memory that is queueing: what the measured latency exceeds the unloaded one by.

    Where the latency was not measured, or no unloaded one is known for the chip, the square of the load stands in, or
    what the least latency that explains the waits exceeds the unloaded one by, if that is more.
    """
    measured, unloaded = known(launch.values["read_latency_cycles"]), unloaded_latency(launch)
    if not parts.latency or unloaded is None:
        return load**2
    if measured:
        return max(0.0, 1.0 - unloaded / measured)
    least = least_latency(launch)
    return load**2 if not least else max(load**2, 1.0 - unloaded / least)


def least_latency(launch: Launch) -> float | None:
    """Return the cycles that a warp waits for memory, per instruction that reads it: reads take no less on average.

    Several reads on their way together share a wait, so their latency can be longer; waits for atomics make it too
    long. None if not all was counted.
    """
    v, waits = launch.values, launch.stalls.get("long_scoreboard")
    reads = known(v["read_instructions"])
    if reads is None:
        reads = known(v["global_load_requests"] + v["local_load_instructions"])
    instructions = known(v["issued_instructions"])
    return None if waits is None or instructions is None or not reads else waits * instructions / reads


def unloaded_latency(launch: Launch) -> float | None:
    """Return the latency in cycles that reads with this mix of hits have on an idle device."""
    levels = table("latencies").get(str(launch.row["compute_capability"]))
    in_l1, in_l2 = launch.values["l1_hit_share"], known(launch.values["l2_read_hit_share"])
    in_l2 = known(launch.values["l2_hit_share"]) if in_l2 is None else in_l2
    if levels is None or in_l2 is None:
        return None
    in_l1, in_l2 = (min(1.0, share) if share > 0 else 0.0 for share in (in_l1, in_l2))  # noise goes beyond 0...1
    beyond = in_l2 * levels["l2_cycles"] + (1.0 - in_l2) * levels["dram_cycles"]
    return float(in_l1 * levels["l1_cycles"] + (1.0 - in_l1) * beyond)


def _path(launch: Launch, name: str, wait: ledger.Wait, model: ledger.Launch) -> float:
    """Return the share of the time that a warp spends in a wait outside queues; issuing counts with the fixed wait."""
    every = sum(launch.stalls.values())
    reasons = {"memory": _GROUPS["memory"], "fixed": (*_GROUPS["fixed"], "selected")}.get(name, ())
    if not every > 0:
        return 0.0
    spent = sum(launch.stalls.get(reason, 0.0) for reason in reasons)
    return model.resident * (1.0 - wait.queueing) * spent / every

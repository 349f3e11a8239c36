"""The loss ledger of one launch: ideal time, causes and an unexplained rest that add up to the measured time."""

from collections.abc import Mapping
from typing import NamedTuple

from nsightlens.analysis.ceilings import dram_efficiency
from nsightlens.analysis.excess import EVIDENCE, RULES
from nsightlens.analysis.resources import DEVICE_WIDE, PIPES, RESOURCES
from nsightlens.analysis.result import Ceiling, Loss
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.data import table
from nsightlens.models import ledger, overlap

LAUNCH_LATENCY_S = 4e-6
"""Longest time at the start and end of a launch that a launch of its kind needs."""

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


class Ledger(NamedTuple):
    """Seconds of useful work at the ceiling, lost, and unexplained; all ``None`` if the launch cannot be judged."""

    ideal_s: float | None
    losses: tuple[Loss, ...] | None
    unexplained_s: float | None


def account(launch: Launch, limits: Mapping[str, Ceiling], *, violated: bool) -> Ledger:
    """Return the ledger of one launch.

    Parameters
    ----------
    launch
        The launch.
    limits
        Its ceilings; device memory is busy for as long as its bytes take at the measured one, if there is one.
    violated
        Whether the launch runs above one of its ceilings: then all of its time is ideal.
    """
    time = known(launch.values["time_s"])
    busy = {name: share for name in RESOURCES if (share := known(launch.values[name])) is not None}
    if "dram_share" in busy:
        busy["dram_share"] /= dram_efficiency(launch, limits)
    busy = {name: min(1.0, share) for name, share in busy.items()}
    if not time or known(launch.values["dram_share"]) is None or not set(PIPES) <= set(busy):
        return Ledger(None, None, None)
    if violated:
        return Ledger(time, (), 0.0)
    return _settle(launch, time, _model(launch, time, busy))


def _model(launch: Launch, time: float, busy: dict[str, float]) -> ledger.Launch:
    excess = {cause: {r: e for r, e in rule(launch.values).items() if r in busy} for cause, rule in RULES.items()}
    model = ledger.Launch(_idle(launch.values, time, busy), busy, excess)
    return ledger.Launch(model.idle, busy, excess, _waits(launch, model))


def _idle(v: Mapping[str, float], time: float, busy: Mapping[str, float]) -> dict[str, float]:
    """Split the time in which multiprocessors hold no block; spreading work cannot beat device-wide units.

    Without the busiest multiprocessor's share nothing tells imbalance from a device that is idle as a whole.
    """
    active = known(v["sm_active_share"])
    if active is None or active >= 1:
        return {}
    grid, multiprocessors = known(v["grid_size"]), known(v["sm_count"])
    filled = min(1.0, grid / multiprocessors) if grid and multiprocessors else 1.0
    longest = known(v["sm_active_max_share"])
    # Those that have a block are active longer than the average over all.
    longest = max(active, min(1.0, active / filled if longest is None else longest))
    uneven = longest - active if grid and multiprocessors else 0.0  # without them a small grid looks like imbalance
    small = min((1 - filled) * longest, uneven)
    overhead = min(1 - longest, LAUNCH_LATENCY_S / time)
    room = 1 - max(busy[name] for name in DEVICE_WIDE if name in busy)
    scale = min(1.0, room / (1 - active))
    parts = {
        "small_grid": small,
        "launch_overhead": overhead,
        "imbalance": uneven - small,
    }
    return _within(1 - max(busy.values()), {cause: scale * share for cause, share in parts.items()})


def _within(room: float, parts: dict[str, float]) -> dict[str, float]:
    """Scale parts down to the room there is: counters of different passes can overlap by a little."""
    total = sum(parts.values())
    return {name: share * min(1.0, room / total) for name, share in parts.items()} if total > 0 else {}


def _waits(launch: Launch, model: ledger.Launch) -> dict[str, ledger.Wait]:
    if not set(launch.stalls) >= REASONS:
        return {}
    parts = ledger.split_waiting(model.waiting, launch.stalls, _GROUPS)
    return {name: _wait(name, share, model) for name, share in parts.items()}


def _wait(name: str, share: float, model: ledger.Launch) -> ledger.Wait:
    queues = [resource for resource in _QUEUES.get(name, ()) if resource in model.busy]
    if not queues:
        return ledger.Wait(share)
    resource = max(queues, key=lambda queue: model.busy[queue])
    active = max(1.0 - sum(model.idle.values()), _NEGLIGIBLE)
    load = min(1.0, model.busy[resource] / active)
    queueing = 1.0 if name in _FULL_QUEUES else load**2 if name == "memory" else load
    return ledger.Wait(share, queueing, resource)


def _settle(launch: Launch, time: float, model: ledger.Launch) -> Ledger:
    specific = ledger.excess_losses(model, tuple(RULES))
    away = tuple(RULES)
    ideal = max(ledger.remaining(model, away, resource) for resource in model.busy)
    shares = {**model.idle, **specific, **_generic(model, away)}
    causes = {cause: share for cause, share in shares.items() if share > _NEGLIGIBLE}
    losses = sorted((_loss(launch, time, cause, share) for cause, share in causes.items()), key=lambda x: -x.seconds)
    unexplained = time - time * ideal - sum(loss.seconds for loss in losses)
    return Ledger(time * ideal, tuple(losses), max(0.0, unexplained))


def _generic(model: ledger.Launch, away: tuple[str, ...]) -> dict[str, float]:
    waits = ledger.waits_without(model, away)
    if not waits:
        return {}
    memory_queue, memory = waits["memory"]
    pot = memory + waits["fixed"][1] + waits["shared_memory"][1]
    exposed = min(pot, _exposed(model))
    dram_bound = model.waits["memory"].resource == "dram_share"
    return {
        "barrier": waits["barrier"][1],
        "unoverlapped_compute": exposed,
        "latency": pot - exposed,
        "dram_inefficiency": memory_queue if dram_bound else 0.0,
    }


def _exposed(model: ledger.Launch) -> float:
    """Return the compute time outside memory time, if the two were busy independently of each other."""
    memory = max(0.0, model.busy["dram_share"])
    pipe = max(0.0, *(model.busy[name] for name in PIPES if name in model.busy))
    return overlap.exposed_if_independent(memory, pipe)


def _loss(launch: Launch, time: float, cause: str, share: float) -> Loss:
    entry = table("causes")[cause]
    evidence = {name: value for name in EVIDENCE[cause] if (value := known(launch.values[name])) is not None}
    return Loss(cause, time * share, share, entry["confidence"], evidence, (), entry["advice"])

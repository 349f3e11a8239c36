"""The loss ledger of one launch: ideal time, causes and an unexplained rest that add up to the measured time."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from nsightlens.analysis.ceilings import dram_efficiency
from nsightlens.analysis.idle import idle
from nsightlens.analysis.resources import DEVICE_WIDE, PIPES, RESOURCES
from nsightlens.analysis.result import Ceiling, Loss
from nsightlens.analysis.rules import Excess, Facts, rules
from nsightlens.analysis.waits import ALL, REASONS, Parts, with_waits
from nsightlens.analysis.work import known
from nsightlens.collectors.report import Launch
from nsightlens.data import table
from nsightlens.models import ledger, overlap

__all__ = ["REASONS", "Ledger", "account"]

OVERHEAD = "launch_overhead"
_NEGLIGIBLE = 1e-4
_GENERIC_EVIDENCE = {
    "small_grid": ("grid_size", "sm_count"),
    "imbalance": ("sm_active_share", "waves"),
    "launch_overhead": ("sm_active_max_share",),
    "latency": ("occupancy_share", "read_latency_cycles", "reads_in_flight_per_sm", "dram_share"),
    "dram_inefficiency": ("dram_share", "read_latency_cycles"),
    "unoverlapped_compute": ("dram_share", "busy_fp64", "busy_fma", "busy_tensor"),
    "barrier": ("occupancy_share",),
}


class Ledger(NamedTuple):
    """Seconds of useful work at the ceiling, lost, and unexplained; all ``None`` if the launch cannot be judged."""

    ideal_s: float | None
    losses: tuple[Loss, ...] | None
    unexplained_s: float | None


def account(launch: Launch, limits: Mapping[str, Ceiling], *, violated: bool, parts: Parts = ALL) -> Ledger:
    """Return the ledger of one launch.

    Parameters
    ----------
    launch
        The launch.
    limits
        Its ceilings; device memory is busy for as long as its bytes take at the measured one, if there is one.
    violated
        Whether the launch runs above one of its ceilings: then all of its time is ideal.
    parts
        Which parts of the model to use: all, but where their worth is measured.
    """
    time = known(launch.values["time_s"])
    busy = _busy(launch, limits)
    if not time or known(launch.values["dram_share"]) is None or not set(PIPES) <= set(busy):
        return Ledger(None, None, None)
    if violated:
        return Ledger(time, (), 0.0)
    return _settle(launch, time, _model(launch, time, busy, parts))


def _busy(launch: Launch, limits: Mapping[str, Ceiling]) -> dict[str, float]:
    busy = {name: share for name in RESOURCES if (share := known(launch.values[name])) is not None}
    if "dram_share" in busy:
        busy["dram_share"] /= dram_efficiency(launch, limits)
    return {name: min(1.0, max(0.0, share)) for name, share in busy.items()}


def _model(launch: Launch, time: float, busy: dict[str, float], parts: Parts) -> ledger.Launch:
    found = _excess(launch)
    work = {cause: {r: e for r, e in one.work.items() if r in busy} for cause, one in found.items()}
    vanishing = {cause: one.waits for cause, one in found.items()}
    away = idle(launch.values, time, busy)
    model = ledger.Launch(
        idle={cause: share for cause, share in away.items() if cause != OVERHEAD},
        busy=busy,
        excess=work,
        overhead=away.get(OVERHEAD, 0.0),
        device_wide=DEVICE_WIDE,
        second_limit=parts.second_limit,
    )
    return with_waits(launch, model, vanishing, parts)


def _excess(launch: Launch) -> dict[str, Excess]:
    declared = launch.row["declared"].get("dram_bytes")
    facts = Facts(launch.values, launch.opcodes, math.nan if declared is None else float(declared))
    return {rule.cause: rule.find(facts) for rule in rules()}


def _settle(launch: Launch, time: float, model: ledger.Launch) -> Ledger:
    every = (*(rule.cause for rule in rules()), *model.idle)
    causes = tuple(cause for cause in every if ledger.acts(model, cause))
    specific = ledger.cause_losses(model, causes)
    ideal = ledger.busiest(model, causes)
    shares = {OVERHEAD: model.overhead, **specific, **_generic(model, causes)}
    named = _within({cause: share for cause, share in shares.items() if share > _NEGLIGIBLE}, 1.0 - ideal)
    losses = sorted((_loss(launch, time, cause, share) for cause, share in named.items()), key=lambda x: -x.seconds)
    unexplained = time - time * ideal - sum(loss.seconds for loss in losses)
    return Ledger(time * ideal, tuple(losses), max(0.0, unexplained))


def _within(shares: dict[str, float], room: float) -> dict[str, float]:
    """Scale losses down to the time that is not useful: counters of different passes may overlap by a little."""
    total = sum(shares.values())
    return {cause: share * min(1.0, room / total) for cause, share in shares.items()} if total > 0 else {}


def _generic(model: ledger.Launch, away: tuple[str, ...]) -> dict[str, float]:
    """Split what the specific causes leave of the waits; what comes to light behind a queue is latency."""
    waits = ledger.waits_without(model, away)
    if not waits:
        return {}
    memory_queue, memory = waits["memory"]
    pot = memory + waits["fixed"][1] + waits["shared_memory"][1] + ledger.knee(model, away)
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
    pipe = max(model.busy[name] for name in PIPES if name in model.busy)
    return overlap.exposed_if_independent(model.busy["dram_share"], pipe)


def _loss(launch: Launch, time: float, cause: str, share: float) -> Loss:
    rule = next((rule for rule in rules() if rule.cause == cause), None)
    words = table("causes")[cause] if rule is None else {"confidence": rule.confidence, "advice": rule.advice}
    names = _GENERIC_EVIDENCE[cause] if rule is None else rule.evidence
    evidence = {name: value for name in names if (value := known(launch.values[name])) is not None}
    return Loss(cause, time * share, share, words["confidence"], evidence, (), words["advice"])

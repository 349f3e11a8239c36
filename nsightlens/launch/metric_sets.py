"""The metric sets: what each asks for and why, what a chip has of it, and the command."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from nsightlens import data
from nsightlens.errors import UsageError
from nsightlens.launch.command import Request, command_line
from nsightlens.launch.query import counters_of, has


@dataclass(frozen=True, slots=True)
class Counter:
    """What ncu is asked for, and why.

    Attributes
    ----------
    name
        As ``ncu --metrics`` takes it.
    unit
        Of ncu's values.
    why
        What the analysis takes from it.
    chips
        Where it is to be had, if not everywhere.
    available
        Whether the chip asked about has it; None if that was not asked or cannot be told.
    """

    name: str
    unit: str
    why: str
    chips: str | None = None
    available: bool | None = None


@dataclass(frozen=True, slots=True)
class MetricSet:
    """One set; ``passes`` maps chip and version of ncu to how often ncu runs a launch, where that was measured."""

    name: str
    doc: str
    extends: str | None
    options: tuple[str, ...]
    counters: tuple[Counter, ...]
    passes: dict[str, int]
    command: str
    chip: str | None = None


def names() -> tuple[str, ...]:
    """Return the names of the sets."""
    return tuple(data.table("metric_sets"))


def metric_set(name: str, *, ncu: Path | None = None, chip: str | None = None) -> MetricSet:
    """Return a set, checked against a chip if ``ncu`` and ``chip`` are given.

    Raises
    ------
    UsageError
        If there is no such set.
    ProfilerError
        If ncu cannot be started, or does not know the chip.
    """
    if name not in names():
        remedy = f"ours: {', '.join(names())}; for those of ncu: ncu --list-sets"
        raise UsageError("is no metric set of ours", where=name, remedy=remedy)
    known = counters_of(ncu, chip) if ncu is not None and chip is not None else None
    entry = data.table("metric_sets")[name]
    return MetricSet(
        name=name,
        doc=entry["doc"],
        extends=entry.get("extends"),
        options=data.metric_set_options(name),
        counters=_counters(name, known),
        passes=dict(entry["passes"]),
        command=_command(name, ncu),
        chip=None if known is None else chip,
    )


def _counters(name: str, known: frozenset[str] | None) -> tuple[Counter, ...]:
    return tuple(
        Counter(
            counter,
            group["unit"],
            group["why"],
            group.get("chips"),
            None if known is None else has(known, counter),
        )
        for group in data.metric_groups(name)
        for counter in group["names"]
    )


def _command(name: str, ncu: Path | None) -> str:
    request = Request(("CMD",), data.metric_set(name), data.metric_set_options(name))
    arguments = command_line(ncu or Path("ncu"), request, report=Path("REPORT"), log=Path("LOG"))
    return shlex.join(arguments)

"""What a rule of the loss ledger is: from the facts of one launch to the excess work that one cause adds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

SMALLEST = 0.02
"""Parts below this are within the noise of counters from different passes."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a rule may look at.

    Attributes
    ----------
    values
        Quantities of ``data/counters.toml``; NaN where not collected.
    opcodes
        Opcode with its modifiers to executed warp instructions; ``None`` where not collected.
    dram_bytes
        Traffic that the program says it cannot do without; NaN where it says nothing.
    """

    values: Mapping[str, float]
    opcodes: Mapping[str, float] | None = None
    dram_bytes: float = math.nan

    def __getitem__(self, name: str) -> float:
        """Return a quantity."""
        return self.values[name]

    def count(self, *beginnings: str) -> float:
        """Return how many warp instructions ran whose opcode begins so; NaN where opcodes were not collected."""
        if self.opcodes is None:
            return math.nan
        return sum(number for opcode, number in self.opcodes.items() if opcode.startswith(beginnings))


@dataclass(frozen=True, slots=True)
class Excess:
    """The parts, in 0...1, that a cause adds to the work of resources, and of waits that go with its instructions."""

    work: Mapping[str, float] = field(default_factory=dict)
    waits: Mapping[str, float] = field(default_factory=dict)


Find = Callable[[Facts], Excess]


@dataclass(frozen=True, slots=True)
class Attribution:
    """What of each instruction tells how much of a loss it causes: ``times`` x the sum of counters, less others.

    Attributes
    ----------
    counters
        Counters of single instructions, added up.
    less
        Counters that are taken away; an instruction without them does not count.
    times
        Factor of ``counters``.
    opcodes
        Beginnings of the opcodes that count; all if empty.
    behind
        Beginnings of opcodes that stand for what is counted behind them, up to the next of them: a warp that waits at a
        barrier is sampled at an instruction behind it.
    """

    counters: tuple[str, ...]
    less: tuple[str, ...] = ()
    times: float = 1.0
    opcodes: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One cause of excess work.

    Attributes
    ----------
    cause
        Its name, an entry of ``data/causes.toml``; of another package's rule ``package.cause``.
    doc
        What it takes for excess, in one line.
    evidence
        Quantities shown beside a loss.
    find
        The excess in one launch: empty where counters are missing, for what was not measured is never claimed.
    where
        What attributes the loss to instructions, in order of preference; that of ``data/causes.toml`` if empty.
    confidence, advice
        Of another package's rule: ``high``, ``medium`` or ``low``, and one line that says what to do.
    """

    cause: str
    doc: str
    evidence: tuple[str, ...]
    find: Find
    where: tuple[Attribution, ...] = ()
    confidence: str = "low"
    advice: str = ""


def beyond(ideal: float, actual: float) -> float:
    """Return the part of ``actual`` above ``ideal``; 0 if either is unknown or the part is within noise."""
    return significant(1.0 - ideal / actual) if actual > 0 else 0.0


def part(some: float, every: float) -> float:
    """Return ``some`` over ``every``, at most 1; 0 if either is unknown or the part is within noise."""
    return significant(some / every) if every > 0 else 0.0


def significant(share: float) -> float:
    """Return a share, at most 1; 0 if it is unknown or within noise."""
    return min(share, 1.0) if share > SMALLEST else 0.0


def excess(work: Mapping[str, float], waits: Mapping[str, float] | None = None) -> Excess:
    """Return the excess without the parts that are 0."""
    return Excess(
        {name: share for name, share in work.items() if share > 0},
        {name: share for name, share in (waits or {}).items() if share > 0},
    )

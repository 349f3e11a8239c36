"""Which instructions a loss lies in: each one's part of the counter that attributes its cause."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from nsightlens.analysis.result import Place
from nsightlens.analysis.rules import Attribution, rules
from nsightlens.collectors.instructions import Instruction
from nsightlens.data import table

SMALLEST = 0.05
"""Places with a smaller share are left out, but for the largest one."""
MOST = 5


@cache
def attributions(cause: str) -> tuple[Attribution, ...]:
    """Return what attributes a cause to instructions, in order of preference; empty where nothing does."""
    own = next((rule.where for rule in rules() if rule.cause == cause), ())
    return own or tuple(map(_attribution, table("causes").get(cause, {}).get("where", ())))


def _attribution(entry: Mapping[str, Any]) -> Attribution:
    names = {key: tuple(value) for key, value in entry.items() if key != "times"}
    return Attribution(**names, times=float(entry.get("times", 1)))


def counters(causes: Iterable[str]) -> tuple[str, ...]:
    """Return the counters of single instructions that some causes need; executions tell which there are."""
    named = (name for cause in causes for one in attributions(cause) for name in (*one.counters, *one.less))
    return tuple(dict.fromkeys(("inst_executed", *named)))


def places(cause: str, instructions: Sequence[Instruction]) -> tuple[Place, ...]:
    """Return where a loss lies, the largest share first.

    Instructions of one source line with the same opcode are one place, whose SASS is that of the largest. A place's
    share is its part of the sum over all instructions, in 0...1.

    Parameters
    ----------
    cause
        What the loss is called.
    instructions
        All of a launch, in the order of their addresses.
    """
    for attribution in attributions(cause):
        parts = _parts(attribution, instructions)
        total = sum(part for _, part in parts)
        if total > 0:
            return tuple(_largest(_merged(parts), total))
    return ()


def opcode(sass: str | None) -> str:
    """Return the opcode with its modifiers, without the predicate before it; empty where the text is not known."""
    words = (sass or "").split()
    words = words[1:] if words and words[0].startswith("@") else words
    return words[0].rstrip(";") if words else ""


def _parts(attribution: Attribution, instructions: Sequence[Instruction]) -> list[tuple[Instruction, float]]:
    parts = []
    before: Instruction | None = None
    for one in instructions:
        before = one if _begins(one, attribution.behind) else before
        part = _part(attribution, one)
        if part > 0 and (not attribution.opcodes or _begins(one, attribution.opcodes)):
            parts.append((before or one, part))
    return parts


def _begins(instruction: Instruction, beginnings: tuple[str, ...]) -> bool:
    return bool(beginnings) and opcode(instruction.sass).startswith(beginnings)


def _part(attribution: Attribution, instruction: Instruction) -> float:
    counted = instruction.counters
    if not all(name in counted for name in attribution.less):
        return 0.0
    most = attribution.times * sum(counted.get(name, 0.0) for name in attribution.counters)
    return most - sum(counted[name] for name in attribution.less)


def _merged(parts: Sequence[tuple[Instruction, float]]) -> list[tuple[Instruction, float]]:
    """Return places: the instruction with the largest part of each, and the sum of the parts."""
    groups: dict[tuple[Any, ...], list[tuple[Instruction, float]]] = {}
    for one, part in parts:
        key = (one.pc,) if one.line is None else (one.file, one.line, opcode(one.sass))
        groups.setdefault(key, []).append((one, part))
    return [(max(group, key=lambda pair: pair[1])[0], sum(part for _, part in group)) for group in groups.values()]


def _largest(found: Iterable[tuple[Instruction, float]], total: float) -> Iterator[Place]:
    ordered = sorted(found, key=lambda pair: -pair[1])[:MOST]
    for number, (one, part) in enumerate(ordered):
        if (number == 0 or part > SMALLEST * total) and (one.sass or one.line):
            yield Place(one.file, one.line, one.sass, min(1.0, part / total))

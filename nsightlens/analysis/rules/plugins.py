"""Rules that other packages bring, held to what a rule promises: the loss ledger of a launch must still add up."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nsightlens.analysis.rules.rule import Excess, Facts, Rule
from nsightlens.data import table
from nsightlens.errors import UsageError

_CAUSE = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
"""The cause of another package has its package's name in front, so that it is no other's."""
_CONFIDENCE = ("high", "medium", "low")
_REMEDY = "uninstall the package, or report this to its authors"


def load_rule(point: Any) -> Rule:  # noqa: ANN401
    """Return the rule that an entry point names, whose results are checked.

    Raises
    ------
    UsageError
        If it cannot be loaded or is no rule; later, if the rule fails or finds what cannot be.
    """
    where = f"entry point {getattr(point, 'value', point)}"
    try:
        rule = point.load()
    except Exception as error:
        raise UsageError(f"cannot be loaded: {error}", where=where, remedy=_REMEDY) from error
    if (why := _wrong(rule)) is not None:
        raise UsageError(f"is no rule of the ledger: {why}", where=where, remedy=_REMEDY)
    checked: Rule = replace(rule, find=lambda facts: _found(rule, facts, where))
    return checked


def _wrong(rule: object) -> str | None:
    if not isinstance(rule, Rule):
        return f"a {type(rule).__name__}"
    if not isinstance(rule.cause, str) or not _CAUSE.fullmatch(rule.cause):
        return "its cause is not called package.cause"
    if not rule.advice or not rule.doc or rule.confidence not in _CONFIDENCE:
        return "it needs doc, advice and a confidence of high, medium or low"
    unknown = sorted(set(rule.evidence) - set(table("counters")))
    return f"no quantity is called {unknown[0]}" if unknown else None


def _found(rule: Rule, facts: Facts, where: str) -> Excess:
    try:
        found = rule.find(facts)
        sound = _is_sound(found.work) and _is_sound(found.waits)
    except Exception as error:
        message = f"{rule.cause} failed: {type(error).__name__}: {error}"
        raise UsageError(message, where=where, remedy=_REMEDY) from error
    if not sound:
        raise UsageError(f"{rule.cause} found a part that is not within 0...1", where=where, remedy=_REMEDY)
    return found


def _is_sound(parts: Mapping[str, float]) -> bool:
    return all(0 <= share <= 1 for share in parts.values())

"""Checks of a machine as text and JSON."""

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from nsightlens.launch.check import Check
from nsightlens.text import printable

SCHEMA = "nsightlens.doctor/1"
WIDTH = 80
INDENT = 21
DECISIVE = {"gpu", "permission", "versions", "try"}
"""Checks whose warnings leave open whether profiling works."""


def document(checks: Sequence[Check], *, can_profile: bool) -> dict[str, Any]:
    """Return the checks as plain dicts and lists: ``nsightlens.doctor/1``."""
    return {"schema": SCHEMA, "can_profile": can_profile, "checks": [asdict(check) for check in checks]}


def render_checks(checks: Sequence[Check], *, can_profile: bool) -> str:
    """Return the checks as text, 80 columns wide."""
    lines: list[str] = []
    for check in checks:
        lines += _wrapped(f"{check.status:8} {check.name:12}", check.found)
        lines += _wrapped(" " * INDENT, f"-> {check.remedy}") if check.remedy else []
    return "\n".join([*lines, "", _end(checks, can_profile=can_profile)]) + "\n"


def _end(checks: Sequence[Check], *, can_profile: bool) -> str:
    if not can_profile:
        return "This machine cannot profile: see the problems above."
    states = {check.name: check.status for check in checks}
    if states.get("try") != "ok" and any(states.get(name) == "warning" for name in DECISIVE):
        return "Nothing was found that stops profiling, but see the warnings above."
    return "This machine can profile."


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(printable(text), WIDTH, initial_indent=first, subsequent_indent=" " * INDENT)

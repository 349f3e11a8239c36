"""The analysis as JSON, ``nsightlens.analysis/1``: null where something was not measured."""

import json
import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from nsightlens._version import __version__
from nsightlens.analysis.result import Analysis

SCHEMA = "nsightlens.analysis/1"
PARTS = ("reports", "launches", "totals", "ranges", "first")


def document(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as plain dicts, lists, numbers and strings."""
    head = {"schema": SCHEMA, "tool": {"name": "nsightlens", "version": __version__}}
    return head | {name: plain(getattr(analysis, name)) for name in PARTS}


def json_chunks(analysis: Analysis) -> Iterator[str]:
    """Yield the JSON document as text, launch by launch: that of many launches is larger than what it is made of."""
    head = {"schema": SCHEMA, "tool": {"name": "nsightlens", "version": __version__}}
    yield _text(head, 0).removesuffix("\n}")
    for name in PARTS:
        yield f',\n "{name}": ['
        for number, item in enumerate(getattr(analysis, name)):
            yield ("," if number else "") + "\n  " + _text(plain(item), 2)
        yield "\n ]" if getattr(analysis, name) else "]"
    yield "\n}\n"


def render_json(analysis: Analysis) -> str:
    """Return the JSON document as text."""
    return "".join(json_chunks(analysis))


def _text(value: Any, depth: int) -> str:  # noqa: ANN401
    """Return JSON that stands at this depth; line breaks within strings are escaped in it."""
    return json.dumps(value, indent=1, allow_nan=False).replace("\n", "\n" + " " * depth)


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return dataclasses as dicts, tuples as lists, and NaN as ``None``."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value]

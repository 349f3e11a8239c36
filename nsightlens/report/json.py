"""The analysis as JSON, ``nsightlens.analysis/1``: null where something was not measured."""

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any

from nsightlens._version import __version__
from nsightlens.analysis.result import Analysis

SCHEMA = "nsightlens.analysis/1"


def document(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as plain dicts, lists, numbers and strings."""
    head = {"schema": SCHEMA, "tool": {"name": "nsightlens", "version": __version__}}
    return head | {name: plain(getattr(analysis, name)) for name in ("reports", "launches", "ranges", "first")}


def render_json(analysis: Analysis) -> str:
    """Return the JSON document as text."""
    return json.dumps(document(analysis), indent=1, allow_nan=False) + "\n"


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

"""Results that ``bench`` kept, read back: what is damaged, foreign or no number is refused before it is shown."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from nsightlens.errors import ReportError, UsageError

_MAX_BYTES = 16 << 20
_BEYOND = 1e30
"""No rate, time or count of a result comes near this."""
REMEDY = "give a file that bench wrote with -o"
Check = Callable[[object], bool]


def read_recorded(path: Path, schema: str) -> dict[str, Any]:
    """Read what a suite of ``bench`` kept with ``-o``.

    Raises
    ------
    UsageError
        If the file cannot be read.
    ReportError
        If it holds no whole result of this suite.
    """
    found = _parsed(_content(path), path)
    if not isinstance(found, dict) or found.get("schema") != schema:
        raise ReportError(f"holds no result of this suite ({schema})", where=str(path), remedy=REMEDY)
    shapes = dict(_SHAPES[schema])
    if "counters" in found:
        shapes["counters"] = _COUNTERS.get(schema, _none)
    if lacking := [name for name, fits in shapes.items() if name not in found or not fits(found[name])]:
        message = f"is no whole result: {lacking[0]} is missing or holds what no measurement gives"
        raise ReportError(message, where=str(path), remedy=REMEDY)
    return found


def _content(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise UsageError("is no ordinary file", where=str(path), remedy=REMEDY)
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy=REMEDY) from error
    except ValueError as error:
        raise UsageError("cannot be the name of a file", where=str(path), remedy=REMEDY) from error
    if len(data) > _MAX_BYTES:
        raise ReportError("is too large for a result", where=str(path), remedy=REMEDY)
    return data


def _parsed(data: bytes, path: Path) -> object:
    try:
        return json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ReportError("holds no result", where=str(path), remedy=REMEDY) from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)  # json.loads passes it on as it does its own


def _text(value: object) -> bool:
    return isinstance(value, str)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_BEYOND < value < _BEYOND


def _positive(value: object) -> bool:
    return _number(value) and value > 0  # type: ignore[operator]


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _none(_value: object) -> bool:
    return False


def _or_null(fits: Check) -> Check:
    return lambda value: value is None or fits(value)


def _one_of(*known: object) -> Check:
    return lambda value: _number(value) and value in known


def _with(**fields: Check) -> Check:
    """Return the check of a table that has at least these fields."""
    return lambda value: (
        isinstance(value, dict) and all(name in value and fits(value[name]) for name, fits in fields.items())
    )


def _each(fits: Check) -> Check:
    """Return the check of a list, not empty, of such things."""
    return lambda value: isinstance(value, list) and bool(value) and all(map(fits, value))


def _named(fits: Check) -> Check:
    """Return the check of a table from names to such things."""
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


def _scale_rows(value: object) -> bool:
    """Tell whether rows of SCALE are whole: CUDA cores, some tensor cores and the copy at the largest size."""
    if not _each(_with(variant=_text, elements=_positive, bytes=_positive, bytes_per_s=_positive))(value):
        return False
    rows: list[dict[str, Any]] = value  # type: ignore[assignment]
    largest = max(row["elements"] for row in rows)
    there = {row["variant"] for row in rows if row["elements"] == largest}
    return {"CUDA cores", "best copy"} <= there and any(name.startswith("tensor") for name in there)


def _pairs(value: object) -> bool:
    """Tell whether pairs are whole: each variant of the truth has a time."""
    truth = _named(_named(_with(share=_number, error=_number)))
    one = _with(name=_text, set_aside=_flag, variants=_named(_with(median_s=_positive)), truth=truth)
    return _each(one)(value) and all(set(pair["truth"]) <= set(pair["variants"]) for pair in value)  # type: ignore[attr-defined]


_CONDITIONS = _with(gpu=_text)
_PARTS = {f"t_{part}_s": _positive for part in ("full", "memory", "compute", "skeleton")}
_OVERLAP = _with(label=_text, overlap=_or_null(_number), overlap_error=_or_null(_number), **_PARTS)
_CO_ISSUE = _with(
    bits=_one_of(32, 64), apart=_one_of(0, 1), fma_s=_positive, mma_s=_positive, both_s=_positive, together=_number
)
_SHAPES: Mapping[str, Mapping[str, Check]] = {
    "nsightlens.ceilings/1": {
        "gpu": _text,
        "values": lambda value: bool(value) and _named(_positive)(value),
        "sm_clock_hz": _named(_positive),
        "conditions": _with(),
    },
    "nsightlens.bench/1": {"conditions": _CONDITIONS, "rows": _scale_rows},
    "nsightlens.overlap/1": {"conditions": _CONDITIONS, "rows": _each(_OVERLAP)},
    "nsightlens.co-issue/1": {"conditions": _CONDITIONS, "rows": _each(_CO_ISSUE)},
    "nsightlens.pairs/1": {"conditions": _CONDITIONS, "pairs": _pairs},
}
_MAYBE = _or_null(_number)
_ROW = {
    "label": _text,
    "formula_dram_bytes": _number,
    "formula_flop": _number,
    **dict.fromkeys(("event_s", "time_s", "dram_bytes"), _or_null(_positive)),
    **dict.fromkeys(("flop", "dram_share", "tensor_pipe_share"), _MAYBE),
}
_BY_SUITE = {
    "nsightlens.bench/1": dict.fromkeys(
        ("load_sectors_per_request", "store_sectors_per_request", "read_wait_cycles"), _MAYBE
    ),
    "nsightlens.overlap/1": dict.fromkeys(("overlap", "overlap_low", "overlap_high"), _MAYBE),
    "nsightlens.pairs/1": {"planted": _named(_with(share=_MAYBE, ledger_share=_MAYBE))},
}
_COUNTERS = {schema: _each(_with(**_ROW, **more)) for schema, more in _BY_SUITE.items()}
"""Rows of ``counters``, which ``--profile`` adds."""

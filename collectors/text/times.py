"""Times of launches that were taken without ncu: CUDA events or Nsight Systems, as CSV or JSON."""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from nsightlens.collectors.text.encodings import HEAD_BYTES, binary, decoded, lines
from nsightlens.collectors.text.piped import at_rest
from nsightlens.errors import ReportError, UsageError

MAX_JSON_BYTES = 1 << 26
_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_TIME = re.compile(r"(?:time_|duration_|duration ?\()(s|ms|us|µs|ns)\)?")
_NUMBER = re.compile(r"\d{0,40}\.?\d{0,40}(?:[eE][+-]?\d{1,3})?", re.ASCII)
_COUNT = re.compile(r"(\d{1,18})(?:\.0*)?", re.ASCII)  # pandas writes 0.0 once a launch is missing
_KEYS = ("launch", "name", "nvtx")
_NO_KERNEL = "[CUDA "  # how Nsight Systems names copies and fills
_SEARCHED_LINES = 1000
_SAME = 1e-6
_REMEDY = "give columns such as launch,time_us, or nsys stats --report cuda_gpu_trace --format csv FILE.nsys-rep"


class Timing(NamedTuple):
    """One time of one launch, and what the file says of which: position, kernel name, NVTX path."""

    seconds: float
    launch: int | None = None
    name: str | None = None
    nvtx: str | None = None


class Times(NamedTuple):
    """What a file holds: its times in order, and how many rows gave none."""

    found: tuple[Timing, ...]
    unusable: int


def read_times(path: Path) -> Times:
    """Read a file of times; a column or key ``time_s``, ``_ms``, ``_us`` or ``_ns`` holds them.

    ``launch``, ``name`` or ``nvtx`` tells the launch. The trace of kernels that Nsight Systems exports is read as it
    is; its copies and fills are left out. The file may be a pipe.

    Raises
    ------
    UsageError
        If the file cannot be opened.
    ReportError
        If it holds no times, or several different ones for a launch in one row.
    """
    try:
        with at_rest(path) as file:
            read = [_timing(row) for row in _rows(file) if not _text(row.get("name")).startswith(_NO_KERNEL)]
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy="give a file of times") from error
    except csv.Error as error:
        raise _no_times(path) from error
    except ReportError as error:
        error.where = str(path)  # not that of the copy of a pipe
        raise
    found = tuple(each for each in read if each is not None)
    if not found:
        raise _no_times(path)
    return Times(found, len(read) - len(found))


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        head = decoded(file.read(HEAD_BYTES))
    if binary(head):
        raise _no_times(path)
    return _json_rows(path) if head.lstrip()[:1] in {"[", "{"} else _csv_rows(path)


def _csv_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    whole = lines(path)
    for _, line in zip(range(_SEARCHED_LINES), whole, strict=False):
        for delimiter in ",;\t":
            columns = [name.strip().lower() for name in next(csv.reader([line], delimiter=delimiter), [])]
            if _describes(columns):
                _refuse_twins(columns)
                records = csv.reader(chain(whole), delimiter=delimiter)
                yield from (_row(columns, record) for record in records if record)
                return


def _row(columns: Sequence[str], record: Sequence[str]) -> Mapping[str, Any]:
    """Return a row; none if it has more cells than there are columns, as by a decimal comma."""
    return dict(zip(columns, record, strict=False)) if len(record) <= len(columns) else {}


def _describes(columns: Sequence[str]) -> bool:
    return any(map(_TIME.fullmatch, columns)) and any(key in columns for key in _KEYS)


def _refuse_twins(columns: Sequence[str]) -> None:
    for name in columns:
        if columns.count(name) > 1 and (name in _KEYS or _TIME.fullmatch(name)):
            raise ReportError(f"the column {name} stands twice", remedy="keep one of the two")


def _json_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    if path.stat().st_size > MAX_JSON_BYTES:
        raise ReportError(f"larger than {MAX_JSON_BYTES >> 20} MiB", where=str(path), remedy="give the times as CSV")
    try:
        found = json.loads("".join(lines(path)), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise _no_times(path) from error
    for item in found if isinstance(found, list) else [found]:
        yield item if isinstance(item, dict) else {}


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    _refuse_twins([name for name, _ in pairs])
    return dict(pairs)


def _timing(row: Mapping[str, Any]) -> Timing | None:
    seconds = _time_of(row)
    launch = _text(row.get("launch"))
    whole = _COUNT.fullmatch(launch)
    number = int(whole[1]) if whole else None
    name, nvtx = _text(row.get("name")) or None, _text(row.get("nvtx")) or None
    known = number is not None if launch else name or nvtx
    return Timing(seconds, number, name, nvtx) if seconds is not None and known else None


def _time_of(row: Mapping[str, Any]) -> float | None:
    """Return the time of a row in seconds; of several columns that hold one all must say the same."""
    units = {key: match[1] for key in row if (match := _TIME.fullmatch(key))}
    times = {key: taken for key, unit in units.items() if (taken := _seconds(row[key], unit)) is not None}
    if not times:
        return None
    first, *others = times.values()
    if all(math.isclose(first, other, rel_tol=_SAME) for other in others):
        return first
    raise ReportError(f"{' and '.join(times)} hold different times of one launch", remedy="keep one of these columns")


def _seconds(value: object, unit: str) -> float | None:
    text = _text(value)
    if not text or not text.strip(".") or not _NUMBER.fullmatch(text):
        return None
    try:
        seconds = float(text) * _UNITS[unit]
    except ValueError:
        return None
    return seconds if 0 < seconds < math.inf else None


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).strip() if not isinstance(value, int) or abs(value) < 1 << 63 else ""


def _no_times(path: Path) -> ReportError:
    return ReportError("holds no times of launches", where=str(path), remedy=_REMEDY)

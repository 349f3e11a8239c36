"""The counters of a suite as a table, and what they say of tensor cores."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nsightlens.report.grid import Column
from nsightlens.units import NOT_MEASURED, percent, seconds, significant

Row = Mapping[str, Any]
Table = tuple[Sequence[Column], Sequence[Sequence[str]], Sequence[str]]
SAME = 0.01
"""Times and bytes that differ by no more count as the same."""
_CUDA = "CUDA cores"
_NOTE = "By ncu, caches flushed; DRAM and FLOP: counted over the catalogue's formula."


def counters_table(rows: Sequence[Row]) -> Table:
    """Return the table of the ``counters`` of a result; what its rows hold tells the suite."""
    if "load_sectors_per_request" in rows[0]:
        return _scale(rows)
    return _losses(rows) if "planted" in rows[0] else _overlap(rows)


def _scale(rows: Sequence[Row]) -> Table:
    heads = ("events", "ncu", "DRAM", "FLOP", "DRAM busy", "tensor", "sectors a load")
    columns = (Column("by counters", right=False, fold=16), *map(Column, heads))
    cells = [
        (
            *_common(row),
            percent(row["dram_share"]),
            percent(row["tensor_pipe_share"]),
            _plain(row["load_sectors_per_request"]),
        )
        for row in rows
    ]
    return columns, cells, (_NOTE, *_why(rows))


def _overlap(rows: Sequence[Row]) -> Table:
    columns = (
        Column("by counters", right=False, fold=20),
        *map(Column, ("events", "ncu", "DRAM", "FLOP", "overlap", "its bounds")),
    )
    cells = [(*_common(row), _plain(row["overlap"]), _bounds(row)) for row in rows]
    return columns, cells, (_NOTE,)


def _losses(rows: Sequence[Row]) -> Table:
    columns = (
        Column("by counters", right=False, fold=20),
        *map(Column, ("events", "ncu", "DRAM")),
        Column("planted", right=False, fold=16),
        *map(Column, ("loss", "ledger")),
    )
    cells = [
        (*_common(row)[:4], cause, percent(one["share"]), percent(one["ledger_share"]))
        for row in rows
        for cause, one in (row["planted"] or {"": {"share": None, "ledger_share": None}}).items()
    ]
    return columns, cells, (_NOTE,)


def _common(row: Row) -> tuple[str, str, str, str, str]:
    dram, flop = (_over(row[name], row[f"formula_{name}"]) for name in ("dram_bytes", "flop"))
    return row["label"], seconds(row["event_s"]), seconds(row["time_s"]), dram, flop


def _over(counted: float | None, formula: float) -> str:
    return NOT_MEASURED if counted is None or not formula else f"{counted / formula:.3f}"


def _plain(value: float | None) -> str:
    return NOT_MEASURED if value is None else significant(value)


def _bounds(row: Row) -> str:
    return f"{_plain(row['overlap_low'])} to {_plain(row['overlap_high'])}"


def _why(rows: Sequence[Row]) -> Iterator[str]:
    """Yield, for each variant on tensor cores, how it differs from CUDA cores, and which counters differ with it."""
    cuda = next((row for row in rows if row["label"] == _CUDA), None)
    if cuda is None or not _whole(cuda):
        return
    for row in rows:
        if row is not cuda and _whole(row):
            yield f"{row['label']}: {_speed(row, cuda)}; {', '.join(_differences(row, cuda))}."


def _whole(row: Row) -> bool:
    return all(row[name] is not None for name in ("time_s", "dram_bytes", "dram_share", "tensor_pipe_share"))


def _speed(row: Row, cuda: Row) -> str:
    change = row["time_s"] / cuda["time_s"] - 1
    if abs(change) <= SAME:
        return "as fast as CUDA cores"
    return f"{percent(abs(change))} {'more' if change > 0 else 'less'} time than CUDA cores"


def _differences(row: Row, cuda: Row) -> Iterator[str]:
    more = row["dram_bytes"] / cuda["dram_bytes"] - 1
    yield "the same bytes" if abs(more) <= SAME else f"{percent(abs(more))} {'more' if more > 0 else 'fewer'} bytes"
    yield f"device memory {percent(row['dram_share'])} busy instead of {percent(cuda['dram_share'])}"
    for name, what in (("load_sectors_per_request", "sectors a load"), ("read_wait_cycles", "cycles a read")):
        here, there = row[name], cuda[name]
        if here is not None and there and abs(here / there - 1) > SAME:
            yield f"{significant(here)} {what} instead of {significant(there)}"
    yield f"tensor pipe {percent(row['tensor_pipe_share'])} busy"

"""What the benchmarks measured, as tables for the terminal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from rich.console import Console
from rich.text import Text

from nsightlens.report.bench_counters import counters_table
from nsightlens.report.grid import Column, console, grid, written
from nsightlens.text import printable
from nsightlens.units import NOT_MEASURED, percent, seconds, si

Record = Mapping[str, Any]


def render(result: Record, *, width: int | None = None) -> str:
    """Return the result of a suite, known by its schema, as text."""
    kind = str(result["schema"]).split("/")[0].removeprefix("nsightlens.")
    out = StringIO()
    page = console(out, width=width, color=False)
    page.print(_safe(_conditions(result["conditions"], result.get("gpu"))))
    for table in (_TABLES[kind](result), *([counters_table(result["counters"])] if "counters" in result else [])):
        _print(page, table)
    return written(out)


def _print(page: Console, table: "Table") -> None:
    columns, rows, notes = table
    page.print()
    page.print(grid(columns, [tuple(map(_safe, row)) for row in rows], page.width))
    for note in notes:
        page.print()
        page.print(_safe(note))


def _safe(text: str) -> Text:
    return Text(printable(text))


def _conditions(found: Record, gpu: str | None) -> str:
    versions = f"driver {found.get('driver_version')}, CUDA {found.get('cuda_of_runtime')}, CuPy {found.get('cupy')}"
    return f"{gpu or found.get('gpu')}; {versions}; {found.get('measured')}; {found.get('times')}"


Table = tuple[Sequence[Column], Iterable[Sequence[str]], Iterable[str]]


def _ceilings(result: Record) -> Table:
    columns = (Column("ceiling", right=False), Column("rate"), Column("clock"))
    clocks = result["sm_clock_hz"]
    rows = [(name, _rate(name, value), si(clocks.get(name), "Hz", 4)) for name, value in result["values"].items()]
    return columns, rows, ()


def _rate(name: str, value: float) -> str:
    return si(value, "B/s" if name.endswith("bytes_per_s") else "FLOP/s", 4)


def _scale(result: Record) -> Table:
    columns = (Column("bytes"), Column("variant", right=False), Column("bandwidth"), Column("of the best copy"))
    copies = {row["elements"]: row["bytes_per_s"] for row in result["rows"] if row["variant"] == "best copy"}
    rows = [
        (si(row["bytes"], "B"), row["variant"], si(row["bytes_per_s"], "B/s", 4), _share(row, copies))
        for row in result["rows"]
    ]
    return columns, rows, result.get("verdict", ())


def _share(row: Record, copies: Mapping[int, float]) -> str:
    copy = copies.get(row["elements"])
    return percent(row["bytes_per_s"] / copy) if copy else NOT_MEASURED


def _overlap(result: Record) -> Table:
    columns = (
        Column("kernel", right=False, fold=20),
        *map(Column, ("whole", "memory", "compute", "skeleton", "overlap")),
    )
    rows = [
        (row["label"], *(seconds(row[f"t_{name}_s"]) for name in _VARIANTS), _with_error(row)) for row in result["rows"]
    ]
    return columns, rows, ("A dash: too little to hide for a point.",)


_VARIANTS = ("full", "memory", "compute", "skeleton")


def _with_error(row: Record) -> str:
    if row["overlap"] is None:
        return NOT_MEASURED
    return f"{row['overlap']:.2f} ± {row['overlap_error']:.2f}"


def _pairs(result: Record) -> Table:
    columns = (
        Column("pair", right=False, fold=16),
        Column("planted", right=False, fold=20),
        *map(Column, ("time", "loss", "set aside")),
    )
    rows = [
        (
            pair["name"],
            cause if cause == variant else f"{cause} (of {variant})",
            seconds(pair["variants"][variant]["median_s"]),
            f"{one['share']:.3f} ± {one['error']:.3f}",
            "yes" if pair["set_aside"] else "",
        )
        for pair in result["pairs"]
        for variant, losses in pair["truth"].items()
        for cause, one in losses.items()
    ]
    return columns, rows, ("A loss: the share of the time that goes when that defect alone is removed.",)


_UNITS = {64: "DFMA and DMMA", 32: "FFMA and HMMA"}


def _co_issue(result: Record) -> Table:
    columns = (Column("units", right=False), *map(Column, ("CUDA cores", "tensor", "both", "hidden")))
    rows = [
        (
            f"{_UNITS[row['bits']]}, {'different warps' if row['apart'] else 'one warp'}",
            *(seconds(row[name]) for name in ("fma_s", "mma_s", "both_s")),
            percent(row["together"], 0),
        )
        for row in result["rows"]
    ]
    return columns, rows, ("Hidden: the part of the shorter time that the longer one hides.",)


_TABLES: dict[str, Callable[[Record], Table]] = {
    "ceilings": _ceilings,
    "bench": _scale,
    "overlap": _overlap,
    "pairs": _pairs,
    "co-issue": _co_issue,
}

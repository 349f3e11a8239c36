"""The short list of launches: which they are, where they ran, how long they took."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nsightlens.html import table
from nsightlens.text import count, printable
from nsightlens.units import NOT_MEASURED, microseconds

if TYPE_CHECKING:
    from nsightlens.collectors.report import Launch, Report

HEAD = ("launch", "process", "name", "NVTX path", "grid (blocks)", "block (threads)", "time (µs)", "status")
SHOWN = 20
"""Rows of a table in a notebook."""
LIMIT = 120


def short(launch: "Launch") -> tuple[str, ...]:
    """Return the cells of one launch, as safe text, in the order of ``HEAD``."""
    row = launch.row
    return (
        str(row["launch"]),
        NOT_MEASURED if row["process_id"] is None else str(row["process_id"]),
        printable(row["name"], LIMIT),
        printable(" ".join(row["nvtx"]), LIMIT),
        _size(row["grid"]),
        _size(row["block"]),
        microseconds(launch.values["time_s"]),
        row["status"],
    )


def report_html(report: "Report") -> str:
    """Return a report as a small HTML table for notebooks: its first launches."""
    gpus = ", ".join(report.gpus) or "unknown GPU"
    head = (printable(f"{report.path}: {count(len(report.launched), 'launch')}, {gpus}", 2 * LIMIT),)
    return table(HEAD, [short(launch) for launch in report.launched[:SHOWN]], head, len(report.launched))


def _size(size: Sequence[int] | None) -> str:
    return NOT_MEASURED if size is None else "×".join(map(str, size))

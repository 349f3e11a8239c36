"""The CSV tables of nvprof (CUDA 11 and older): metrics, summary and trace.

nvprof counts otherwise than Nsight Compute; only what has the same meaning is taken over, under ncu's counter names.
"""

import re
from collections.abc import Iterator

from nsightlens.collectors.text.entry import INSIDE, UNENDED, Entry, Findings
from nsightlens.collectors.text.header import NVPROF_METRICS, NVPROF_SUMMARY, Header
from nsightlens.collectors.text.names import identifier, invocations
from nsightlens.collectors.text.nvprof_metrics import METRICS
from nsightlens.collectors.text.nvprof_rows import measure, split
from nsightlens.errors import ReportError

TIME = "gpu__time_duration.sum"
_DEVICE = re.compile(r"(.*) \((\d+)\)")
_CORRELATION = re.compile(r"(.*\S) \[\d+\]")
_NO_UNITS = "the row with the units is missing below the header of nvprof's table"


class NvprofTable:
    """Reads one table, line by line.

    Parameters
    ----------
    header
        Its header.
    findings
        Takes damage and decisions.
    process_id
        Process that nvprof said it profiles.
    """

    def __init__(self, header: Header, findings: Findings, process_id: int | None) -> None:
        self._header = header
        self._findings = findings
        self._process_id = process_id
        self._units: dict[str, str] | None = None
        self._beginning = ""
        self._current: Entry | None = None
        self.format = header.format

    def feed(self, line: str) -> Iterator[Entry]:
        """Take one line and yield the launches, or averages over launches, that it completes."""
        row = split(line.rstrip("\n"), self._header)
        if row is None:
            self._cut(line)
            return
        if not line.endswith("\n"):
            self._findings.suspicions[UNENDED] = None
            return
        if self.format == NVPROF_METRICS:
            yield from self._metric(row)
            self._beginning = line.partition(row["Metric Name"])[0]
        elif self._units is None and not row["Name"]:
            self._units = row
        elif row["Name"] and not row["Name"].startswith("[CUDA "):
            yield from self._summary(row) if self.format == NVPROF_SUMMARY else self._launch(row)

    def _cut(self, line: str) -> None:
        """Take a line that is no row: if the file stops within it, the launch that it belongs to is not whole."""
        if line.endswith("\n") or not line.strip():
            return
        self._findings.cut(INSIDE)
        if self._current is not None and (line.startswith(self._beginning) or self._beginning.startswith(line)):
            self._current = None

    def close(self, *, ended: bool | None = None) -> Iterator[Entry]:  # noqa: ARG002
        """End the table and yield what is left."""
        if self._current is not None:
            yield self._current
        self._current = None

    def _metric(self, row: dict[str, str]) -> Iterator[Entry]:
        key = (row["Device"], row["Kernel"], row["Invocations"])
        if self._current is None or self._current.stream != repr(key):
            yield from self.close()
            self._current = self._entry(row["Kernel"], row["Device"], row["Invocations"])
            self._current.stream = repr(key)
        metric = METRICS.get(row["Metric Name"])
        if metric is None:
            self._findings.leave_out(row["Metric Name"])
        else:
            self._current.cells.append((metric.counter, *measure(row["Avg"], metric.unit)))

    def _summary(self, row: dict[str, str]) -> Iterator[Entry]:
        if row.get("Type", "GPU activities") != "GPU activities":
            return
        entry = self._entry(row["Name"], "", row["Calls"])
        entry.cells.append(self._time(row, "Avg"))
        yield entry

    def _launch(self, row: dict[str, str]) -> Iterator[Entry]:
        if not row["Grid X"]:
            return
        name = correlated[1] if (correlated := _CORRELATION.fullmatch(row["Name"])) else row["Name"]
        entry = self._entry(name, row.get("Device", ""), None)
        for stem, word in (("launch__grid", "Grid"), ("launch__block", "Block")):
            for axis in "XYZ":
                entry.facts |= identifier(f"{stem}_dim_{axis.lower()}", row.get(f"{word} {axis}", ""))
        entry.facts |= identifier("launch__registers_per_thread", row.get("Registers Per Thread", ""))
        entry.facts |= identifier("launch__stream_id", row.get("Stream", ""))
        entry.cells.append(self._time(row, "Duration"))
        yield entry

    def _time(self, row: dict[str, str], column: str) -> tuple[str, str, str]:
        unit, value = measure(row[column], (self._units or {}).get(column, ""))
        if not unit:
            raise ReportError(_NO_UNITS, remedy="give the file as nvprof wrote it")
        return TIME, unit, value

    def _entry(self, name: str, device: str, calls: str | None) -> Entry:
        entry = Entry(name=name, process_id=self._process_id, invocations=invocations(calls))
        if match := _DEVICE.fullmatch(device):
            entry.facts = {"device__attribute_display_name": match[1], "launch__device_id": int(match[2])}
        return entry

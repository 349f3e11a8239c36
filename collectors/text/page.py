"""The pages that ncu prints without ``--csv``: details, raw, and the summaries of both."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from nsightlens.collectors.text.entry import FEWER, Entry, Findings
from nsightlens.collectors.text.labels import counter_of
from nsightlens.collectors.text.names import capability, identifier
from nsightlens.collectors.text.page_heading import DEVICE, NVTX_PAGE, SECTION, entry_of, heading, process
from nsightlens.collectors.text.page_nvtx import NvtxBlock
from nsightlens.collectors.text.page_rows import Rows
from nsightlens.errors import ReportError

DETAILS, RAW, SUMMARY = "ncu-text-details", "ncu-text-raw", "ncu-text-summary"
UNNAMED = "the heading of a launch is missing in the file: its kernel is not known"
BY_NVTX = "a summary by NVTX range, which counts a launch once in every domain"
NOT_BY_NVTX = "print it with: ncu --import REPORT --print-summary per-kernel, or --page raw --csv"
_CUT = "the file ends inside a table; the last launch is left out"
_TABLE = re.compile(r"\s*Table Name ?: (.*\S)")


class TextPage:
    """Reads such a page line by line, processes and launches following each other.

    Parameters
    ----------
    findings
        Takes damage and decisions.
    where
        Lines before the page that say in which process and on which device its launches ran.
    """

    def __init__(self, findings: Findings, where: Sequence[str] = ()) -> None:
        self._findings = findings
        self._process_id: int | None = None
        self._device: dict[str, Any] = {}
        self._current: Entry | None = None
        self._section = self._item = ""
        self._sections: set[str] = set()
        self._rows = Rows()
        self._nvtx = NvtxBlock()
        self._wrapped = False
        self._labels: tuple[list[str], list[str]] = ([], [])
        self.format = DETAILS
        for line in where:
            self._context(line.rstrip("\n"))

    def feed(self, line: str) -> Iterator[Entry]:
        """Take one line and yield the launch that ended before it."""
        text = line.rstrip("\n")
        if self._rows.inside and self._current is not None and ", " not in text and "Section: " not in text:
            if row := self._rows.feed(text):
                self._add(self._current, *row)
            return
        if text.startswith(NVTX_PAGE):
            raise ReportError(BY_NVTX, remedy=NOT_BY_NVTX)
        found = heading(text)
        if found is not None:
            yield from self._finish()
            self._open(found)
        elif self._current is not None and self._nvtx.feed(text):
            self._current.nvtx = self._nvtx.ranges()
        elif not self._context(text):
            yield from self._content(text)

    def _context(self, text: str) -> bool:
        """Take a line that says where the following launches ran."""
        found = process(text)
        if found is not None:
            self._process_id, self._device = found, {}
            return True
        if match := DEVICE.fullmatch(text):
            self._device = {**identifier("launch__device_id", match[1]), **capability(match[2])}
        return match is not None

    def _content(self, text: str) -> Iterator[Entry]:
        if match := SECTION.match(text):
            if self._current is None or (not self._current.name and match[1] in self._sections):
                yield from self._finish()
                self._open({"Name": ""})
            self._section, self._item = match[1], ""
            self._sections.add(match[1])
            self._rows.close()
        elif match := _TABLE.match(text):
            self._item = match[1]
        elif self._current is not None and (row := self._rows.feed(text)):
            self._add(self._current, *row)

    def _open(self, found: dict[str, str]) -> None:
        self._current = entry_of(found, self._process_id, self._device)
        self.format = SUMMARY if "Invocations" in found else self.format
        self._section, self._sections = "", set()
        self._nvtx, self._wrapped = NvtxBlock(), False

    def _add(self, entry: Entry, label: str, unit: str, value: str) -> None:
        if not self._section and self.format == DETAILS:
            self.format = RAW
        if not label and not unit:
            self._continue(entry, value)
            return
        self._labels[1].append(label)
        name = counter_of(self._section, self._item, label)
        self._wrapped = name is not None and value != ""
        if self._wrapped and name:
            entry.cells.append((name, unit, value))
        elif name is None:
            self._findings.leave_out(label)

    def _continue(self, entry: Entry, value: str) -> None:
        """Take the rest of a value that was too wide for its column."""
        if self._wrapped:
            name, unit, start = entry.cells[-1]
            entry.cells[-1] = (name, unit, start + value)

    def _finish(self) -> Iterator[Entry]:
        if self._current is not None and not self._current.name and self._current.cells:
            self._findings.notes[UNNAMED] = None
        if self._current is not None and (self._current.name or self._current.cells):
            yield self._current
        if self._labels[1]:
            self._labels = (self._labels[1], [])
        self._current = None
        self._rows.close()

    def close(self, *, ended: bool | None = None) -> Iterator[Entry]:
        """End the page and yield its last launch."""
        before, last = self._labels
        if self._current is not None and self._incomplete(ended=ended):
            self._findings.cut(_CUT)
            self._current = None
        elif ended and last and len(last) < len(before) and before[: len(last)] == last:
            self._findings.suspicions[FEWER] = None
        yield from self._finish()

    def _incomplete(self, *, ended: bool | None) -> bool:
        """Return whether the page stops within its last launch."""
        if self._rows.inside and self._section:
            return True
        return ended is False or (ended is True and self._current is not None and not self._current.cells)

"""The raw page of ncu as CSV: one row per launch, one column per counter, and a row of units."""

from collections.abc import Callable, Iterator

from nsightlens.collectors.text.columns import Columns
from nsightlens.collectors.text.entry import BROKEN, INSIDE, UNENDED, Entry, Findings
from nsightlens.collectors.text.header import Header
from nsightlens.collectors.text.split import Cut
from nsightlens.errors import ReportError


class RawTable:
    """A table with one row per launch and one column per counter; its first row holds the units.

    Parameters
    ----------
    header
        Its header.
    findings
        Takes damage and decisions.
    wanted
        Which counters to take; all if None.
    """

    def __init__(self, header: Header, findings: Findings, wanted: Callable[[str], bool] | None = None) -> None:
        self._columns = Columns(header)
        self._findings = findings
        self._records = self._columns.records(least=len(header.columns))
        self._units: list[str] | None = None
        self._counters = [place for place in self._columns.counters() if wanted is None or wanted(place[1])]
        if len(set(header.columns)) < len(header.columns):
            findings.notes["some columns stand twice in the file: the first of each was read"] = None
        self.format = header.format

    def feed(self, line: str) -> Iterator[Entry]:
        """Take one line and yield its launch."""
        for record in self._records.feed(line):
            if isinstance(record, Cut):
                self._findings.cut(BROKEN)
            elif self._units is None:
                self._units = self._as_units(record)
            elif self._columns.identified(record):
                if not line.endswith("\n"):
                    self._findings.suspicions[UNENDED] = None
                    record[-1] = record[-1] if line.endswith('"') else ""
                yield self._entry(record)

    def _as_units(self, row: list[str]) -> list[str]:
        if self._columns.identified(row):
            raise ReportError(
                "the row with the units is missing below the header of the raw page",
                remedy="give the file as ncu wrote it: ncu --import REPORT --page raw --csv",
            )
        return row

    def _entry(self, row: list[str]) -> Entry:
        entry = self._columns.entry(row)
        units = self._units or []
        entry.cells = [(name, units[place], row[place]) for place, name in self._counters if row[place] != ""]
        return entry

    def close(self, *, ended: bool | None = None) -> Iterator[Entry]:
        """End the table."""
        for _ in self._records.close(ended=ended is not False):
            self._findings.cut(INSIDE if ended is False else BROKEN)
        yield from ()

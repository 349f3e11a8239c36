"""The long tables of ncu, one row per launch and counter: details page, single metrics, summaries."""

from collections.abc import Iterator

from nsightlens.collectors.text.columns import Columns
from nsightlens.collectors.text.entry import BROKEN, FEWER, INSIDE, UNENDED, Entry, Findings
from nsightlens.collectors.text.header import DETAILS, METRICS, SUMMARY, Header
from nsightlens.collectors.text.labels import counter_of
from nsightlens.collectors.text.split import Cut
from nsightlens.errors import ReportError


class LongTable:
    """A table with one row per launch and counter.

    Parameters
    ----------
    header
        Its header.
    findings
        Takes damage and decisions.
    merge
        Whether the rows of a launch stand scattered over the table, as after sorting it.
    """

    def __init__(self, header: Header, findings: Findings, *, merge: bool = False) -> None:
        self._columns = Columns(header)
        self._findings = findings
        self._format = header.format
        self._value = self._columns.at("Average" if header.format == SUMMARY else "Metric Value")
        self._metric, self._unit = self._columns.at("Metric Name"), self._columns.at("Metric Unit", optional=True)
        self._domain = self._columns.at("Domain", optional=True)
        self._place = [self._columns.at(name, optional=True) for name in ("Section Name", "Body Item Label")]
        self._records = self._columns.records(least=max(self._value, self._metric) + 1)
        self._groups: dict[tuple[str, ...], Entry] | None = {} if merge else None
        self._key: tuple[str, ...] | None = None
        self._current: Entry | None = None
        self._first: tuple[str, ...] | None = None
        self._seen: dict[int, int] = {}
        self._lengths: tuple[list[str], list[str]] = ([], [])

    def feed(self, line: str) -> Iterator[Entry]:
        """Take one line and yield the launch that ended before it."""
        for record in self._records.feed(line):
            if isinstance(record, Cut):
                yield from self._cut(record, BROKEN)
            elif not line.endswith("\n") and self._stops_short(line, record):
                yield from self._cut(Cut(line), INSIDE)
            else:
                if not line.endswith("\n"):
                    self._findings.suspicions[UNENDED] = None
                    record[self._value] = record[self._value] if line.endswith(('"', '",')) else ""
                yield from self._row(record)

    def _stops_short(self, line: str, record: list[str]) -> bool:
        """Return whether a last row lacks fields; ncu itself ends one behind a value alone, with a separator."""
        ended = record[self._metric] != "" and len(record) == self._value + 1 and not line.endswith('"')
        return self._columns.quoted and len(record) < self._columns.count and not ended

    def close(self, *, ended: bool | None = None) -> Iterator[Entry]:
        """End the table and yield its last launch."""
        for record in self._records.close(ended=ended is not False):
            yield from self._cut(record, INSIDE if ended is False else BROKEN)
        if ended:
            self._compare_last()
        yield from self._finish()
        if self._groups:
            yield from self._groups.values()

    def _cut(self, record: Cut, where: str) -> Iterator[Entry]:
        self._findings.cut(where)
        if self._key is not None and self._columns.begins(record.text, self._key):
            self._current = None
        yield from self._finish()

    def _row(self, row: list[str]) -> Iterator[Entry]:
        key = self._columns.key(row)
        section, item = (row[place] if place is not None else "" for place in self._place)
        metric = (section, item, row[self._metric])
        if key != self._key or (metric == self._first and metric[2] and self._groups is None):
            yield from self._finish()
            self._begin(key, metric, row)
        if metric[2] and self._current is not None:
            self._add(metric, row)

    def _begin(self, key: tuple[str, ...], metric: tuple[str, ...], row: list[str]) -> None:
        self._key, self._first = key, metric if metric[2] else None
        if self._domain is not None:
            self._findings.domains[row[self._domain]] = None
        if self._groups is not None:
            self._current = self._groups.setdefault(key, self._columns.entry(row))
            return
        before = self._seen.setdefault(hash(key), hash(metric))
        if before != hash(metric):
            self._scattered()
        self._current = self._columns.entry(row)

    def _scattered(self) -> None:
        if self._columns.at("ID", optional=True) is None:
            raise ReportError(
                "launches cannot be told apart: the rows of a kernel do not stand together and have no launch number",
                remedy="give the file as ncu wrote it, with the column ID",
            )
        self._findings.scattered = True

    def _add(self, metric: tuple[str, ...], row: list[str]) -> None:
        assert self._current is not None  # noqa: S101
        self._first = self._first or metric
        unit = row[self._unit] if self._unit is not None else ""
        self._lengths[1].append(metric[2])
        name = counter_of(*metric)
        if name is None:
            self._findings.leave_out(metric[2])
        elif row[self._value]:
            self._current.cells.append((name, unit, row[self._value]))
        if self._format == METRICS and name != metric[2]:
            self._format = DETAILS

    def _finish(self) -> Iterator[Entry]:
        if self._current is not None and self._groups is None:
            yield self._current
        if self._lengths[1]:
            self._lengths = (self._lengths[1], [])
        self._current = self._key = self._first = None

    def _compare_last(self) -> None:
        before, last = self._lengths
        if last and len(last) < len(before) and before[: len(last)] == last:
            self._findings.suspicions[FEWER] = None

    @property
    def format(self) -> str:
        """Name of the format; known for sure after the first rows."""
        return self._format

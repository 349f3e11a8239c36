"""One walk over a file: which tables and pages stand in it, and the launches in them."""

from collections.abc import Callable, Iterable, Iterator

from nsightlens.collectors.text.entry import Entry, Findings, Table
from nsightlens.collectors.text.header import RAW, Header, header
from nsightlens.collectors.text.log import Log
from nsightlens.collectors.text.long import LongTable
from nsightlens.collectors.text.nvprof import NvprofTable
from nsightlens.collectors.text.page import TextPage
from nsightlens.collectors.text.page_heading import heading, process, says_where, starts
from nsightlens.collectors.text.raw import RawTable
from nsightlens.errors import ReportError


class Scan:
    """Walks once over a file; afterwards tells what it found beside the launches.

    Parameters
    ----------
    lines
        The lines of the file, each with its line break.
    merge
        Whether the rows of a launch stand scattered over its table.
    wanted
        Which counters are of use, where a table can leave out others at once; all if None.
    """

    def __init__(
        self, lines: Iterable[str], *, merge: bool = False, wanted: Callable[[str], bool] | None = None
    ) -> None:
        self._lines = lines
        self._merge, self._wanted = merge, wanted
        self.findings = Findings()
        self.log = Log()
        self.tables: list[Table] = []
        self._open: Table | None = None
        self._where: list[str] = []

    def entries(self) -> Iterator[Entry]:
        """Yield the launches of all tables, in order."""
        ended: bool | None = None
        for line in self._lines:
            ended = line.endswith("\n") if "==" not in line else None
            for entry in self._line(line):
                entry.table = len(self.tables)
                yield entry
        yield from self._close(ended=ended)

    def _line(self, line: str) -> Iterator[Entry]:
        found = header(line)
        if found is not None:
            yield from self._close()
            self._begin(self._table(found))
        elif not self.log.feed(line):
            if self._text_begins(line):
                yield from self._close()
                self._begin(TextPage(self.findings, self._where))
            if self._open is not None:
                yield from self._open.feed(line)
            elif says_where(line):
                self._where = [line] if process(line) is not None else [*self._where[-1:], line]

    def _text_begins(self, line: str) -> bool:
        if isinstance(self._open, TextPage) or line[:1] == '"':
            return False
        # A program may print between the rows of a CSV table: only the heading of a launch ends it.
        return starts(line) if self._open is None else heading(line) is not None

    def _table(self, found: Header) -> Table:
        if found.by_hand:
            raise ReportError(
                "not as ncu wrote it, but a table made by hand: its columns stand in another order",
                remedy="give the output of ncu --csv itself, or the .ncu-rep file",
            )
        if found.removed:
            note = f"not the whole table that ncu wrote: without the columns {', '.join(found.removed)}"
            self.findings.notes[note] = None
        if found.format.startswith("nvprof"):
            return NvprofTable(found, self.findings, self.log.process_id)
        if found.format == RAW:
            return RawTable(found, self.findings, self._wanted)
        return LongTable(found, self.findings, merge=self._merge)

    def _begin(self, table: Table) -> None:
        self.tables.append(table)
        self._open = table

    def _close(self, *, ended: bool | None = None) -> Iterator[Entry]:
        if self._open is not None:
            for entry in self._open.close(ended=ended):
                entry.table = len(self.tables)
                yield entry
        self._open = None

"""The columns of a table of ncu that say which launch a row belongs to."""

from typing import Any, Literal, overload

from nsightlens.collectors.text.entry import Entry
from nsightlens.collectors.text.header import PUSH_POP, RANGE, START_END, Header
from nsightlens.collectors.text.names import capability, dimensions, identifier, invocations
from nsightlens.collectors.text.nvtx import in_domain, ranges
from nsightlens.collectors.text.split import Records

_LAUNCH = {"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Invocations", "Domain"}
_WHERE = {"Context", "Stream", "Block Size", "Grid Size", "Device", "CC"}
_IDENTITY = frozenset(_LAUNCH | _WHERE | {PUSH_POP, START_END, RANGE})
_COUNTED = (("launch__stream_id", "Stream"), ("launch__context_id", "Context"), ("launch__device_id", "Device"))
_NUMBERED = frozenset({"", "ID", "Process ID"})


class Columns:
    """Finds cells by column name and makes an entry of the identity of a row."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self.quoted = header.quoted
        self.count = len(header.columns)
        self._identity = [place for place, name in enumerate(header.columns) if name in _IDENTITY]
        self._places = {name: place for place, name in reversed(list(enumerate(header.columns)))}

    @overload
    def at(self, name: str) -> int: ...
    @overload
    def at(self, name: str, *, optional: Literal[True]) -> int | None: ...
    def at(self, name: str, *, optional: bool = False) -> int | None:
        """Return the position of a column."""
        return self._places.get(name) if optional else self._places[name]

    def records(self, least: int) -> Records:
        """Return what puts the records of this table together."""
        columns = self._header.columns
        least = max(least, max(self._identity, default=0) + 1)
        numbers = next((place for place, name in enumerate(columns) if name not in _NUMBERED), 0)
        return Records(self._header.delimiter, least, len(columns), quoted=self.quoted, numbers=numbers)

    def counters(self) -> list[tuple[int, str]]:
        """Return the columns of a wide table that hold counters."""
        places = sorted(self._places.items(), key=lambda item: item[1])
        return [(place, name) for name, place in places if name and " " not in name and name not in _IDENTITY]

    def key(self, row: list[str]) -> tuple[str, ...]:
        """Return what rows of one launch have in common."""
        return tuple([row[place] for place in self._identity])

    def begins(self, text: str, key: tuple[str, ...]) -> bool:
        """Return whether a cut row belongs to the launch with this key, as far as it goes."""
        mark = '"' if self.quoted else ""
        start = f"{mark}{self._header.delimiter}{mark}".join(key[:2])
        return (mark + start + mark).startswith(text) or text.startswith(mark + start + mark)

    def identified(self, row: list[str]) -> bool:
        """Return whether a row names its launch; the row of units does not."""
        return any(row[place] for place in self._identity)

    def entry(self, row: list[str]) -> Entry:
        """Return an entry without counters for the launch of a row."""
        text = {name: row[self._places[name]] for name in _IDENTITY & self._places.keys()}
        numbers = {key: identifier(key, text.get(key, "")).get(key) for key in ("Process ID", "ID")}
        nvtx = ranges(text.get(PUSH_POP, ""), text.get(START_END, "")) or in_domain(
            text.get("Domain"), text.get(RANGE, "")
        )
        return Entry(
            name=text.get("Kernel Name", ""),
            process_id=numbers["Process ID"],
            number=numbers["ID"],
            facts=_facts(text),
            nvtx=nvtx,
            invocations=invocations(text.get("Invocations")),
            stream=text.get("Stream"),
        )


def _facts(text: dict[str, str]) -> dict[str, Any]:
    facts: dict[str, Any] = dimensions("launch__block", text.get("Block Size", ""))
    facts |= dimensions("launch__grid", text.get("Grid Size", ""))
    facts |= capability(text.get("CC", ""))
    for name, column in _COUNTED:
        facts |= identifier(name, text.get(column, ""))
    return facts

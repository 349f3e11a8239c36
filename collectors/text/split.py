"""From lines to records: what the csv module cannot know about ncu's quoting.

ncu quotes every field but does not escape quotes or line breaks inside NVTX names. So a record is tried by the book
first; where that fails it is split where a quote, a separator and a quote follow each other, and continued over line
breaks.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

from nsightlens.collectors.text.encodings import MAX_LINE

_MAX_JOINED_LINES, _MAX_JOINED_TEXT = 32, 1 << 18
_IDENTIFIED = 2
_BEGINS = re.compile('"|\\d|\ufffd')  # the last is what half a character of UTF-16 becomes
csv.field_size_limit(MAX_LINE)


@dataclass(frozen=True, slots=True)
class Cut:
    """A record that stops before its end."""

    text: str


def fields(line: str, delimiter: str, least: int, most: int) -> list[str] | None:
    """Split one record.

    Parameters
    ----------
    line
        The record without its line break.
    delimiter
        What stands between fields.
    least, most
        How many fields a record of this table has.

    Returns
    -------
    list of str or None
        None if it is no record of this table.
    """
    quoted = line.startswith('"')
    for split in (_by_the_book, _between_quotes):
        found = split(line, delimiter)
        if found and quoted and found[-1] == "" and line.endswith(delimiter):
            found.pop()  # ncu ends a short row with a separator; an empty cell of its own would be in quotes
        if found and least <= len(found) <= most:
            return found
    return None


def _by_the_book(line: str, delimiter: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        return None


def _between_quotes(line: str, delimiter: str) -> list[str] | None:
    body = line.removesuffix(delimiter)
    if len(body) < 2 or body[0] != '"' or body[-1] != '"':  # noqa: PLR2004
        return None
    return [text.replace('""', '"') for text in body[1:-1].split(f'"{delimiter}"')]


class Records:
    """Puts the records of one table together, line by line.

    Parameters
    ----------
    delimiter
        What stands between fields.
    least, most
        How many fields a record has.
    quoted
        Whether all fields are in quotes, so that a record may go on in the next line.
    numbers
        How many fields at the beginning of a record are numbers (columns ID and Process ID).
    """

    def __init__(self, delimiter: str, least: int, most: int, *, quoted: bool, numbers: int) -> None:
        self._shape = (delimiter, least, most)
        self._quoted = quoted
        separator = re.escape(delimiter)
        self._numbers = numbers
        self._start = re.compile(rf'"?\d*"?{separator}' * numbers or ('"' if quoted else ""), re.ASCII)
        self._pending: list[str] = []
        self._size = 0

    def feed(self, line: str) -> Iterator[list[str] | Cut]:
        """Take one line; yield the record that it completes, and before it one that it shows to be cut."""
        text = line.removesuffix("\n")
        if self._start.match(text):
            yield from self.close()
        elif not self._pending and (line.endswith("\n") or not _BEGINS.match(text)):
            return
        self._pending.append(text)
        self._size += len(text)
        goes_on = self._quoted and self._pending[0].startswith('"')
        closed = not goes_on or text.endswith(('"', '"' + self._shape[0]))
        record = self._record() if closed else None
        if record is not None:
            self._drop()
            yield record
        elif len(self._pending) >= _MAX_JOINED_LINES or self._size > _MAX_JOINED_TEXT:
            yield from self.close()
        elif not goes_on and line.endswith("\n"):
            yield from self.close() if self._numbers else ()
            self._drop()

    def close(self, *, ended: bool = True) -> Iterator[Cut]:
        """End the table: a record that was begun and not completed is cut.

        Parameters
        ----------
        ended
            Whether the last line had a line break; the file stops within it otherwise.
        """
        if self._pending and not (ended and self._foreign(self._pending[0])):
            yield Cut(self._pending[0])
        self._drop()

    def _record(self) -> list[str] | None:
        return fields("\n".join(self._pending), *self._shape)

    def _drop(self) -> None:
        self._pending, self._size = [], 0

    def _foreign(self, text: str) -> bool:
        """Return whether this is a short row of another table that ncu prints in between (GPU names, NUMA nodes)."""
        delimiter, least, _ = self._shape
        return text.endswith('"') and text.count(delimiter) < least // 2 and self._numbers < _IDENTIFIED

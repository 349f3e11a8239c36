"""Text files as they come: which encoding, line by line, and whether the last line was ended."""

import codecs
from collections.abc import Iterator
from pathlib import Path

from nsightlens.errors import ReportError

HEAD_BYTES = 1 << 16
MAX_LINE = 1 << 26
"""Characters in a line; a raw page with all instances of all counters stays far below."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ERRORS = "nsightlens-windows-1252"
_MOSTLY = 0.4
_MARK = "\ufeff"


def guess(head: bytes) -> str:
    """Return the name of the encoding that a file with this beginning is in."""
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if marked:
        return marked
    pairs = len(head) // 2
    if pairs and head[1::2].count(0) > _MOSTLY * pairs and head[::2].count(0) < head[1::2].count(0):
        return "utf-16-le"
    if pairs and head[::2].count(0) > _MOSTLY * pairs:
        return "utf-16-be"
    return "utf-8"


def decoded(head: bytes) -> str:
    """Return the beginning of a file as text; a character cut at its end is left out or replaced."""
    return head.decode(guess(head), _errors(guess(head))).removeprefix(_MARK)


def binary(text: str) -> bool:
    """Return whether the beginning of a file, decoded, is no text."""
    controls = sum(character < " " and character not in "\t\n\r\f\v\b\x1b" for character in text)
    return controls > len(text) // 100


def lines(path: Path) -> Iterator[str]:
    r"""Yield the lines of a text file, each ended by ``\n`` unless the file stops within it.

    Raises
    ------
    ReportError
        If a line is longer than ``MAX_LINE``.
    """
    with path.open("rb") as file:
        encoding = guess(file.read(HEAD_BYTES))
    with path.open(encoding=encoding, errors=_errors(encoding)) as text:
        while line := text.readline(MAX_LINE):
            if len(line) == MAX_LINE:
                raise ReportError(
                    f"a line is longer than {MAX_LINE} characters", where=str(path), remedy="give the file ncu wrote"
                )
            yield line.lstrip(_MARK)  # a second file appended by PowerShell brings its own mark


def _errors(encoding: str) -> str:
    return _ERRORS if encoding.startswith("utf-8") else "replace"


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(_ERRORS, _windows_1252)

"""Which format of ncu or nvprof a text file is in, judged by its content."""

from pathlib import Path

from nsightlens.collectors.text.encodings import HEAD_BYTES, binary, decoded, lines
from nsightlens.collectors.text.header import header
from nsightlens.collectors.text.scan import Scan
from nsightlens.errors import ReportError

LOG = "ncu-log"


def sniff(head: bytes) -> str | None:
    """Return the format of a file by its beginning (64 KiB are enough unless a program printed more than that before).

    Parameters
    ----------
    head
        The first bytes of the file.

    Returns
    -------
    str or None
        ``ncu-csv-raw``, ``-details``, ``-metrics``, ``-summary``; ``ncu-text-details``, ``-raw``, ``-summary``;
        ``nvprof-csv-metrics``, ``-summary``, ``-trace``; ``ncu-log`` for messages without a table; None for none of
        them. ``read`` says of any file why it cannot be read.
    """
    text = decoded(head)
    if binary(text):
        return None
    whole = text.splitlines(keepends=True)
    partial_line = whole.pop() if whole and not whole[-1].endswith("\n") else ""
    scan = Scan(whole)
    try:
        for _ in scan.entries():
            pass
    except ReportError:
        return scan.tables[0].format if scan.tables else None
    if scan.tables:
        return scan.tables[0].format
    begun = header(partial_line[: partial_line.rfind('",') + 1])  # a raw page may name thousands of counters
    if begun is not None:
        return begun.format
    return LOG if scan.log.messages else None


def detect(path: Path) -> str | None:
    """Return the format of a file as ``sniff`` does, looking as far into it as needed."""
    with path.open("rb") as file:
        found = sniff(file.read(HEAD_BYTES))
    if found not in {None, LOG}:
        return found
    scan = Scan(lines(path))
    try:
        next(scan.entries(), None)
    except ReportError:
        return found
    return scan.tables[0].format if scan.tables else found

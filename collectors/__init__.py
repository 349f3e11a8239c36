"""One reader per report format, each giving the same DataFrames.

Kept light: the child process that holds NVIDIA's reader imports this package and must not pay for pandas.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nsightlens.errors import ReportError

if TYPE_CHECKING:
    from nsightlens.collectors.ncu_rep import Reading
    from nsightlens.collectors.report import Report

AHEAD = 2
"""Reports that are read at the same time, each in a process of its own."""


def read(
    paths: str | Path | Sequence[str | Path],
    *,
    keep_going: bool = False,
    max_bytes: int | None = None,
    decimal: str | None = None,
    samples: bool = False,
) -> "Iterator[Report]":
    """Read reports, in order, a few of them at a time.

    Parameters
    ----------
    paths
        One report or several, plain or compressed.
    keep_going
        Read what is whole of a damaged report; of several, leave out those that hold no usable data, with a note.
    max_bytes
        Unpacking stops at this size; 1 GiB if not given.
    decimal
        Decimal separator of the numbers in CSV and text, ``point`` or ``comma``; judged by the numbers if not given.
    samples
        Read samples over time too (``Launch.samples``), where a report holds them; this costs time and memory.

    Raises
    ------
    UsageError
        If a file does not exist, checked for all files before the first is read, or ``decimal`` is something else.
    ReportError
        If a file holds no usable data; with ``keep_going`` if none of the files does.
    """
    from nsightlens.collectors.ncu_rep import MAX_BYTES, Reading, require_file  # noqa: PLC0415
    from nsightlens.collectors.text.decimals import require_mark  # noqa: PLC0415

    require_mark(decimal)
    files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    for file in files:
        require_file(file)
    limit = MAX_BYTES if max_bytes is None else max_bytes
    workers = max(1, AHEAD // max(1, len(files)))
    started = (
        Reading(file, keep_going=keep_going, max_bytes=limit, decimal=decimal, samples=samples, workers=workers)
        for file in files
    )
    yield from _results(started, _Hopeless(len(files)) if keep_going else None)


class _Hopeless:
    """Turns reports that hold no usable data into empty ones with a note, as long as not all are so."""

    def __init__(self, total: int) -> None:
        self._left = total

    def replace(self, reading: "Reading", error: ReportError) -> "Report":
        self._left -= 1
        if self._left == 0:
            raise error
        return reading.nothing(error)


def _results(started: "Iterator[Reading]", hopeless: _Hopeless | None) -> "Iterator[Report]":
    running: list[Reading] = []
    try:
        running += islice(started, AHEAD)
        while running:
            try:
                report = running[0].result()
            except ReportError as error:
                if hopeless is None:
                    raise
                report = hopeless.replace(running[0], error)
            yield report
            del running[0]
            running += islice(started, 1)
    finally:
        for reading in running:
            reading.close()

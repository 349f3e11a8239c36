"""One reader per report format, each giving the same DataFrames.

Kept light: the child process that holds NVIDIA's reader imports this package and must not pay for pandas.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsightlens.collectors.report import Report

AHEAD = 2
"""Reports that are read at the same time, each in a process of its own."""


def read(
    paths: str | Path | Sequence[str | Path], *, keep_going: bool = False, max_bytes: int | None = None
) -> "Iterator[Report]":
    """Read reports, in order, a few of them at a time.

    Parameters
    ----------
    paths
        One report or several, plain or compressed.
    keep_going
        Read what is whole of a damaged report.
    max_bytes
        Unpacking stops at this size; 1 GiB if not given.

    Raises
    ------
    UsageError
        If a file does not exist; checked for all files before the first is read.
    ReportError
        If a file holds no usable data.
    """
    from nsightlens.collectors.ncu_rep import MAX_BYTES, Reading, require_file  # noqa: PLC0415

    files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    for file in files:
        require_file(file)
    limit = MAX_BYTES if max_bytes is None else max_bytes
    pending = (Reading(file, keep_going=keep_going, max_bytes=limit) for file in files)
    running: list[Reading] = []
    try:
        running += islice(pending, AHEAD)
        while running:
            yield running[0].result()
            del running[0]
            running += islice(pending, 1)
    finally:
        for reading in running:
            reading.close()

"""Pipes as files: what is read more than once must stay."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from nsightlens.errors import ReportError

MAX_BYTES = 1 << 30
_PIECE_BYTES = 1 << 16


@contextmanager
def at_rest(path: Path) -> Iterator[Path]:
    """Give a file that can be read several times: ``path`` itself, or a temporary copy of what a pipe gives.

    Raises
    ------
    OSError
        If it cannot be read or copied.
    ReportError
        If a pipe gives more than ``MAX_BYTES``.
    """
    if path.is_file():
        yield path
        return
    with path.open("rb") as pipe, NamedTemporaryFile(prefix="nsightlens-") as copy:
        while piece := pipe.read(_PIECE_BYTES):
            copy.write(piece)
            if copy.tell() > MAX_BYTES:
                message = f"gives more than {MAX_BYTES >> 20} MiB"
                raise ReportError(message, where=str(path), remedy="write the times to a file")
        copy.flush()
        yield Path(copy.name)

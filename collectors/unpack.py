"""Open a report as it lies on disk: plain or compressed, and say what a file that is no report seems to be."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from nsightlens.collectors.container import MAGIC
from nsightlens.errors import ReportError

_CHUNK = 1 << 20
_SNIFF = 4096
_CONTROL_SHARE = 0.02
_HEADERLESS, _FIRST_FIELD = 5, 0x08

_ZSTANDARD = b"\x28\xb5\x2f\xfd"  # its reader takes a cut for the end

_PACKED: dict[bytes, Callable[[Path], Any]] = {
    b"\xfd7zXZ\0": lzma.open,
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    _ZSTANDARD: lambda path: _zstandard(path),  # noqa: PLW0108
}

_LOOKS_LIKE = (
    (b"version https://git-lfs", "a Git LFS pointer", "run git lfs pull"),
    (
        b"SQLite format 3",
        "an SQLite file such as Nsight Systems exports",
        "give a .ncu-rep of Nsight Compute",
    ),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"<!DOCTYPE html", "an HTML page", "download the file itself, not its web page"),
    (b"<html", "an HTML page", "download the file itself, not its web page"),
)


def plain(path: Path, folder: Path, max_bytes: int) -> Path:
    """Return a path to the report unpacked; ``path`` itself if it is not compressed.

    Parameters
    ----------
    path
        The report.
    folder
        Where an unpacked copy may be written.
    max_bytes
        Unpacking stops at this size.

    Raises
    ------
    ReportError
        If the file is no report, or is larger than ``max_bytes`` when unpacked.
    """
    with path.open("rb") as file:
        head = file.read(_SNIFF)
    opener = next((opener for magic, opener in _PACKED.items() if head.startswith(magic)), None)
    if opener is None:
        _require_report(head, path)
        return path
    try:
        with opener(path) as packed:
            return _copy(packed, path, folder / "report.ncu-rep", max_bytes, silent_cut=head.startswith(_ZSTANDARD))
    except _damage_errors() as error:
        if isinstance(error, OSError) and error.strerror:
            message, remedy = f"cannot be unpacked: {error.strerror}", "set TMPDIR to a folder with enough space"
        else:
            message, remedy = f"the compressed file is damaged or cut: {error}", "copy it again"
        raise ReportError(message, where=str(path), remedy=remedy) from error


def _copy(packed: IO[bytes], path: Path, target: Path, max_bytes: int, *, silent_cut: bool) -> Path:
    chunk = packed.read(_SNIFF)
    if not chunk and silent_cut:
        raise EOFError("nothing comes out of it")
    _require_report(chunk, path)
    written = 0
    with target.open("wb") as out:
        while chunk:
            written += len(chunk)
            if written > max_bytes:
                raise ReportError(
                    f"the report is larger than {max_bytes} bytes when unpacked",
                    where=str(path),
                    remedy="raise --max-size",
                )
            out.write(chunk)
            chunk = packed.read(_CHUNK)
    return target


def is_report(path: Path) -> bool:
    """Tell whether a file begins like a ``.ncu-rep``."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _require_report(head: bytes, path: Path) -> None:
    """Refuse what is neither a report nor text that ncu may have written."""
    if not head.startswith(MAGIC) and not _is_text(head):
        what, remedy = _guess(head)
        raise ReportError(f"not an Nsight Compute report, but {what}", where=str(path), remedy=remedy)


def _is_text(head: bytes) -> bool:
    """Tell whether a file may be text, in UTF-8 or UTF-16, that is not known to be something else."""
    if not head.strip(b" \t\r\n") or any(
        head.lstrip().lower().startswith(magic.lower()) for magic, _, _ in _LOOKS_LIKE
    ):
        return False
    letters = head.replace(b"\0", b"") if head.count(b"\0") <= len(head) // 2 + 1 else head
    control = sum(byte < 32 and byte not in b"\t\r\n\f\x1b" for byte in letters)  # noqa: PLR2004
    return control <= len(head) * _CONTROL_SHARE


def _guess(head: bytes) -> tuple[str, str]:
    if not head.strip(b" \t\r\n\0"):
        return "an empty file", "profile again: nsightlens profile -- CMD"
    for magic, what, remedy in _LOOKS_LIKE:
        if head.lstrip().lower().startswith(magic.lower()):
            return what, remedy
    if len(head) > _HEADERLESS and int.from_bytes(head[:4], "little") < _SNIFF and head[4] == _FIRST_FIELD:
        return (
            "one without its file header, as an interrupted run leaves it",
            "profile again: nsightlens profile -- CMD",
        )
    return "a binary file of another kind", "give the .ncu-rep file that ncu wrote (ncu -o NAME)"


def _damage_errors() -> tuple[type[Exception], ...]:
    """Return what a damaged compressed file raises."""
    loaded = sys.modules.get("zstandard")
    return (EOFError, lzma.LZMAError, zlib.error, OSError, *(() if loaded is None else (loaded.ZstdError,)))


def _zstandard(path: Path) -> Any:  # noqa: ANN401
    import zstandard  # noqa: PLC0415

    return zstandard.open(path, "rb")

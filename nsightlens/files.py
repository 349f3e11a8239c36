"""Writing files: whole or not at all, and never over an existing one unasked."""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile

from nsightlens.errors import UsageError


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise ``UsageError`` if ``path`` exists (unless ``force``) or its folder does not."""
    try:
        _refuse(path, force=force)
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror}", where=str(path), remedy="choose another name"
        ) from error


def _refuse(path: Path, *, force: bool) -> None:
    path = _behind_links(path)
    if path.is_symlink():
        raise UsageError("is a link that leads nowhere", where=str(path), remedy="remove it, or choose another name")
    if path.is_dir():
        raise UsageError("is a folder", where=str(path), remedy="give a file name")
    if path.exists() and not path.is_file():
        raise UsageError("is no ordinary file", where=str(path), remedy="give a file name")
    if path.exists() and not force:
        raise UsageError("the file exists", where=str(path), remedy="choose another name, or overwrite it with --force")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError("its folder does not exist", where=str(path), remedy=f"mkdir -p {shlex.quote(str(folder))}")


def require_writable(folder: Path) -> None:
    """Raise ``UsageError`` if nothing can be written into a folder, before work that takes long."""
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(
            "cannot be written into", where=str(folder), remedy="check permissions, or name a file elsewhere"
        )


def write_atomically(path: Path, data: bytes | Iterable[bytes], *, force: bool = False) -> None:
    """Write a file whole or not at all; what a link names is written, and the link stays.

    Raises
    ------
    UsageError
        If the file exists and ``force`` is not set, or it cannot be written.
    """
    refuse_existing(path, force=force)
    path = _behind_links(path)
    try:
        with NamedTemporaryFile(dir=path.absolute().parent, prefix=".nsightlens-", delete=False) as file:
            temporary = Path(file.name)
            try:
                file.writelines([data] if isinstance(data, bytes) else data)
                file.close()
                temporary.chmod(0o666 & ~_umask())
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror}", where=str(path), remedy="check space and permissions"
        ) from error


def _behind_links(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

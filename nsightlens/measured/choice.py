"""Which measured ceilings serve a GPU: those that were named, else the user's newest, else the shipped ones."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from pathlib import Path

from nsightlens.errors import UsageError
from nsightlens.measured.files import MEASURE, folder, parsed, read_ceilings
from nsightlens.measured.rates import Measured

VARIABLE = "NSIGHTLENS_CEILINGS"
"""Environment variable: the file to use, or ``none`` for none."""
NONE = "none"
_OPTION: ContextVar[str | None] = ContextVar("ceilings", default=None)


@contextmanager
def using(named: str) -> Iterator[None]:
    """Take the ceilings of this file, or with ``none`` no measured ones, whatever the environment names.

    Raises
    ------
    UsageError
        If it is no file of ceilings.
    """
    if not named:
        raise UsageError("names no file", where="--ceilings", remedy=f"{MEASURE} -o FILE makes one")
    token = _OPTION.set(named)
    find_ceilings.cache_clear()
    try:
        named_ceilings()
        yield
    finally:
        _OPTION.reset(token)
        find_ceilings.cache_clear()


def passed_over(gpus: Collection[str]) -> tuple[str, ...]:
    """Return a note if a file of ceilings was named that is of none of these GPUs."""
    named = named_ceilings()
    if named is None or not gpus or named.gpu in gpus:
        return ()
    return (f"the ceilings that were named are those of {named.gpu}, and serve none of these launches",)


def named_ceilings() -> Measured | None:
    """Return the ceilings of the file that ``using`` or the environment names, None without one.

    Raises
    ------
    UsageError
        If it is none.
    """
    named = _named()
    return None if named in {None, "", NONE} else read_ceilings(Path(str(named)))


def _named() -> str | None:
    option = _OPTION.get()
    return os.environ.get(VARIABLE) if option is None else option


@cache
def find_ceilings(gpu: str) -> Measured | None:
    """Return the ceilings of a GPU of this name: of the file that was named, the user's newest, or ours.

    Raises
    ------
    UsageError
        If a file was named that is none.
    """
    if _named() is not None:
        measured = named_ceilings()
        return measured if measured is not None and measured.gpu == gpu else None
    return next((found for found in (*_users(), *_shipped()) if found.gpu == gpu), None)


def _users() -> Iterator[Measured]:
    paths = folder().glob("*.json") if folder().is_dir() else ()
    for path in sorted(paths, key=_age):
        try:
            yield read_ceilings(path)
        except UsageError:
            continue


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:  # a link to nothing, or taken away meanwhile: reading it says so
        return 0.0


def _shipped() -> Iterator[Measured]:
    shipped = resources.files("nsightlens.data") / "ceilings"
    for entry in shipped.iterdir() if shipped.is_dir() else ():
        if entry.name.endswith(".json"):
            yield parsed(entry.read_text(encoding="utf-8"))

"""Ceilings measured on a GPU: one JSON file for each GPU, driver and clock, found again by the GPU's name.

Bandwidths in byte/s, throughputs in FLOP/s (int8: operations per second), clocks in Hz.
"""

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from nsightlens.errors import UsageError
from nsightlens.files import require_writable, write_atomically

SCHEMA = "nsightlens.ceilings/1"
VARIABLE = "NSIGHTLENS_CEILINGS"
"""Environment variable: the file to use, or ``none`` for none."""
NONE = "none"
_WGMMA = {"hgmma": "hmma", "igmma": "imma", "qgmma": "qmma"}
"""Instruction family of wgmma to that of mma.sync."""
_OPTION: ContextVar[str | None] = ContextVar("ceilings", default=None)
MEASURE = "nsightlens ceilings"
_MAX_BYTES = 1 << 20
_BEYOND = 1e24
"""No rate or clock comes near this."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured ceilings of one GPU.

    Attributes
    ----------
    gpu
        The device's name.
    values
        Name, such as ``dram_copy_bytes_per_s`` or ``tensor_fp16_hmma_flop_per_s``, to the rate.
    sm_clock_hz
        Name to the clock of the multiprocessors while it was measured; absent where unknown.
    conditions
        Driver, CUDA, memory clock, date, spread: what a reader wants to know.
    """

    gpu: str
    values: Mapping[str, float]
    sm_clock_hz: Mapping[str, float] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)

    def at_clock(self, name: str, clock_hz: float) -> float | None:
        """Return a throughput at another clock of the multiprocessors (it is so much a cycle), None if not measured."""
        value, measured_hz = self.values.get(name), self.sm_clock_hz.get(name)
        if value is None or measured_hz is None or not clock_hz > 0:
            return value
        return value * clock_hz / measured_hz

    def dram_bytes_per_s(self, read_share: float) -> float | None:
        """Return the bandwidth of device memory for a mix of reads and writes, between write, copy and read alone.

        Parameters
        ----------
        read_share
            Bytes read over bytes moved, in 0...1; the answer is None for anything else.
        """
        if not 0 <= read_share <= 1:
            return None
        low, high = ("write", "copy") if read_share < 0.5 else ("copy", "read")  # noqa: PLR2004
        ends = [self.values.get(f"dram_{kind}_bytes_per_s") for kind in (low, high)]
        if ends[0] is None or ends[1] is None:
            return self.values.get("dram_copy_bytes_per_s")
        # Times add, not rates: a byte read and a byte written each take their own time.
        part = 2 * read_share % 1 if read_share < 1 else 1.0
        return 1 / ((1 - part) / ends[0] + part / ends[1])


def true_ceilings(rates: Mapping[str, float]) -> dict[str, float]:
    """Return the rates without those of wgmma that lie below mma.sync of the same type.

    A matrix product of the vendor stands for wgmma. Where it is the slower one it is no ceiling, and the report's own
    serves.
    """
    return {name: rate for name, rate in rates.items() if rate >= rates.get(_mma_sync_of(name), 0.0)}


def _mma_sync_of(name: str) -> str:
    return "_".join(_WGMMA.get(word, word) for word in name.split("_"))


def read_ceilings(path: Path) -> Measured:
    """Read a file of ``nsightlens ceilings``.

    Raises
    ------
    UsageError
        If it cannot be read or is none.
    """
    try:
        if path.exists() and not path.is_file():
            raise UsageError("is no ordinary file", where=str(path), remedy=f"{MEASURE} -o FILE")
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise UsageError("is too large for a file of ceilings", where=str(path), remedy=f"{MEASURE} -o FILE")
        return _parsed(data.decode())
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy=f"{MEASURE} -o FILE") from error
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise UsageError("holds no ceilings", where=str(path), remedy=f"{MEASURE} -o FILE") from error


def write_ceilings(measured: Measured, path: Path | None = None, *, force: bool = False) -> Path:
    """Write the file, where ``find_ceilings`` looks for it if no path is given, and return where it is."""
    if path is None:
        path, force = ready_folder() / _file_name(measured), True
    text = json.dumps({"schema": SCHEMA, **asdict(measured)}, indent=1)
    write_atomically(path, f"{text}\n".encode(), force=force)
    return path


def ready_folder() -> Path:
    """Return the user's folder of ceilings, which is made if it is not there.

    Raises
    ------
    UsageError
        If it cannot be made or written into.
    """
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot be made: {error.strerror}"
        raise UsageError(message, where=str(folder), remedy="name a file with -o") from error
    require_writable(folder)
    return folder


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
    folder = _folder()
    paths = folder.glob("*.json") if folder.is_dir() else ()
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
    folder = files("nsightlens.data") / "ceilings"
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name.endswith(".json"):
            yield _parsed(entry.read_text(encoding="utf-8"))


def _parsed(text: str) -> Measured:
    found = json.loads(text)
    if found["schema"] != SCHEMA or not isinstance(found["gpu"], str) or not isinstance(found["conditions"], dict):
        raise ValueError(SCHEMA)
    if not found["values"]:
        raise ValueError("no rates")
    return Measured(
        found["gpu"], true_ceilings(_positive(found["values"])), _positive(found["sm_clock_hz"]), found["conditions"]
    )


def _positive(numbers: object) -> dict[str, float]:
    if not isinstance(numbers, dict):
        raise TypeError("no table of rates")
    found = {str(name): float(value) for name, value in numbers.items()}
    if not all(0 < value < _BEYOND for value in found.values()):
        raise ValueError("a rate that none can be")
    return found


def _folder() -> Path:
    return platformdirs.user_data_path("nsightlens") / "ceilings"


def _file_name(measured: Measured) -> str:
    clock = measured.conditions.get("max_sm_clock_hz")
    shown = f"{clock / 1e6:.0f}MHz" if isinstance(clock, int | float) else "unknown-clock"
    words = (measured.gpu, measured.conditions.get("driver_version", "unknown-driver"), shown)
    return f"{'-'.join(re.sub('[^A-Za-z0-9.]+', '_', str(word)) for word in words)}.json"

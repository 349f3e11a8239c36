"""Files of measured ceilings: one JSON file for each GPU, driver and clock."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import platformdirs

from nsightlens.errors import UsageError
from nsightlens.files import require_writable, write_atomically
from nsightlens.measured.rates import Measured, true_ceilings

SCHEMA = "nsightlens.ceilings/1"
MEASURE = "nsightlens ceilings"
_MAX_BYTES = 1 << 20
_BEYOND = 1e24
"""No rate or clock comes near this."""


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
        return parsed(data.decode())
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
    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot be made: {error.strerror}"
        raise UsageError(message, where=str(place), remedy="name a file with -o") from error
    require_writable(place)
    return place


def parsed(text: str) -> Measured:
    """Return what the text of such a file holds.

    Raises
    ------
    ValueError, TypeError, KeyError
        If it holds no ceilings.
    """
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


def folder() -> Path:
    """Return where the user's files lie; it need not be there."""
    return platformdirs.user_data_path("nsightlens") / "ceilings"


def _file_name(measured: Measured) -> str:
    clock = measured.conditions.get("max_sm_clock_hz")
    shown = f"{clock / 1e6:.0f}MHz" if isinstance(clock, int | float) else "unknown-clock"
    words = (measured.gpu, measured.conditions.get("driver_version", "unknown-driver"), shown)
    return f"{'-'.join(re.sub('[^A-Za-z0-9.]+', '_', str(word)) for word in words)}.json"

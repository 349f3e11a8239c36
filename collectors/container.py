r"""The container of a ``.ncu-rep`` file: a walk over its blocks, without NVIDIA's library.

Layout, the same from 2019 to 2025: ``NVR\0``, a u32 length, a file header, then until the end of the file blocks of a
u32 length, a block header (protobuf) and a payload. The library reports no damage; this walk does, and it
finds what the library does not expose: process ids, the command line, and the versions of ncu, CUDA and driver.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from mmap import mmap
from typing import Any

MAGIC = b"NVR\0"

_SESSION, _PAYLOAD_SIZE, _PROCESS = 3, 5, 6
_RESULT_COUNTS = (2, 7, 9)  # kernels, ranges, graphs
_FACT, _COMMAND_LINE, _DEVICE = 8, 11, 6
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MAX_VARINT_BITS = 70
_LENGTH_BYTES = 4


class DamageError(ValueError):
    """The bytes are not what the layout promises."""


@dataclass
class Container:
    """What the walk found. ``end`` is the offset after the last whole block, ``size`` the file's length."""

    size: int
    end: int = 0
    results: int = 0
    process_ids: list[int | None] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    devices: list[str] = field(default_factory=list)
    command_line: str | None = None
    damage: str | None = None


def walk(data: mmap | bytes) -> Container:
    """Walk over all blocks of a report.

    Returns
    -------
    Container
        With ``damage`` set, and everything before it kept, if the walk does not end where the file ends.
    """
    found = Container(size=len(data))
    try:
        for header, end in _blocks(data):
            _note(found, header)
            found.end = end
    except (DamageError, struct.error) as error:
        found.damage = str(error)
    return found


def _blocks(data: mmap | bytes) -> Iterator[tuple[dict[int, Any], int]]:
    position = 8 + _length(data, 4)
    while position < len(data):
        start = position + 4
        if _length(data, position) == 0:
            raise DamageError(f"the block at byte {position} has no header")
        payload = start + _length(data, position)
        if payload > len(data):
            raise DamageError(f"the block at byte {position} is cut")
        header = _message(data[start:payload])
        size = header.get(_PAYLOAD_SIZE, 0)
        if not isinstance(size, int) or payload + size > len(data):
            raise DamageError(f"the block at byte {position} is cut")
        position = payload + size
        yield header, position
    if position != len(data):
        raise DamageError("the file header is cut")


def _length(data: mmap | bytes, position: int) -> int:
    if position + 4 > len(data):
        raise DamageError(f"the block at byte {position} is cut")
    length: int = struct.unpack_from("<I", data, position)[0]
    return length


def _note(found: Container, header: dict[int, Any]) -> None:
    results = _results(header)
    process = header.get(_PROCESS)
    process_id = _message(process).get(1) if isinstance(process, bytes) else None
    session = header.get(_SESSION)
    if isinstance(session, bytes):
        _note_session(found, session)
    found.process_ids += [process_id if isinstance(process_id, int) else None] * results
    found.results += results


def _results(header: dict[int, Any]) -> int:
    counts = [header.get(number, 0) for number in _RESULT_COUNTS]
    results = sum(count for count in counts if isinstance(count, int))
    held = header.get(_PAYLOAD_SIZE, 0) // _LENGTH_BYTES  # each result stands in the payload behind its length
    if results > held or not all(isinstance(count, int) for count in counts):
        raise DamageError("a block header does not parse")
    return results


def _note_session(found: Container, session: bytes) -> None:
    for number, value in _fields(session):
        if number == _FACT and isinstance(value, bytes):
            fact = _message(value)
            found.facts[_text(fact.get(1))] = _text(fact.get(2))
        elif number == _COMMAND_LINE and isinstance(value, bytes):
            found.command_line = _text(value)
        elif number == _DEVICE and isinstance(value, bytes):
            found.devices.append(_text(_message(value).get(2)))


def _text(value: object) -> str:
    return value.decode("utf-8", "replace").rstrip("\0") if isinstance(value, bytes) else ""


def _message(data: bytes) -> dict[int, Any]:
    return dict(_fields(data))


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        kind = key & 7
        value: int | bytes
        if kind == _VARINT:
            value, position = _varint(data, position)
        elif kind in (_BYTES, _FIXED32, _FIXED64):
            length, position = (
                _varint(data, position) if kind == _BYTES else ({_FIXED32: 4, _FIXED64: 8}[kind], position)
            )
            value, position = data[position : position + length], position + length
        else:
            raise DamageError("a block header does not parse")
        if position > len(data):
            raise DamageError("a block header is cut")
        yield key >> 3, value


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while shift < _MAX_VARINT_BITS:
        if position >= len(data):
            raise DamageError("a block header is cut")
        byte = data[position]
        value |= (byte & 127) << shift
        position += 1
        shift += 7
        if byte < 128:  # noqa: PLR2004
            return value, position
    raise DamageError("a block header does not parse")

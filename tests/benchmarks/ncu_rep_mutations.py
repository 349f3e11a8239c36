"""Ways to damage a ``.ncu-rep`` file."""

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A whole report: its bytes, where its blocks end, and the times of its launches in ns."""

    data: bytes
    ends: list[int]
    times_ns: list[float]


def _cut(source: Source, dice: random.Random) -> bytes:
    return source.data[: dice.randrange(4, len(source.data))]


def _cut_at_block(source: Source, dice: random.Random) -> bytes:
    return source.data[: dice.choice(source.ends[:-1])]


def _flip(source: Source, dice: random.Random) -> bytes:
    data = bytearray(source.data)
    for _ in range(dice.choice([1, 1, 1, 2, 8, 40])):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def _delete(source: Source, dice: random.Random) -> bytes:
    at = dice.randrange(len(source.data))
    return source.data[:at] + source.data[at + dice.choice([1, 2, 4, 64, 4096]) :]


def _insert(source: Source, dice: random.Random) -> bytes:
    at = dice.randrange(len(source.data) + 1)
    return source.data[:at] + dice.randbytes(dice.choice([1, 2, 4, 64, 4096])) + source.data[at:]


def _length(source: Source, dice: random.Random) -> bytes:
    """Change the length of a block header, or of one of the first entries of a payload."""
    at, end = dice.choice([(4, 8), *zip(source.ends, source.ends[1:], strict=False)])
    if at > 4 and dice.random() < 0.5:
        payload = at + 4 + int.from_bytes(source.data[at : at + 4], "little")
        at = payload if payload + 4 <= end else at
    old = int.from_bytes(source.data[at : at + 4], "little")
    new = dice.choice([0, 1, old - 1, old + 1, old ^ (1 << dice.randrange(32)), 1 << 31, (1 << 32) - 1])
    return source.data[:at] + (new % (1 << 32)).to_bytes(4, "little") + source.data[at + 4 :]


def _blocked(change: Callable[[list[bytes], random.Random], object]) -> Callable[[Source, random.Random], bytes]:
    def changed(source: Source, dice: random.Random) -> bytes:
        blocks = [source.data[a:b] for a, b in zip(source.ends, source.ends[1:], strict=False)]
        change(blocks, dice)
        return source.data[: source.ends[0]] + b"".join(blocks)

    return changed


def _duplicate(blocks: list[bytes], dice: random.Random) -> None:
    blocks.insert(dice.randrange(len(blocks) + 1), dice.choice(blocks))


def _remove(blocks: list[bytes], dice: random.Random) -> None:
    del blocks[dice.randrange(len(blocks))]


def _reorder(blocks: list[bytes], dice: random.Random) -> None:
    blocks.insert(dice.randrange(len(blocks)), blocks.pop(dice.randrange(len(blocks))))


def _twice(source: Source, dice: random.Random) -> bytes:
    return source.data + source.data[: dice.choice([4, 10, len(source.data)])]


def _line_ends(source: Source, dice: random.Random) -> bytes:
    at = dice.choice([0, 0, dice.randrange(len(source.data))])
    ends = dice.choice([(b"\n", b"\r\n"), (b"\r\n", b"\n"), (b"\r", b"\n")])
    return source.data[:at] + source.data[at:].replace(*ends)


MUTATIONS = {
    "cut inside a block": _cut,
    "cut between blocks": _cut_at_block,
    "bits flipped": _flip,
    "bytes deleted": _delete,
    "bytes inserted": _insert,
    "length changed": _length,
    "block duplicated": _blocked(_duplicate),
    "block removed": _blocked(_remove),
    "block moved": _blocked(_reorder),
    "concatenated": _twice,
    "line ends converted": _line_ends,
}
WELL_FORMED = {"cut between blocks", "block duplicated", "block removed"}
"""After these every block is whole, and a report holds no number of its blocks."""

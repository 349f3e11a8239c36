"""What is counted of the launches of each table, and which tables hold the same launches again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nsightlens.collectors.text.entry import Entry
from nsightlens.collectors.text.header import DETAILS, METRICS, RAW

_RANK = {RAW: 3, METRICS: 2, DETAILS: 1}


@dataclass(slots=True)
class Tally:
    """What was counted of the launches of one table."""

    format: str = ""
    process_ids: list[int | None] = field(default_factory=list)
    launches: int = 0
    counted: bool = True
    keys: int = 0
    contents: int = 0
    keyed: bool = True

    def add(self, entry: Entry) -> None:
        """Count one launch."""
        self.process_ids.append(entry.process_id)
        self.launches += entry.invocations or 1
        self.counted &= entry.invocations is not None
        self.keyed &= entry.process_id is not None and entry.number is not None
        self.keys += hash((entry.process_id, entry.number, entry.name))
        self.contents += hash(tuple(entry.cells))


def repeated(tallies: Sequence[Tally]) -> set[int]:
    """Return the tables (counted from 1) whose launches stand in another one too.

    The same page twice must agree in every value: process ids and launch numbers alone come again in every container.
    """
    out: set[int] = set()
    for later, tally in enumerate(tallies, 1):
        for earlier, other in enumerate(tallies[: later - 1], 1):
            if {earlier, later} & out or not _same(tally, other):
                continue
            if tally.format != other.format:
                out.add(earlier if _RANK.get(tally.format, 0) > _RANK.get(other.format, 0) else later)
            elif tally.contents == other.contents:
                out.add(later)
    return out


def _same(one: Tally, other: Tally) -> bool:
    return (
        bool(one.process_ids)
        and one.keyed
        and other.keyed
        and len(one.process_ids) == len(other.process_ids)
        and (one.keys == other.keys)
    )

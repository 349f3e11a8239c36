"""What every scanner of a text format gives: one launch with its texts, not yet converted."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

INSIDE = "the file ends inside a row; the last launch is left out"
BROKEN = "a row in the file is cut; its launch is left out"
UNENDED = "the file does not end with a line break: it may be cut, and a last value without quotes was left out"
FEWER = "the last launch holds fewer counters than the one before: the file may be cut"

MOST_LABELS = 1000

Cell = tuple[str, str, str]
"""Counter, unit and value, as printed."""


@dataclass(slots=True)
class Entry:
    """One launch, or one row of a summary, as it stands in the file.

    Attributes
    ----------
    name
        Kernel name as printed.
    cells
        Counter, unit and value of each number, as printed.
    process_id
        Process that launched it.
    number
        Launch number (column ID) within its process.
    facts
        Counters that follow from the heading rather than from a number: grid, block, stream, device.
    nvtx
        Ranges around the launch, as the reader of reports gives them.
    invocations
        Launches that the values are averages over: 1 for a launch itself, None if the file does not say how many.
    stream
        Stream as printed; ``n/a`` for a range.
    table
        Which table of the file it stands in.
    """

    name: str
    cells: list[Cell] = field(default_factory=list)
    process_id: int | None = None
    number: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    nvtx: list[dict[str, Any]] = field(default_factory=list)
    invocations: int | None = 1
    stream: str | None = None
    table: int = 0


@dataclass(slots=True)
class Findings:
    """What the scanners have to tell beside the launches.

    Attributes
    ----------
    damage
        Where and how the file is cut; None if it is whole.
    suspicions
        Why launches may be missing although nothing is visibly cut.
    notes
        Decisions that a reader of the result should know, in order, each once.
    unmapped
        Labels of the details page that stand for no counter known here.
    scattered
        Whether the rows of some launch do not stand together.
    domains
        NVTX domains of a summary by NVTX range.
    """

    damage: str | None = None
    suspicions: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    unmapped: dict[str, None] = field(default_factory=dict)
    scattered: bool = False
    domains: dict[str, None] = field(default_factory=dict)

    def leave_out(self, label: str) -> None:
        """Record a label that stands for no counter known here."""
        if len(self.unmapped) < MOST_LABELS:
            self.unmapped[label] = None

    def cut(self, where: str) -> None:
        """Record damage; the first one counts."""
        self.damage = self.damage or where


class Table(Protocol):
    """What reads one table or page, line by line; its ``format`` is known for sure once it was read."""

    @property
    def format(self) -> str:
        """Name of the format."""

    def feed(self, line: str) -> Iterator[Entry]:
        """Take one line and yield the launches that it completes."""

    def close(self, *, ended: bool | None = None) -> Iterator[Entry]:
        """End the table and yield what is left.

        Parameters
        ----------
        ended
            None if other lines follow; otherwise the file ends here, and False if it stops within the last line.
        """

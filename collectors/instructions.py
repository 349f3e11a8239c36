"""What is counted for the single instructions of some launches: read on demand, since it costs time and memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsightlens.collectors.ncu_rep import MAX_BYTES, Reading

BATCH = 32
"""Launches that one child reads: the library keeps 15 to 75 MB for each that is disassembled."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a launch.

    Attributes
    ----------
    pc
        Its address.
    sass
        Its text; ``None`` where the machine code is not in the report or the library does not know the chip.
    file, line
        Where in the source it comes from; ``None`` without line information.
    counters
        Counter to value, over the whole launch.
    """

    pc: int
    sass: str | None
    file: str | None
    line: int | None
    counters: Mapping[str, float]


class _Instructions(Reading):
    """A report of which the instructions of some launches are being read."""

    def __init__(self, path: Path, launches: Sequence[int], counters: Sequence[str], **options: Any) -> None:  # noqa: ANN401
        super().__init__(path, **options, more={"launches": list(launches), "instructions": list(counters)})

    def found(self) -> dict[int, tuple[Instruction, ...]]:
        """Wait for the child and return position of the launch to its instructions.

        Raises
        ------
        ReportError
            If the file changed meanwhile, or ended or outlasted the child.
        """
        try:
            with self._answer.open(encoding="utf-8") as answer:
                lines = list(self._lines(answer))
            if self._child.returncode:
                raise self._crash()
        finally:
            self.close()
        return {line["launch"]: tuple(_rows(line)) for line in lines if "rows" in line}


def read_instructions(
    path: Path,
    launches: Sequence[int],
    counters: Sequence[str],
    *,
    keep_going: bool = False,
    max_bytes: int | None = None,
) -> dict[int, tuple[Instruction, ...]]:
    """Return the instructions of some launches of a report, in the order of their addresses.

    Parameters
    ----------
    path
        The report, plain or compressed.
    launches
        Positions in the file.
    counters
        What to read of each instruction; what a launch does not have stays out.
    keep_going
        Read what is whole of a damaged report.
    max_bytes
        Unpacking stops at this size; 1 GiB if not given.

    Raises
    ------
    ReportError
        If the report cannot be read.
    UsageError
        If there is no folder for temporary files.
    """
    size = MAX_BYTES if max_bytes is None else max_bytes
    found: dict[int, tuple[Instruction, ...]] = {}
    for start in range(0, len(launches), BATCH):
        batch = launches[start : start + BATCH]
        found |= _Instructions(path, batch, counters, keep_going=keep_going, max_bytes=size).found()
    return found


def _rows(table: Mapping[str, Any]) -> Iterator[Instruction]:
    for pc, sass, file, line, *values in table["rows"]:
        counted = {name: value for name, value in zip(table["counters"], values, strict=True) if value is not None}
        yield Instruction(pc, sass, None if file is None else table["files"][file], line, counted)

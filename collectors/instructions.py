"""What is counted for the single instructions of some launches: read on demand, since it costs time and memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsightlens.collectors.ncu_rep import MAX_BYTES, Reading


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
        self._launches = launches
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
        tables = (line for line in lines if "results" not in line and "end" not in line)
        return {launch: tuple(_rows(table)) for launch, table in zip(self._launches, tables, strict=False)}


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
    return _Instructions(path, launches, counters, keep_going=keep_going, max_bytes=size).found()


def _rows(table: dict[str, Any]) -> Iterator[Instruction]:
    names, files = table.get("counters", ()), table.get("files", ())
    for pc, sass, file, line, *values in table.get("rows", ()):
        counted = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        yield Instruction(pc, sass, None if file is None else files[file], line, counted)

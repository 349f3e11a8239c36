"""Where losses lie, in words: a line for each larger loss of which an instruction is known; safe text."""

from collections.abc import Iterator

from nsightlens.analysis.attribution import opcode
from nsightlens.analysis.result import LaunchResult, Place
from nsightlens.text import printable
from nsightlens.units import percent

_WORTH_A_LINE = 0.05
_FILE, _OPCODE, _SASS = 24, 17, 46
"""With the longest names of causes a place fits into a line of 80 columns."""


def places(launch: LaunchResult) -> Iterator[str]:
    """Yield, of each larger loss that lies in instructions, the place with the largest share."""
    for loss in launch.losses or ():
        if loss.where and loss.share >= _WORTH_A_LINE:
            place = loss.where[0]
            yield f"{loss.cause}: {percent(place.share, 0)} {_where(place)}"


def _where(place: Place) -> str:
    if place.file is None:
        return printable(place.sass or "", _SASS)
    line = f"{printable(_base(place.file), _FILE)}:{place.line}"
    return f"{line} {printable(opcode(place.sass), _OPCODE)}".rstrip()


def _base(file: str) -> str:
    """Return the name of a file without its folders, whichever way they are written."""
    return file.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or file

"""What an answer holds, the same for every model; how it is shown is the business of ``report``."""

from dataclasses import dataclass

from nsightlens.units import NOT_MEASURED, seconds, si, significant

Value = float | int | str | bool | None
_DIGITS = 5
_GIGA = 1e9
_SHORT = 3
_PREFIXED = {"FLOP/s": "FLOP/s", "byte/s": "B/s", "Hz": "Hz", "FLOP": "FLOP"}


@dataclass(frozen=True, slots=True)
class Fact:
    """A number with its name (unit in it), the words for it, and its unit; ``None`` if it does not apply."""

    name: str
    label: str
    value: Value
    unit: str = ""

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return shown(self.value, self.unit)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a listing: name (unit in it), header, unit.

    With ``bare`` digits, cells leave their unit to the title or to another column.
    """

    name: str
    head: str
    unit: str = ""
    bare: int = 0

    def cell(self, value: Value) -> str:
        """Return a value as it stands in this column."""
        if self.bare and isinstance(value, bool):
            return "yes" if value else ""
        if self.bare and isinstance(value, float):
            return _trimmed(si(value, "", self.bare)) if self.bare > _SHORT else si(value, "", self.bare)
        return shown(value, self.unit)


@dataclass(frozen=True, slots=True)
class Listing:
    """A table that belongs to an answer."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer.

    Attributes
    ----------
    model
        ``gpus``, ``intensity``, ``tensor`` or ``stencil``.
    subject
        What was asked about, in words.
    given, results
        What went in, and what came out.
    verdict
        The conclusion in a sentence; empty if there is none to draw.
    reasoning, assumptions, cautions
        Sentences: why; what must hold; what is uncertain in the numbers used.
    """

    model: str
    subject: str
    given: tuple[Fact, ...] = ()
    results: tuple[Fact, ...] = ()
    listings: tuple[Listing, ...] = ()
    verdict: str = ""
    reasoning: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()


def shown(value: Value, unit: str = "") -> str:
    """Return a value with its unit, such as ``4.8 TB/s``; a dash if there is none."""
    if value is None:
        return NOT_MEASURED
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else _number(value, unit)


def _number(value: float, unit: str) -> str:
    if unit == "s":
        return _trimmed(seconds(value, _DIGITS))
    if unit == "St/s":  # always in GSt/s, as the field has it
        return f"{_trimmed(significant(value / _GIGA, _DIGITS))} G{unit}"
    if unit in _PREFIXED:
        return _trimmed(si(value, _PREFIXED[unit], _DIGITS))
    number = str(value) if isinstance(value, int) else _trimmed(significant(value, _DIGITS))
    return f"{number} {unit}".rstrip()


def _trimmed(text: str) -> str:
    """Return a number without the zeros that say nothing: ``4.8 TB/s`` for ``4.8000 TB/s``."""
    number, blank, unit = text.partition(" ")
    if "." in number and "e" not in number:
        number = number.rstrip("0").rstrip(".")
    return number + blank + unit

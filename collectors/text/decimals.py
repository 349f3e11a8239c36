"""Which decimal separator a file uses: judged by all its numbers together, never by one."""

import re
from dataclasses import dataclass, field

from nsightlens.collectors.text.numbers import COMMA, POINT, is_number, number
from nsightlens.errors import ReportError, UsageError

AUTO = "auto"
_SHAPE = re.compile(r"[+-]?[\d.,]+([eE][+-]?\d+)?", re.ASCII)
_GROUP = 3
_PRINT = "print again with: ncu --print-units base --page raw --csv"
_ASK = f"say how it is written: --decimal point or --decimal comma; or {_PRINT}"
_AGAIN = f"{_PRINT}; or say which of them to read: --decimal point or --decimal comma"
_OTHER = {POINT: COMMA, COMMA: POINT}
_NAMES = {POINT: "decimal points", COMMA: "decimal commas"}
_COUNT_UNITS = frozenset({"inst", "sector", "request", "thread", "byte", "ns", "nsecond"})
_WHOLE_NAMES = frozenset(
    {"launch__grid_size", "launch__block_size", "launch__thread_count", "gpu__time_duration.sum", "gpu__time_duration"}
)
_WHOLE_LABELS = frozenset({"Duration", "Grid Size", "Block Size", "Threads", "Executed Instructions"})


@dataclass(slots=True)
class Decimals:
    """What the numbers seen so far say; each field holds the first example of its kind.

    Attributes
    ----------
    shown
        Decimal separator to a number that shows it by its form, such as ``65,77``.
    grouped
        Decimal separator to a whole number whose other separator groups its digits, such as ``117.344`` ns.
    percent
        A percentage that could be either.
    unsure
        Another number that could be either.
    """

    shown: dict[str, str] = field(default_factory=dict)
    grouped: dict[str, str] = field(default_factory=dict)
    percent: str | None = None
    unsure: str | None = None

    def see(self, text: str, unit: str, *, whole: bool) -> None:
        """Take one printed number into account.

        Parameters
        ----------
        text
            The number as it stands in the file.
        unit
            Its unit as printed.
        whole
            Whether the quantity can only be a whole number in this unit.
        """
        known = next(iter(self.shown), None)
        if len(self.shown) > 1 or (known is not None and not whole and is_number(text, known)):
            return  # nothing new: most numbers end here
        verdict = decimal_of(text)
        if verdict == AUTO:
            self._see_either(text, unit, whole=whole)
        elif verdict is not None:
            self.shown.setdefault(verdict, text)

    def _see_either(self, text: str, unit: str, *, whole: bool) -> None:
        if whole:
            self.grouped.setdefault(COMMA if "." in text else POINT, f"{text} {unit}".strip())
        elif unit == "%":
            self.percent = self.percent or text
        else:
            self.unsure = self.unsure or text

    def decide(self, asked: str | None = None) -> tuple[str, str | None]:
        """Return the separator of the file, and why where a reader of the result should know.

        Parameters
        ----------
        asked
            What the user says it is; judged by the numbers if None.

        Raises
        ------
        ReportError
            If the numbers contradict each other, or say too little.
        """
        if asked is not None:
            return asked, self._against(asked)
        said = {**self.grouped, **self.shown}
        if len(said) > 1:
            examples = " and ".join(said[mark] for mark in (POINT, COMMA))
            raise ReportError(f"decimal points and decimal commas are mixed: {examples}", remedy=_AGAIN)
        if self.shown:
            mark, example = next(iter(self.shown.items()))
            return mark, f"{_NAMES[mark]}: decided by {example}" if mark == COMMA else None
        if self.grouped:
            mark, why = _judged(*next(iter(self.grouped.items())))
            return mark, why if mark == COMMA else None
        return self._from_little()

    def _against(self, asked: str) -> str | None:
        """Return what to say about a separator that was asked for: it may contradict some of the numbers, not all."""
        other = self.shown.get(_OTHER[asked])
        if other is not None and asked not in self.shown:
            message = f"all numbers that tell have {_NAMES[_OTHER[asked]]}, such as {other}"
            raise ReportError(message, remedy=f"leave out --decimal {asked}")
        if other:
            return f"{_NAMES[asked]}: as asked for; numbers such as {other} cannot be read so and were left out"
        return f"{_NAMES[asked]}: as asked for"

    def _from_little(self) -> tuple[str, str | None]:
        if self.percent:
            # A share of several thousand per cent is not to be expected, three decimals are.
            return _judged(POINT if "." in self.percent else COMMA, f"{self.percent} %")
        if self.unsure:
            raise ReportError(
                f"{self.unsure} can be read in two ways, with a decimal separator or without, and nothing decides",
                remedy=_ASK,
            )
        return POINT, None


def require_mark(decimal: str | None) -> None:
    """Raise ``UsageError`` unless ``decimal`` is ``point``, ``comma`` or None."""
    if decimal not in {POINT, COMMA, None}:
        raise UsageError(f"no such decimal separator: {decimal}", where="--decimal", remedy="point or comma")


def _judged(mark: str, example: str) -> tuple[str, str]:
    return mark, f"{_NAMES[mark]}: decided by {example}; if they are not, add --decimal {_OTHER[mark]}"


def decimal_of(text: str) -> str | None:
    """Return the decimal separator that a printed number shows; ``auto`` if it could be either, None if it has none."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        return None
    digits = text.lstrip("+-")
    commas, points = digits.count(","), digits.count(".")
    if not commas and not points:
        return None
    if commas and points:
        return _of_both(digits, commas, points)
    if commas + points > 1:
        mark = POINT if commas else COMMA
        return mark if isinstance(number(digits, mark), int) else None
    head, _, tail = digits.replace(",", ".").partition(".")
    fraction = len(tail) != _GROUP or not 0 < len(head) <= _GROUP or head[0] == "0" or match[1]
    return (POINT if points else COMMA) if fraction else AUTO


def _of_both(digits: str, commas: int, points: int) -> str | None:
    last, often = (POINT, points) if digits.rfind(".") > digits.rfind(",") else (COMMA, commas)
    return last if often == 1 and isinstance(number(digits, last), float) else None


def whole(name: str, unit: str) -> bool:
    """Return whether a counter can only have whole values in this unit."""
    if name in _WHOLE_NAMES or name in _WHOLE_LABELS:
        return unit in {"", "ns", "nsecond", "thread", "inst"}
    return unit in _COUNT_UNITS and name.endswith(".sum") and not name.startswith("derived__")

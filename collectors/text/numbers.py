"""Numbers and units as profilers print them, in any locale."""

import math
import re
from functools import lru_cache

POINT, COMMA = "point", "comma"

_MISSING = frozenset({"n/a", "(!) n/a", "na", "no data", "<n/a>", "none", "null", "-"})
_SPECIAL = {"nan": math.nan, "-nan": math.nan, "(!) nan": math.nan, "nan(ind)": math.nan, "-nan(ind)": math.nan}
_INFINITE = {"inf": math.inf, "+inf": math.inf, "infinity": math.inf, "-inf": -math.inf, "-infinity": -math.inf}
_LONGEST = 64
_GROUPERS = "'\u2019_ \u00a0\u202f\u2009"
_DROP = {
    POINT: str.maketrans("", "", "," + _GROUPERS),
    COMMA: str.maketrans(",", ".", "." + _GROUPERS),
}


def _pattern(group: str, mark: str) -> re.Pattern[str]:
    whole = rf"\d{{1,3}}(?:[{group}{_GROUPERS}]\d{{3}})+|\d{{1,2}}(?:[{group}]\d\d)+[{group}]\d{{3}}|\d+"
    return re.compile(rf"[+-]?(?:(?:{whole})(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d{{1,4}})?", re.ASCII)


_NUMBER = {POINT: _pattern(",", r"\."), COMMA: _pattern(r"\.", ",")}

_PREFIXES = {"": 0, "K": 3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_TIMES = {
    **dict.fromkeys(("ns", "nsecond", "nseconds", "nanosecond"), -9),
    **dict.fromkeys(("us", "µs", "μs", "usecond", "useconds", "microsecond"), -6),
    **dict.fromkeys(("ms", "msecond", "mseconds", "millisecond"), -3),
    **dict.fromkeys(("s", "second", "seconds", "sec"), 0),
}
_WORD = re.compile(
    r"bytes?|B|[Hh]z|inst|sectors?|requests?|thread|warp|wavefront|cycle|block|sample|register|pass|cluster|SM"
    r"|flop|FLOP|ops?"
)
_BASE_TIME, _PERCENT = -9, 2


def is_number(text: str, decimal: str) -> bool:
    """Return whether a text is a number with this decimal separator."""
    return len(text) <= _LONGEST and _NUMBER[decimal].fullmatch(text) is not None


def number(text: str, decimal: str = POINT, exponent: int = 0) -> float | str | None:
    """Return the value of a printed number times a power of ten.

    Parameters
    ----------
    text
        The number, with or without separators between groups of digits.
    decimal
        Its decimal separator, ``point`` or ``comma``.
    exponent
        The power of ten of its unit.

    Returns
    -------
    float, str or None
        An integer if it is printed as one and ``exponent`` is 0; None for ``n/a``; the text itself if it is no number.
    """
    text = text.strip()
    if is_number(text, decimal):
        return _scaled(text.translate(_DROP[decimal]), exponent)
    lower = text.lower()
    if lower in _MISSING:
        return None
    return _SPECIAL.get(lower, _INFINITE.get(lower, text))


def _scaled(plain: str, exponent: int) -> float:
    if exponent == 0:
        return int(plain) if plain.lstrip("+-").isdigit() else float(plain)
    mantissa, _, power = plain.lower().partition("e")
    # Shifting the decimal exponent rounds once; a multiplication would round twice.
    return float(f"{mantissa}e{int(power or 0) + exponent}")


def main_value(text: str) -> str:
    """Return the value before the list of its instances, as in ``3,670 (32; 64; 64)``."""
    if text[-1:] != ")":
        return text
    return "" if text.startswith("(") else text.split(" (", 1)[0]


@lru_cache(maxsize=1 << 12)
def exponent_of(unit: str) -> int | None:
    """Return the power of ten from a printed unit to ncu's base unit (ns, byte, byte/s, hz, %); None if unknown.

    Counts without a prefix are base units whatever their name; a plain ratio becomes a percentage.
    """
    top, _, bottom = unit.strip().partition("/")
    over = _divisor(bottom)
    if top == "ratio":
        return _PERCENT
    if top in _TIMES:
        return _TIMES[top] - _BASE_TIME + over
    if top == "" or _WORD.fullmatch(top):
        return over
    if top[0] in _PREFIXES and _WORD.fullmatch(top[1:]):
        return _PREFIXES[top[0]] + over
    return None if top[0] in "KMGTP" and top[1:].isalpha() else over


def _divisor(bottom: str) -> int:
    return -_TIMES.get(bottom, 0)

"""The ranges in which the models hold: every function of this package refuses what lies outside, and says why."""

from math import isinf

from nsightlens.errors import ModelError


def positive(**values: float) -> None:
    """Refuse values that are not above 0, NaN, and infinity (but for an unlimited ``tc_ratio``).

    Raises
    ------
    ModelError
        Naming the first value that is not.
    """
    _demand(values, 0.0, "must be above 0", strict=True)


def not_negative(**values: float) -> None:
    """Refuse values below 0, NaN, and infinity.

    Raises
    ------
    ModelError
        Naming the first value that is.
    """
    _demand(values, 0.0, "must not be below 0")


def shares(**values: float) -> None:
    """Refuse values outside 0...1, and NaN.

    Raises
    ------
    ModelError
        Naming the first value that lies outside.
    """
    for name, value in values.items():
        if not 0 <= value <= 1:
            raise ModelError(f"{_words(name)} must lie in 0...1, not {value:.9g}")


def whole(**values: int) -> None:
    """Refuse values that are not whole numbers from 1.

    Raises
    ------
    ModelError
        Naming the first value that is not.
    """
    for name, value in values.items():
        if value != value // 1:
            raise ModelError(f"{_words(name)} must be a whole number, not {value}")
    _demand(values, 1, "must be at least 1")


_MAY_BE_UNLIMITED = frozenset({"tc_ratio"})


def _demand(values: "dict[str, float] | dict[str, int]", least: float, what: str, *, strict: bool = False) -> None:
    for name, value in values.items():
        if isinf(value) and name not in _MAY_BE_UNLIMITED:
            raise ModelError(f"{_words(name)} must be finite")
        if not (value > least or (value == least and not strict)):
            raise ModelError(f"{_words(name)} {what}, not {value:.9g}")


def _words(name: str) -> str:
    return name.replace("_", " ")

"""Which numbers of a launch, counted or declared, can be true."""

import sys
from typing import TypeGuard

_LEAST, _MOST = 1e-30, 1e30
"""No count, time, rate or share of a launch comes near these, but for 0."""


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether a value is a number that a float can hold; NaN and infinities are such numbers."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) <= sys.float_info.max)


def is_plausible(value: float) -> bool:
    """Tell whether a number of a launch can be true: finite, and not of an absurd size."""
    return value == 0 or _LEAST < abs(value) < _MOST


def is_amount(value: object) -> TypeGuard[int | float]:
    """Tell whether a value is a number that an amount can have: plausible, and not below 0."""
    return is_number(value) and is_plausible(value) and value >= 0

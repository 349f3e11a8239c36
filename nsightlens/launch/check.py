"""What a check of a machine says."""

import re
from dataclasses import dataclass

TRY = "nsightlens doctor --try"


@dataclass(frozen=True, slots=True)
class Check:
    """One check: ``ok``, ``warning`` or ``problem`` (profiling cannot work), what was found, and what mends it."""

    name: str
    status: str
    found: str
    remedy: str | None = None


def numbers(text: str | None) -> tuple[int, ...]:
    """Return the whole numbers in a text, such as those of a version."""
    return tuple(int(digits) for digits in re.findall(r"\d+", text or ""))

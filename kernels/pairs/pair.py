"""A kernel with a planted defect, and the same kernel without: what the defect costs is known from their times."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from nsightlens.kernels.workload import Workload

PACKAGE = "nsightlens.kernels.pairs"
Planted = frozenset[str]


@dataclass(frozen=True)
class Pair:
    """A kernel that can be had with and without each of its defects.

    Attributes
    ----------
    name
        What it is called.
    causes
        Causes of the ledger that can be planted: one, or two for a kernel of four variants.
    make
        From the causes that are planted and the number of multiprocessors to the workload. The variants compute the
        same from the same data; they differ in the defect alone.
    doc
        What is planted, and what stays.
    null
        Whether the defect lies on a resource that does not limit, so that it should cost nothing.
    short
        Whether the defect is that a launch is short: without it the launch does more of the same, and times count for
        each byte. Too short to be timed by events, so that its truth is taken from profiled durations.
    """

    name: str
    causes: tuple[str, ...]
    make: Callable[[Planted, int], Workload]
    doc: str
    null: bool = False
    short: bool = False

    def variants(self) -> list[Planted]:
        """Return the sets of planted causes, from none to all."""
        sizes = range(len(self.causes) + 1)
        return [frozenset(chosen) for size in sizes for chosen in combinations(self.causes, size)]


def label(planted: Planted) -> str:
    """Return the name of a variant: its causes in alphabetical order, or ``none``."""
    return "+".join(sorted(planted)) or "none"


def set_aside(name: str) -> bool:
    """Tell whether a pair is set aside: no rule of the ledger is written or tuned on it.

    Those whose name has an even SHA-256 (of its UTF-8 bytes, the digest read as a number).
    """
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0

"""Whether a release of Nsight Compute suits the driver, as far as the CUDA that it came with is known."""

from nsightlens.launch.check import Check, numbers
from nsightlens.launch.machine import Machine

Version = tuple[int, ...]
CAME_WITH: dict[Version, Version] = {
    (2021, 2): (11, 4),
    (2021, 3): (11, 5),
    (2022, 1): (11, 6),
    (2022, 2): (11, 7),
    (2022, 3): (11, 8),
    (2022, 4): (12, 0),
    (2023, 1): (12, 1),
    (2023, 2): (12, 2),
    (2023, 3): (12, 3),
    (2024, 1): (12, 4),
    (2024, 2): (12, 5),
    (2024, 3): (12, 6),
    (2025, 1): (12, 8),
    (2025, 2): (12, 9),
    (2025, 3): (13, 0),
    (2025, 4): (13, 1),
}
"""Releases and the CUDA Toolkit that they came with, from the labels of NVIDIA's conda packages."""
UPDATE = "update the driver, or use an older Nsight Compute with --ncu PATH"
INSTALL_NEWER = "install a newer Nsight Compute, or name one with --ncu PATH"


def versions(machine: Machine) -> Check:
    """Return the check: the major version of CUDA that ncu came with against that of the driver.

    A release that is not known lies between two that are, or before or after all: what follows from that is said, and
    no more.
    """
    theirs = numbers(machine.cuda_version)
    if machine.ncu_version is None or not theirs:
        return Check("versions", "ok", "nothing to compare")
    first, last = came_with(machine.ncu_version)
    text = f"ncu {machine.ncu_version} came with {_span(first, last)}, the driver runs CUDA {machine.cuda_version}"
    if first is not None and first[0] > theirs[0]:
        return Check("versions", "warning", text, UPDATE)
    if last is not None and last[0] < theirs[0]:
        return Check("versions", "warning", text, INSTALL_NEWER)
    return Check("versions", "ok", text)


def came_with(release: str) -> tuple[Version | None, Version | None]:
    """Return the earliest and the latest CUDA that a release can have come with; None where nothing bounds it."""
    ours = numbers(release)[:2]
    before = [cuda for known, cuda in CAME_WITH.items() if known <= ours]
    after = [cuda for known, cuda in CAME_WITH.items() if known >= ours]
    return (before[-1] if before else None), (after[0] if after else None)


def _span(first: Version | None, last: Version | None) -> str:
    low, high = (".".join(map(str, each or ())) for each in (first, last))
    if first == last:
        return f"CUDA {low}"
    if first is None:
        return f"a CUDA before {high}"
    return f"CUDA {low} or later" if last is None else f"a CUDA from {low} to {high}"

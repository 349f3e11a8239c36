"""Kernel names and launch geometry as CSV and text pages print them."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_THREE = re.compile(r"\(?\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)?")
_COUNT = re.compile(r"\d{1,3}(?:[.,'\u2019 \u00a0\u202f]\d{3}){1,5}|\d{1,18}", re.ASCII)
_CAPABILITY = re.compile(r"(\d+)[.,](\d+)")
_OPEN, _CLOSE = "<[", ">]"


@lru_cache(maxsize=4096)
def function_name(full: str) -> str:
    """Return the bare function name of a demangled kernel name: no return type, scope, template or parameters."""
    head = _before_parameters(full)
    bare = _without_trailing_brackets(head)
    bare = bare.rpartition("::")[2] if "::" in bare else bare
    if head != full:
        bare = bare.rpartition(" ")[2]
    cut = bare.find("<", 1)  # left open where the page has shortened the name
    return (bare[:cut] if cut > 0 else bare).lstrip("*&") or full


def _before_parameters(text: str) -> str:
    depth = 0
    for index, character in enumerate(text):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth = max(0, depth - 1)  # "<unnamed>::f" is printed as "unnamed>::f"
        elif character == "(" and depth == 0 and index and not _part_of_name(text, index):
            return text[:index].rstrip()
    return text


def _part_of_name(text: str, index: int) -> bool:
    return text.startswith("(anonymous", index) or text.endswith("operator", 0, index)


def _without_trailing_brackets(text: str) -> str:
    while text and text[-1] in _CLOSE:
        depth = 0
        for index in range(len(text) - 1, -1, -1):
            depth += (text[index] in _CLOSE) - (text[index] in _OPEN)
            if depth == 0:
                break
        if depth or index == 0:
            return text
        text = text[:index].rstrip()
    return text


def without_ranges(name: str, nvtx: Sequence[dict[str, Any]]) -> str:
    """Return a kernel name without the NVTX ranges that ncu may put before it (``rank 0/axpb``)."""
    for span in nvtx:
        for start in range(len(span["path"])):
            prefix = "/".join(span["path"][start:]) + "/"
            if name.startswith(prefix) and len(name) > len(prefix):
                return name[len(prefix) :]
    return name


def kind_of(name: str, stream: str | None) -> str:
    """Return kernel, range or graph; ranges and graphs are printed under these very names."""
    if name == "graph" or (name == "range" and stream in {None, "", "n/a"}):
        return name
    return "kernel"


def dimensions(stem: str, text: str) -> dict[str, int]:
    """Return the counters ``<stem>_dim_x`` to ``_z`` and ``<stem>_size`` from a text such as ``(256, 1, 1)``."""
    match = _THREE.fullmatch(text.strip())
    if match is None:
        return {}
    x, y, z = (int(group) for group in match.groups())
    return {f"{stem}_dim_x": x, f"{stem}_dim_y": y, f"{stem}_dim_z": z, f"{stem}_size": x * y * z}


def capability(text: str) -> dict[str, int]:
    """Return the compute capability as counters, from a text such as ``9.0``."""
    match = _CAPABILITY.fullmatch(text.strip())
    if match is None:
        return {}
    stem = "device__attribute_compute_capability"
    return {f"{stem}_major": int(match[1]), f"{stem}_minor": int(match[2])}


def invocations(text: str | None) -> int | None:
    """Return how many launches a row is an average over; None if that cannot be told.

    It is a whole number, so that separators in it can only stand between groups of digits.

    Parameters
    ----------
    text
        The cell as printed; None where the table has no such column and a row is one launch.
    """
    if text is None:
        return 1
    return int(re.sub(r"\D", "", text)) or None if _COUNT.fullmatch(text.strip()) else None


def identifier(name: str, text: str) -> dict[str, int]:
    """Return a counter that is a plain number, or nothing if the text is not one."""
    text = text.strip()
    return {name: int(text)} if text.isascii() and text.isdigit() and len(text) < 20 else {}  # noqa: PLR2004

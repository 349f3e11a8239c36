"""NVTX ranges as the text pages of ncu list them below the heading of a launch."""

import re
from typing import Any

from nsightlens.collectors.text.nvtx import DEFAULT_DOMAIN, arranged

_BEGIN = re.compile(r"(\s*)NVTX (Push/Pop Stack for Thread \d+|Start/End Ranges):\s*")
_RANGE = re.compile(r"\s*<\d+,(.*)>")
_NUMBER = re.compile(r"\s*(U?[Ii]nt\d+|Double|Float): (\S+)")
_STEP = 2


class NvtxBlock:
    """Collects the ranges of one launch, line by line."""

    def __init__(self) -> None:
        self._margin: int | None = None
        self._nested = False
        self._domain = ""
        self._found: list[dict[str, Any]] = []

    def feed(self, text: str) -> bool:
        """Take one line and return whether it belongs to the ranges."""
        if match := _BEGIN.fullmatch(text):
            self._margin, self._nested = len(match[1]), match[2].startswith("Push")
            return True
        depth = len(text) - len(text.lstrip(" "))
        if self._margin is None or not text.strip() or depth <= self._margin:
            self._margin = None
            return False
        self._take(text, depth - self._margin)
        return True

    def _take(self, text: str, depth: int) -> None:
        if depth <= _STEP:
            name = text.strip()
            self._domain = "" if name == DEFAULT_DOMAIN else name
            return
        if (match := _RANGE.fullmatch(text)) and depth <= 2 * _STEP:
            self._begin(match[1])
        elif (match := _NUMBER.fullmatch(text)) and self._found:
            self._found[-1]["payloads"][-1] = _value(match[1], match[2])

    def _begin(self, name: str) -> None:
        last = self._found[-1] if self._found else {}
        if self._nested and last.get("nested") and last["domain"] == self._domain:
            last["path"].append(name)
            last["payloads"].append(None)
            return
        self._found.append({"domain": self._domain, "path": [name], "payloads": [None], "nested": self._nested})

    def ranges(self) -> list[dict[str, Any]]:
        """Return the ranges so far, as the reader of reports gives them."""
        plain = [{key: span[key] for key in ("domain", "path", "payloads")} for span in self._found]
        nested = [span for span, found in zip(plain, self._found, strict=True) if found["nested"]]
        return arranged(nested, [span for span in plain if span not in nested])


def _value(kind: str, text: str) -> float | None:
    try:
        return float(text.replace(",", ".")) if kind in {"Double", "Float"} else int(text)
    except ValueError:
        return None

"""NVTX ranges as ncu prints them in one CSV cell.

A cell lists ``"domain:name:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"`` for each range, outermost first; a
start/end range has its id before the domain. Nothing in the names is escaped: a message that repeats the name tells
where it begins.
"""

import re
from typing import Any

DEFAULT_DOMAIN = "<default domain>"
LONGEST = 1 << 16
_MIDDLE = re.compile(
    r":(?P<type>none|[UuIi]\w*(?:32|64)|[Dd]ouble|[Ff]loat|JSON|unknown):(?P<value>[^:\"]*)"
    r":(?P<color>\w+):(?P<code>\w+):(?P<message>none|ASCII|UNICODE|REGISTERED|unknown):"
)
_SPLITS = 64
_ID = re.compile(r"\d+:")


def ranges(push_pop: str, start_end: str) -> list[dict[str, Any]]:
    """Return the ranges of a launch: for each domain its nested ranges, then those that start and end alone.

    Parameters
    ----------
    push_pop
        Cell of the push/pop ranges.
    start_end
        Cell of the start/end ranges.
    """
    nested: dict[str, dict[str, Any]] = {}
    for domain, name, payload in _items(push_pop):
        span = nested.setdefault(domain, {"domain": domain, "path": [], "payloads": []})
        span["path"].append(name)
        span["payloads"].append(payload)
    single = [{"domain": d, "path": [n], "payloads": [p]} for d, n, p in _items(start_end, with_id=True)]
    return arranged([*nested.values()], single)


def arranged(nested: list[dict[str, Any]], single: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return nested ranges and those that start and end alone, domain by domain."""
    spans = [*nested, *single]
    return [span for domain in dict.fromkeys(s["domain"] for s in spans) for span in spans if span["domain"] == domain]


def in_domain(domain: str | None, cell: str) -> list[dict[str, Any]]:
    """Return the nested ranges of a row of a summary by NVTX, whose cell leaves the domain out."""
    if domain is None:
        return []
    found = _items(cell, with_domain=False)
    name = "" if domain == DEFAULT_DOMAIN else domain
    return [{"domain": name, "path": [n for _, n, _ in found], "payloads": [p for *_, p in found]}] if found else []


def _items(cell: str, *, with_id: bool = False, with_domain: bool = True) -> list[tuple[str, str, float | None]]:
    """Return domain, name and payload of each range in a cell."""
    found: list[tuple[str, str, float | None]] = []
    start = cell.find('"') + 1
    if not start or len(cell) > LONGEST:
        return found
    while match := _MIDDLE.search(cell, start):
        head = cell[start : match.start()]
        head = head[_ID.match(head).end() :] if with_id and _ID.match(head) else head  # type: ignore[union-attr]
        domain, name = _parted(head, cell, match) if with_domain else ("", head)
        found.append(("" if domain == DEFAULT_DOMAIN else domain, name, _payload(match)))
        end = match.end() + len("none" if match["message"] == "none" else name)
        closing = cell.find('"', end)
        start = cell.find('"', closing + 1) + 1 if closing >= 0 else 0
        if not start:
            break
    return found


def _parted(head: str, cell: str, match: re.Match[str]) -> tuple[str, str]:
    """Split ``domain:name``; either may hold colons."""
    if head.startswith(DEFAULT_DOMAIN + ":"):
        return DEFAULT_DOMAIN, head[len(DEFAULT_DOMAIN) + 1 :]
    position = -1
    for _ in range(_SPLITS):
        position = head.find(":", position + 1)
        if position < 0:
            break
        if match["message"] != "none" and cell.startswith(head[position + 1 :] + '"', match.end()):
            return head[:position], head[position + 1 :]
    domain, _, name = head.partition(":")
    return (domain, name) if name else ("", domain)


def _payload(match: re.Match[str]) -> float | None:
    kind, text = match["type"].lower(), match["value"].strip()
    try:
        if kind in {"double", "float"}:
            return float(text.replace(",", "."))
        return int(text) if kind[0] in "iu" and kind != "unknown" else None
    except ValueError:
        return None

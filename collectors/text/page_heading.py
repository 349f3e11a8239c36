"""Lines of ncu's text pages that say what follows: the process, the launch, the section."""

import re
from typing import Any

from nsightlens.collectors.text.entry import Entry
from nsightlens.collectors.text.names import capability, dimensions, identifier, invocations

DEVICE = re.compile(r"\s*Device (\d+), CC (\d+\.\d+)\s*")
SECTION = re.compile(r"\s*Section: (.*\S)")
NVTX_PAGE = "== NVTX State =="
_LONGEST = 1 << 16
_PROCESS = re.compile(r"\s*\[(\d{1,10})\] .+@\S+\s*", re.ASCII)
_GROUPS = r"\d{1,3}(?:[.,]\d{3})+"
_TAIL = re.compile(rf"(?:, (?:Invocations {_GROUPS}|(?:Context|Stream|Device|CC|Invocations) [\w./]+))+\s*$", re.ASCII)
_DATE = re.compile(r", \d{4}-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d$")
_SHAPE = re.compile(r" (\(\d+, \d+, \d+\))x(\(\d+, \d+, \d+\))$")


def starts(line: str) -> bool:
    """Return whether a line can only stand in such a page."""
    return bool(SECTION.match(line) or heading(line) or line.startswith(NVTX_PAGE))


def process(line: str) -> int | None:
    """Return the process id if a line names the process of the launches below it, as ``[123] a.out@127.0.0.1``."""
    match = _PROCESS.fullmatch(line) if line[:1] in "[ " and len(line) < _LONGEST else None
    return int(match[1]) if match else None


def says_where(line: str) -> bool:
    """Return whether a line says where the launches below it ran: their process or their device."""
    return process(line) is not None or DEVICE.fullmatch(line) is not None


def heading(line: str) -> dict[str, str] | None:
    """Return what the heading of a launch says: Name, Grid, Block, Context, Stream, Device, CC, Invocations."""
    if len(line) > _LONGEST or not (", Context " in line or ", Invocations " in line):
        return None
    tail = _TAIL.search(line)
    if tail is None:
        return None
    found = dict(re.findall(rf", (\w+) ({_GROUPS}|[\w./]+)", tail[0]))
    name = line[: tail.start()].strip()
    name = name[: date.start()] if (date := _DATE.search(name)) else name
    if shape := _SHAPE.search(name):
        name, found["Grid"], found["Block"] = name[: shape.start()], shape[1], shape[2]
    return {**found, "Name": name}


def entry_of(found: dict[str, str], process_id: int | None, device: dict[str, Any]) -> Entry:
    """Return an entry without counters for the launch of a heading."""
    facts = dimensions("launch__block", found.get("Block", "")) | dimensions("launch__grid", found.get("Grid", ""))
    for column in ("Stream", "Context", "Device"):
        facts |= identifier(f"launch__{column.lower()}_id", found.get(column, ""))
    return Entry(
        name=found["Name"],
        process_id=process_id,
        facts={**device, **facts, **capability(found.get("CC", ""))},
        invocations=invocations(found.get("Invocations")),
        stream=found.get("Stream"),
    )

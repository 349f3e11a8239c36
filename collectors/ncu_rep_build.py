"""From the lines that the child process writes to a ``Report``."""

from collections.abc import Sequence
from pathlib import Path
from sys import intern
from typing import Any

from nsightlens.collectors.report import Launch, Report, make_launch
from nsightlens.collectors.samples import build_samples
from nsightlens.ranges import DECLARED_DOMAIN, parse_declaration
from nsightlens.text import count

FORMAT = "ncu-rep"


def build_launch(index: int, process_ids: Sequence[int | None], line: dict[str, Any]) -> Launch:
    """Return the launch at this position from its line."""
    identity = {"launch": index, "process_id": process_ids[index] if index < len(process_ids) else None}
    if line.get("hollow"):
        blank: dict[str, Any] = {
            "kind": "kernel",
            "status": "hollow",
            "name": "",
            "full_name": "",
            "nvtx": (),
            "declared": {},
            "payload": None,
        }
        return make_launch({**identity, **blank}, {})
    said = _declarations(line["nvtx"])
    row = {
        **identity,
        "kind": line["kind"],
        "name": intern(line["name"]),
        "full_name": intern(line["full_name"]),
        "nvtx": tuple(_path(span) for span in line["nvtx"] if span["domain"] != DECLARED_DOMAIN),
        "declared": next(iter(said), {}),
        "invocations": line.get("invocations", 1),
        "payload": _payload(line["nvtx"], said),
    }
    opcodes = _interned(line["opcodes"] or {}) or None
    counters, samples = _interned(line["counters"]), build_samples(line.get("samples"))
    return make_launch(row, counters, opcodes, instructions=line.get("instructions", False), samples=samples)


def _interned(values: dict[str, Any]) -> dict[str, Any]:
    """Return the same values under names that all launches share: JSON makes new ones for every line."""
    return {intern(name): value for name, value in values.items()}


def _declarations(spans: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what ranges around a launch say of themselves, the innermost first."""
    texts = [text for span in spans if span["domain"] == DECLARED_DOMAIN for text in span["path"]]
    return [found for text in reversed(texts) if (found := parse_declaration(text))]


def _payload(spans: Sequence[dict[str, Any]], said: Sequence[dict[str, Any]]) -> float | str | None:
    """Return the innermost payload that was declared, else the innermost that NVTX itself carries."""
    declared = (each["payload"] for each in said if "payload" in each)
    carried = (p for span in spans for p in reversed(span["payloads"]) if p is not None)
    return next(declared, next(carried, None))


def _path(span: dict[str, Any]) -> str:
    return intern("/".join(name.replace("/", "%2F") for name in (span["domain"], *span["path"])))


def build_report(path: Path, session: dict[str, Any], launches: tuple[Launch, ...]) -> Report:
    """Return the report from the line of its session; what is lacking goes into its notes."""
    facts = session["facts"]
    notes: list[str] = []
    if session["damage"] is not None:
        notes.append(f"damaged: {session['damage']}; {count(len(launches), 'whole launch')} before it read")
    hollow = sum(launch.row["status"] == "hollow" for launch in launches)
    if hollow:
        notes.append(f"without a counter (damaged or interrupted): {count(hollow, 'launch')}")
    if len(launches) != session["results"]:
        notes.append(f"{len(launches)} of {count(session['results'], 'launch')} could be read")
    return Report(
        path=_named(path),
        format=session.get("format", FORMAT),
        complete=session["complete"] and not notes,
        launched=launches,
        ncu_version=facts.get("Nsight Compute Target", "").split(" ")[0] or None,
        driver_version=facts.get("Display Driver Version"),
        cuda_version=facts.get("CUDA Version"),
        gpus=tuple(session["devices"]),
        command_line=session["command_line"],
        notes=(*notes, *session.get("notes", ())),
    )


def empty_report(path: Path, reason: str) -> Report:
    """Return what stands for a file of which nothing could be read."""
    return Report(_named(path), "unknown", complete=False, launched=(), notes=(f"not read: {reason}",))


def _named(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode()

"""A small file beside a report: what was asked of the profiler, for those who read the report later."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nsightlens.files import write_atomically

SCHEMA = "nsightlens.manifest/1"
MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was asked, and how it went.

    ``started`` is an ISO 8601 time, ``refused`` are counters unknown to this ncu, ``notes``
    what else differs from what was asked, ``error`` is what failed.
    """

    command: tuple[str, ...]
    metric_set: str
    metrics: tuple[str, ...]
    ncu_path: str
    ncu_version: str | None
    extra_args: tuple[str, ...]
    replay_mode: str
    cache_control: str
    clock_control: str
    started: str
    target_processes: str = "all"
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    launches: int = 0
    error: str | None = None


def manifest_path(report: Path) -> Path:
    """Return the name of the manifest of ``report``."""
    return report.with_name(f"{report.name.removesuffix('.ncu-rep')}.nsightlens.json")


def write_manifest(report: Path, manifest: Manifest) -> None:
    """Write the manifest beside ``report``."""
    text = json.dumps({"schema": SCHEMA, "report": report.name, **asdict(manifest)}, indent=2)
    write_atomically(manifest_path(report), f"{text}\n".encode(), force=True)


def read_manifest(report: Path) -> dict[str, Any] | None:
    """Return what the manifest of ``report`` says; None if there is none, or none of ours."""
    path = manifest_path(report)
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("schema") == SCHEMA else None

"""How a report was made, from ncu's command line as the report keeps it."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from nsightlens.analysis.result import Context
from nsightlens.collectors.report import Launch, Report
from nsightlens.launch.manifest import read_manifest

_DEFAULTS = {"clock-control": "base", "cache-control": "all", "replay-mode": "kernel"}


def asked(report: Report) -> dict[str, str]:
    """Return what was asked of ncu: by its command line, and the metric set by the manifest beside the report."""
    manifest = read_manifest(Path(report.path)) or {}
    named = {"set": manifest["metric_set"]} if isinstance(manifest.get("metric_set"), str) else {}
    return options(report.command_line) | named


def context(given: Mapping[str, str], launch: Launch) -> Context:
    """Return the profiling context of one launch, from what ``asked`` found for its report."""
    row = launch.row
    return Context(
        stream=row["stream"],
        device=row["device"],
        clock_control=given.get("clock-control"),
        cache_control=given.get("cache-control"),
        replay_mode=given.get("replay-mode"),
        passes=row["passes"],
        metric_set=given.get("set"),
    )


def options(command_line: str | None) -> dict[str, str]:
    """Return the long options of an ncu command line, with ncu's defaults; empty if the report does not hold one."""
    if not command_line:
        return {}
    try:
        words = shlex.split(command_line)
    except ValueError:
        words = command_line.split()
    found = dict(_DEFAULTS)
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            found.setdefault(name, "") if name not in _DEFAULTS else None
            found[name] = value or following
    return found

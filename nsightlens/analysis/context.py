"""How a report was made, from ncu's command line as the report keeps it."""

import re
from collections.abc import Mapping
from pathlib import Path

from nsightlens.analysis.result import Context
from nsightlens.collectors.report import Launch, Report
from nsightlens.launch.manifest import read_manifest

_NCU = re.compile(r"(ncu|nv-nsight-cu-cli)(\.exe)?$")
_FLAGS = frozenset({"f", "force-overwrite", "nvtx", "csv", "verbose", "quiet", "call-stack", "disable-extra-suffixes"})
_DEFAULTS = {"clock-control": "base", "cache-control": "all", "replay-mode": "kernel"}


def asked(report: Report) -> dict[str, str]:
    """Return what was asked of ncu: by its command line, and the metric set by the manifest beside the report."""
    manifest = read_manifest(Path(report.path)) or {}
    named = {"set": manifest["metric_set"]} if isinstance(manifest.get("metric_set"), str) else {}
    return (options(report.command_line) if report.format.startswith("ncu") else {}) | named


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
        invocations=row["invocations"],
    )


def options(command_line: str | None) -> dict[str, str]:
    """Return the options of an ncu command line, with ncu's defaults; empty if the report does not hold one.

    Reports keep the line without quotes. The profiled program, whose options are not ncu's, begins with the first word
    that no option can take.
    """
    if not command_line:
        return {}
    words = command_line.split()
    start = next((number for number, word in enumerate(words, 1) if _NCU.search(word)), 1)
    found: dict[str, str] = {}
    open_option = None
    for word in words[start:]:
        if word.startswith("-"):
            name, _, value = word.lstrip("-").partition("=")
            found.setdefault(name, value)
            open_option = None if value or name in _FLAGS else name
        elif open_option is None:
            break
        else:
            found[open_option] = found[open_option] or word
            open_option = None
    return _DEFAULTS | found

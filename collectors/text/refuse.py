"""What a text file seems to be that holds no result of ncu or nvprof."""

import csv
import re

from nsightlens.collectors.text.log import Log
from nsightlens.errors import ReportError
from nsightlens.text import printable

_REPORT = "give a .ncu-rep file, or what this prints: ncu --import REPORT --page raw --csv"
_KNOWN = (
    (r"version https://git-lfs", "a Git LFS pointer", "run git lfs pull"),
    (r"(?i)<!doctype html|<html", "an HTML page", "download the file itself, not its web page"),
    (
        r"Total Time \(ns\)|CorrId|Start \(ns\)|Generating (?:CUDA|SQLite)|Time\(%\)\s+Total Time",
        "statistics of Nsight Systems (nsys)",
        "it times kernels but counts nothing: profile them with ncu",
    ),
    (
        r"NVIDIA-SMI|utilization\.gpu|power\.draw|^# ?gpu\b|\btimestamp, ?name",
        "a log of nvidia-smi",
        "it holds no launches: profile with ncu",
    ),
    (r'"?Address"?,"?Source"?|"#","Address"', "the source page of ncu", _REPORT),
    (r"Launch Attribute|Session Attribute|Device Attribute", "the session page of ncu", _REPORT),
    (r"KernelName|gpu-id|DurationNs|Dispatch_ID|hsa_", "output of AMD's rocprof", _REPORT),
    (
        r"==\d*==+ (?:NVPROF|Profiling result|Metric result)|GPU activities:",
        "a page of nvprof",
        "write it with: nvprof --csv",
    ),
    (r"^[\[{]\s*[\"\[{]", "a JSON file", _REPORT),
)
_COLUMNS = 3
_SHOWN, _WIDTH = 6, 40


def refusal(head: str, log: Log, *, tables: bool) -> ReportError:
    """Return the error for a file without a launch.

    Parameters
    ----------
    head
        Its beginning, decoded.
    log
        The messages of ncu or nvprof in it.
    tables
        Whether the header of a table of ncu or nvprof was found.
    """
    complaint = log.complaint()
    if complaint is not None:
        return ReportError(printable(complaint[0]), remedy=complaint[1])
    if tables:
        return ReportError("the table holds no launch", remedy="profile again: nsightlens profile -- CMD")
    if log.messages and not log.nvprof:
        remedy = (
            f"the results are in {printable(log.report)}" if log.report else "profile again: nsightlens profile -- CMD"
        )
        return ReportError("messages of ncu without a table of results", remedy=remedy)
    what, remedy = seems(head)
    return ReportError(f"no output of Nsight Compute, but {what}", remedy=remedy)


def seems(head: str) -> tuple[str, str]:
    """Return what a text seems to be, and what to give instead."""
    if not head.strip():
        return "an empty file", "profile again: nsightlens profile -- CMD"
    for pattern, what, remedy in _KNOWN:
        if re.search(pattern, head, re.MULTILINE):
            return what, remedy
    columns = _columns(head.lstrip().splitlines()[0])
    if len(columns) >= _COLUMNS:
        names = ", ".join(printable(column, _WIDTH) for column in columns[:_SHOWN])
        more = ", …" if len(columns) > _SHOWN else ""
        return f"a table of another program or made by hand (columns: {names}{more})", _REPORT
    return "a text file without a table of ncu", _REPORT


def _columns(line: str) -> list[str]:
    delimiter = max(",;\t", key=line.count)
    try:
        return [column.strip() for column in next(csv.reader([line], delimiter=delimiter)) if column.strip()]
    except (csv.Error, StopIteration):
        return []

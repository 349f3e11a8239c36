"""Run Nsight Compute: command line, metric sets, errors and their remedies."""

from nsightlens.launch.command import Request, command_line, option_value, select
from nsightlens.launch.failures import check_program, failure, unknown_counters
from nsightlens.launch.find import find_ncu, ncu_version
from nsightlens.launch.log import Progress
from nsightlens.launch.manifest import Manifest, manifest_path, read_manifest, write_manifest
from nsightlens.launch.output import folder_beside, keep, report_target
from nsightlens.launch.process import OnProgress, Outcome, run
from nsightlens.launch.query import counters_of, has

__all__ = [
    "Manifest",
    "OnProgress",
    "Outcome",
    "Progress",
    "Request",
    "check_program",
    "command_line",
    "counters_of",
    "failure",
    "find_ncu",
    "folder_beside",
    "has",
    "keep",
    "manifest_path",
    "ncu_version",
    "option_value",
    "read_manifest",
    "report_target",
    "run",
    "select",
    "unknown_counters",
    "write_manifest",
]

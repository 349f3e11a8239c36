"""Run Nsight Compute: command line, metric sets, errors and their remedies."""

from nsightlens.launch.command import Request, command_line, option_value
from nsightlens.launch.failures import check_program, failure, unknown_counters
from nsightlens.launch.find import Ncu, find_ncu
from nsightlens.launch.log import Progress
from nsightlens.launch.manifest import Manifest, manifest_path, read_manifest, write_manifest
from nsightlens.launch.output import files_of, folder_beside, keep, ranked, report_targets
from nsightlens.launch.process import OnProgress, Outcome, run
from nsightlens.launch.query import counters_of, has, unlisted
from nsightlens.launch.selection import COMMUNICATION, controls, select
from nsightlens.launch.signals import Signals, held

__all__ = [
    "COMMUNICATION",
    "Manifest",
    "Ncu",
    "OnProgress",
    "Outcome",
    "Progress",
    "Request",
    "Signals",
    "check_program",
    "command_line",
    "controls",
    "counters_of",
    "failure",
    "files_of",
    "find_ncu",
    "folder_beside",
    "has",
    "held",
    "keep",
    "manifest_path",
    "option_value",
    "ranked",
    "read_manifest",
    "report_targets",
    "run",
    "select",
    "unknown_counters",
    "unlisted",
    "write_manifest",
]

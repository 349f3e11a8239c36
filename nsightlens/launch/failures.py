"""What ncu says when it fails, what that means, and what mends it."""

import re
import shlex
import signal
from dataclasses import dataclass

from nsightlens.errors import ProfilerError
from nsightlens.launch.command import Request
from nsightlens.launch.process import Outcome
from nsightlens.text import printable

OTHER_NCU = "take another version of Nsight Compute with --ncu PATH"
MAX_QUOTED = 3
MAX_NAMES = 8
MAX_TEXT = 160


@dataclass(frozen=True, slots=True)
class Failure:
    """A pattern in ncu's messages; ``{0}`` in the texts stands for its first group."""

    pattern: str
    message: str
    remedy: str


# The first that matches counts: causes stand above their consequences.
KNOWN = (
    Failure(
        r"ERR_NVGPUCTRPERM",
        "this user may not read the performance counters of the GPU (ERR_NVGPUCTRPERM)",
        "run as root, or let the administrator of the host load the driver with the option "
        "NVreg_RestrictProfilingToAdminUsers=0, or start the container with --cap-add=SYS_ADMIN; "
        "from inside a container it cannot be mended",
    ),
    Failure(
        r"driver resource was unavailable|ERR_PROFILER|already being (?:profiled|debugged)",
        "another tool uses the performance counters of the GPU",
        "stop the other profiler or debugger; NVIDIA DCGM pauses with: dcgmi profile --pause",
    ),
    Failure(
        r"[Cc]uda driver is not compatible with Nsight Compute|Failed to load Nsight Compute CUDA modules",
        "this Nsight Compute does not work with the installed GPU driver",
        f"update the driver, or {OTHER_NCU}",
    ),
    Failure(
        r"LibraryNotLoaded|failed to connect to the CUDA driver",
        "Nsight Compute cannot load the library of the GPU driver",
        "check that nvidia-smi works; start a container with --gpus all; "
        "keep CUDA's stubs folder out of LD_LIBRARY_PATH",
    ),
    Failure(
        r"(?i)no CUDA[- ](?:capable )?devices?|CUDA_ERROR_NO_DEVICE|No devices? (?:found|to profile)",
        "there is no CUDA device",
        "check nvidia-smi and CUDA_VISIBLE_DEVICES; to analyse a recorded report: nsightlens analyze REPORT",
    ),
    Failure(
        r"Profiling is not supported on (?:this )?device(?: (\d+))?",
        "this Nsight Compute cannot profile GPU {0}",
        f"ncu --list-chips names the GPUs it supports; {OTHER_NCU}",
    ),
    Failure(
        r"Failed to find metrics? (.+)|Failed to access the following \d+ metrics?: (.+)",
        "a counter is unknown to this Nsight Compute or this GPU: {0}",
        f"use --set overview, or {OTHER_NCU}",
    ),
    Failure(
        r"unrecogni[sz]ed option '([^']*)'|[Uu]nknown option '?([^' ]*)",
        "this Nsight Compute does not take the option {0}",
        OTHER_NCU,
    ),
    Failure(
        r"Failed to open/create lock file (\S+?)\.?(?:\s|$)",
        "the lock file of Nsight Compute cannot be written: {0}",
        "another user owns it: set TMPDIR to a folder of your own",
    ),
    Failure(
        r"No space left on device|Unable to write to file|Failed to (?:write|save) (?:the )?(?:rep|file)",
        "Nsight Compute cannot write its report",
        "make room on the disk, or write elsewhere with --report FILE",
    ),
    Failure(
        r"(?i)file (?:'?[^']*'? )?already exists|exists\b.*(?:--force-overwrite|\b-f\b)",
        "Nsight Compute found a report of that name",
        "choose another --report FILE, or --force",
    ),
    Failure(
        r"Failed to save memory for replay|ContextSaveFailed|Out ?[Oo]f ?[Mm]emory",
        "there is not enough memory to run a kernel several times",
        "profile a smaller problem, or stop other programs on this GPU",
    ),
    Failure(
        r"Failed to prepare kernel for profiling",
        "Nsight Compute could not prepare a kernel",
        f"end other profilers and debuggers; if it stays, {OTHER_NCU} that fits the program's CUDA version",
    ),
    Failure(
        r"Unknown ?[Ee]rror(?: on device (\d+))?",
        "the driver refused to profile with an unknown error",
        f"run as root, end other profilers, or {OTHER_NCU}",
    ),
    Failure(
        r"LaunchFailed|Failed to profile (?:kernel )?\"(.*)\" in process",
        "a kernel failed while it was profiled: {0}",
        "check it with: compute-sanitizer {command}",
    ),
)
PROGRAM_FAILED = re.compile(r"The application returned an error code \((\d+)\)")
NOTHING_PROFILED = re.compile(r"No kernels were profiled")
_ERROR = re.compile(r"==ERROR== ?(?:Error: )?(.*\S)")
_AVAILABLE = re.compile(r"^\s*\d+\. (.*\S)")


def failure(outcome: Outcome, request: Request) -> ProfilerError | None:
    """Return the error that a run of ncu ended with, or None if all went well."""
    text = "\n".join(outcome.messages)
    command = shlex.join(request.command)
    if outcome.stopped:
        return _stopped(outcome)
    errors = _ERROR.findall(text)
    if not errors and outcome.returncode == 0 and not NOTHING_PROFILED.search(text):
        return None
    return _known(text, command) or _program(text, command) or _nothing(outcome) or _unknown(outcome, errors)


def check_program(command: tuple[str, ...], found: str | None) -> None:
    """Refuse a program that does not exist before the profiler starts.

    Raises
    ------
    ProfilerError
        If ``found`` is None.
    """
    if found is None:
        name = printable(command[0], MAX_TEXT)
        raise ProfilerError("no such program", where=name, remedy="check the path; the program follows after --")


def unknown_counters(outcome: Outcome, metrics: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of ``metrics`` that ncu did not know."""
    text = "\n".join(outcome.messages)
    named = {_bare(name) for name in re.findall(r"Failed to find metrics? (\S+)", text)}
    return tuple(metric for metric in metrics if _bare(metric) in named)


def _bare(metric: str) -> str:
    # ncu quotes the expression it made of a name: regex:^NAME\.(sum|min|max|avg|…)$
    expression = re.sub(r"\\\.\(sum\|.*", "", metric.removeprefix("regex:"))
    return expression.removeprefix("^").rstrip(".$").replace("\\.", ".")


def _stopped(outcome: Outcome) -> ProfilerError:
    what = "interrupted" if outcome.stopped == "interrupt" else "stopped at the time limit"
    return ProfilerError(
        f"{what} after {outcome.launches} profiled launches",
        remedy="fewer launches take less time: --kernel, --nvtx, --launch-count",
    )


def _known(text: str, command: str) -> ProfilerError | None:
    for entry in KNOWN:
        match = re.search(entry.pattern, text)
        if match is not None:
            group = next(filter(None, match.groups()), "")
            message = entry.message.format(printable(group, MAX_TEXT)).rstrip(": ")
            return ProfilerError(message, remedy=entry.remedy.format(command=printable(command, MAX_TEXT)))
    return None


def _program(text: str, command: str) -> ProfilerError | None:
    match = PROGRAM_FAILED.search(text)
    if match is None:
        return None
    return ProfilerError(
        f"the program ended with exit code {match[1]}{_signal_name(int(match[1]))}",
        remedy=f"run it without the profiler first: {printable(command, MAX_TEXT)}",
    )


def _signal_name(code: int) -> str:
    crashes = (signal.SIGILL, signal.SIGABRT, signal.SIGFPE, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM)
    return next((f" (or {number.name})" for number in crashes if code in {number, number + 128}), "")


def _nothing(outcome: Outcome) -> ProfilerError | None:
    if not any(NOTHING_PROFILED.search(line) for line in outcome.messages):
        return None
    names = [printable(match[1], MAX_TEXT) for line in outcome.messages if (match := _AVAILABLE.match(line))]
    if names:
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        return ProfilerError(
            f"no launch matched the selection; the program launched: {', '.join(names[:MAX_NAMES])}{more}",
            remedy="mend --kernel, --nvtx (DOMAIN@RANGE, for annotate: nsightlens@RANGE) or --launch-skip",
        )
    return ProfilerError(
        "no kernel was profiled",
        remedy="check that the program launches kernels on this GPU, and that --kernel or --nvtx match them",
    )


def _unknown(outcome: Outcome, errors: list[str]) -> ProfilerError:
    if not errors:
        message = f"ncu ended with exit code {outcome.returncode}"
        return ProfilerError(message, remedy="its messages stand above; try the same command with plain ncu")
    quoted = "; ".join(printable(error, MAX_TEXT) for error in dict.fromkeys(errors[:MAX_QUOTED]))
    return ProfilerError(f"ncu says: {quoted}", remedy=f"try the program with plain ncu, or {OTHER_NCU}")

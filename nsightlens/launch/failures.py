"""The error that a run of ncu ended with, from what ncu said."""

import re
import shlex
import signal

from nsightlens import data
from nsightlens.errors import ProfilerError
from nsightlens.launch.command import Request
from nsightlens.launch.known_failures import KNOWN, OTHER_NCU
from nsightlens.launch.nvtx_filter import SYNTAX
from nsightlens.launch.process import Outcome
from nsightlens.launch.selection import COMMUNICATION
from nsightlens.text import count, printable

MAX_QUOTED = 3
MAX_NAMES = 8
MAX_TEXT = 160


PROGRAM_FAILED = re.compile(r"The application returned an error code \((\d+)\)")
NOTHING_PROFILED = re.compile(r"No kernels were profiled")
# ncu takes an unknown set for an empty one, and ends well.
NO_SUCH_SET = re.compile(r"No metrics to collect found in sections")
_ERROR = re.compile(r"==ERROR== ?(?:Error: )?(.*\S)")
_AVAILABLE = re.compile(r"^\s*\d+\. (.*\S)")


def failure(outcome: Outcome, request: Request) -> ProfilerError | None:
    """Return the error that a run of ncu ended with, or None if all went well."""
    text = "\n".join(outcome.messages)
    command = shlex.join(request.command)
    if outcome.stopped:
        return _stopped(outcome)
    if request.ncu_set is not None and NO_SUCH_SET.search(text):
        remedy = "ncu --list-sets names its sets; nsightlens metrics names ours"
        return ProfilerError("Nsight Compute has no such set", where=f"--set {request.ncu_set}", remedy=remedy)
    errors = _ERROR.findall(text)
    if not errors and outcome.returncode == 0 and not NOTHING_PROFILED.search(text):
        return None
    return _known(text, command) or _program(text, command) or _nothing(outcome, request) or _unknown(outcome, errors)


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
    what = "stopped at the time limit" if outcome.stopped == "timeout" else "interrupted"
    return ProfilerError(
        f"{what} after {count(outcome.launches, 'profiled launch')}",
        remedy="fewer launches take less time: --kernel, --nvtx, --launch-count",
    )


def _known(text: str, command: str) -> ProfilerError | None:
    words = {"command": printable(command, MAX_TEXT), "sets": ", ".join(data.table("metric_sets"))}
    for entry in KNOWN:
        match = re.search(entry.pattern, text)
        if match is not None:
            group = next(filter(None, match.groups()), "")
            message = entry.message.format(printable(group, MAX_TEXT)).rstrip(": ")
            return ProfilerError(message, remedy=entry.remedy.format(**words))
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


def _name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _nothing(outcome: Outcome, request: Request) -> ProfilerError | None:
    if not any(NOTHING_PROFILED.search(line) for line in outcome.messages):
        return None
    names = [printable(match[1], MAX_TEXT) for line in outcome.messages if (match := _AVAILABLE.match(line))]
    if not names:
        return ProfilerError("no kernel was profiled", remedy=_why_nothing(request, "check that it launches kernels"))
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    listed = f"no launch matched the selection; the program launched: {', '.join(names[:MAX_NAMES])}{more}"
    if all(re.match(COMMUNICATION, name) for name in names):
        return ProfilerError(listed, remedy="communication kernels are left out; --with-communication keeps them")
    return ProfilerError(listed, remedy=_why_nothing(request, "mend --kernel or --launch-skip"))


def _why_nothing(request: Request, otherwise: str) -> str:
    return SYNTAX if "--nvtx-include" in request.extra_args else otherwise


def _unknown(outcome: Outcome, errors: list[str]) -> ProfilerError:
    if not errors and outcome.returncode < 0:
        message = f"ncu was killed by {_name(-outcome.returncode)} after {count(outcome.launches, 'profiled launch')}"
        return ProfilerError(message, remedy="see whether memory ran out or a batch system ended it: dmesg, job log")
    if not errors:
        message = f"ncu ended with exit code {outcome.returncode}"
        return ProfilerError(message, remedy="its messages stand above; try the same command with plain ncu")
    quoted = "; ".join(printable(error, MAX_TEXT) for error in dict.fromkeys(errors[:MAX_QUOTED]))
    return ProfilerError(f"ncu says: {quoted}", remedy=f"try the program with plain ncu, or {OTHER_NCU}")

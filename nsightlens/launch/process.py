"""Run ncu, follow it, and stop it cleanly."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nsightlens.errors import ProfilerError
from nsightlens.launch.log import Log, Progress
from nsightlens.launch.signals import Signals, Told
from nsightlens.launch.watch import watched

STDERR = 2
POLL_S = 0.1
# ncu writes the report after the first signal; a large one takes a while.
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows, where nothing is profiled, has none
STOP = ((signal.SIGINT, 60.0), (signal.SIGTERM, 5.0), (_KILL, 5.0))


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run of ncu ended.

    ``stopped`` is empty, ``timeout``, ``interrupt`` (Ctrl-C) or the name of the signal; ``messages`` are ncu's lines
    other than progress.
    """

    returncode: int
    launches: int
    messages: tuple[str, ...]
    stopped: str = ""


def run(
    arguments: Sequence[str],
    log_file: Path,
    *,
    signals: Signals,
    timeout_s: float | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Run the command line of ncu to its end, to the timeout, or to an interrupt.

    The profiled program's standard output goes to standard error, for standard output is kept for data. ``signals`` are
    let in while ncu runs; what comes before and after waits in them.

    Raises
    ------
    ProfilerError
        If ncu cannot be started.
    """
    log = Log(log_file)
    process, own_group = _start(arguments)
    with watched(process, own_group=own_group):
        stopped = _follow(process, signals, own_group=own_group, wait=partial(_wait, log, timeout_s, on_progress))
    log.close()
    return Outcome(process.returncode, log.launches, tuple(log.messages), stopped)


def _start(arguments: Sequence[str]) -> tuple[subprocess.Popen[bytes], bool]:
    # A background group may not read from the terminal: with one on standard input ncu shares our group.
    own_group = not os.isatty(0)
    try:
        process = subprocess.Popen(  # noqa: S603
            arguments,
            stdout=STDERR,
            process_group=0 if own_group else None,
        )
    except OSError as error:
        raise ProfilerError(f"cannot be started: {error.strerror}", where=arguments[0]) from error
    return process, own_group


def _follow(
    process: subprocess.Popen[bytes],
    signals: Signals,
    *,
    own_group: bool,
    wait: Callable[[subprocess.Popen[bytes]], str],
) -> str:
    """Wait for the end, and bring it about where the run is to be stopped; return why."""
    told = False
    try:
        signals.let_in()
        stopped = wait(process)
        signals.shut()
    except Told as signalled:
        stopped = signal.Signals(signalled.args[0]).name
    except KeyboardInterrupt:
        stopped, told = "interrupt", not own_group  # the terminal tells its whole group
    except BaseException:
        signals.shut()
        _stop(process, signals, own_group=own_group, told=False)
        raise
    if stopped:
        _stop(process, signals, own_group=own_group, told=told)
    return stopped


def _wait(log: Log, timeout_s: float | None, on_progress: OnProgress | None, process: subprocess.Popen[bytes]) -> str:
    start = time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(POLL_S)
            return ""
        elapsed_s = time.monotonic() - start
        log.read()
        if on_progress is not None:
            on_progress(Progress(log.launches, log.current, elapsed_s))
        if timeout_s is not None and elapsed_s > timeout_s:
            return "timeout"


def _stop(process: subprocess.Popen[bytes], signals: Signals, *, own_group: bool, told: bool) -> None:
    """Ask ncu to end, then insist; an impatient user's later Ctrl-C goes to the next signal at once."""
    for number, (signal_number, patience_s) in enumerate(STOP):
        if not (told and number == 0):
            _send(process, signal_number, own_group=own_group)
        if _ended(process, signals, patience_s):
            break
    if own_group:
        _send(process, _KILL, own_group=True)
    process.wait()


def _ended(process: subprocess.Popen[bytes], signals: Signals, patience_s: float) -> bool:
    start = time.monotonic()
    while time.monotonic() < start + patience_s and not signals.impatient(start):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(POLL_S)
            return True
    return False


def _send(process: subprocess.Popen[bytes], signal_number: signal.Signals, *, own_group: bool) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if own_group:
            os.killpg(process.pid, signal_number)
        else:
            process.send_signal(signal_number)

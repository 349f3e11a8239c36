"""Run ncu, follow it, and stop it cleanly."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from nsightlens.errors import ProfilerError
from nsightlens.launch.log import Log, Progress

STDERR = 2
POLL_S = 0.1
# ncu writes the report after the first signal; a large one takes a while.
STOP = ((signal.SIGINT, 60.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run of ncu ended.

    ``stopped`` is empty, ``interrupt`` or ``timeout``; ``messages`` are ncu's lines other than progress.
    """

    returncode: int
    launches: int
    messages: tuple[str, ...]
    stopped: str = ""


def run(
    arguments: Sequence[str],
    log_file: Path,
    *,
    timeout_s: float | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Run the command line of ncu to its end, to the timeout, or to an interrupt.

    The profiled program's standard output goes to standard error, for standard output is kept for data.

    Raises
    ------
    ProfilerError
        If ncu cannot be started.
    """
    log = Log(log_file)
    with _signals_interrupt():
        process, own_group = _start(arguments)
        try:
            stopped = _wait(process, log, timeout_s, on_progress)
        except KeyboardInterrupt:
            stopped = "interrupt"
        if stopped:
            _stop(process, own_group=own_group, told=stopped == "interrupt" and not own_group)
    log.close()
    return Outcome(process.returncode, log.launches, tuple(log.messages), stopped)


def _start(arguments: Sequence[str]) -> tuple[subprocess.Popen[bytes], bool]:
    # A background group may not read from the terminal: with one on standard input ncu shares our group.
    own_group = not os.isatty(0)
    try:
        process = subprocess.Popen(  # noqa: S603
            arguments,
            stdout=STDERR,
            env={**os.environ, "LC_ALL": "C"},
            process_group=0 if own_group else None,
        )
    except OSError as error:
        raise ProfilerError(f"cannot be started: {error.strerror}", where=arguments[0]) from error
    return process, own_group


def _wait(process: subprocess.Popen[bytes], log: Log, timeout_s: float | None, on_progress: OnProgress | None) -> str:
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


def _stop(process: subprocess.Popen[bytes], *, own_group: bool, told: bool) -> None:
    """Ask ncu to end, then insist; an impatient user's next Ctrl-C goes to the next signal at once."""
    for number, (signal_number, patience_s) in enumerate(STOP):
        if not (told and number == 0):
            _send(process, signal_number, own_group=own_group)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(patience_s)
            break
    if own_group:
        _send(process, signal.SIGKILL, own_group=True)
    process.wait()


def _send(process: subprocess.Popen[bytes], signal_number: signal.Signals, *, own_group: bool) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if own_group:
            os.killpg(process.pid, signal_number)
        else:
            process.send_signal(signal_number)


@contextlib.contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP as Ctrl-C, so that a cancelled batch job leaves no program behind."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)

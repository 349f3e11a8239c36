"""Check whether this machine can profile, by what it has and, if asked, by a real try."""

import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from nsightlens import launch
from nsightlens.launch.check import TRY, Check
from nsightlens.launch.checks import broken, checks
from nsightlens.launch.machine import Machine, look

PROGRAM = (sys.executable, "-c", "import cupy; cupy.arange(1 << 20).sum().item()")
TRY_S = 120
SEE_TRY = "see try below"
AGAIN = "see with nvidia-smi whether others keep the GPU busy, and try again"


def doctor(*, attempt: bool = False, ncu: str | None = None) -> tuple[Check, ...]:
    """Return the checks of this machine.

    Parameters
    ----------
    attempt
        Profile a tiny CuPy program too (if ncu, a GPU and CuPy are there).
    ncu
        Nsight Compute's command line; searched for if not given.
    """
    machine = look(ncu)
    found = checks(machine)
    if not attempt:
        return found
    tried = _attempt(machine, {check.name: check for check in found})
    return (*(replace(check, remedy=SEE_TRY) if check.remedy == TRY else check for check in found), tried)


def _attempt(machine: Machine, found: dict[str, Check]) -> Check:
    lacking = [found[name] for name in ("ncu", "gpu") if found[name].status == "problem"]
    if not any(name.startswith("cupy-") for name in machine.packages):
        lacking.append(found["cupy"])
    if machine.ncu is None or lacking:
        names = ", ".join(check.name for check in lacking)
        return Check("try", "warning", f"not tried: see {names} above", lacking[0].remedy)
    return try_out(Path(machine.ncu), PROGRAM)


def try_out(ncu: Path, program: tuple[str, ...], timeout_s: float = TRY_S) -> Check:
    """Profile ``program`` with one counter, and tell what came of it.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C. Other signals that end this process are sent on to it once ncu has ended.
    """
    request = launch.Request(program, ("gpu__time_duration.sum",), ("--launch-count", "1"))
    with tempfile.TemporaryDirectory(prefix="nsightlens-") as folder:
        log = Path(folder) / "ncu.log"
        arguments = launch.command_line(ncu, request, report=Path(folder) / "try.ncu-rep", log=log)
        with launch.held() as signals:
            outcome = launch.run(arguments, log, signals=signals, timeout_s=timeout_s)
    return _judged(outcome, request, timeout_s)


def _judged(outcome: launch.Outcome, request: launch.Request, timeout_s: float) -> Check:
    if outcome.stopped == "timeout":
        return Check("try", "warning", f"timeout: not done after {timeout_s:g} s, so it proves nothing", AGAIN)
    if outcome.stopped == "interrupt":
        raise KeyboardInterrupt
    if outcome.stopped:
        signal.raise_signal(signal.Signals[outcome.stopped])
    error = launch.failure(outcome, request)
    if error is None:
        return Check("try", "ok", "a kernel was profiled")
    return Check("try", "problem", error.message, error.remedy)


def can_profile(found: tuple[Check, ...]) -> bool:
    """Tell whether nothing speaks against profiling."""
    return next(broken(found), None) is None

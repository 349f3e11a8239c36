"""Check whether this machine can profile, by what it has and, if asked, by a real try."""

import sys
import tempfile
from pathlib import Path

from nsightlens import launch
from nsightlens.launch.checks import Check, broken, checks
from nsightlens.launch.machine import Machine, look

PROGRAM = (sys.executable, "-c", "import cupy; cupy.arange(1 << 20).sum().item()")
TRY_S = 120


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
    return (*found, _attempt(machine)) if attempt else found


def _attempt(machine: Machine) -> Check:
    cupy = any(name.startswith("cupy-") for name in machine.packages)
    if machine.ncu is None or not machine.gpus or not cupy:
        return Check("try", "warning", "not tried: it needs ncu, a GPU and CuPy", "see the checks above")
    return try_out(Path(machine.ncu), PROGRAM)


def try_out(ncu: Path, program: tuple[str, ...]) -> Check:
    """Profile ``program`` with one counter, and tell what came of it."""
    request = launch.Request(program, ("gpu__time_duration.sum",), ("--launch-count", "1"))
    with tempfile.TemporaryDirectory(prefix="nsightlens-") as folder:
        log = Path(folder) / "ncu.log"
        arguments = launch.command_line(ncu, request, report=Path(folder) / "try.ncu-rep", log=log)
        error = launch.failure(launch.run(arguments, log, timeout_s=TRY_S), request)
    if error is None:
        return Check("try", "ok", "a kernel was profiled")
    return Check("try", "problem", error.message, error.remedy)


def can_profile(found: tuple[Check, ...]) -> bool:
    """Tell whether nothing speaks against profiling."""
    return next(broken(found), None) is None

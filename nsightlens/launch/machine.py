"""What the machine has for profiling; nothing here fails, what cannot be learnt is None."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from nsightlens.errors import ProfilerError
from nsightlens.launch.find import Ncu, find_ncu

PACKAGES = ("ncu-report", "nvtx", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x", "pyarrow")
CAP_SYS_ADMIN = 21
TIMEOUT_S = 30


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts about a machine.

    Attributes
    ----------
    ncu, ncu_version
        Nsight Compute's command line, and what it says of itself.
    ncu_error
        Why there is none.
    passed_over
        What else is called ncu and does not start, and why.
    gpus
        Names of the GPUs.
    driver_version, cuda_version
        Of the GPU driver, and the newest CUDA that it runs.
    admin_only
        Whether the driver keeps performance counters for administrators.
    uid, capable
        The user, and whether this process has the capability CAP_SYS_ADMIN.
    packages
        Versions of Python packages that are installed.
    temporary, free_bytes
        The folder of temporary files, and the room in it.
    """

    ncu: str | None = None
    ncu_version: str | None = None
    ncu_error: ProfilerError | None = None
    passed_over: tuple[str, ...] = ()
    gpus: tuple[str, ...] = ()
    driver_version: str | None = None
    cuda_version: str | None = None
    admin_only: bool | None = None
    uid: int | None = None
    capable: bool = False
    packages: dict[str, str] = field(default_factory=dict)
    temporary: str = ""
    free_bytes: int | None = None


def look(ncu: str | None = None, root: Path = Path("/")) -> Machine:
    """Return the facts of this machine.

    Parameters
    ----------
    ncu
        The ncu to use, a path or a name on PATH; searched for if not given.
    root
        Where the folders of the system stand.
    """
    profiler, error = _ncu(ncu, root)
    rows = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
    gpus = [row.rsplit(", ", 1) for row in rows if ", " in row]
    temporary = tempfile.gettempdir()
    return Machine(
        ncu=None if profiler is None else str(profiler.path),
        ncu_version=None if profiler is None else profiler.version,
        ncu_error=error,
        passed_over=() if profiler is None else profiler.passed_over,
        gpus=tuple(name for name, _ in gpus),
        driver_version=gpus[0][1].strip() if gpus else driver(read(root / "proc/driver/nvidia/version")),
        cuda_version=_first(r"CUDA Version: +(\d+\.\d+)", _output("nvidia-smi")) if gpus else None,
        admin_only=admin_only(read(root / "proc/driver/nvidia/params")),
        uid=os.getuid() if hasattr(os, "getuid") else None,
        capable=capable(read(root / "proc/self/status")),
        packages={name: found for name in PACKAGES if (found := _package(name)) is not None},
        temporary=temporary,
        free_bytes=_free(temporary),
    )


def read(path: Path) -> str:
    """Return the text of a file; nothing if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def driver(text: str) -> str | None:
    """Return the version of the driver from the text of ``/proc/driver/nvidia/version``."""
    return _first(r"Kernel Module\b.*?\s(\d+\.\d+(?:\.\d+)*)\s", text)


def admin_only(text: str) -> bool | None:
    """Tell from the text of ``/proc/driver/nvidia/params`` whether only administrators may read counters."""
    found = _first(r"RmProfilingAdminOnly: (\d+)", text)
    return None if found is None else found != "0"


def capable(text: str) -> bool:
    """Tell from the text of ``/proc/self/status`` whether the process has the capability CAP_SYS_ADMIN."""
    found = _first(r"CapEff:\s+([0-9a-f]+)", text)
    return found is not None and bool(int(found, 16) >> CAP_SYS_ADMIN & 1)


def _ncu(named: str | None, root: Path) -> tuple[Ncu | None, ProfilerError | None]:
    try:
        return find_ncu(named, root), None
    except ProfilerError as error:
        return None, error


def _output(*arguments: str) -> str:
    try:
        return subprocess.run(  # noqa: S603
            arguments, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _package(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _free(folder: str) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _first(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    return match[1] if match else None

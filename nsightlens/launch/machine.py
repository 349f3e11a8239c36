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
from nsightlens.launch.find import complaint, find_ncu, ncu_version

PACKAGES = ("ncu-report", "nvtx", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x", "pyarrow")
CAPABILITIES = {"CAP_SYS_ADMIN": 21, "CAP_PERFMON": 38}
"""Either lets a process read performance counters, if it holds on the host."""
WHOLE = ("0", "0", str((1 << 32) - 1))
"""How /proc/self/uid_map reads outside user namespaces."""
TIMEOUT_S = 30


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts about a machine.

    Attributes
    ----------
    ncu, ncu_version, ncu_complaint
        Nsight Compute's command line, what it says of itself, and why it cannot be used.
    gpus, smi
        Names of the GPUs that nvidia-smi lists, and whether there is an nvidia-smi.
    driver_version, cuda_version
        Of the GPU driver, and the newest CUDA that it runs.
    admin_only
        Whether the driver keeps performance counters for administrators.
    uid, capable, namespaced
        The user, whether this process has the capability CAP_SYS_ADMIN or CAP_PERFMON, and whether it has it in a
        user namespace only, which the driver does not ask.
    packages
        Versions of Python packages that are installed.
    temporary, free_bytes
        The folder of temporary files, and the room in it.
    """

    ncu: str | None = None
    ncu_version: str | None = None
    ncu_complaint: str | None = None
    gpus: tuple[str, ...] = ()
    smi: bool = True
    driver_version: str | None = None
    cuda_version: str | None = None
    admin_only: bool | None = None
    uid: int | None = None
    capable: bool = False
    namespaced: bool = False
    packages: dict[str, str] = field(default_factory=dict)
    temporary: str = ""
    free_bytes: int | None = None


def look(root: Path = Path("/"), ncu: str | None = None) -> Machine:
    """Return the facts of this machine; ``ncu`` is the profiler that the user named."""
    path, version, why = _ncu(ncu, root)
    rows = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
    gpus = [row.rsplit(", ", 1) for row in rows if ", " in row]
    temporary = tempfile.gettempdir()
    return Machine(
        ncu=path,
        ncu_version=version,
        ncu_complaint=why,
        gpus=tuple(name for name, _ in gpus),
        smi=shutil.which("nvidia-smi") is not None,
        driver_version=gpus[0][1].strip() if gpus else driver(read(root / "proc/driver/nvidia/version")),
        cuda_version=_first(r"CUDA Version: +(\d+\.\d+)", _output("nvidia-smi")) if gpus else None,
        admin_only=admin_only(read(root / "proc/driver/nvidia/params")),
        uid=os.getuid() if hasattr(os, "getuid") else None,
        capable=capable(read(root / "proc/self/status")),
        namespaced=namespaced(read(root / "proc/self/uid_map")),
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
    """Tell from the text of ``/proc/self/status`` whether the process has a capability that reads counters."""
    found = _first(r"CapEff:\s+([0-9a-f]+)", text)
    return found is not None and any(int(found, 16) >> bit & 1 for bit in CAPABILITIES.values())


def namespaced(text: str) -> bool:
    """Tell from the text of ``/proc/self/uid_map`` whether the process runs in a user namespace."""
    return bool(text.strip()) and tuple(text.split()) != WHOLE


def _ncu(named: str | None, root: Path) -> tuple[str | None, str | None, str | None]:
    try:
        path = find_ncu(named, root)
    except ProfilerError as error:
        return None, None, f"{error.where}: {error.message}" if error.where else error.message
    why = complaint(path)
    return str(path), None if why else ncu_version(path), why


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

"""What the machine has for profiling; nothing here fails, what cannot be learnt is None."""

import importlib.metadata
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from nsightlens.errors import ProfilerError
from nsightlens.launch import smi
from nsightlens.launch.find import Ncu, find_ncu
from nsightlens.launch.proc import admin_only, capabilities, driver, read, user_namespace

PACKAGES = ("ncu-report", "nvtx", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x", "pyarrow")
# Device files of the driver: of a GPU, of an integrated GPU (Tegra), and of whatever GPU Windows lends to WSL.
DEVICES = ("nvidia[0-9]*", "nvhost-gpu", "dxg")


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
    smi_silence, smi_complaint
        Why nvidia-smi could not be asked, and what it said if it named no GPU.
    devices
        Device files of GPUs.
    admin_only
        Whether the driver keeps performance counters for administrators.
    uid, capabilities, user_namespace
        The user, the capabilities of this process, and whether both hold in a user namespace only.
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
    smi_silence: str = ""
    smi_complaint: str = ""
    devices: tuple[str, ...] = ()
    admin_only: bool | None = None
    uid: int | None = None
    capabilities: frozenset[str] = frozenset()
    user_namespace: bool = False
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
    answer = smi.ask()
    temporary = _temporary()
    return Machine(
        ncu=None if profiler is None else str(profiler.path),
        ncu_version=None if profiler is None else profiler.version,
        ncu_error=error,
        passed_over=() if profiler is None else profiler.passed_over,
        gpus=answer.gpus,
        driver_version=answer.driver_version or driver(read(root / "proc/driver/nvidia/version")),
        cuda_version=answer.cuda_version,
        smi_silence=answer.silence,
        smi_complaint=answer.complaint,
        devices=tuple(f"/dev/{path.name}" for name in DEVICES for path in sorted((root / "dev").glob(name))),
        admin_only=admin_only(read(root / "proc/driver/nvidia/params")),
        uid=os.getuid() if hasattr(os, "getuid") else None,
        capabilities=capabilities(read(root / "proc/self/status")),
        user_namespace=user_namespace(root / "proc/self/uid_map"),
        packages={name: found for name in PACKAGES if (found := _package(name)) is not None},
        temporary=temporary,
        free_bytes=_free(temporary),
    )


def _ncu(named: str | None, root: Path) -> tuple[Ncu | None, ProfilerError | None]:
    try:
        return find_ncu(named, root), None
    except ProfilerError as error:
        return None, error


def _package(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:  # none can be written
        return ""


def _free(folder: str) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None

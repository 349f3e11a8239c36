"""Whether a machine can profile: one check a fact, each with what mends it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nsightlens.errors import ProfilerError
from nsightlens.launch.find import INSTALL
from nsightlens.launch.machine import Machine

GIB = 1 << 30
REMOVE = "mend what was passed over, or take it from PATH, CUDA_HOME and CUDA_PATH; --ncu PATH names one"
# The CUDA that a release of Nsight Compute came with: it works with drivers of that CUDA.
SHIPPED_WITH = {(2022, 3): 11, (2022, 4): 12, (2025, 3): 13}
ALLOW = (
    "the administrator of the host writes 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into a file in "
    "/etc/modprobe.d, and reloads the driver or restarts the host (some distributions need a new initramfs first); or "
    "run as root on the host; or start the container with --cap-add=SYS_ADMIN"
)


@dataclass(frozen=True, slots=True)
class Check:
    """One check: ``ok``, ``warning`` or ``problem`` (profiling cannot work), what was found, and what mends it."""

    name: str
    status: str
    found: str
    remedy: str | None = None


def checks(machine: Machine) -> tuple[Check, ...]:
    """Return what is to be said of a machine."""
    return (
        _ncu(machine),
        _gpu(machine),
        _permission(machine),
        _versions(machine),
        _reader(machine),
        _cupy(machine),
        _package(machine, "nvtx", "ranges of nsightlens.annotate are not recorded", "pip install nvtx"),
        _package(machine, "pyarrow", "Parquet cannot be written", "pip install pyarrow"),
        _room(machine),
    )


def _ncu(machine: Machine) -> Check:
    if machine.ncu is None:
        error = machine.ncu_error or ProfilerError("Nsight Compute (ncu) was not found", remedy=INSTALL)
        place = f"{error.where}: " if error.where else ""
        return Check("ncu", "problem", f"{place}{error.message}", error.remedy)
    text = f"{machine.ncu_version}, {machine.ncu}"
    if machine.passed_over:
        return Check("ncu", "warning", f"{text}; passed over: {'; '.join(machine.passed_over)}", REMOVE)
    return Check("ncu", "ok", text)


def _gpu(machine: Machine) -> Check:
    if machine.gpus:
        cuda = f", CUDA up to {machine.cuda_version}" if machine.cuda_version else ""
        return Check("gpu", "ok", f"{', '.join(machine.gpus)}; driver {machine.driver_version}{cuda}")
    if machine.driver_version is not None:
        text = f"driver {machine.driver_version} is loaded, but nvidia-smi lists no GPU"
        return Check("gpu", "problem", text, "check nvidia-smi; start a container with --gpus all")
    return Check(
        "gpu", "problem", "no NVIDIA driver and no GPU", "recorded reports can be analysed: nsightlens analyze REPORT"
    )


def _permission(machine: Machine) -> Check:
    if machine.admin_only is None:
        return Check(
            "permission",
            "warning",
            "the driver does not say who may read performance counters",
            "nsightlens doctor --try",
        )
    if not machine.admin_only:
        return Check("permission", "ok", "every user may read performance counters")
    if machine.capable:
        return Check("permission", "ok", "administrators may read performance counters, and this process is one")
    who = "root without the capability CAP_SYS_ADMIN" if machine.uid == 0 else "this user"
    return Check("permission", "problem", f"{who} may not read performance counters (ncu says ERR_NVGPUCTRPERM)", ALLOW)


def _versions(machine: Machine) -> Check:
    ours, theirs = shipped_cuda(machine.ncu_version), _numbers(machine.cuda_version)[:1]
    if ours is None or not theirs:
        return Check("versions", "ok", "nothing to compare")
    text = f"ncu {machine.ncu_version} came with CUDA {ours}, the driver runs CUDA {machine.cuda_version}"
    if ours > theirs[0]:
        return Check("versions", "warning", text, "update the driver, or use an older Nsight Compute with --ncu PATH")
    if ours < theirs[0]:
        return Check("versions", "warning", text, "install a newer Nsight Compute, or name one with --ncu PATH")
    return Check("versions", "ok", text)


def _reader(machine: Machine) -> Check:
    version = machine.packages.get("ncu-report")
    update = "pip install --upgrade ncu-report"
    if version is None:
        text = "the package ncu-report is absent; only the module inside an installed Nsight Compute can be used"
        return Check("ncu-report", "warning", text, "pip install ncu-report")
    if _numbers(version)[:2] < _numbers(machine.ncu_version)[:2]:
        return Check("ncu-report", "warning", f"{version} is older than ncu {machine.ncu_version}", update)
    return Check("ncu-report", "ok", version)


def _cupy(machine: Machine) -> Check:
    found = {name: version for name, version in machine.packages.items() if name.startswith("cupy-")}
    runs = _numbers(machine.cuda_version)[:1]
    if not found:
        return Check("cupy", "warning", "absent; the kernels and examples need it", f"pip install {_wheel(runs)}")
    text = ", ".join(f"{name} {version}" for name, version in found.items())
    if len(found) > 1:
        return Check("cupy", "warning", f"{text} are installed together", "keep one: pip uninstall the other")
    if runs and _numbers(text)[:1] > runs:
        text += f" needs a newer driver than one for CUDA {machine.cuda_version}"
        return Check("cupy", "warning", text, f"pip install {_wheel(runs)}")
    return Check("cupy", "ok", text)


def _package(machine: Machine, name: str, without: str, remedy: str) -> Check:
    version = machine.packages.get(name)
    return Check(name, "ok", version) if version else Check(name, "warning", f"absent; {without}", remedy)


def _room(machine: Machine) -> Check:
    if machine.free_bytes is None:
        return Check("room", "warning", f"{machine.temporary} cannot be looked at", "set TMPDIR to another folder")
    text = f"{machine.free_bytes / GIB:.1f} GiB in {machine.temporary}"
    if machine.free_bytes < GIB:
        return Check("room", "warning", text, "make room, or set TMPDIR to a folder with more")
    return Check("room", "ok", text)


def shipped_cuda(version: str | None) -> int | None:
    """Return the major version of CUDA that a release of Nsight Compute came with; None before 2022.3."""
    release = _numbers(version)[:2]
    known = [cuda for first, cuda in SHIPPED_WITH.items() if first <= release]
    return known[-1] if known else None


def _wheel(cuda: tuple[int, ...]) -> str:
    return "cupy-cuda12x" if cuda == (12,) else "cupy-cuda13x"


def _numbers(text: str | None) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", text or ""))


def broken(found: tuple[Check, ...]) -> Iterator[Check]:
    """Yield the checks that say that profiling cannot work."""
    return (check for check in found if check.status == "problem")

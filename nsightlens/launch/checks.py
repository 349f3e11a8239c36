"""Whether a machine can profile: one check a fact, each with what mends it."""

from collections.abc import Iterator

from nsightlens.errors import INSTALL_CUPY, ProfilerError
from nsightlens.launch.check import Check, numbers
from nsightlens.launch.find import INSTALL
from nsightlens.launch.machine import Machine
from nsightlens.launch.permission import permission
from nsightlens.launch.versions import versions

GIB = 1 << 30
REMOVE = "mend what was passed over, or take it from PATH, CUDA_HOME and CUDA_PATH; --ncu PATH names one"
NO_SMI = "install nvidia-smi, which comes with the driver; or start the container with --gpus all"


def checks(machine: Machine) -> tuple[Check, ...]:
    """Return what is to be said of a machine."""
    return (
        _ncu(machine),
        _gpu(machine),
        permission(machine),
        versions(machine),
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
    loaded = f"driver {machine.driver_version} is loaded" if machine.driver_version else ""
    traces = " and ".join(filter(None, (loaded, ", ".join(machine.devices))))
    if machine.smi_silence and traces:
        text = f"{machine.smi_silence}, so what GPU there is stays unknown; found: {traces}"
        return Check("gpu", "warning", text, NO_SMI)
    said = f": {machine.smi_complaint}" if machine.smi_complaint else ""
    if traces:
        text = f"found: {traces}; but nvidia-smi lists no GPU{said}"
        return Check("gpu", "problem", text, "check nvidia-smi; start a container with --gpus all")
    silence = f": {machine.smi_silence}, and no driver is loaded" if machine.smi_silence else said
    remedy = "recorded reports can be analysed: nsightlens analyze REPORT"
    return Check("gpu", "problem", f"no NVIDIA driver and no GPU{silence}", remedy)


def _reader(machine: Machine) -> Check:
    version = machine.packages.get("ncu-report")
    update = "pip install --upgrade ncu-report"
    if version is None:
        text = "the package ncu-report is absent; only the module inside an installed Nsight Compute can be used"
        return Check("ncu-report", "warning", text, "pip install ncu-report")
    if numbers(version)[:2] < numbers(machine.ncu_version)[:2]:
        return Check("ncu-report", "warning", f"{version} is older than ncu {machine.ncu_version}", update)
    return Check("ncu-report", "ok", version)


def _cupy(machine: Machine) -> Check:
    found = {name: version for name, version in machine.packages.items() if name.startswith("cupy-")}
    runs = numbers(machine.cuda_version)[:1]
    if not found:
        return Check("cupy", "warning", "absent; the kernels and examples need it", _extra(runs))
    text = ", ".join(f"{name} {version}" for name, version in found.items())
    if len(found) > 1:
        return Check("cupy", "warning", f"{text} are installed together", "keep one: pip uninstall the other")
    if runs and numbers(text)[:1] > runs:
        text += f" needs a newer driver than one for CUDA {machine.cuda_version}"
        return Check("cupy", "warning", text, _extra(runs))
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


def _extra(cuda: tuple[int, ...]) -> str:
    return f'pip install "nsightlens[cuda{cuda[0]}]"' if cuda in {(12,), (13,)} else INSTALL_CUPY


def broken(found: tuple[Check, ...]) -> Iterator[Check]:
    """Yield the checks that say that profiling cannot work."""
    return (check for check in found if check.status == "problem")

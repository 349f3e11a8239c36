"""Whether this process may read the GPU's performance counters."""

from nsightlens.launch.check import TRY, Check, numbers
from nsightlens.launch.machine import Machine

PERFMON_DRIVER = 565
"""First driver for which CAP_PERFMON is enough (NVIDIA's page on ERR_NVGPUCTRPERM)."""
ALLOW = (
    "the administrator of the host writes 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into a file in "
    "/etc/modprobe.d, and reloads the driver or restarts the host (some distributions need a new initramfs first); or "
    "run as root on the host; or start the container with --cap-add=SYS_ADMIN"
)


def permission(machine: Machine) -> Check:
    """Return the check of the permission: the driver's setting, then the capabilities of this process."""
    if machine.admin_only is None:
        return _warning("the driver does not say who may read performance counters")
    if not machine.admin_only:
        return Check("permission", "ok", "every user may read performance counters")
    held = _enough(machine)
    if held is None:
        text = f"{_who(machine)} may not read performance counters (ncu says ERR_NVGPUCTRPERM)"
        return Check("permission", "problem", text, ALLOW)
    if machine.user_namespace:
        return _warning(f"{held} holds in a user namespace only, so it does not prove access to performance counters")
    if held == "CAP_PERFMON" and machine.driver_version is None:
        return _warning(
            f"{held} gives access to performance counters from driver {PERFMON_DRIVER} on; which is unknown"
        )
    return Check("permission", "ok", f"administrators may read performance counters, and this process has {held}")


def _warning(text: str) -> Check:
    return Check("permission", "warning", text, TRY)


def _enough(machine: Machine) -> str | None:
    """Return the capability that the driver asks for, if this process has it."""
    if "CAP_SYS_ADMIN" in machine.capabilities:
        return "CAP_SYS_ADMIN"
    new = machine.driver_version is None or numbers(machine.driver_version)[:1] >= (PERFMON_DRIVER,)
    return "CAP_PERFMON" if new and "CAP_PERFMON" in machine.capabilities else None


def _who(machine: Machine) -> str:
    if "CAP_PERFMON" in machine.capabilities:
        text = f"CAP_PERFMON is enough from driver {PERFMON_DRIVER} on, this is {machine.driver_version}: this process"
    elif machine.uid == 0:
        text = "root without the capability CAP_SYS_ADMIN"
    else:
        text = "this user"
    return text

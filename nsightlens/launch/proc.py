"""What the Linux kernel and the driver say of themselves in ``/proc``."""

import re
from pathlib import Path

CAPABILITIES = {"CAP_SYS_ADMIN": 21, "CAP_PERFMON": 38}
_WHOLE_HOST = [[0, 0, (1 << 32) - 1]]


def read(path: Path) -> str:
    """Return the text of a file; nothing if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def driver(text: str) -> str | None:
    """Return the version of the driver from the text of ``/proc/driver/nvidia/version``."""
    return first(r"Kernel Module\b.*?\s(\d+\.\d+(?:\.\d+)*)\s", text)


def admin_only(text: str) -> bool | None:
    """Tell from the text of ``/proc/driver/nvidia/params`` whether only administrators may read counters."""
    found = first(r"RmProfilingAdminOnly: (\d+)", text)
    return None if found is None else found != "0"


def capabilities(text: str) -> frozenset[str]:
    """Return those of ``CAPABILITIES`` that are effective, from the text of ``/proc/self/status``."""
    held = int(first(r"CapEff:\s+([0-9a-f]+)", text) or "0", 16)
    return frozenset(name for name, bit in CAPABILITIES.items() if held >> bit & 1)


def user_namespace(uid_map: Path) -> bool:
    """Tell from ``/proc/self/uid_map`` whether users are others than on the host; a kernel without it has no others."""
    if not uid_map.exists():
        return False
    return [[int(number) for number in line.split()] for line in read(uid_map).splitlines()] != _WHOLE_HOST


def first(pattern: str, text: str) -> str | None:
    """Return the first group of the first match, or None."""
    match = re.search(pattern, text)
    return match[1] if match else None

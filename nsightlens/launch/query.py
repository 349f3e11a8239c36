"""Ask Nsight Compute which counters a chip has."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from nsightlens.errors import ProfilerError
from nsightlens.launch.find import INSTALL

SUFFIXES = (".sum", ".sum.peak_sustained", ".avg", ".max", ".ratio", ".pct")
TIMEOUT_S = 120
# Names that ncu takes but does not list: they are its own, or the driver's.
_OWN = ("profiler__", "launch__", "device__", "pmsampling:")


_PLAIN = re.compile(r"(dram|fbpa|gpc|gpu|idc|l1tex|lts|ltc|pcie|sm|smsp|tpc)__[\w.]+")


def counters_of(ncu: Path, chip: str) -> frozenset[str]:
    """Return the counters that ``ncu --query-metrics`` lists for a chip, without roll-ups.

    Raises
    ------
    ProfilerError
        If ncu cannot be started, or does not know the chip.
    """
    arguments = [str(ncu), "--query-metrics", "--chip", chip]
    try:
        done = subprocess.run(  # noqa: S603
            arguments,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProfilerError(f"cannot be started: {error}", where=str(ncu), remedy=INSTALL) from error
    found = frozenset(listed(done.stdout))
    if done.returncode or not found:
        raise ProfilerError("this ncu does not know the chip", where=f"--chip {chip}", remedy="ncu --list-chips")
    return found


def unlisted(ncu: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of ``names`` that ncu does not list for the devices here: it leaves them out without a word.

    Nothing if ncu lists nothing. Names of groups, breakdowns and sources are not checked.
    """
    plain = [name for name in names if _PLAIN.fullmatch(name)]
    if not plain:
        return ()
    try:
        done = subprocess.run(  # noqa: S603
            [str(ncu), "--query-metrics"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = frozenset(listed(done.stdout))
    return tuple(name for name in plain if found and has(found, name) is False)


def listed(text: str) -> list[str]:
    """Return the names in the table of ``ncu --query-metrics``: the first word of its rows."""
    return re.findall(r"^([A-Za-z][\w.]*__\w+)(?: |$)", text, re.MULTILINE)


def has(counters: frozenset[str], name: str) -> bool | None:
    """Tell whether a chip has what ``ncu --metrics`` is asked for; None if the listing cannot tell.

    Parameters
    ----------
    counters
        The listing of the chip.
    name
        A counter with or without roll-up, or ``regex:`` and an expression.
    """
    if name.startswith(_OWN):
        return None
    if name.startswith("regex:"):
        expression = re.compile(name.removeprefix("regex:"))
        return any(expression.search(counter + suffix) for counter in counters for suffix in SUFFIXES)
    return name.split(".", maxsplit=1)[0] in counters

"""Choose launches of an analysis, and their order."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.analysis.totals import first, ranges, totals
from nsightlens.errors import UsageError

_UNMEASURED = -1.0
_OFFERED = 5


def lost_s(launch: LaunchResult) -> float | None:
    """Return the seconds that a launch lost to all causes, or ``None`` if it has no ledger."""
    return None if launch.losses is None else sum(loss.seconds for loss in launch.losses)


def _longest(launch: LaunchResult) -> float:
    return -(launch.time_s if launch.time_s is not None else _UNMEASURED)


def _costliest(launch: LaunchResult) -> float:
    lost = lost_s(launch)
    return -(lost if lost is not None else _UNMEASURED)


def _name(launch: LaunchResult) -> str:
    return launch.name


ORDERS: dict[str, Callable[[LaunchResult], float | str]] = {
    "time": _longest,
    "loss": _costliest,
    "name": _name,
}


@dataclass(frozen=True)
class Selection:
    """Which launches to show.

    Attributes
    ----------
    kernel
        Regular expression searched for in the kernel name.
    nvtx
        Prefix of a range path, such as ``train/step 3``.
    launch
        Positions in the file.
    top
        At most this many, after sorting.
    sort
        ``time``, ``loss`` or ``name``; order of the file if not given (``time`` with ``top``).
    """

    kernel: str | None = None
    nvtx: str | None = None
    launch: tuple[int, ...] = ()
    top: int | None = None
    sort: str | None = None


def select(analysis: Analysis, selection: Selection) -> Analysis:
    """Return the analysis of the selected launches alone.

    Raises
    ------
    UsageError
        If the expression is invalid or no launch fits.
    """
    chosen = [launch for launch in analysis.launches if _fits(launch, selection)]
    if not chosen:
        raise UsageError(
            "no launch fits the selection", where="--kernel/--nvtx/--launch", remedy=_offered(analysis, selection)
        )
    order = selection.sort or ("time" if selection.top else None)
    if order:
        chosen.sort(key=ORDERS[order])
    chosen = chosen[: selection.top]
    return replace(analysis, launches=tuple(chosen), ranges=ranges(chosen), first=first(chosen), totals=totals(chosen))


def _offered(analysis: Analysis, selection: Selection) -> str:
    if selection.launch:
        return f"launches: 0 to {max(launch.launch for launch in analysis.launches)}"
    if selection.nvtx is not None:
        return _nearest(selection.nvtx, {total.nvtx or "" for total in analysis.ranges})
    return _some("kernels", (launch.name for launch in analysis.launches))


def _nearest(asked: str, paths: set[str]) -> str:
    """Return the paths that hold what was asked for, or look like it; a path begins with its domain, then a slash."""
    words = asked.strip("/").lower()
    holding = sorted((path for path in paths if words in path.lower()), key=len)
    close = holding or get_close_matches(asked, paths, n=_OFFERED)
    return f"did you mean: {', '.join(close[:_OFFERED])}" if close else _some("ranges (domain/outer/inner)", paths)


def _some(what: str, names: Iterable[str]) -> str:
    different = sorted(set(names))
    more = f" and {len(different) - _OFFERED} more" if len(different) > _OFFERED else ""
    return f"{what}: {', '.join(different[:_OFFERED]) or 'none'}{more}"


def _fits(launch: LaunchResult, selection: Selection) -> bool:
    return (
        (selection.kernel is None or _search(selection.kernel, launch.name, launch.full_name))
        and (not selection.launch or launch.launch in selection.launch)
        and (selection.nvtx is None or any(_inside(path, selection.nvtx) for path in launch.nvtx))
    )


def _search(expression: str, *names: str) -> bool:
    try:
        return any(re.search(expression, name) for name in names)
    except re.error as error:
        raise UsageError(
            f"not a regular expression: {error}", where="--kernel", remedy="quote special characters"
        ) from error


def _inside(path: str, prefix: str) -> bool:
    prefix = prefix.rstrip("/")
    return path == prefix or path.startswith(f"{prefix}/")

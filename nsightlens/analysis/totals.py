"""Totals over launches and NVTX ranges: sums of what adds up, never a mean of ratios."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from nsightlens.analysis.result import CauseSeconds, FirstThing, LaunchResult, RangeResult

_NUMBER = re.compile(r"\d+")


def ranges(launches: Iterable[LaunchResult]) -> tuple[RangeResult, ...]:
    """Return the totals of every NVTX range, nested launches included, in order of appearance.

    Reports are not added up, nor kernels with ncu's results for whole ranges or graphs: these hold kernels themselves,
    and the gaps between them. Processes and devices are added up, so that times are device seconds, not elapsed ones.
    A launch counts once for a path, in however many ranges of that path it lies.
    """
    inside: dict[tuple[int, str, str], list[LaunchResult]] = defaultdict(list)
    for launch in launches:
        for path in dict.fromkeys(prefix for whole in launch.nvtx for prefix in _prefixes(whole)):
            inside[launch.report, path, launch.kind].append(launch)
    return tuple(_total(*of, found) for of, found in inside.items())


def totals(launches: Iterable[LaunchResult]) -> tuple[RangeResult, ...]:
    """Return the totals of each report and kind of launch, inside ranges or not: the ledger of a whole program."""
    whole: dict[tuple[int, str], list[LaunchResult]] = defaultdict(list)
    for launch in launches:
        whole[launch.report, launch.kind].append(launch)
    return tuple(_total(report, None, kind, found) for (report, kind), found in whole.items())


TRIFLE = 0.005
"""Below this share of the whole time a loss is not worth naming."""


def first(launches: Sequence[LaunchResult], count: int = 3) -> tuple[FirstThing, ...]:
    """Return the losses that cost most, summed over the launches of one innermost NVTX range; trifles are left out.

    Ranges that differ by a number alone, such as the steps of a loop, are one. A mean over an unknown number of
    launches costs an unknown time and is left out.
    """
    found: dict[tuple[str, str | None], list[tuple[float, LaunchResult]]] = defaultdict(list)
    for launch in launches:
        for loss in launch.losses or ():
            seconds = weighted(launch, loss.seconds)
            if seconds is not None:
                found[loss.cause, _numberless(deepest(launch.nvtx))].append((seconds, launch))
    least = TRIFLE * sum(weighted(launch, launch.time_s) or 0.0 for launch in launches)
    things = sorted((_thing(cause, parts) for (cause, _), parts in found.items()), key=lambda thing: -thing.seconds)
    return tuple(thing for thing in things[:count] if thing.seconds >= least)


def _numberless(path: str | None) -> str | None:
    return None if path is None else _NUMBER.sub("*", path)


def _thing(cause: str, parts: Sequence[tuple[float, LaunchResult]]) -> FirstThing:
    paths = {deepest(launch.nvtx) for _, launch in parts}
    by_kernel: dict[str, float] = defaultdict(float)
    for seconds, launch in parts:
        by_kernel[launch.name] += seconds
    return FirstThing(
        cause=cause,
        seconds=sum(seconds for seconds, _ in parts),
        nvtx=paths.pop() if len(paths) == 1 else _numberless(paths.pop()),
        kernel=max(by_kernel, key=lambda name: by_kernel[name]),
        launches=sum(launch.context.invocations or 0 for _, launch in parts),
    )


def weighted(launch: LaunchResult, value: float | None) -> float | None:
    """Return what a quantity that adds up, such as seconds, comes to over all launches that a row is the mean of.

    Returns ``None`` if the quantity, or the number of launches, is not known.
    """
    count = launch.context.invocations
    return None if value is None or count is None else value * count


def deepest(paths: Sequence[str]) -> str | None:
    """Return the range path with the most levels, or ``None`` if there is none."""
    return max(paths, key=lambda path: path.count("/"), default=None)


def _prefixes(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(2, len(parts) + 1)]


def _total(report: int, path: str | None, kind: str, launches: Sequence[LaunchResult]) -> RangeResult:
    counts = [launch.context.invocations for launch in launches]
    return RangeResult(
        report=report,
        nvtx=path,
        kind=kind,
        launches=None if None in counts else sum(count or 0 for count in counts),
        processes=len({launch.process_id for launch in launches}),
        devices=len({(launch.gpu, launch.context.device) for launch in launches}),
        time_s=_sum(weighted(launch, launch.time_s) for launch in launches),
        ideal_s=_sum(weighted(launch, launch.ideal_s) for launch in launches),
        losses=_losses(launches),
        unexplained_s=_sum(weighted(launch, launch.unexplained_s) for launch in launches),
    )


def _losses(launches: Sequence[LaunchResult]) -> tuple[CauseSeconds, ...] | None:
    sums: dict[str, float] = defaultdict(float)
    for launch in launches:
        if launch.losses is None or launch.context.invocations is None:
            return None
        for loss in launch.losses:
            sums[loss.cause] += loss.seconds * launch.context.invocations
    return tuple(CauseSeconds(*item) for item in sorted(sums.items(), key=lambda item: -item[1]))


def _sum(values: Iterable[float | None]) -> float | None:
    """Return the sum, or ``None`` if a part of it was not measured."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total

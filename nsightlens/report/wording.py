"""The sentences around the table of launches, the same on every surface; safe text, not yet escaped for one."""

from collections.abc import Iterator, Sequence

from nsightlens.analysis.cells import kernel_name, position
from nsightlens.analysis.result import Analysis, Context, LaunchResult, ReportInfo
from nsightlens.report.ledgers import longest
from nsightlens.text import printable
from nsightlens.units import percent, seconds

PATH = 240
COLLECT = "To collect all of them: nsightlens profile -- CMD"
NAMES = "Their names, and a plain ncu command, stand under missing and remedy in --format json."


def heads(analysis: Analysis) -> Iterator[tuple[str, str, list[str]]]:
    """Yield, of each report that has launches here or lacks some, its path, how it was made, and its notes."""
    several = len(analysis.reports) > 1
    for number, report in enumerate(analysis.reports):
        shown = [launch for launch in analysis.launches if launch.report == number]
        if shown or not report.complete:
            path = (f"{number}: " if several else "") + printable(report.path, PATH)
            notes = [f"Note: {printable(note, PATH)}" for note in report.notes]
            yield path, _made(report, shown[0].context) if shown else "", notes


def _made(report: ReportInfo, context: Context) -> str:
    gpus = ", ".join(report.gpus) or "unknown GPU"
    cache, clock = context.cache_control, context.clock_control
    if report.format.startswith("nvprof"):
        return printable(f"{gpus}, nvprof", PATH)
    caches = {"all": "caches flushed before each pass", "none": "caches warm"}.get(cache or "", "cache control unknown")
    made = f"{gpus}, ncu {report.ncu_version or 'unknown'}; {caches}; clock control {clock or 'unknown'}"
    if context.replay_mode not in {None, "kernel"}:
        made += f"; {context.replay_mode} replay"
    return printable(made, PATH)


def spreads(launches: Sequence[LaunchResult], *, several: bool) -> list[str]:
    """Return the times over several runs of the longest launches that have such."""
    lines = []
    for launch in longest([launch for launch in launches if launch.repeats is not None]):
        if (over := launch.repeats) is not None:
            times = f"median {seconds(over.median_s)}, {seconds(over.min_s)} to {seconds(over.max_s)}"
            where = f"{position(launch, several=several)} {kernel_name(launch)}"
            lines.append(f"{where}: {times} in {over.runs} runs")
    return lines


_GROSS = 0.25
_SHAPES = "the roof is that of the fastest instruction shape, and smaller shapes do less work a cycle"


def busy_lines(launches: Sequence[LaunchResult], *, several: bool) -> list[str]:
    """Return, of launches whose tensor pipe is far busier than their place under the roof says, why that can be."""
    lines = []
    for launch in longest([launch for launch in launches if (launch.roofline.pipe or "").startswith("tensor")]):
        busy, roof = launch.utilisation.tensor_pipe_share, launch.roofline.roof_fraction
        if busy is not None and roof is not None and busy - roof > _GROSS:
            where = f"{position(launch, several=several)} {kernel_name(launch)}"
            lines.append(f"{where}: tensor pipe {percent(busy, 0)} busy at {percent(roof, 0)} of the roof: {_SHAPES}")
    return lines


def missing_line(launches: Sequence[LaunchResult]) -> str:
    """Return how many counters are missing, or nothing."""
    lacking = [launch for launch in launches if launch.missing]
    if not lacking:
        return ""
    most = max(len(launch.missing) for launch in lacking)
    which = "every launch" if len(lacking) == len(launches) else f"{len(lacking)} of {len(launches)} launches"
    least = min(len(launch.missing) for launch in lacking)
    number = str(most) if least == most else f"{least} to {most}"
    counters = "1 counter is" if most == 1 else f"{number} counters are"
    return f"{counters} missing for {which}, so some fields stay empty."

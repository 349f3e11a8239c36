"""The analysis object. Every rendering (table, JSON, plot) reads these classes; docs/contract.md describes them.

``None`` means not measured. Times are seconds, traffic bytes, work FLOP; shares lie in 0...1 of ``time_s``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nsightlens.collectors.quantities import Origin
from nsightlens.text import count, printable
from nsightlens.units import seconds

if TYPE_CHECKING:
    import pandas as pd

    from nsightlens.collectors.report import Report


_SHORT, _FEW = 60, 3


@dataclass(frozen=True, slots=True)
class ReportInfo:
    """Where launches come from: one profiler report."""

    path: str
    format: str
    complete: bool
    ncu_version: str | None = None
    driver_version: str | None = None
    cuda_version: str | None = None
    gpus: tuple[str, ...] = ()
    command_line: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ceiling:
    """An upper limit of a rate and where it was taken from (``measured``, ``report`` or ``spec``)."""

    value: float
    source: str


@dataclass(frozen=True, slots=True)
class Context:
    """How the launch was profiled.

    ``invocations`` is the number of launches that the values are means over: 1 for a launch itself, ``None`` where
    the file gives a mean and does not say of how many.
    """

    stream: int | None = None
    device: int | None = None
    clock_control: str | None = None
    cache_control: str | None = None
    replay_mode: str | None = None
    passes: int | None = None
    metric_set: str | None = None
    invocations: int | None = 1


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Shares of what the hardware could have done."""

    dram_share: float | None = None
    l2_hit_share: float | None = None
    l1_hit_share: float | None = None
    tensor_pipe_share: float | None = None
    sm_share: float | None = None
    occupancy_share: float | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """Executed floating-point work by data type (a fused multiply-add counts 2)."""

    fp64_flop: float | None = None
    fp32_flop: float | None = None
    fp16_flop: float | None = None
    tensor_flop: dict[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes moved through each level of the memory hierarchy."""

    dram: float | None = None
    l2: float | None = None
    l1: float | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """What the program itself said about a range (see ``nsightlens.annotate``)."""

    flop: float | None = None
    dram_bytes: float | None = None
    payload: float | str | None = None


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """One point of the hierarchical roofline."""

    level: str
    pipe: str
    intensity_flop_per_byte: float
    performance_flop_per_s: float
    attainable_flop_per_s: float | None


@dataclass(frozen=True, slots=True)
class InstructionPoint:
    """One point of the instruction roofline: instructions of warps, not of threads."""

    level: str
    intensity_inst_per_byte: float
    performance_inst_per_s: float
    attainable_inst_per_s: float | None


@dataclass(frozen=True, slots=True)
class InstructionRoofline:
    """Where a launch stands by the instructions of its warps, which needs no floating-point work.

    Intensity, attainable rate and ridge are those of ``Roofline.level``.
    """

    intensity_inst_per_byte: float | None = None
    performance_inst_per_s: float | None = None
    attainable_inst_per_s: float | None = None
    roof_fraction: float | None = None
    ridge_inst_per_byte: float | None = None
    points: tuple[InstructionPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Useful:
    """What the program declared of its range, over what the launch did.

    ``flop_share`` and ``dram_bytes_share`` are declared over counted; the rest is the roofline of the declared amounts:
    what an implementation without excess work and traffic would reach in this time.
    """

    flop_share: float | None = None
    dram_bytes_share: float | None = None
    intensity_flop_per_byte: float | None = None
    performance_flop_per_s: float | None = None
    attainable_flop_per_s: float | None = None
    roof_fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Roofline:
    """Where a launch stands: ``bound`` is memory, compute, latency or unknown.

    ``level`` is the memory level whose roof is the lowest for the launch; intensity, attainable performance, fraction
    and ridge are those of this level. ``above_roof`` says how far and why a launch exceeds its roof, if it does.
    """

    bound: str = "unknown"
    level: str | None = None
    pipe: str | None = None
    intensity_flop_per_byte: float | None = None
    performance_flop_per_s: float | None = None
    attainable_flop_per_s: float | None = None
    roof_fraction: float | None = None
    ridge_flop_per_byte: float | None = None
    points: tuple[RooflinePoint, ...] = ()
    instructions: InstructionRoofline | None = None
    useful: Useful | None = None
    above_roof: str | None = None


@dataclass(frozen=True, slots=True)
class Overlap:
    """Fraction of the shorter of memory and compute time that hides under the longer, as an interval."""

    low: float | None = None
    high: float | None = None
    estimate: float | None = None
    method: str = "counters"
    status: str = "unknown"
    t_mem_s: float | None = None
    t_cmp_s: float | None = None
    idle_low_s: float | None = None
    idle_high_s: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A source line and SASS instruction with its share of a loss."""

    file: str | None
    line: int | None
    sass: str | None
    share: float


@dataclass(frozen=True, slots=True)
class Loss:
    """Seconds lost to one cause."""

    cause: str
    seconds: float
    share: float
    confidence: str
    evidence: dict[str, float] = field(default_factory=dict)
    where: tuple[Place, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True)
class TensorCore:
    """Whether tensor cores ran, and the interval of the speed-up that they could still bring."""

    used: bool | None = None
    ratio: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Times of one launch over several runs of the program."""

    runs: int
    median_s: float
    min_s: float
    max_s: float


@dataclass(frozen=True, slots=True, repr=False)
class LaunchResult:
    """Everything known about one profiled launch (a kernel, range or graph).

    ``where_remedy`` is the command that lets ``where`` of the losses be filled, ``None`` if nothing stands in the way.
    ``event_time_s`` is what another tool measured without ncu, ``None`` unless its times were given.
    """

    report: int
    launch: int
    kind: str
    status: str
    process_id: int | None
    name: str
    full_name: str
    nvtx: tuple[str, ...]
    gpu: str | None
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    time_s: float | None
    context: Context
    utilisation: Utilisation
    work: Work
    traffic_bytes: Traffic
    declared: Declared
    ceilings: dict[str, Ceiling]
    roofline: Roofline
    overlap: Overlap
    ideal_s: float | None
    losses: tuple[Loss, ...] | None
    unexplained_s: float | None
    tensor_core: TensorCore
    values: Mapping[str, Origin]
    missing: tuple[str, ...]
    remedy: str | None
    where_remedy: str | None = None
    repeats: Repeats | None = None
    event_time_s: float | None = None

    def __repr__(self) -> str:
        """Return one line: which launch, how long, bound by what."""
        name = printable(self.name, _SHORT)
        return f"<Launch {self.launch} of report {self.report}: {name}, {seconds(self.time_s)}, {self.roofline.bound}>"


@dataclass(frozen=True, slots=True)
class CauseSeconds:
    """A cause and its seconds, summed over launches."""

    cause: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RangeResult:
    """Totals over the launches of one kind in one NVTX range of one report (nested ranges included), or in all of it.

    A mean over n launches counts n times; ``launches`` is ``None`` if it is not known how often.

    Times are sums over ``processes`` and ``devices``, so device seconds.
    """

    report: int
    nvtx: str | None
    kind: str
    launches: int | None
    processes: int
    devices: int
    time_s: float | None
    ideal_s: float | None
    losses: tuple[CauseSeconds, ...] | None
    unexplained_s: float | None


@dataclass(frozen=True, slots=True)
class FirstThing:
    """One of the losses to look at first, over ``launches`` of one range.

    A ``*`` in ``nvtx`` stands for numbers in which ranges differ. ``kernel`` is the one that loses most of it.
    """

    cause: str
    seconds: float
    nvtx: str | None
    kernel: str
    launches: int


@dataclass(frozen=True, slots=True, repr=False)
class Analysis:
    """The result of analysing one or more reports.

    ``sources`` are the reports as they were read, all launches included; they are no part of the JSON document.
    """

    reports: tuple[ReportInfo, ...]
    launches: tuple[LaunchResult, ...]
    ranges: tuple[RangeResult, ...] = ()
    first: tuple[FirstThing, ...] = ()
    totals: tuple[RangeResult, ...] = ()
    sources: "tuple[Report, ...]" = field(default=(), repr=False, compare=False)

    def frame(self) -> "pd.DataFrame":
        """Return one row a launch: the ``launches`` frame of the report, then ``nsightlens.schema.finding_columns``.

        Raises
        ------
        UsageError
            If the analysis was not made from reports.
        """
        from nsightlens.analysis.frame import launch_frame  # noqa: PLC0415

        return launch_frame(self)

    def __repr__(self) -> str:
        """Return one line: how many launches, of which reports."""
        paths = ", ".join(printable(report.path, _SHORT) for report in self.reports[:_FEW])
        more = f" and {len(self.reports) - _FEW} more" if len(self.reports) > _FEW else ""
        return f"<Analysis of {count(len(self.launches), 'launch')}: {paths or 'no report'}{more}>"

    def _repr_html_(self) -> str:
        from nsightlens.analysis.notebook import analysis_html  # noqa: PLC0415

        return analysis_html(self)

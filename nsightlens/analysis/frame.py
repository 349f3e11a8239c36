"""The analysis as a DataFrame: what was read of each launch, and what was found."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from nsightlens import schema
from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.analysis.rules import added
from nsightlens.collectors.report import Launch, record
from nsightlens.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd


def launch_frame(analysis: Analysis, *, findings: bool = True) -> "pd.DataFrame":
    """Return one row a launch, in the order of the analysis.

    Parameters
    ----------
    analysis
        Made from reports, perhaps with a selection.
    findings
        Add ``nsightlens.schema.finding_columns``. ``report`` and ``path`` stand in front if there are several reports.

    Raises
    ------
    UsageError
        If the analysis was not made from reports.
    """
    from nsightlens.collectors.frames import typed  # noqa: PLC0415

    rows = launch_records(analysis)
    columns = frame_columns({name for row in rows for name in row}, analysis, findings=findings)
    if findings:
        rows = [{**row, **_findings(launch)} for row, launch in zip(rows, analysis.launches, strict=True)]
    return typed({name: [row.get(name) for row in rows] for name in columns}, columns)


def launch_records(analysis: Analysis) -> list[dict[str, Any]]:
    """Return one record a launch, in the order of the analysis: column to value, without findings.

    Raises
    ------
    UsageError
        If the analysis was not made from reports.
    """
    pairs = zip(analysis.launches, chosen(analysis), strict=True)
    return [{**_source(analysis, launch), **record(read)} for launch, read in pairs]


def frame_columns(found: Iterable[str], analysis: Analysis, *, findings: bool) -> dict[str, schema.Column]:
    """Return the columns of ``launch_frame`` with their dtypes, units and meanings."""
    source = schema.SOURCE if len(analysis.reports) > 1 else {}
    causes = {rule.cause: rule.doc.rstrip(".") for rule in added()} if findings else {}
    more = schema.finding_columns(causes) if findings else {}
    return {**source, **schema.launch_columns(set(found) - set(schema.SOURCE) - set(more)), **more}


def chosen(analysis: Analysis) -> Sequence[Launch]:
    """Return the launches of an analysis as they were read, in its order.

    Raises
    ------
    UsageError
        If the analysis was not made from reports.
    """
    if len(analysis.sources) != len(analysis.reports):
        raise UsageError("the analysis does not hold its reports", remedy="make it with nsightlens.analyze")
    read = {(n, x.row["launch"]): x for n, report in enumerate(analysis.sources) for x in report.launched}
    return [read[launch.report, launch.launch] for launch in analysis.launches]


def _source(analysis: Analysis, launch: LaunchResult) -> dict[str, Any]:
    return {"report": launch.report, "path": analysis.reports[launch.report].path}


def _findings(launch: LaunchResult) -> dict[str, Any]:
    roofline, overlap, tensor = launch.roofline, launch.overlap, launch.tensor_core
    counted, useful = roofline.instructions, roofline.useful
    return {
        "bound": roofline.bound,
        "roofline_pipe": roofline.pipe,
        "roofline_level": roofline.level,
        "intensity_flop_per_byte": roofline.intensity_flop_per_byte,
        "performance_flop_per_s": roofline.performance_flop_per_s,
        "attainable_flop_per_s": roofline.attainable_flop_per_s,
        "roof_fraction": roofline.roof_fraction,
        "performance_inst_per_s": counted.performance_inst_per_s if counted else None,
        "instruction_roof_fraction": counted.roof_fraction if counted else None,
        "useful_flop_share": useful.flop_share if useful else None,
        "useful_dram_bytes_share": useful.dram_bytes_share if useful else None,
        "overlap_low": overlap.low,
        "overlap_high": overlap.high,
        "overlap_status": overlap.status,
        "t_mem_s": overlap.t_mem_s,
        "t_cmp_s": overlap.t_cmp_s,
        "ideal_s": launch.ideal_s,
        **{f"loss_{loss.cause}_s": loss.seconds for loss in launch.losses or ()},
        "unexplained_s": launch.unexplained_s,
        "tensor_core_used": tensor.used,
        "tensor_core_speedup_high": tensor.speedup_high,
        "event_time_s": launch.event_time_s,
        **_repeats(launch),
    }


def _repeats(launch: LaunchResult) -> dict[str, Any]:
    over = launch.repeats
    if over is None:
        return {}
    times = {"median_s": over.median_s, "min_s": over.min_s, "max_s": over.max_s}
    return {"repeats": over.runs, **{f"repeats_{name}": value for name, value in times.items()}}

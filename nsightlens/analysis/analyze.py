"""Analyse whole reports: every launch, then the totals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nsightlens.analysis.ceilings import ceilings
from nsightlens.analysis.context import asked, context
from nsightlens.analysis.losses import account
from nsightlens.analysis.missing import missing, remedy
from nsightlens.analysis.overlap import bound_overlap, flag_excess
from nsightlens.analysis.result import (
    Analysis,
    Declared,
    LaunchResult,
    ReportInfo,
    Traffic,
    Utilisation,
    Work,
)
from nsightlens.analysis.roofline import place
from nsightlens.analysis.source import LAUNCHES, add_places, where_remedy
from nsightlens.analysis.tensor_core import tensor_core
from nsightlens.analysis.totals import first, ranges, totals
from nsightlens.analysis.useful import one_launch_a_pass
from nsightlens.analysis.work import CUDA_CORES, known
from nsightlens.collectors import read
from nsightlens.collectors.quantities import Origin
from nsightlens.collectors.report import Launch, Report
from nsightlens.measured import passed_over


def analyze_reports(
    paths: str | Path | Sequence[str | Path],
    *,
    keep_going: bool = False,
    max_bytes: int | None = None,
    decimal: str | None = None,
    keep: bool = True,
    times: str | Path | None = None,
    source: int = LAUNCHES,
) -> Analysis:
    """Read and analyse reports.

    Parameters
    ----------
    paths
        One report or several, plain or compressed.
    keep_going
        Analyse what can be read of a damaged report.
    max_bytes
        Unpacking stops at this size; 1 GiB if not given.
    decimal
        Decimal separator of the numbers in CSV and text, ``point`` or ``comma``; judged by the numbers if not given.
    keep
        Hold on to what was read, which ``Analysis.frame`` needs.
    times
        File of times that were taken without ncu (see ``nsightlens.analysis.times.add_times``).
    source
        Name the instructions behind the losses of so many launches, those that lost most, where a report has counters
        for each instruction.

    Raises
    ------
    UsageError
        If a file does not exist, or ``decimal`` is something else.
    ReportError
        If a file holds no usable data.
    """
    reports = read(paths, keep_going=keep_going, max_bytes=max_bytes, decimal=decimal, samples=True)
    analysis = analyze(reports, keep=keep)
    analysis = add_places(analysis, paths, launches=source, keep_going=keep_going, max_bytes=max_bytes)
    if times is None:
        return analysis
    from nsightlens.analysis.times import add_times  # noqa: PLC0415

    return add_times(analysis, Path(times))


def analyze(reports: Iterable[Report], *, keep: bool = True) -> Analysis:
    """Analyse reports that were read already; without ``keep`` the analysis holds no ``sources``."""
    infos: list[ReportInfo] = []
    launches: list[LaunchResult] = []
    sources: list[Report] = []
    for number, report in enumerate(reports):
        infos.append(_info(report))
        sources += [report] if keep else []
        given, alone = asked(report), one_launch_a_pass(report.launched)
        launches += [
            analyze_launch(number, launch, given, alone=launch.row["launch"] in alone) for launch in report.launched
        ]
    found = (ranges(launches), first(launches), totals(launches))
    return Analysis(tuple(infos), tuple(launches), *found, sources=tuple(sources))


def analyze_launch(number: int, launch: Launch, given: Mapping[str, str], *, alone: bool = True) -> LaunchResult:
    """Analyse one launch of the report with this number.

    ``given`` is what was asked of ncu (see ``asked``); ``alone``, whether its range declares the work of it alone.
    """
    row, values = launch.row, launch.values
    limits = ceilings(launch)
    roofline = place(launch, limits, alone=alone)
    overlap = flag_excess(bound_overlap(launch, limits), roofline)
    ledger = account(launch, limits, violated=overlap.status == "ceiling_violation")
    lacking = missing(launch)
    return LaunchResult(
        report=number,
        launch=row["launch"],
        kind=row["kind"],
        status=row["status"],
        process_id=row["process_id"],
        name=row["name"],
        full_name=row["full_name"],
        nvtx=row["nvtx"],
        gpu=row["gpu"],
        grid=row["grid"],
        block=row["block"],
        time_s=known(values["time_s"]),
        context=context(given, launch),
        utilisation=Utilisation(**{name: known(values[name]) for name in Utilisation.__slots__}),
        work=_work(launch),
        traffic_bytes=Traffic(*(known(values[f"{level}_bytes"]) for level in ("dram", "l2", "l1"))),
        declared=_declared(row),
        ceilings=limits,
        roofline=roofline,
        overlap=overlap,
        ideal_s=ledger.ideal_s,
        losses=ledger.losses,
        unexplained_s=ledger.unexplained_s,
        tensor_core=tensor_core(launch, roofline.pipe, limits, overlap),
        values=_origins(launch),
        missing=lacking,
        remedy=remedy(lacking, row["kind"]),
        where_remedy=where_remedy(launch, ledger.losses),
    )


def _origins(launch: Launch) -> Mapping[str, Origin]:
    said = {f"declared_{name}" for name in ("flop", "dram_bytes") if name in launch.row["declared"]}
    return {**launch.origins, **dict.fromkeys(said, Origin(None, "declared"))} if said else launch.origins


def _declared(row: dict[str, Any]) -> Declared:
    said = row["declared"]
    return Declared(said.get("flop"), said.get("dram_bytes"), row["payload"])


def _work(launch: Launch) -> Work:
    tensor = {kind: None if math.isnan(flop) else flop for kind, flop in launch.tensor.flop.items()}
    fp64, fp32, fp16 = (known(launch.values[f"{name}_flop"]) for name in CUDA_CORES)
    return Work(fp64, fp32, fp16, tensor)


def _info(report: Report) -> ReportInfo:
    found = ReportInfo(**{name: getattr(report, name) for name in ReportInfo.__slots__})
    return replace(found, notes=(*found.notes, *passed_over(found.gpus)))

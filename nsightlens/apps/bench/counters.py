"""Counters of Nsight Compute beside the event times of a suite, and beside what the catalogue's formulas say."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nsightlens import launch
from nsightlens.analysis.result import Analysis, LaunchResult
from nsightlens.apps.bench import overlap, scale
from nsightlens.apps.profile import run_profile
from nsightlens.apps.profile_run import Profiled
from nsightlens.collectors.report import Launch
from nsightlens.errors import ReportError
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.pairs import label, pairs
from nsightlens.kernels.workload import Workload

_LSU = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
READ_WAIT = "sm__average_inst_latency_pipe_lsu_mem_lg_cmd_read.ratio"
REQUESTS = tuple(_LSU.format("requests", kind) for kind in ("ld", "st"))
SETS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "scale": ("overview", (*REQUESTS, READ_WAIT)),
    "overlap": ("overview", ()),
    "losses": ("deep", ()),
}
"""Suite to the metric set that serves it, and further counters."""
Row = dict[str, Any]
Result = Mapping[str, Any]


class Seen(NamedTuple):
    """A launch of a suite: the ranges below that of the suite, its analysis, and what was read."""

    path: Sequence[str]
    found: LaunchResult
    read: Launch


def run(
    suite: str,
    target: Path,
    *,
    only: str | None = None,
    ncu: str | None = None,
    force: bool = False,
    on_progress: launch.OnProgress | None = None,
) -> Profiled:
    """Launch the kernels of a suite under ncu, each once; what was collected is in the result also after a failure."""
    metric_set, metrics = SETS[suite]
    more = () if only is None else (only,)
    return run_profile(
        (sys.executable, "-m", "nsightlens.apps.bench.launch", suite, *more),
        targets=[target],
        metric_set=metric_set,
        metrics=metrics,
        ncu=ncu,
        force=force,
        on_progress=on_progress,
    )


def with_counters(result: Result, suite: str, analysis: Analysis) -> dict[str, Any]:
    """Return a result with its ``counters``: a row for each launch of the suite in a report.

    Raises
    ------
    ReportError
        If the report holds none, such as without the package ``nvtx``.
    """
    rows = [row for seen in _seen(suite, analysis) if (row := _ROWS[suite](result, seen)) is not None]
    if not rows:
        where = ", ".join(info.path for info in analysis.reports)
        raise ReportError(
            f"holds no launch of the suite {suite}", where=where, remedy="pip install nvtx, then --profile"
        )
    return {**result, "counters": rows}


def _seen(suite: str, analysis: Analysis) -> Iterator[Seen]:
    read = [one for source in analysis.sources for one in source.launched]
    prefix = ["nsightlens", "pairs" if suite == "losses" else suite]
    for found, one in zip(analysis.launches, read, strict=True):
        for path in found.nvtx:
            parts = path.split("/")
            if parts[:2] == prefix and len(parts) > len(prefix):
                yield Seen(parts[2:], found, one)


def _scale(result: Result, seen: Seen) -> Row | None:
    elements = seen.found.declared.payload
    if elements is None or seen.path[0] not in scale.VARIANTS:
        return None
    family, given = scale.VARIANTS[seen.path[0]]
    work = workload(family, n=int(elements), **given)
    times = {(row["variant"], row["elements"]): row for row in result["rows"]}
    event_s = times.get((seen.path[0], elements), {}).get("median_s")
    counted = seen.read.counters
    sectors = {
        kind: _ratio(*(_number(counted.get(_LSU.format(what, kind))) for what in ("sectors", "requests")))
        for kind in ("ld", "st")
    }
    return _row(seen.path[0], seen, work, event_s) | {
        "elements": elements,
        "load_sectors_per_request": sectors["ld"],
        "store_sectors_per_request": sectors["st"],
        "read_wait_cycles": _number(counted.get(READ_WAIT)),
    }


def _overlap(result: Result, seen: Seen) -> Row | None:
    sms = _number(seen.read.values["sm_count"])
    cases = {overlap.label(case): case for case in overlap.cases(int(sms))} if sms else {}
    if seen.path[0] not in cases:
        return None
    times = {row["label"]: row for row in result["rows"]}.get(seen.path[0], {})
    family, given = cases[seen.path[0]]
    row = _row(seen.path[0], seen, workload(family, variant="full", **given), times.get("t_full_s"))
    bounds = seen.found.overlap
    return row | {"overlap": times.get("overlap"), "overlap_low": bounds.low, "overlap_high": bounds.high}


def _losses(result: Result, seen: Seen) -> Row | None:
    sms, pair = _number(seen.read.values["sm_count"]), pairs().get(seen.path[0])
    planted = {label(one): one for one in pair.variants()} if pair else {}
    variant = seen.path[-1]
    measured = next((one for one in result["pairs"] if one["name"] == seen.path[0]), None)
    if pair is None or measured is None or not sms or variant not in planted:
        return None
    event_s = measured["variants"].get(variant, {}).get("median_s")
    truth = measured["truth"].get(variant, {})
    row = _row(f"{pair.name}, {variant}", seen, pair.make(planted[variant], int(sms)), event_s)
    return row | {
        "planted": {
            cause: {"share": truth.get(cause, {}).get("share"), "ledger_share": _ledger_share(seen.found, cause)}
            for cause in sorted(planted[variant])
        }
    }


def _ledger_share(found: LaunchResult, cause: str) -> float | None:
    if found.losses is None or not found.time_s:
        return None
    return sum(loss.seconds for loss in found.losses if loss.cause == cause) / found.time_s


def _row(name: str, seen: Seen, work: Workload, event_s: float | None) -> Row:
    found = seen.found
    return {
        "label": name,
        "event_s": event_s,
        "time_s": found.time_s,
        "dram_bytes": found.traffic_bytes.dram,
        "formula_dram_bytes": work.dram_bytes,
        "flop": _counted(found, work),
        "formula_flop": sum(work.flop.values()),
        "dram_share": found.utilisation.dram_share,
        "tensor_pipe_share": found.utilisation.tensor_pipe_share,
    }


def _counted(found: LaunchResult, work: Workload) -> float | None:
    """Return the FLOP of the data types that the formula names; None if one was not counted."""
    kinds: dict[str, float | None] = {
        "fp64": found.work.fp64_flop,
        "fp32": found.work.fp32_flop,
        "fp16": found.work.fp16_flop,
    }
    kinds |= {f"tensor_{kind}": flop for kind, flop in found.work.tensor_flop.items()}
    if found.work.tensor_flop:  # a type that is not among them was counted, and is 0
        kinds = {**dict.fromkeys(work.flop, 0.0), **kinds}
    counted = [kinds.get(kind) for kind in work.flop]
    return None if None in counted else float(sum(flop for flop in counted if flop is not None))


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


_ROWS: Mapping[str, Callable[[Result, Seen], Row | None]] = {"scale": _scale, "overlap": _overlap, "losses": _losses}

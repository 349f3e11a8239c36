"""Reader of everything that ncu and nvprof write as CSV or as text.

Pure Python, in two walks over the file: the first counts launches and decides how numbers are to be read, the second
gives them one by one, so that memory does not grow with the file.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nsightlens.collectors.text.convert import converted, selection
from nsightlens.collectors.text.decimals import require_mark
from nsightlens.collectors.text.encodings import HEAD_BYTES, binary, decoded, lines
from nsightlens.collectors.text.header import NVPROF_METRICS
from nsightlens.collectors.text.page import BY_NVTX, NOT_BY_NVTX
from nsightlens.collectors.text.refuse import refusal
from nsightlens.collectors.text.scan import Scan
from nsightlens.collectors.text.sniff import detect, sniff
from nsightlens.collectors.text.survey import Survey
from nsightlens.errors import ReportError

__all__ = ["detect", "read", "sniff"]


def read(
    path: Path,
    *,
    decimal: str | None = None,
    keep_going: bool = False,
    counters: Collection[str] | None = None,
    patterns: Sequence[str] = (),
) -> Iterator[dict[str, Any]]:
    """Yield the session, then every launch, then the end mark, as the reader of reports does.

    Parameters
    ----------
    path
        The file, not compressed.
    decimal
        Decimal separator of its numbers, ``point`` or ``comma``; judged by the numbers if not given.
    keep_going
        Read what is whole of a file that is cut.
    counters, patterns
        Names, and regular expressions matched at the start of names, of the counters to give; all if ``counters`` is
        None.

    Yields
    ------
    dict
        First the session: ``complete``, ``damage``, ``results``, ``process_ids``, ``facts``, ``devices``,
        ``command_line``, and further ``format`` and ``notes``. Then each launch: ``kind``, ``name``, ``full_name``,
        ``nvtx``, ``counters`` (ncu's base units: ns, byte, byte/s, hz, %; None for ``n/a``, NaN for ``nan``),
        ``opcodes`` (None), and ``invocations``, over how many launches the values are averages (None if the file does
        not say). Last ``end``: how many launches.

    Raises
    ------
    ReportError
        If the file holds no launch, is cut (unless ``keep_going``), or its numbers can be read in two ways.
    UsageError
        If ``decimal`` is something else.
    """
    require_mark(decimal)
    try:
        survey = _survey(path)
        mark, notes = survey.notes(decimal)
        yield _session(survey, notes, keep_going=keep_going)
        wanted = selection(counters, patterns)
        count = 0
        for entry in Scan(lines(path), merge=survey.merge, wanted=wanted).entries():
            if entry.table not in survey.left_out:
                yield converted(entry, mark, wanted)
                count += 1
        yield {"end": count}
    except ReportError as error:
        error.where = error.where or str(path)
        raise


def _survey(path: Path) -> Survey:
    with path.open("rb") as file:
        head = decoded(file.read(HEAD_BYTES))
    if binary(head):
        raise ReportError("no text, but a binary file of another kind", remedy="give the .ncu-rep file that ncu wrote")
    survey = Survey(partial(lines, path))
    if not sum(map(len, (tally.process_ids for tally in survey.kept))):
        if survey.scan.findings.damage:
            raise ReportError(
                f"{survey.scan.findings.damage}; no whole launch is left", remedy="copy it or profile again"
            )
        raise refusal(head, survey.scan.log, tables=bool(survey.scan.tables))
    if len(survey.scan.findings.domains) > 1:
        raise ReportError(BY_NVTX, remedy=NOT_BY_NVTX)
    _require_values(survey)
    return survey


def _require_values(survey: Survey) -> None:
    if survey.measured:
        return
    complaint = survey.scan.log.complaint()
    if survey.format == NVPROF_METRICS:
        remedy = "nvprof --csv --metrics flop_count_dp_add,flop_count_dp_mul,flop_count_dp_fma,dram_read_bytes"
        raise ReportError("a table of nvprof, but none of its metrics has a counter of Nsight Compute", remedy=remedy)
    if survey.unavailable:
        message = "every counter is n/a: the profiler could not read any of them"
        remedy = "run ncu with the right to read performance counters, and check their names: ncu --query-metrics"
        raise ReportError(f"{message} ({complaint[0]})" if complaint else message, remedy=remedy)


def _session(survey: Survey, notes: list[str], *, keep_going: bool) -> dict[str, Any]:
    damage = survey.scan.findings.damage
    process_ids = [number for tally in survey.kept for number in tally.process_ids]
    if damage is not None and not keep_going:
        remedy = "--keep-going analyses what can be read"
        raise ReportError(f"{damage}; {len(process_ids)} whole launches are in the file", remedy=remedy)
    return {
        "complete": damage is None and not survey.suspicions(),
        "damage": damage,
        "results": len(process_ids),
        "process_ids": process_ids,
        "facts": {},
        "devices": list(survey.devices),
        "command_line": survey.scan.log.command_line,
        "format": survey.format,
        "notes": notes,
    }

"""An analysis in a notebook: its first launches as a small HTML table."""

from nsightlens.analysis.cells import listed, several_reports
from nsightlens.analysis.result import Analysis, ReportInfo
from nsightlens.html import table
from nsightlens.text import printable

SHOWN = 20
LIMIT = 240


def analysis_html(analysis: Analysis) -> str:
    """Return the analysis as HTML, everything from strangers escaped."""
    several = several_reports(analysis)
    head, rows = listed(analysis, analysis.launches[:SHOWN])
    names = [_name(number, report, several=several) for number, report in enumerate(analysis.reports[:SHOWN])]
    return table(head, rows, names, len(analysis.launches))


def _name(number: int, report: ReportInfo, *, several: bool) -> str:
    gpus = ", ".join(report.gpus) or "unknown GPU"
    return printable(f"{f'{number}: ' if several else ''}{report.path}: {gpus}", LIMIT)

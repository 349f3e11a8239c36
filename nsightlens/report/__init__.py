"""Renderings of one analysis object: table and JSON."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsightlens.analysis.result import Analysis

FORMATS = ("table", "json")


def render(analysis: "Analysis", format: str, *, width: int | None = None, color: bool = False) -> str:  # noqa: A002
    """Return the analysis as text in one of ``FORMATS``; ``width`` and ``color`` concern the table."""
    if format == "json":
        from nsightlens.report.json import render_json  # noqa: PLC0415

        return render_json(analysis)
    from nsightlens.report.table import render_table  # noqa: PLC0415

    return render_table(analysis, width=width, color=color)

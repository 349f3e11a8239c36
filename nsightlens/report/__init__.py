"""Renderings of one analysis object."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsightlens.analysis.result import Analysis

FORMATS = ("table", "json", "csv", "parquet", "markdown")


def render(
    analysis: "Analysis",
    format: str,  # noqa: A002
    *,
    brief: bool = False,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Return the analysis as text in one of ``FORMATS`` but Parquet.

    Parameters
    ----------
    analysis
        What to show.
    format
        ``table``, ``json``, ``csv`` or ``markdown``.
    brief
        Only what was read, without findings: the short list of launches, or their frame.
    width, color
        Of the table.
    """
    if format == "json":
        from nsightlens.report.frames import render_json as launches  # noqa: PLC0415
        from nsightlens.report.json import render_json  # noqa: PLC0415

        return launches(analysis) if brief else render_json(analysis)
    if format == "csv":
        from nsightlens.report.frames import render_csv  # noqa: PLC0415

        return render_csv(analysis, findings=not brief)
    if format == "markdown":
        from nsightlens.report import markdown  # noqa: PLC0415

        return markdown.render_launches(analysis) if brief else markdown.render_markdown(analysis)
    if brief:
        from nsightlens.report.launches import render_launches  # noqa: PLC0415

        return render_launches(analysis, width=width, color=color)
    from nsightlens.report.table import render_table  # noqa: PLC0415

    return render_table(analysis, width=width, color=color)


def chunks(
    analysis: "Analysis",
    format: str,  # noqa: A002
    *,
    brief: bool = False,
    width: int | None = None,
    color: bool = False,
) -> Iterator[str | bytes]:
    """Yield the rendering in one of ``FORMATS`` piece by piece, to be written as it comes.

    Raises
    ------
    UsageError
        If Parquet is asked for and pyarrow is not installed.
    """
    if format == "parquet":
        from nsightlens.report.frames import parquet  # noqa: PLC0415

        yield parquet(analysis, findings=not brief)
    elif format == "json" and not brief:
        from nsightlens.report.json import json_chunks  # noqa: PLC0415

        yield from json_chunks(analysis)
    else:
        yield render(analysis, format, brief=brief, width=width, color=color)

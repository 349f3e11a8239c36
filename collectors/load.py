"""Read one report into DataFrames."""

from pathlib import Path
from typing import TYPE_CHECKING

from nsightlens.collectors import read

if TYPE_CHECKING:
    from nsightlens.collectors.report import Report


def load(path: str | Path, *, keep_going: bool = False, decimal: str | None = None, samples: bool = False) -> "Report":
    """Read one Nsight Compute report.

    Parameters
    ----------
    path
        The report, plain or compressed (``.xz .gz .bz2 .zst``).
    keep_going
        Read what is whole of a damaged report.
    decimal
        Decimal separator of the numbers in CSV and text, ``point`` or ``comma``; judged by the numbers if not given.
    samples
        Read samples over time too, where the report holds them; this costs time and memory.

    Returns
    -------
    Report
        ``launches`` has one row per launch, with the columns and units of ``nsightlens.schema.launch_columns``;
        ``metrics`` one row per launch and counter.

    Raises
    ------
    UsageError
        If the file does not exist, or ``decimal`` is something else.
    ReportError
        If the file holds no usable data.
    """
    (report,) = read([path], keep_going=keep_going, decimal=decimal, samples=samples)
    return report

"""The frame of launches as CSV, Parquet and JSON, the same columns in each."""

import io
import json
from typing import TYPE_CHECKING, Any

from nsightlens._version import __version__
from nsightlens.analysis.frame import frame_columns, launch_frame, launch_records
from nsightlens.analysis.result import Analysis
from nsightlens.errors import UsageError
from nsightlens.report.json import plain
from nsightlens.text import encodable, printable

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "nsightlens.launches/1"
# What a spreadsheet takes for a formula; the apostrophe itself, so that it can be told from an added one.
_FORMULA = tuple("=+-@'\uff1d\uff0b\uff0d\uff20")


def render_csv(analysis: Analysis, *, findings: bool) -> str:
    """Return the frame as CSV: one line a launch, empty where not measured, control characters escaped."""
    frame = _plain_frame(analysis, findings=findings)
    for name in frame.columns[frame.dtypes == "string"]:
        frame[name] = frame[name].map(cell, na_action="ignore")
    return frame.rename(columns=cell).to_csv(index=False, lineterminator="\n")


def render_json(analysis: Analysis) -> str:
    """Return the frame as JSON, each column described; null where not measured."""
    records = launch_records(analysis)
    columns = frame_columns({name for each in records for name in each}, analysis, findings=False)
    document = {
        "schema": SCHEMA,
        "tool": {"name": "nsightlens", "version": __version__},
        "columns": {name: column._asdict() for name, column in columns.items()},
        "launches": [{name: plain(each.get(name)) for name in columns} for each in records],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def parquet(analysis: Analysis, *, findings: bool) -> bytes:
    """Return the frame as Parquet; ``unit`` and ``description`` stand in the metadata of each field.

    Raises
    ------
    UsageError
        If pyarrow is not installed.
    """
    require_pyarrow()
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    frame = _plain_frame(analysis, findings=findings)
    known = frame_columns(frame.columns, analysis, findings=findings)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    fields = [
        field.with_metadata({"unit": known[field.name].unit, "description": known[field.name].doc})
        for field in table.schema
    ]
    out = io.BytesIO()
    pq.write_table(table.cast(pa.schema(fields, metadata=table.schema.metadata)), out)
    return out.getvalue()


def require_pyarrow() -> None:
    """Raise ``UsageError`` if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401, PLC0415
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow", where="--format parquet", remedy="pip install pyarrow") from error


def cell(text: str) -> str:
    """Return one line of text that no spreadsheet takes for a formula: an apostrophe is put in front where needed."""
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _plain_frame(analysis: Analysis, *, findings: bool) -> "pd.DataFrame":
    """Return the frame with tuples and dicts as JSON text."""
    frame = launch_frame(analysis, findings=findings)
    for name in frame.columns[frame.dtypes == "object"]:
        frame[name] = frame[name].map(_json, na_action="ignore").astype("string")
    return frame


def _json(value: Any) -> str:  # noqa: ANN401
    return encodable(json.dumps(plain(value)))

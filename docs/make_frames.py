"""Write docs/frames.md from nsightlens/schema.py: ``make docs``."""

from collections.abc import Mapping
from pathlib import Path

from nsightlens import schema
from nsightlens.schema import Column

PAGE = Path(__file__).with_name("frames.md")

HEAD = """# Frames

<!-- Written by docs/make_frames.py from nsightlens/schema.py: make docs -->

`nsightlens.load(FILE)` gives a report with two pandas DataFrames: `launches`, one row a launch, and `metrics`, one row
a launch and counter. `nsightlens launches FILE -o launches.csv` (or `.parquet`) writes the first; `nsightlens analyze`
writes the same columns and then its findings, as `nsightlens.analyze(FILE).frame()` does. With several reports `report`
and `path` stand in front.

What was not measured is NaN, `<NA>` or None, an empty cell in CSV, null in Parquet; it is never 0. Units are SI base
units. A share lies in 0…1.

## In files

- Columns of dtype object (`nvtx`, `declared`, `payload`, `grid`, `block`) are JSON text, in CSV and Parquet alike:
  `json.loads` gives lists where the frame has tuples.
- Parquet keeps dtypes and exact text. Each field carries `unit` and `description` in its metadata:
  `pyarrow.parquet.read_schema(FILE).field("time_s").metadata`. It needs pyarrow: `pip install pyarrow`.
- CSV is UTF-8, one line a launch, numbers to the last digit. Control, format and other invisible characters in text
  stand as `\\xNN` or `\\uNNNN`. Text that begins with `=`, `+`, `-`, `@` (or their full-width forms), which a
  spreadsheet would take for a formula, or with an apostrophe, gets an apostrophe in front: take one away from text
  that begins with it. Numbers are left as they are.
- Text holds no lone surrogates, also in the frames of Python, since UTF-8 has none: `\\uNNNN` stands for one.

```python
import json
import pandas as pd
from nsightlens.schema import launch_columns

dtypes = {name: c.dtype for name, c in launch_columns().items() if c.dtype != "object"}
frame = pd.read_csv("launches.csv", dtype=dtypes)
frame["grid"] = frame["grid"].map(json.loads, na_action="ignore")
```

## Joining

`launch` is the key within a report, `report` and `launch` together in a frame of several reports. A counter as a column
of its own:

```python
report = nsightlens.load("run.ncu-rep")
counters = report.metrics.pivot(index="launch", columns="metric", values="value")
both = report.launches.join(counters, on="launch")
```

One row for each NVTX range that a launch lies in: `report.launches.explode("nvtx")`.

## Sweeps

Give every pass of a sweep its size: `nsightlens.annotate("gemm", payload=n)`, or the payload of any NVTX range. It is
the key of the sweep. Seconds for each payload (rows) and innermost range (columns):

```python
launches = nsightlens.load("sweep.ncu-rep").launches
launches["part"] = launches["nvtx"].map(lambda paths: paths[0].rsplit("/", 1)[-1] if paths else "")
launches.groupby("payload")["time_s"].sum()
launches.pivot_table(index="payload", columns="part", values="time_s", aggfunc="sum")
```

Payloads may mix numbers and words; `groupby` then needs `sort=False`.

## Ranges of other tools

Ranges of every domain appear as they are. nsight-python puts each launch into a start/end range of its domain
`nsight-python`, so its reports have paths such as `nsight-python/my_kernel`: `--nvtx nsight-python` chooses them, and
totals are grouped by them. Ranges of other domains around the same launch stand beside it in the tuple `nvtx`.
"""

STALLS = """
For what the report holds, columns of dtype float64 follow: `tensor_<type>_flop` (FLOP), work of the tensor cores in
this data type, and `stall_<reason>` (warp), warps waiting for this reason, on average per issue.
"""


def page() -> str:
    """Return the page."""
    return "\n".join(
        (
            HEAD,
            _table("`launches`", schema.launch_columns()) + STALLS,
            _table("Findings of `analyze`, after these", schema.finding_columns()),
            _table("In front, if there are several reports", schema.SOURCE),
            _table("`metrics`", schema.METRICS),
        )
    )


def _table(title: str, columns: Mapping[str, Column]) -> str:
    rows = "".join(f"| `{name}` | {c.dtype} | {c.unit or '–'} | {c.doc} |\n" for name, c in columns.items())
    return f"## {title}\n\n| column | dtype | unit | meaning |\n|---|---|---|---|\n{rows}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

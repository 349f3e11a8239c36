"""Launch records as DataFrames, with the columns of ``nsightlens.schema``."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from nsightlens import schema
from nsightlens.collectors.report import Launch, record
from nsightlens.text import encodable
from nsightlens.units import counter_unit


def launch_frame(launched: Sequence[Launch]) -> pd.DataFrame:
    """Return one row per launch."""
    records = [record(launch) for launch in launched]
    columns = schema.launch_columns(name for each in records for name in each)
    return typed({name: [each.get(name) for each in records] for name in columns}, columns)


def metric_frame(launched: Sequence[Launch]) -> pd.DataFrame:
    """Return one row per launch and counter that is a number."""
    rows = [
        (launch.row["launch"], name, *_number(value), counter_unit(name))
        for launch in launched
        for name, value in launch.counters.items()
        if not isinstance(value, str)
    ]
    found = dict(zip(("launch", "metric", "value", "state", "unit"), zip(*rows, strict=True), strict=False))
    return typed({name: found.get(name, ()) for name in schema.METRICS}, schema.METRICS)


def typed(values: Mapping[str, Sequence[Any]], columns: Mapping[str, schema.Column]) -> pd.DataFrame:
    """Return a frame of ``columns`` in their dtypes; text keeps no lone surrogate, which UTF-8 cannot hold."""
    return pd.DataFrame({name: _series(values[name], column.dtype) for name, column in columns.items()})


def _series(values: Sequence[Any], dtype: str) -> "pd.Series[Any]":
    if dtype == "string":
        values = [None if value is None else encodable(value) for value in values]
    return pd.Series(list(values), dtype=dtype)


def _number(value: object) -> tuple[float, str]:
    if not isinstance(value, int | float):
        return math.nan, "not_available"
    return float(value), "failed" if math.isnan(value) else "measured"

"""Rows of nvprof's tables, whose kernel names may hold commas without quotes around them."""

import csv
import re

from nsightlens.collectors.text.header import Header

_MEASURE = re.compile(r"([-+]?[\d.,]+(?:[eE][-+]?\d+)?)\s*(%|[A-Za-z]+(?:/[A-Za-z]+)?)?")


def split(line: str, header: Header) -> dict[str, str] | None:
    """Return the cells of a row by column; None if the line is no row of this table."""
    columns, delimiter = header.columns, header.delimiter
    try:
        row = next(csv.reader([line], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        return None
    if len(row) > len(columns) and columns[-1] == "Name":
        row = [*row[: len(columns) - 1], delimiter.join(row[len(columns) - 1 :])]
    if len(row) != len(columns):
        return None
    return {column: text.strip() for column, text in zip(columns, row, strict=True)}


def measure(text: str, unit: str) -> tuple[str, str]:
    """Return unit and number of a value; a unit printed behind it goes before the one of its column."""
    match = _MEASURE.fullmatch(text.strip())
    return (match[2] or unit, match[1]) if match else (unit, text)

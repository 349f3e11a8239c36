"""Header lines: which table of ncu or nvprof begins here, and what its columns are."""

import csv
from dataclasses import dataclass

RAW, DETAILS, METRICS, SUMMARY = "ncu-csv-raw", "ncu-csv-details", "ncu-csv-metrics", "ncu-csv-summary"
NVPROF_METRICS, NVPROF_SUMMARY, NVPROF_TRACE = "nvprof-csv-metrics", "nvprof-csv-summary", "nvprof-csv-trace"
PUSH_POP = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
START_END = "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
RANGE = "Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"

_FIRST = ("", "ID", "Process ID", "Domain", "Kernel Name", "Device", "Type", "Time(%)", "Start")
_LONG = {"Kernel Name", "Metric Name", "Metric Value"}
_SUMMARY = {"Kernel Name", "Invocations", "Metric Name", "Average"}
_RULES = {"Rule Name", "Body Item Label"}
_NVPROF = (
    (NVPROF_METRICS, {"Device", "Kernel", "Invocations", "Metric Name", "Avg"}),
    (NVPROF_SUMMARY, {"Time(%)", "Time", "Calls", "Avg", "Name"}),
    (NVPROF_TRACE, {"Start", "Duration", "Grid X", "Block X", "Name"}),
)
# The order in which ncu writes the columns of its long tables; a table in another order was made by hand.
_WRITTEN = ("ID", "Process ID", "Process Name", "Host Name")
_ORDER = ("ID", "Process ID", "Kernel Name", "Section Name", "Body Item Label", "Metric Name", "Metric Unit")


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of one table.

    Attributes
    ----------
    format
        Name of the format; for a long table without rule columns its first rows tell metrics from details.
    delimiter
        What stands between fields.
    columns
        Column names, in order.
    quoted
        Whether the names are in quotes.
    """

    format: str
    delimiter: str
    columns: tuple[str, ...]
    quoted: bool

    def index(self, column: str) -> int | None:
        """Return the position of a column, the first of that name; None if there is none."""
        return self.columns.index(column) if column in self.columns else None

    @property
    def by_hand(self) -> bool:
        """Whether the columns stand in an order that ncu never writes."""
        order = (*_ORDER, "Metric Value") if self.format in {DETAILS, METRICS} else _ORDER[:4]
        places = [place for column in order if (place := self.index(column)) is not None]
        return self.format.startswith("ncu") and places != sorted(places)

    @property
    def removed(self) -> list[str]:
        """The columns that ncu writes in every table of this kind and that are not here."""
        written = {SUMMARY: _WRITTEN[1:], RAW: _WRITTEN, DETAILS: _WRITTEN, METRICS: _WRITTEN}.get(self.format, ())
        return [] if "Domain" in self.columns else [name for name in written if name not in self.columns]


def header(line: str) -> Header | None:
    """Return the header that a line holds; None if it holds none.

    The output of a program that does not end its last line may stand before it in the line.
    """
    if not ("Kernel Name" in line or "Invocations" in line or "Time(%)" in line or "Grid X" in line):
        return None
    whole = _parsed(line.strip())
    if whole is not None and whole.columns[0] in _FIRST:
        return whole
    starts = [place for first in _FIRST if first and (place := line.find(f'"{first}"')) >= 0]
    return (_parsed(line[min(starts) :].strip()) if starts else None) or whole


def _parsed(text: str) -> Header | None:
    quoted = text.startswith('"')
    delimiter = _delimiter(text, quoted=quoted)
    try:
        columns = [column.strip() for column in next(csv.reader([text], delimiter=delimiter, strict=True))]
    except (csv.Error, StopIteration):
        return None
    while columns and columns[-1] == "":
        columns.pop()
    kind = _format(columns)
    return Header(kind, delimiter, tuple(columns), quoted) if kind else None


def _delimiter(text: str, *, quoted: bool) -> str:
    marks = ",;\t"
    if quoted:
        after = text[text.find('"', 1) + 1 :][:1]
        return after if after and after in marks else ","
    return max(marks, key=text.count)


def _format(columns: list[str]) -> str | None:
    held = set(columns)
    if held >= _SUMMARY:
        return SUMMARY
    if held >= _LONG:
        return DETAILS if held & _RULES else METRICS
    counters = sum("__" in column for column in columns)
    if "Kernel Name" in held and counters and {"ID", "Process ID", "Block Size"} & held:
        return RAW
    return next((name for name, needed in _NVPROF if held >= needed), None)

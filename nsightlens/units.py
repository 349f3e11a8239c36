"""Numbers shown with a unit, and the units of Nsight Compute's counters."""

import math
import re

PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
NOT_MEASURED = "–"


def si(value: float | None, unit: str, digits: int = 3) -> str:
    """Return ``value`` with an SI prefix, such as ``4.81 TB/s``; an en dash if it was not measured."""
    if value is None or math.isnan(value):
        return NOT_MEASURED
    size = abs(_rounded(value, digits))
    scale, prefix = next(((s, p) for s, p in PREFIXES if size >= s), (1.0, ""))
    return f"{significant(value / scale, digits)} {prefix}{unit}".rstrip()


def seconds(value: float | None, digits: int = 3) -> str:
    """Return a time in the unit that suits it, such as ``545 µs``."""
    if value is None or math.isnan(value):
        return NOT_MEASURED
    if value == 0:
        return "0 s"
    size = abs(_rounded(value, digits))
    scale, unit = next(((s, u) for s, u in TIMES if size >= s), TIMES[-1])
    return f"{significant(value / scale, digits)} {unit}"


def microseconds(value_s: float | None) -> str:
    """Return a time in microseconds, without the unit, which stands in a header."""
    return NOT_MEASURED if value_s is None or math.isnan(value_s) else significant(1e6 * value_s, 4)


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in 0...1 as a percentage."""
    return NOT_MEASURED if share is None or math.isnan(share) else f"{100 * share:.{digits}f} %"


def significant(value: float, digits: int = 3) -> str:
    """Return ``value`` with ``digits`` significant digits and no exponent for ordinary sizes."""
    if value == 0:
        return "0"
    size = abs(_rounded(value, digits))
    whole = math.inf if math.isinf(size) else math.floor(math.log10(size)) + 1
    if not -3 < whole <= 6:  # noqa: PLR2004
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(digits - int(whole), 0)}f}"


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


_UNIT_EXCEPTIONS = (
    (r"data_bytes_per_(sector|wavefront)", r"byte/\1"),
    (r"thread_inst_executed_per_inst_executed", "thread/inst"),
    (r"data_bank_conflicts", "wavefront"),
    (r"warps_issue_stalled_\w+_per_issue|warp_cycles_per_issue_stall", "warp"),
    (r"_pred_on_x\d$", "inst/cycle"),
    (r"bytes_per_sec$", "byte/s"),
    (r"inst_\w+_per_(elapsed|active)_cycle$", "inst/cycle"),
    (r"launch__grid_size$", "block"),
    (r"launch__thread_count$", "thread"),
    (r"gpc__frequency", "1/s"),
)
# Base units as Nsight Compute stores them. The library's own unit of a derived counter depends on its version.
_UNIT_ENDINGS = (
    (".pct", "%"),
    (".ratio", "1"),
    (".per_second", "{}/s"),
    (".per_cycle_elapsed", "{}/cycle"),
    (".per_cycle_active", "{}/cycle"),
    (".peak_sustained", "{}/cycle"),
)
_UNIT_WORDS = (
    ("time_duration", "ns"),
    ("bytes", "byte"),
    ("sectors", "sector"),
    ("wavefronts", "wavefront"),
    ("requests", "request"),
    ("cycles", "cycle"),
    ("inst", "inst"),
    ("warps", "warp"),
    ("passes", "pass"),
    ("khz", "kHz"),
    ("ops_path_tensor", "FLOP"),
)


def counter_unit(name: str) -> str:
    """Return the unit of a counter, judged by its name alone."""
    for pattern, unit in _UNIT_EXCEPTIONS:
        if (match := re.search(pattern, name)) and not name.endswith(("_pct", ".pct")) and ".pct_of_peak" not in name:
            return match.expand(unit)
    base = next((unit for word, unit in _UNIT_WORDS if word in name), "1")
    if ".pct_of_peak" in name or name.endswith("_pct"):
        return "%"
    ending = next((unit for end, unit in _UNIT_ENDINGS if name.endswith(end)), "{}")
    return ending.format(base)

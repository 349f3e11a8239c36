"""Tensor-core work by data type, from the ``sm__ops_path_tensor_*`` counters of ncu 2025.1 and later."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SUM = re.compile(r"sm__ops_path_tensor_(?:op_(?P<op>[a-z]+)_)?src_(?P<rest>.+)\.sum$")
_PEAK = re.compile(r"sm__ops_path_tensor_(?:op_(?P<op>[a-z]+)_)?src_(?P<rest>.+)\.sum\.peak_sustained$")
_SPARSITY = re.compile(r"_sparsity_(on|off)$")


@dataclass(frozen=True, slots=True)
class TensorWork:
    """Tensor work and peaks of one launch.

    Attributes
    ----------
    flop
        Data type to FLOP (a multiply-add counts 2); the types whose counters are in the report.
    path
        Data type to the instruction family that ran (``hmma``, ``hgmma``, ...), where the report tells.
    peak_flop_per_cycle
        Data type to dense peak: of the path that ran, else of the fastest path.
    """

    flop: dict[str, float] = field(default_factory=dict)
    path: dict[str, str] = field(default_factory=dict)
    peak_flop_per_cycle: dict[str, float] = field(default_factory=dict)


def tensor_work(counters: Mapping[str, Any]) -> TensorWork:
    """Read the tensor work of one launch.

    On sm_90 and later the ``op_*`` counters are parts of the ``src_*`` totals, so the totals alone are summed; ``op_*``
    serve where a type has no total. The peak of a total is the sparse one (except FP64), so peaks come from the
    dense ``op_*`` names.
    """
    totals = _by_type(counters, with_op=False)
    parts = _by_type(counters, with_op=True)
    flop = {kind: _total(totals.get(kind) or parts[kind]) for kind in {**totals, **parts}}
    path = {kind: _busiest(found) for kind, found in parts.items() if _total(found) > 0}
    return TensorWork(flop, path, _peaks(counters, path))


def _by_type(counters: Mapping[str, Any], *, with_op: bool) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name, value in counters.items():
        match = _SUM.match(name)
        if match and (match["op"] is not None) is with_op and "_realtime" not in name:
            number = float(value) if isinstance(value, int | float) else math.nan
            found.setdefault(_data_type(match["rest"]), {})[f"{match['op'] or ''} {match['rest']}"] = number
    return found


def _data_type(rest: str) -> str:
    return re.split(r"_dst_|_sparsity_", rest)[0]


def _total(found: Mapping[str, float]) -> float:
    """Add what is counted once: a name without a sparsity suffix already holds both."""
    return sum(
        value
        for name, value in found.items()
        if name == _SPARSITY.sub("", name) or _SPARSITY.sub("", name) not in found
    )


def _busiest(found: Mapping[str, float]) -> str:
    return max(found, key=lambda name: found[name] if not math.isnan(found[name]) else -1.0).split()[0]


def _peaks(counters: Mapping[str, Any], path: Mapping[str, str]) -> dict[str, float]:
    peaks: dict[str, float] = {}
    for name, value in counters.items():
        match = _PEAK.match(name)
        if not match or "_realtime" in name or not isinstance(value, int | float):
            continue
        kind = _data_type(match["rest"])
        if _is_dense(match["op"], match["rest"], kind) and path.get(kind, match["op"]) == match["op"]:
            peaks[kind] = max(peaks.get(kind, 0.0), float(value))
    return peaks


def _is_dense(op: str | None, rest: str, kind: str) -> bool:
    return rest.endswith("_sparsity_off") or (op is None and kind == "fp64") or (op is not None and kind == "int1")

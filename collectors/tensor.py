"""Tensor-core work by data type, from the ``sm__ops_path_tensor_*`` counters of ncu 2025.1 and later."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from nsightlens.plausible import is_amount

TENSOR_COUNTER = r"sm__ops_path_tensor_(op_(?P<op>[a-z]+)_)?src_(?P<rest>[a-z0-9_]+)\.sum(?P<peak>\.peak_sustained)?$"
"""Names of the counters: of operations, or of their peak."""

_COUNTER = re.compile(TENSOR_COUNTER)
_SPARSITY = re.compile(r"_sparsity_(on|off)$")
_TURING = 7


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
    ran
        Data types of which some counter is above 0, be the total known or not.
    sparse_flop
        Data type to the part of ``flop`` that sparse (2:4) instructions did, zeros counted; where there was any.
    sparse_path
        Data type to the instruction family of that part, where the report tells.
    sparse_peak_flop_per_cycle
        Data type to the peak of sparse instructions, zeros counted: of their path, else of the fastest one.
    """

    flop: dict[str, float] = field(default_factory=dict)
    path: dict[str, str] = field(default_factory=dict)
    peak_flop_per_cycle: dict[str, float] = field(default_factory=dict)
    ran: frozenset[str] = frozenset()
    sparse_flop: dict[str, float] = field(default_factory=dict)
    sparse_path: dict[str, str] = field(default_factory=dict)
    sparse_peak_flop_per_cycle: dict[str, float] = field(default_factory=dict)


def tensor_work(counters: Mapping[str, Any]) -> TensorWork:
    """Read the tensor work of one launch.

    On sm_90 and later the ``op_*`` counters are parts of the ``src_*`` totals, so the totals alone are summed; ``op_*``
    serve where a type has no total. A part of a set (dense without sparse operations, or one of two result types) is no
    total: NaN. The peak of a total is the sparse one (except FP64, and on sm_75, which has no sparse operations), so
    peaks come from the dense ``op_*`` names.
    """
    totals = _by_type(counters, with_op=False)
    parts = _by_type(counters, with_op=True)
    flop = {kind: _total(totals.get(kind) or parts[kind]) for kind in {**totals, **parts}}
    path = {kind: _busiest(found) for kind, found in parts.items() if _ran(found)}
    ran = frozenset(kind for kind in flop if _ran(totals.get(kind, {})) or kind in path)
    sparse = {kind: done for kind in ran if (done := _sparse(totals.get(kind, {}), parts.get(kind, {}))) > 0}
    ways = {kind: _busiest(found) for kind in sparse if _ran(found := _only_sparse(parts.get(kind, {})))}
    peaks, sparse_peaks = _peaks(counters, path), _sparse_peaks(counters, ways, sparse)
    return TensorWork(flop, path, peaks, ran, sparse, ways, sparse_peaks)


def _sparse(totals: Mapping[str, float], parts: Mapping[str, float]) -> float:
    """Return the FLOP of sparse instructions: of the totals that name them, else of the instructions."""
    found = _only_sparse(totals) or _only_sparse(parts)
    return sum(value for value in found.values() if not math.isnan(value))


def _only_sparse(found: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in found.items() if name.endswith("_sparsity_on")}


def _by_type(counters: Mapping[str, Any], *, with_op: bool) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name, value in counters.items():
        counter = _parsed(name)
        if counter and not counter.peak and (counter.op is not None) is with_op:
            number = float(value) if is_amount(value) else math.nan
            found.setdefault(counter.kind, {})[f"{counter.op or ''} {counter.rest}"] = number
    return found


class _Counter(NamedTuple):
    op: str | None
    rest: str
    kind: str
    peak: bool


@cache
def _parsed(name: str) -> _Counter | None:
    match = None if "_realtime" in name else _COUNTER.match(name)
    return match and _Counter(match["op"], match["rest"], _data_type(match["rest"]), match["peak"] is not None)


def _data_type(rest: str) -> str:
    return re.split(r"_dst_|_sparsity_", rest)[0]


def _total(found: Mapping[str, float]) -> float:
    """Add what is counted once: a name without a sparsity suffix already holds both."""
    parts = {name for name in found if name == _SPARSITY.sub("", name) or _SPARSITY.sub("", name) not in found}
    if any(twin not in found for name in parts for twin in _twins(name)):
        return math.nan
    return sum(found[name] for name in parts)


def _twins(name: str) -> list[str]:
    """Return the names that stand beside this one on every chip that has it."""
    if not _SPARSITY.search(name):
        return []
    other = re.sub("_off$", "_on", name) if name.endswith("_off") else re.sub("_on$", "_off", name)
    result = name.replace("dst_fp16", "dst_fp32") if "dst_fp16" in name else name.replace("dst_fp32", "dst_fp16")
    return [other, result] if " fp16_dst_" in name else [other]


def _ran(found: Mapping[str, float]) -> bool:
    return any(value > 0 for value in found.values())


def _busiest(found: Mapping[str, float]) -> str:
    return max(found, key=lambda name: found[name] if not math.isnan(found[name]) else -1.0).split()[0]


def _peaks(counters: Mapping[str, Any], path: Mapping[str, str]) -> dict[str, float]:
    peaks: dict[str, float] = {}
    never_sparse = counters.get("device__attribute_compute_capability_major") == _TURING
    for name, value in counters.items():
        found = _parsed(name)
        if not found or not found.peak or not is_amount(value):
            continue
        if (never_sparse or _is_dense(found)) and path.get(found.kind, found.op) == found.op:
            peaks[found.kind] = max(peaks.get(found.kind, 0.0), float(value))
    return peaks


def _sparse_peaks(counters: Mapping[str, Any], path: Mapping[str, str], kinds: Collection[str]) -> dict[str, float]:
    peaks: dict[str, float] = {}
    for name, value in counters.items() if kinds else ():
        found = _parsed(name)
        if not found or not found.peak or found.kind not in kinds or not is_amount(value):
            continue
        if found.rest.endswith("_sparsity_on") and path.get(found.kind, found.op) == found.op:
            peaks[found.kind] = max(peaks.get(found.kind, 0.0), float(value))
    return peaks


def _is_dense(counter: _Counter) -> bool:
    fp64, int1 = counter.op is None and counter.kind == "fp64", counter.op is not None and counter.kind == "int1"
    return counter.rest.endswith("_sparsity_off") or fp64 or int1

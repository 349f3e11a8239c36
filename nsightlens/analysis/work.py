"""Floating-point work of one launch by pipe, apart from constants loaded with FP16 instructions."""

import math

from nsightlens.analysis.result import Ceiling
from nsightlens.collectors.report import Launch

CUDA_CORES = ("fp64", "fp32", "fp16")
_FP64_TENSOR = frozenset({8.0, 9.0, 10.0})
_OPCODE_STEMS = ("HMMA", "HGMMA", "IMMA", "IGMMA", "DMMA", "BMMA", "BGMMA", "QMMA", "QGMMA", "OMMA", "UTC")
_IDLE_TENSOR_PIPE = 0.05


def known(value: float) -> float | None:
    """Return ``None`` for NaN: not measured."""
    return None if math.isnan(value) else value


def flop_by_pipe(launch: Launch) -> dict[str, float]:
    """Return the work of each pipe that did any, FLOP by pipe (``fp64``, ``tensor_fp64``, ...).

    Sparse tensor instructions count as a pipe of their own (``tensor_fp16_sparse``): they have a roof of their own.
    """
    work = {name: launch.values[f"{name}_flop"] for name in CUDA_CORES}
    if constant_loads_only(launch):
        work["fp16"] = 0.0
    sparse = launch.tensor.sparse_flop
    work |= {f"tensor_{kind}": value - sparse.get(kind, 0.0) for kind, value in launch.tensor.flop.items()}
    work |= {f"tensor_{kind}_sparse": value for kind, value in sparse.items() if launch.tensor.flop[kind] >= value}
    return {name: value for name, value in work.items() if value > 0}


def constant_loads_only(launch: Launch) -> bool:
    """Tell whether the FP16 count may be constants only.

    The compiler writes ``HFMA2.MMA R, -RZ, RZ, c, c`` to load a constant, so kernels without FP16 data count packed
    multiply-adds too, but no FP16 addition or multiplication.
    """
    others = launch.values["fp16_add"] + launch.values["fp16_mul"]
    return not math.isnan(launch.values["fp16_fma"]) and not others > 0


def used_tensor_cores(launch: Launch) -> bool | None:
    """Tell whether tensor instructions ran: by operation counts, else by opcodes, never by pipe activity."""
    counts = [value for value in launch.tensor.flop.values() if not math.isnan(value)]
    if launch.tensor.ran:
        return True
    if launch.opcodes is not None:
        return any(_is_tensor(opcode) and count > 0 for opcode, count in launch.opcodes.items())
    complete = len(counts) > 1 and len(counts) == len(launch.tensor.flop) and _all_types(launch)
    return False if complete else None


def _all_types(launch: Launch) -> bool:
    """Tell whether the counters cover floating-point and integer types; a report asked by name may hold some only."""
    every = {"fp16", "bf16", "tf32", "int8"}
    if launch.row["compute_capability"] in _FP64_TENSOR:
        every.add("fp64")
    return every <= set("_".join(launch.tensor.flop).split("_"))


def _is_tensor(opcode: str) -> bool:
    return opcode.startswith(_OPCODE_STEMS)


def uncounted_tensor_work(launch: Launch) -> bool:
    """Tell whether tensor instructions ran, or may have, whose FLOP the report does not count.

    Then no pipe is known to dominate. A tensor pipe that is hardly busy may be loading constants.
    """
    used = used_tensor_cores(launch)
    if used is None:
        return not launch.values["tensor_pipe_share"] <= _IDLE_TENSOR_PIPE
    ran = launch.tensor.ran
    return used and not (ran and all(launch.tensor.flop[kind] > 0 for kind in ran))


def dominant_pipe(work: dict[str, float], ceilings: dict[str, Ceiling]) -> str | None:
    """Return the pipe that needs the longest time for its work; by FLOP where a ceiling is unknown."""
    if not work:
        return None
    if all(f"{pipe}_flop_per_s" in ceilings for pipe in work):
        return max(work, key=lambda pipe: work[pipe] / ceilings[f"{pipe}_flop_per_s"].value)
    return max(work, key=lambda pipe: work[pipe])

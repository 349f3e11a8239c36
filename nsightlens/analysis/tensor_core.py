"""Did tensor cores run, and how much could they still bring?"""

import math

from nsightlens.analysis.result import Ceiling, Overlap, TensorCore
from nsightlens.analysis.work import CUDA_CORES, known
from nsightlens.collectors.report import Launch
from nsightlens.models import tensor_core as model

_COUNTERPART = {"fp64": "tensor_fp64", "fp32": "tensor_tf32", "fp16": "tensor_fp16"}
_OPCODE_STEMS = ("HMMA", "HGMMA", "IMMA", "IGMMA", "DMMA", "BMMA", "BGMMA", "QMMA", "QGMMA", "OMMA", "UTC")
_SAME_TRAFFIC = "assuming the same bytes move"
_OTHER_PRECISION = "; TF32 keeps 10 bits of the 23 of FP32"


def tensor_core(launch: Launch, pipe: str | None, ceilings: dict[str, Ceiling], overlap: Overlap) -> TensorCore:
    """Return whether tensor cores ran, and the interval of the speed-up they could bring to the CUDA-core work."""
    used = used_tensor_cores(launch)
    if used:
        return TensorCore(used=True, why="tensor cores already do the work")
    if pipe is None:
        return _without_work(launch, used)
    counterpart = _COUNTERPART.get(pipe, "")
    core, tensor = ceilings.get(f"{pipe}_flop_per_s"), ceilings.get(f"{counterpart}_flop_per_s")
    if core is None or tensor is None:
        return TensorCore(used=used, why=f"no tensor-core peak known for {pipe} on this GPU")
    return _interval(used, pipe, tensor.value / core.value, overlap, known(launch.values["time_s"]))


def used_tensor_cores(launch: Launch) -> bool | None:
    """Tell whether tensor instructions ran: by operation counts, else by opcodes, never by pipe activity."""
    counts = [value for value in launch.tensor.flop.values() if not math.isnan(value)]
    if any(value > 0 for value in counts):
        return True
    if launch.opcodes is not None:
        return any(_is_tensor(opcode) and count > 0 for opcode, count in launch.opcodes.items())
    complete = len(counts) > 1 and len(counts) == len(launch.tensor.flop) and _all_types(launch)
    return False if complete else None


def _all_types(launch: Launch) -> bool:
    """Tell whether the counters cover floating-point and integer types; a report asked by name may hold some only."""
    return {"fp16", "bf16", "tf32", "int8"} <= set("_".join(launch.tensor.flop).split("_"))


def _is_tensor(opcode: str) -> bool:
    return opcode.split(".")[0].startswith(_OPCODE_STEMS)


def _without_work(launch: Launch, used: bool | None) -> TensorCore:
    if any(known(launch.values[f"{name}_flop"]) is None for name in CUDA_CORES):
        return TensorCore(used=used, why="floating-point work was not collected")
    return TensorCore(used=used, speedup_low=1.0, speedup_high=1.0, why="no floating-point work that tensor cores could do")


def _interval(used: bool | None, pipe: str, ratio: float, overlap: Overlap, time: float | None) -> TensorCore:
    if time is None or not overlap.t_cmp_s or overlap.t_mem_s is None or overlap.status == "ceiling_violation":
        return TensorCore(used=used, ratio=ratio, why="the busy times of memory and of the pipe are not known")
    high = model.most(time, overlap.t_mem_s, overlap.t_cmp_s, max(ratio, 1.0), overlap.low or 0.0)
    boundness = overlap.t_mem_s / overlap.t_cmp_s
    kind = f"memory time is {boundness:.3g} times compute time" if boundness >= 1 else "compute time exceeds memory time"
    other = _OTHER_PRECISION if pipe == "fp32" else ""
    return TensorCore(used, ratio, 1.0, high, f"{kind}; {_SAME_TRAFFIC}{other}")



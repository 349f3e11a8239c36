"""Whether tensor cores ran, and how much they could still bring."""

from nsightlens.analysis.result import Ceiling, Overlap, TensorCore
from nsightlens.analysis.work import CUDA_CORES, known, uncounted_tensor_work, used_tensor_cores
from nsightlens.collectors.report import Launch
from nsightlens.gpus import TENSOR_TWIN
from nsightlens.models import tensor_core as model
from nsightlens.models.roofline import boundness_of_times

_SAME_TRAFFIC = "assuming the same bytes move"
_OTHER_PRECISION = "; TF32 keeps 10 bits of the 23 of FP32"


def tensor_core(launch: Launch, pipe: str | None, ceilings: dict[str, Ceiling], overlap: Overlap) -> TensorCore:
    """Return whether tensor cores ran, and the interval of the speed-up they could bring to the CUDA-core work."""
    used = used_tensor_cores(launch)
    if used:
        return TensorCore(used=True, why="tensor cores already do the work")
    if uncounted_tensor_work(launch):
        return TensorCore(used=used, why="whether tensor cores did work was not counted")
    if pipe is None:
        return _without_work(launch, used)
    counterpart = TENSOR_TWIN.get(pipe, "")
    core, tensor = ceilings.get(f"{pipe}_flop_per_s"), ceilings.get(f"{counterpart}_flop_per_s")
    if core is None or tensor is None:
        return TensorCore(used=used, why=f"no tensor-core peak known for {pipe} on this GPU")
    if core.source != tensor.source:
        return TensorCore(used=used, why=f"the peaks of {pipe} and {counterpart} hold at different clocks")
    return _interval(used, pipe, model.peak_ratio(tensor.value, core.value), overlap, known(launch.values["time_s"]))


def _without_work(launch: Launch, used: bool | None) -> TensorCore:
    unknown = [name.upper() for name in CUDA_CORES if known(launch.values[f"{name}_flop"]) is None]
    if unknown:
        return TensorCore(used=used, why=f"not collected: {', '.join(unknown)} work")
    return TensorCore(
        used=used, speedup_low=1.0, speedup_high=1.0, why="no floating-point work that tensor cores could do"
    )


def _interval(used: bool | None, pipe: str, ratio: float, overlap: Overlap, time: float | None) -> TensorCore:
    t_mem, t_cmp = overlap.t_mem_s, overlap.t_cmp_s
    if time is None or t_mem is None or not t_cmp or min(t_mem, t_cmp) < 0 or overlap.status == "ceiling_violation":
        return TensorCore(used=used, ratio=ratio, why="the busy times of memory and of the pipe are not known")
    high = model.most(time, t_mem, t_cmp, max(ratio, 1.0), overlap.low or 0.0)
    boundness = boundness_of_times(t_mem, t_cmp)
    kind = (
        f"memory time is {boundness:.3g} times compute time" if boundness >= 1 else "compute time exceeds memory time"
    )
    other = _OTHER_PRECISION if pipe == "fp32" else ""
    return TensorCore(used, ratio, 1.0, high, f"{kind}; {_SAME_TRAFFIC}{other}")

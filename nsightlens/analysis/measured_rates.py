"""What was measured on a GPU of this name, as it holds for one launch."""

from nsightlens.analysis.work import CUDA_CORES
from nsightlens.collectors.report import Launch
from nsightlens.measured import Measured, find_ceilings

TENSOR_TYPES = ("fp64", "tf32", "bf16", "fp16", "fp8", "int8")
TENSOR_FAMILIES = ("dmma", "hmma", "hgmma", "qmma", "qgmma", "imma", "igmma")
_SECTOR_BYTES = 32


def measured_rates(launch: Launch) -> dict[str, float]:
    """Return the rates by name that such a GPU was seen to reach, at the clock and the mix of reads of the launch."""
    gpu = launch.row["gpu"]
    best = find_ceilings(gpu) if gpu else None
    if best is None:
        return {}
    clock = launch.values["sm_clock_hz"]
    found = {f"{kind}_flop_per_s": best.at_clock(f"{kind}_flop_per_s", clock) for kind in CUDA_CORES}
    found |= {f"tensor_{kind}_flop_per_s": _tensor(best, kind, launch, clock) for kind in TENSOR_TYPES}
    found |= {
        f"tensor_{kind}_sparse_flop_per_s": _sparse(best, kind, launch, clock) for kind in launch.tensor.sparse_flop
    }
    moved, read = launch.values["dram_bytes"], launch.values["dram_read_bytes"]
    found["dram_bytes_per_s"] = best.dram_bytes_per_s(min(read / moved, 1.0)) if moved > 0 and read >= 0 else None
    found["l2_bytes_per_s"] = _l2(launch, best.at_clock("l2_read_bytes_per_s", clock))
    found["l1_bytes_per_s"] = best.at_clock("shared_bytes_per_s", clock)
    return {name: value for name, value in found.items() if value is not None}


def _l2(launch: Launch, read_bytes_per_s: float | None) -> float | None:
    """Return the look-ups that go with the measured rate of reads, None if they exceed the report's peak of look-ups.

    Multiprocessors read at the measured rate. L2 looks more up than they ask for: fills, and copies between its halves.
    """
    looked_up, asked = launch.values["l2_bytes"], _SECTOR_BYTES * launch.values["l1_to_l2_sectors"]
    if read_bytes_per_s is None:
        return None
    rate = read_bytes_per_s * max(1.0, looked_up / asked) if asked > 0 and looked_up > 0 else read_bytes_per_s
    return None if rate > launch.values["l2_bytes_per_s"] else rate


def _tensor(best: Measured, kind: str, launch: Launch, clock: float) -> float | None:
    """Return the ceiling of the instruction family that ran, else that of the fastest one."""
    families = [launch.tensor.path[kind]] if kind in launch.tensor.path else TENSOR_FAMILIES
    return _fastest(best, [f"tensor_{kind}_{family}_flop_per_s" for family in families], clock)


def _sparse(best: Measured, kind: str, launch: Launch, clock: float) -> float | None:
    path = launch.tensor.sparse_path
    families = [path[kind]] if kind in path else TENSOR_FAMILIES
    return _fastest(best, [f"tensor_{kind}_{family}_sparse_flop_per_s" for family in families], clock)


def _fastest(best: Measured, names: list[str], clock: float) -> float | None:
    return max((rate for name in names if (rate := best.at_clock(name, clock)) is not None), default=None)

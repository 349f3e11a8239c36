"""The peaks that a model is asked with: those of a GPU of the table, or the caller's own."""

from dataclasses import dataclass
from typing import NamedTuple

from nsightlens.answers.answer import Fact, shown
from nsightlens.errors import UsageError
from nsightlens.gpus import TENSOR_TWIN, Gpu, find_gpu

ELEMENT_BYTES = {"fp64": 8, "fp32": 4, "fp16": 2}
DTYPES = tuple(ELEMENT_BYTES)
PEAK, TENSOR_PEAK, BANDWIDTH = "--peak-flop-per-s", "--tensor-peak-flop-per-s", "--bandwidth-bytes-per-s"
BANDWIDTH_NAME = "dram_bytes_per_s"
TF32 = "FP32 data go to tensor cores as TF32, which keeps 10 bits of the 23 of FP32."


class Own(NamedTuple):
    """Peaks in FLOP/s and byte/s that the caller gives; they come before those of the table."""

    cuda_flop_per_s: float | None = None
    tensor_flop_per_s: float | None = None
    bytes_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Peaks of CUDA cores, tensor cores (dense; None if there are none) and device memory, for one precision."""

    dtype: str
    gpu: Gpu | None
    cuda_flop_per_s: float
    tensor_flop_per_s: float | None
    bytes_per_s: float
    own: Own

    @property
    def element_bytes(self) -> int:
        """Bytes of an element."""
        return ELEMENT_BYTES[self.dtype]

    @property
    def name(self) -> str:
        """The GPU in words."""
        return self.gpu.title if self.gpu else "own GPU"

    @property
    def tensor(self) -> float:
        """Peak of tensor cores.

        Raises
        ------
        UsageError
            If the GPU has none for this precision.
        """
        if self.tensor_flop_per_s is None:
            raise UsageError(
                f"{self.name} has no tensor cores for {self.dtype}, or none are known",
                where="--gpu",
                remedy=f"choose another GPU or --dtype, or give {TENSOR_PEAK}",
            )
        return self.tensor_flop_per_s

    def facts(self) -> tuple[Fact, ...]:
        """Return the peaks as facts."""
        return (
            Fact("gpu", "GPU", self.name),
            Fact("dtype", "precision", self.dtype),
            Fact("cuda_core_flop_per_s", "peak of CUDA cores, P", self.cuda_flop_per_s, "FLOP/s"),
            Fact("tensor_core_flop_per_s", "peak of tensor cores, dense", self.tensor_flop_per_s, "FLOP/s"),
            Fact("dram_bytes_per_s", "bandwidth of device memory, B", self.bytes_per_s, "byte/s"),
        )

    def cautions(self) -> tuple[str, ...]:
        """Return what is to be known of the peaks."""
        words = ["Peaks are the makers' figures or your own; what a GPU reaches is less, and must be measured."]
        if self.dtype == "fp32":
            words.append(TF32)
        if self.gpu is None:
            return tuple(words)
        used = [name for name, own in zip(_names(self.dtype), self.own, strict=True) if own is None]
        doubtful = [name for name in used if name in self.gpu.uncertain]
        if doubtful:
            words.append(f"Uncertain for {self.gpu.title}: {', '.join(doubtful)}. {' '.join(self.gpu.notes)}")
        slower = self.gpu.fp32_accumulate.get(_names(self.dtype)[1])
        if slower is not None and self.own.tensor_flop_per_s is None:
            words.append(
                f"The tensor-core peak is that of FP16 results; with FP32 results it is {shown(slower, 'FLOP/s')}."
                f" For those give it as {TENSOR_PEAK}."
            )
        if self.dtype == "fp16" and self.gpu.architecture.slower and self.own.tensor_flop_per_s is None:
            kind = self.gpu.architecture
            words.append(
                f"The tensor-core peak is that of {kind.faster}; {', '.join(kind.slower)} reaches less."
                f" How much must be measured; give it as {TENSOR_PEAK}."
            )
        return tuple(words)


def limits(gpu: str | None, dtype: str, own: Own) -> Limits:
    """Return the peaks of a GPU, or the caller's own.

    Raises
    ------
    UsageError
        If the GPU is not known, or a peak is neither given nor in the table.
    """
    found = find_gpu(gpu) if gpu is not None else None
    table = found.peaks if found else {}
    cuda, tensor, dram = _names(dtype)
    peak = _needed(own.cuda_flop_per_s or table.get(cuda), PEAK, dtype, found)
    bandwidth = _needed(own.bytes_per_s or table.get(dram), BANDWIDTH, dtype, found)
    return Limits(dtype, found, peak, own.tensor_flop_per_s or table.get(tensor), bandwidth, own)


def _needed(value: float | None, option: str, dtype: str, gpu: Gpu | None) -> float:
    if value is not None:
        return value
    if gpu is None:
        raise UsageError("no GPU was named", where="--gpu", remedy=f"--gpu h200, or {PEAK} and {BANDWIDTH}")
    raise UsageError(f"no {dtype} peak of {gpu.title} is known", where="--gpu", remedy=f"give {option}")


def _names(dtype: str) -> tuple[str, str, str]:
    return f"{dtype}_flop_per_s", f"{TENSOR_TWIN[dtype]}_flop_per_s", BANDWIDTH_NAME

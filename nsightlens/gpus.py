"""The table of GPUs (``data/gpus.toml``): peaks as the makers state them, each with its source.

Rates in FLOP/s and byte/s, clocks in Hz, sizes in bytes. Peaks are named as ceilings are: ``dram_bytes_per_s``,
``fp64_flop_per_s``, ``tensor_fp16_flop_per_s``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any

from nsightlens.data import table
from nsightlens.errors import UsageError

TENSOR_TWIN = {"fp64": "tensor_fp64", "fp32": "tensor_tf32", "fp16": "tensor_fp16"}
"""CUDA-core precision to the tensor pipe that takes its data: FP32 has none of its own, TF32 does."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document: title, address, and where its numbers were read if not in the document itself."""

    title: str
    address: str
    seen: str | None = None


@dataclass(frozen=True, slots=True)
class Architecture:
    """What GPUs of one architecture share.

    Attributes
    ----------
    fma_per_clock_per_sm
        Type (``fp64``, ``tensor_fp16``) to multiply-adds per clock and multiprocessor; empty if not known.
    faster, slower
        The instructions that reach the tensor peaks, and others that reach less: how much less must be measured.
    """

    title: str
    compute_capability: str
    source: str
    shared_bytes_per_block: int
    fma_per_clock_per_sm: Mapping[str, int] = field(default_factory=dict)
    faster: str | None = None
    slower: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU.

    Attributes
    ----------
    key
        Its name in the table, such as ``a100_80_sxm``.
    names
        Device names it stands for, whole.
    peaks, sparse, fp32_accumulate
        Dense peaks; those with 2:4 sparsity; those of FP32 results where FP16 results are faster.
    source, sources
        Document of all numbers, and of single ones.
    uncertain
        Numbers that could not be checked, or that sources give differently.
    """

    key: str
    title: str
    names: tuple[str, ...]
    architecture: Architecture
    source: str
    peaks: Mapping[str, float]
    sparse: Mapping[str, float] = field(default_factory=dict)
    fp32_accumulate: Mapping[str, float] = field(default_factory=dict)
    memory_bytes: float | None = None
    sms: int | None = None
    clock_hz: float | None = None
    tensor_clock_hz: float | None = None
    l2_bytes: int | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    uncertain: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def certain_peaks(self) -> dict[str, float]:
        """The dense peaks that sources agree on."""
        return {name: value for name, value in self.peaks.items() if name not in self.uncertain}

    def source_of(self, name: str) -> Source:
        """Return the document of one number."""
        return source(self.sources.get(name, self.source))


@cache
def gpus() -> tuple[Gpu, ...]:
    """Return all GPUs of the table."""
    return tuple(_gpu(key, entry) for key, entry in table("gpus")["gpus"].items())


@cache
def source(key: str) -> Source:
    """Return a document of the table."""
    return Source(**table("gpus")["sources"][key])


def by_device_name(name: object) -> Gpu | None:
    """Return the GPU of this whole device name, as drivers give it; variants of one chip differ."""
    return next((gpu for gpu in gpus() if name in gpu.names), None)


def find_gpu(text: str) -> Gpu:
    """Return the GPU that a user names: by key, title or device name, whatever the case and the separators.

    Raises
    ------
    UsageError
        If there is none, or several begin like this; the message lists near ones.
    """
    wanted = _plain(text)
    for gpu in gpus():
        if wanted in _spellings(gpu):
            return gpu
    near = [gpu.key for gpu in gpus() if wanted and any(wanted in spelling for spelling in _spellings(gpu))]
    if len(near) == 1:
        return by_key(near[0])
    what = "fits several GPUs" if near else "is no GPU of the table"
    near = near or get_close_matches(wanted, [gpu.key for gpu in gpus()], cutoff=0.5)
    remedy = f"try {', '.join(near)}" if near else "nsightlens model gpus lists them"
    raise UsageError(f"{text!r} {what}", remedy=remedy)


def by_key(key: str) -> Gpu:
    """Return the GPU of this key."""
    return next(gpu for gpu in gpus() if gpu.key == key)


def _spellings(gpu: Gpu) -> set[str]:
    return {_plain(name) for name in (gpu.key, gpu.title, *gpu.names)}


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower())).removeprefix("nvidia")


def _gpu(key: str, entry: Mapping[str, Any]) -> Gpu:
    made: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    return Gpu(key, **(made | {"architecture": _architecture(entry["architecture"])}))


@cache
def _architecture(key: str) -> Architecture:
    entry: dict[str, Any] = table("gpus")["architectures"][key]
    return Architecture(**(entry | {"slower": tuple(entry.get("slower", ()))}))

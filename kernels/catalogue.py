"""The shipped kernels: what each computes, its exact work, and the traffic that it cannot do without.

Lengths are in elements, work in FLOP (a fused multiply-add counts 2), traffic in bytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsightlens.errors import UsageError

Vector = NDArray[np.float64]
Parameters = Mapping[str, float]
BLOCK = 256
FP64_BYTES = 8


@dataclass(frozen=True)
class Kernel:
    """A CUDA kernel that turns a vector ``a`` into a vector ``b`` of the same length.

    ``defaults`` names its parameters, ``meaning`` says what they are (with the unit). ``flop``, ``dram_bytes``
    and ``grid`` take the number of elements and the parameters, ``reference`` takes ``a`` and the parameters,
    ``arguments`` gives what the kernel takes after ``a`` and ``b``.
    """

    name: str
    source: str
    doc: str
    defaults: Parameters
    meaning: Mapping[str, str]
    flop: Callable[[int, Parameters], int]
    dram_bytes: Callable[[int, Parameters], int]
    grid: Callable[[int, Parameters], tuple[int, int, int]]
    arguments: Callable[[int, Parameters], tuple[Any, ...]]
    reference: Callable[[Vector, Parameters], Vector]
    data_type: str = "fp64"
    rtol: float = 0.0
    min_compute_capability: str = "6.0"
    template: tuple[str, ...] = ()

    @cached_property
    def code(self) -> str:
        """The CUDA source."""
        return files(__package__).joinpath(self.source).read_text(encoding="utf-8")

    def entry(self, parameters: Parameters) -> str:
        """Return the name of the function, with its template arguments."""
        arguments = ", ".join(str(int(parameters[name])) for name in self.template)
        return f"{self.name}<{arguments}>" if arguments else self.name

    def parameters(self, given: Parameters) -> Parameters:
        """Return all parameters, those in ``given`` instead of the defaults.

        Raises
        ------
        UsageError
            If there is no parameter of that name.
        """
        unknown = [name for name in given if name not in self.defaults]
        if unknown:
            known = ", ".join(self.defaults)
            raise UsageError(f"no such parameter: {unknown[0]}", where=self.name, remedy=f"it takes: {known}")
        return MappingProxyType({**self.defaults, **given})


def _blocks(threads: int) -> int:
    return max(1, -(-threads // BLOCK))


def _pairs(n: int, _: Parameters) -> tuple[int, int, int]:
    return _blocks((n + 1) // 2), 1, 1


def _rows(n: int, p: Parameters) -> tuple[int, int, int]:
    stride = int(p["stride"])
    return _blocks(-(-n // stride)), stride, 1


def _once_through(n: int, _: Parameters) -> int:
    return 2 * FP64_BYTES * n


def _scaled(a: Vector, p: Parameters) -> Vector:
    return a * p["q"]


def _chained(a: Vector, p: Parameters) -> Vector:
    power = p["m"] ** int(p["steps"])
    total = int(p["steps"]) if p["m"] == 1 else (1 - power) / (1 - p["m"])
    return power * a + p["c"] * total


SCALE = Kernel(
    name="scale",
    source="scale.cu",
    doc="b = q a with 16-byte accesses: as fast as memory goes.",
    defaults={"q": 1.5},
    meaning={"q": "factor"},
    flop=lambda n, _: n,
    dram_bytes=_once_through,
    grid=_pairs,
    arguments=lambda n, p: (np.float64(p["q"]), np.uint64(n)),
    reference=_scaled,
)
SCALE_STRIDED = Kernel(
    name="scale_strided",
    source="scale_strided.cu",
    doc="b = q a with neighbouring threads `stride` elements apart: the same work, uncoalesced.",
    defaults={"q": 1.5, "stride": 32},
    meaning={
        "q": "factor",
        "stride": "elements from thread to thread, at most 65535",
    },
    flop=lambda n, _: n,
    dram_bytes=_once_through,
    grid=_rows,
    arguments=lambda n, p: (np.float64(p["q"]), np.uint64(n), np.uint32(p["stride"])),
    reference=_scaled,
)
FMA_CHAIN = Kernel(
    name="fma_chain",
    source="fma_chain.cu",
    doc="b = a after `steps` fused multiply-adds x = m x + c: memory bound to compute bound as steps grow.",
    defaults={"steps": 32, "m": 1 - 2.0**-10, "c": 2.0**-10},
    meaning={"steps": "fused multiply-adds per element", "m": "factor", "c": "summand"},
    flop=lambda n, p: 2 * int(p["steps"]) * n,
    dram_bytes=_once_through,
    grid=_pairs,
    arguments=lambda n, p: (np.float64(p["m"]), np.float64(p["c"]), np.uint64(n)),
    reference=_chained,
    rtol=1e-12,
    template=("steps",),
)
KERNELS: Mapping[str, Kernel] = MappingProxyType({k.name: k for k in (SCALE, SCALE_STRIDED, FMA_CHAIN)})


def kernel(name: str) -> Kernel:
    """Return the kernel of that name.

    Raises
    ------
    UsageError
        If there is none.
    """
    try:
        return KERNELS[name]
    except KeyError:
        raise UsageError("no such kernel", where=name, remedy=f"take one of: {', '.join(KERNELS)}") from None

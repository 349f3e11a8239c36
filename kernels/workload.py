"""One launch of a CUDA kernel on data of its own making, with its exact work and its least traffic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[Any]
Arguments = Sequence[Any]


@dataclass(frozen=True)
class Workload:
    """One launch, ready to be compiled, run, checked and timed.

    Attributes
    ----------
    name
        What it is called, such as ``scale``.
    source, package
        The ``.cu`` file, and the package that holds it.
    entry
        The function in it, with its template arguments if it has any.
    grid, block
        Blocks, and threads of a block, as x, y, z.
    arguments
        From a random generator to the arguments in the order of the kernel: NumPy arrays, which are copied to the
        device, and NumPy scalars. What the kernel overwrites begins as ``poison``.
    outputs
        Positions of the arguments that the kernel writes.
    reference
        From the arguments (as before the launch) to what the outputs must be, in their order.
    flop
        Pipe, such as ``fp64`` or ``tensor_fp64``, to work in FLOP; a fused multiply-add counts 2, a division 1.
    dram_bytes
        Least traffic with device memory in bytes: each input read once, each output written once.
    shared_bytes
        Dynamic shared memory of a block.
    defines
        Macros given to the compiler.
    rtol, atol
        Largest deviation from the reference, relative and absolute.
    min_compute_capability
        Oldest device, such as ``8.0``.
    only
        Devices beyond it that can run it: compute capabilities such as ``8.9``, or ``12`` for all that begin so; empty:
        all.
    l2_resident
        Whether its data fit into the L2 cache, so that device memory hardly moves when it runs again.
    """

    name: str
    source: str
    entry: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: Callable[[Generator], Arguments]
    outputs: tuple[int, ...]
    reference: Callable[[Arguments], Sequence[Array]]
    flop: Mapping[str, int]
    dram_bytes: int
    doc: str = ""
    shared_bytes: int = 0
    defines: Mapping[str, str | int] = field(default_factory=dict)
    rtol: float = 0.0
    atol: float = 0.0
    min_compute_capability: str = "6.0"
    only: tuple[str, ...] = ()
    l2_resident: bool = False
    package: str = "nsightlens.kernels"

    def runs_on(self, compute_capability: str) -> bool:
        """Tell whether a device of this compute capability, such as ``9.0``, can run it."""
        major, _, minor = compute_capability.partition(".")
        least = tuple(map(int, self.min_compute_capability.split(".")))
        known = not self.only or compute_capability in self.only or major in self.only
        return known and (int(major), int(minor)) >= least

    @cached_property
    def code(self) -> str:
        """The CUDA source, which says its name: else reports name a temporary file of CuPy's beside the lines."""
        text = files(self.package).joinpath(self.source).read_text(encoding="utf-8")
        return f'#line 1 "{self.source}"\n{text}'

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the compiler (NVRTC)."""
        return ("--std=c++17", "-lineinfo", *(f"-D{name}={value}" for name, value in self.defines.items()))


def poison(shape: int | tuple[int, ...], dtype: Any) -> Array:  # noqa: ANN401
    """Return an array that no result agrees with: NaN, or 0xA5 in every byte of whole numbers."""
    found = np.full(shape, np.nan, dtype) if np.dtype(dtype).kind == "f" else np.empty(shape, dtype)
    if found.dtype.kind != "f":
        found.view(np.uint8).fill(0xA5)
    return found


def blocks(elements: int, each: int) -> tuple[int, int, int]:
    """Return the grid in which each block takes so many elements."""
    return max(1, -(-elements // each)), 1, 1

"""Compile and launch workloads through CuPy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nsightlens.errors import INSTALL_CUPY, UsageError
from nsightlens.kernels.workload import Arguments, Workload

_PLENTY = 48 * 1024
"""Dynamic shared memory above which a kernel must ask for it."""


@cache
def load_cupy() -> Any:  # noqa: ANN401
    """Return the module ``cupy``.

    Raises
    ------
    UsageError
        If it is not installed, or finds no GPU.
    """
    try:
        import cupy  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(f"CuPy cannot be imported: {error}", remedy=INSTALL_CUPY) from error
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        remedy = "check nvidia-smi and CUDA_VISIBLE_DEVICES"
        raise UsageError(f"no usable CUDA device: {error}", remedy=remedy) from error
    return cupy


@dataclass(frozen=True)
class Prepared:
    """A workload with its arguments, on the host as they were made and on the device."""

    work: Workload
    host: Arguments
    device: Sequence[Any]

    def launch(self) -> None:
        """Launch the kernel."""
        function = _function(self.work.code, self.work.entry, self.work.options)
        if self.work.shared_bytes > _PLENTY:
            function.max_dynamic_shared_size_bytes = self.work.shared_bytes
        function(self.work.grid, self.work.block, tuple(self.device), shared_mem=self.work.shared_bytes)

    def restore(self) -> None:
        """Give the outputs the values that they had before the first launch."""
        for position in self.work.outputs:
            self.device[position].set(self.host[position])

    def results(self) -> list[Any]:
        """Return the outputs as NumPy arrays."""
        return [self.device[position].get() for position in self.work.outputs]


def prepare(work: Workload, seed: int = 0) -> Prepared:
    """Make the data of a workload on the host, where no kernel of ours shows in a profile, and copy them.

    Raises
    ------
    UsageError
        If there is no CuPy or no GPU, or the GPU cannot run the kernel.
    """
    cupy = load_cupy()
    digits = str(cupy.cuda.Device().compute_capability)
    if not work.runs_on(f"{digits[:-1]}.{digits[-1]}"):
        needed = " or ".join(work.only) or f"{work.min_compute_capability} or newer"
        raise UsageError(f"needs compute capability {needed}", where=work.name)
    host = tuple(work.arguments(np.random.default_rng(seed)))
    device = [cupy.asarray(one) if isinstance(one, np.ndarray) and one.ndim else one for one in host]
    return Prepared(work, host, device)


@cache
def _function(code: str, entry: str, options: tuple[str, ...]) -> Any:  # noqa: ANN401
    templates = (entry,) if "<" in entry else None
    return load_cupy().RawModule(code=code, options=options, name_expressions=templates).get_function(entry)

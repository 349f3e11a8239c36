"""Compile and launch the kernels of the catalogue through CuPy."""

from functools import cache
from typing import Any

from nsightlens.errors import INSTALL_CUPY, UsageError
from nsightlens.kernels.catalogue import BLOCK, Kernel, Parameters


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


def launch(kernel: Kernel, a: Any, b: Any, parameters: Parameters) -> None:  # noqa: ANN401
    """Launch ``kernel`` from the CuPy vector ``a`` to the CuPy vector ``b`` of the same length."""
    function = _function(kernel.code, kernel.entry(parameters))
    grid = kernel.grid(a.size, parameters)
    function(grid, (BLOCK, 1, 1), (a, b, *kernel.arguments(a.size, parameters)))


@cache
def _function(code: str, entry: str) -> Any:  # noqa: ANN401
    templates = (entry,) if "<" in entry else None
    options = ("--std=c++17", "-lineinfo")
    return load_cupy().RawModule(code=code, options=options, name_expressions=templates).get_function(entry)

"""Matrix products by the vendor's library, which stand for wgmma: the rate that a user of tensor cores can have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsightlens.errors import NsightlensError
from nsightlens.kernels.cupy_launch import load_cupy

SIZE = 8192


@dataclass(frozen=True)
class Product:
    """A square matrix product: the library call, its FLOP, and what it was called with."""

    launch: Callable[[], None]
    flop: int
    doc: str


def products(size: int = SIZE) -> dict[str, Product]:
    """Return data type to product, of those that the installed libraries can do: two by CuPy, more by PyTorch.

    The inputs are ones, so that the first row of each result is checked to be ``size`` exactly.
    """
    found = {"fp64": _cupy(np.float64, size // 2), "fp16": _cupy(np.float16, size)}
    try:
        import torch  # noqa: PLC0415
    except ImportError:
        return found
    return found | _torch(torch, size)


def _cupy(dtype: type, size: int) -> Product:
    cupy = load_cupy()
    ones, out = cupy.ones((size, size), dtype), cupy.empty((size, size), dtype)

    def launch() -> None:
        cupy.matmul(ones, ones, out=out)

    launch()
    if not (out[0] == size).all():
        raise NsightlensError("wrong result of a matrix product", where=f"cuBLAS, {np.dtype(dtype).name}")
    return Product(launch, 2 * size**3, f"cuBLAS matrix product, {size} x {size}, through CuPy")


def _torch(torch: Any, size: int) -> dict[str, Product]:  # noqa: ANN401
    torch.backends.cuda.matmul.allow_tf32 = True
    found = {}
    for name, dtype in (("tf32", torch.float32), ("bf16", torch.bfloat16), ("int8", torch.int8), ("fp8", None)):
        ones = torch.ones((size, size), dtype=dtype or torch.float16, device="cuda")
        call = _call(torch, name, ones)
        try:
            result = call()
        except (RuntimeError, AttributeError):  # this version, or this device, cannot do it
            continue
        if not bool((result[0].float() == size).all()):
            raise NsightlensError("wrong result of a matrix product", where=f"PyTorch, {name}")
        found[name] = Product(_launch(call), 2 * size**3, f"cuBLAS matrix product, {size} x {size}, through PyTorch")
    return found


def _call(torch: Any, name: str, ones: Any) -> Callable[[], Any]:  # noqa: ANN401
    if name == "int8":
        return lambda: torch._int_mm(ones, ones.t())  # noqa: SLF001
    if name == "fp8":
        eighth = ones.to(torch.float8_e4m3fn)
        scale = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(eighth, eighth.t(), scale, scale, out_dtype=torch.bfloat16)  # noqa: SLF001
    return lambda: torch.matmul(ones, ones)


def _launch(call: Callable[[], Any]) -> Callable[[], None]:
    """Return the call without its result; PyTorch takes the same stream as CuPy where neither was told otherwise."""

    def launch() -> None:
        call()

    return launch

"""A mix of kernels from memory bound to compute bound, each in a range of its own.

python examples/mix.py
nsightlens profile -- python examples/mix.py
"""

import argparse

import numpy as np
from common import run as run_program

from nsightlens.kernels.cupy_launch import load_cupy
from nsightlens.kernels.programs import run
from nsightlens.ranges import annotate

STEPS = (8, 32, 64, 128)


def gemm(size: int) -> None:
    """Multiply two FP64 matrices with cuBLAS."""
    cupy = load_cupy()
    random = np.random.default_rng(1)
    a, b = random.random((size, size)), random.random((size, size))
    device_a, device_b = cupy.asarray(a), cupy.asarray(b)
    with annotate("gemm_fp64", flop=2 * size**3, dram_bytes=3 * 8 * size**2, payload=size):
        product = cupy.matmul(device_a, device_b)
    np.testing.assert_allclose(cupy.asnumpy(product), a @ b, rtol=1e-11)


def elementwise(elements: int) -> None:
    """Multiply an FP32 vector by a number with CuPy's own kernel."""
    cupy = load_cupy()
    host = np.random.default_rng(2).random(elements, dtype=np.float32)
    x = cupy.asarray(host)
    y = cupy.empty_like(x)
    with annotate("elementwise_fp32", flop=elements, dram_bytes=8 * elements, payload=elements):
        cupy.multiply(x, np.float32(1.5), out=y)
    np.testing.assert_array_equal(cupy.asnumpy(y), host * np.float32(1.5))


def main() -> None:
    """Run every kernel once and check it."""
    parser = argparse.ArgumentParser(description="Run a mix of kernels, each once, and check them.")
    parser.add_argument("--elements", type=int, default=2**25, help="length of the vectors (default: 2**25)")
    parser.add_argument("--matrix", type=int, default=2048, help="rows of the matrices (default: 2048)")
    options = parser.parse_args()
    run("scale", options.elements)
    run("scale_strided", options.elements)
    for steps in STEPS:
        run("fma_chain", options.elements, label=f"fma_chain_{steps}", steps=steps)
    gemm(options.matrix)
    elementwise(options.elements)
    print(f"mix: {len(STEPS) + 4} kernels, results correct")


if __name__ == "__main__":
    run_program(main)

"""Two Triton kernels, vector addition and softmax of rows, with the bytes that they must move.

python examples/triton_softmax.py
nsightlens profile -- python examples/triton_softmax.py
"""

import argparse
from typing import Any

from common import cuda_torch, needed, run, stop

from nsightlens import annotate

FLOAT_BYTES = 4
BLOCK = 1024
TOLERANCE = 1e-6
"""Largest deviation of a softmax from the FP64 one on the CPU, over the largest value of its row."""

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None
else:

    @triton.jit
    def add_kernel(a, b, out, length, block: tl.constexpr):  # noqa: ANN001, ANN201
        """Add two vectors."""
        place = tl.program_id(0) * block + tl.arange(0, block)
        inside = place < length
        tl.store(out + place, tl.load(a + place, mask=inside) + tl.load(b + place, mask=inside), mask=inside)

    @triton.jit
    def softmax_kernel(x, out, columns, block: tl.constexpr):  # noqa: ANN001, ANN201
        """Softmax of one row, which is read once and written once."""
        column = tl.arange(0, block)
        place = tl.program_id(0) * columns + column
        inside = column < columns
        row = tl.load(x + place, mask=inside, other=float("-inf"))
        raised = tl.exp(row - tl.max(row, axis=0))
        tl.store(out + place, raised / tl.sum(raised, axis=0), mask=inside)


def add(torch: Any, length: int) -> None:  # noqa: ANN401
    """Add two random vectors; the sum of two FP32 numbers is the same everywhere."""
    a, b = torch.randn(2, length)
    device_a, device_b = a.cuda(), b.cuda()
    out = torch.empty_like(device_a)
    with annotate("add", flop=length, dram_bytes=3 * FLOAT_BYTES * length, payload=length):
        add_kernel[(triton.cdiv(length, BLOCK),)](device_a, device_b, out, length, block=BLOCK)
    if not torch.equal(out.cpu(), a + b):
        stop("wrong result: add")


def softmax(torch: Any, rows: int, columns: int) -> None:  # noqa: ANN401
    """Take the softmax of the rows of a random matrix."""
    x = torch.randn(rows, columns)
    device_x = x.cuda()
    out = torch.empty_like(device_x)
    with annotate("softmax", dram_bytes=2 * FLOAT_BYTES * rows * columns, payload=columns):
        softmax_kernel[(rows,)](device_x, out, columns, block=triton.next_power_of_2(columns))
    expected = torch.softmax(x.double(), dim=1)
    largest = expected.max(dim=1, keepdim=True).values
    error = float(((out.cpu().double() - expected).abs() / largest).max())
    if not error <= TOLERANCE:
        stop(f"wrong result: softmax of {columns} columns, deviation {error:.3g}, allowed {TOLERANCE:.3g}")


def main() -> None:
    """Run both kernels and check them."""
    parser = argparse.ArgumentParser(description="Add vectors and take softmaxes with Triton, and check the results.")
    parser.add_argument("--length", type=int, default=2**24, help="length of the vectors (default: 2**24)")
    parser.add_argument("--rows", type=int, default=4096, help="rows of the softmax (default: 4096)")
    options = parser.parse_args()
    torch = cuda_torch()
    needed("triton", "pip install triton")
    torch.manual_seed(0)
    add(torch, options.length)
    with annotate("sweep"):
        for columns in (256, 1000, 4096):
            softmax(torch, options.rows, columns)
    print("triton_softmax: 4 launches, results correct")


if __name__ == "__main__":
    run(main)

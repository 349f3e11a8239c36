"""Two processes that use one GPU: each runs SCALE in a range of its own.

python examples/two_processes.py
nsightlens profile -- python examples/two_processes.py
"""

import argparse
import subprocess
import sys

from common import run as run_program

from nsightlens import annotate
from nsightlens.kernels.cupy_launch import load_cupy
from nsightlens.kernels.programs import run

PROCESSES = 2


def work(rank: int, elements: int) -> None:
    """Run SCALE and check it: what each process does."""
    with annotate(f"rank {rank}", payload=rank):
        run("scale", elements)
    print(f"rank {rank}: {elements} elements, result correct")


def start(elements: int) -> None:
    """Start the processes, wait for all of them, and pass on what went wrong."""
    load_cupy()  # once here: else each process says that it is missing
    command = [sys.executable, __file__, "--elements", str(elements), "--rank"]
    workers = [subprocess.Popen([*command, str(rank)]) for rank in range(PROCESSES)]  # noqa: S603
    codes = [worker.wait() for worker in workers]
    sys.exit(next((code if code > 0 else 1 for code in codes if code), 0))


def main() -> None:
    """Start two processes, or be one of them."""
    parser = argparse.ArgumentParser(description="Run SCALE in two processes on the same GPU, and check it.")
    parser.add_argument("--elements", type=int, default=2**24, help="length of the vectors (default: 2**24)")
    parser.add_argument("--rank", type=int, help="be this process, and start none")
    options = parser.parse_args()
    if options.rank is None:
        start(options.elements)
    else:
        work(options.rank, options.elements)


if __name__ == "__main__":
    run_program(main)

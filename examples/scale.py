"""FP64 SCALE, b = q a, by itself: the simplest memory-bound kernel.

python examples/scale.py
nsightlens profile -- python examples/scale.py
"""

import argparse

from common import run as run_program

from nsightlens.kernels.programs import run


def main() -> None:
    """Run SCALE, check it, and print the bandwidth."""
    parser = argparse.ArgumentParser(description="Run FP64 SCALE, check it, and print the bandwidth.")
    parser.add_argument("--elements", type=int, default=2**27, help="length of the vectors (default: 2**27)")
    parser.add_argument("--no-warm-up", action="store_true", help="one launch instead of two")
    options = parser.parse_args()
    done = run("scale", options.elements, warm_up=not options.no_warm_up)
    print(f"scale: {options.elements} elements, {done.time_s * 1e3:.3f} ms, ", end="")
    print(f"{done.dram_bytes / done.time_s / 1e9:.0f} GB/s, result correct")


if __name__ == "__main__":
    run_program(main)

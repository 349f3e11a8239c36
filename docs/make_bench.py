"""Write the pages of docs/measurements that show recorded results of ``nsightlens bench``.

python docs/make_bench.py
"""

import json
import os
from pathlib import Path

from nsightlens.apps.bench.scale import verdict
from nsightlens.report.bench import render

FOLDER = Path(__file__).parent / "measurements"
SHIPPED = Path(__file__).parent.parent / "nsightlens" / "data" / "ceilings" / "h200.json"
PAGES = {
    "ceilings": (
        SHIPPED,
        """# Ceilings of an H200

Made of one run of `nsightlens ceilings`, whose event times (kept beside the values) held 11 µs of launch; that is taken
off here with the cost found in the SCALE run of the same day (the command now measures it itself). The bandwidth of
copies is the slope between the best copies of 1.07 and 2.15 GB of that SCALE run, 4.299 TB/s; the copy of this run, of
1.26 GB each way, reached 4.152.

The fastest of several kernels or launch shapes counts; each was checked first. `hmma`, `dmma` and `imma` are mma.sync;
`hgmma` and `qgmma` stand for wgmma, measured by a matrix product of cuBLAS, which a good kernel may exceed and whose
instructions were not looked at. Sparse rates count the zeros. mma.sync reaches 0.62 of the FP16 peak that is sold, and
the product 0.80; FP64 m8n8k4 half of what m16n8k16 does.

Two figures of that run are left out: FP8 through mma.sync, which on this chip is no instruction of its own (the
compiler made FP16 instructions and additions of it, and fewer than were counted), and the INT8 product of cuBLAS, which
was slower than INT8 mma.sync and so is no ceiling.
""",
    ),
    "scale": (
        FOLDER / "data" / "scale.json",
        """# SCALE on CUDA cores and on tensor cores

Written of `nsightlens bench scale` (sizes to 2^27 elements), FP64, warm, clocks as found; event times hold about 11
µs of launch, so small sizes look slower than they are. The bounds hold for data in device memory, so they stand beside
the largest size; at 134 MB and below much of the data stays in L2, where tensor cores are up to 7 % faster or 4 %
slower.

The counters (`reports/scale.ncu-rep.xz`, ncu 2025.3.1) say why tensor cores lose nothing with m8n8k4: all variants
move the same bytes (within 0.1 %) and the same sectors, with device memory at 89 % of its peak. The published
access pattern needs twice the load instructions, each of whole sectors, which costs L1 wavefronts (23 % busy
instead of 17 %) that do not limit. So the paper's slow-down is not seen here. With m16n8k4 a thread has twice the
bytes under way; reads then wait 4,200 cycles instead of 2,800, and device memory reaches 86 %: 3 % slower.

![Bandwidth over size](../images/scale.png)
""",
    ),
    "overlap": (
        FOLDER / "data" / "overlap.json",
        """# The overlap experiment

`nsightlens bench overlap`: kernels with memory accesses and arithmetic (whole), one of both, and neither; event
times, medians of 21 rounds in turn; the error by resampling the rounds. `64` and `32` are FP64 and FP32
multiply-adds, `164` DMMA. In the `pipelined` kernels so many of every four tiles are fetched before the arithmetic
on the tile before: the more, the higher the fraction, from 0.35-0.53 to 0.88-1.07. The error tells how well the
rounds repeat, not how well the four variants stand for one kernel: some fractions exceed 1 by more than it.
""",
    ),
    "co-issue": (
        FOLDER / "data" / "co_issue.json",
        """# Can CUDA cores and tensor cores work at the same time?

`nsightlens bench co_issue`: chains of multiply-adds, of tensor instructions, and of both. On an H200 DFMA and DMMA do
not work at the same time: of the shorter time -1 and 3 % hide under the longer one. FFMA and HMMA hide 16 and 11 %;
HMMA alone ran at 0.6 to 0.8 of its ceiling there (four accumulators in turn), so a part may be waiting time. Article 1
(arXiv 2502.16851) assumes that one of the units is dark while the other works: for FP64 this is so here.

The times hold a launch each, of 11 µs (from the SCALE run of the same day), which the last column leaves out; the
conditions are those of the overlap experiment, which ran in the same call.
""",
    ),
    "loss-pairs": (
        FOLDER / "data" / "loss_pairs.json",
        """# Kernels with planted defects, and what these cost

`nsightlens bench losses`: variants in turn, CUDA events, medians of 21; every result checked against a reference.
The reports are in `reports/loss_pairs_a` and `_b.ncu-rep.xz` (of two kernels, histogram_global and
histogram_shared, _a holds an older version). What the ledger makes of them: [ledger.md](ledger.md).

The event times hold 11 µs of launch, which the losses here still contain and the comparison with the ledger leaves
out: it is 16 % of histogram_shared without the defect (71 µs), and 5 to 7 % of nine others below 220 µs. `scale_short`
is timed by ncu and has no row: a byte of 2 MB in a launch of its own takes 5.3 times as long as one of 512 MB.
iterations_shuffled and iterations_small_grid are uneven also without the defect: counts sorted by stretches meet a
grid whose stride is a multiple of them.
""",
    ),
}


def page(name: str) -> str:
    """Return a page."""
    source, text = PAGES[name]
    result = json.loads(source.read_text(encoding="utf-8"))
    if name == "scale":
        result = {**result, "verdict": verdict(result)}
    return f"{text}\n```\n{render(result, width=100)}```\n"


def main() -> None:
    """Write all pages."""
    os.environ["NSIGHTLENS_CEILINGS"] = str(SHIPPED)
    for name in PAGES:
        (FOLDER / f"{name}.md").write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()

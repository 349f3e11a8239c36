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

`nsightlens ceilings`. The fastest of several kernels or launch shapes counts; each was checked first. `hmma`,
`dmma`, `imma` and `qmma` are mma.sync, `hgmma`, `igmma` and `qgmma` wgmma, for which a matrix product of cuBLAS
stands (a good kernel may exceed it). FP8 through mma.sync runs at the rate of FP16 instructions on this chip.
Sparse rates count the zeros. mma.sync reaches 0.62 of the FP16 peak that is sold, and the product 0.80; FP64 m8n8k4
half of what m16n8k16 does.
""",
    ),
    "scale": (
        FOLDER / "data" / "scale.json",
        """# SCALE on CUDA cores and on tensor cores

Written of `nsightlens bench scale` (sizes to 2^27 elements), FP64, warm, clocks as found; event times hold about 11
µs of launch, so small sizes look slower than they are.

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
on the tile before: the more, the higher the fraction, from 0.35-0.53 to 0.88-1.07. The lower ends are not 0: stores
still overlap.
""",
    ),
    "co-issue": (
        FOLDER / "data" / "co_issue.json",
        """# Can CUDA cores and tensor cores work at the same time?

`nsightlens bench co_issue`: chains of multiply-adds, of tensor instructions, and of both, about as long as each
other. On an H200 DFMA and DMMA do not: the times add up (3 and 6 % hidden). FFMA and HMMA hide a fifth to a quarter
of the shorter time. Article 1 (arXiv 2502.16851) assumes that one of the units is dark while the other works: for
FP64 this is so here.
""",
    ),
    "loss-pairs": (
        FOLDER / "data" / "loss_pairs.json",
        """# Kernels with planted defects, and what these cost

`nsightlens bench losses`: variants in turn, CUDA events, medians of 21; every result checked against a reference.
The reports are in `reports/loss_pairs_a` and `_b.ncu-rep.xz` (of two kernels, histogram_global and
histogram_shared, _a holds an older version). What the ledger makes of them: [ledger.md](ledger.md). Some variants
without the defect take a little less than 200 µs, so that the 11 µs of a launch in event times weigh 5 %.
`scale_short` is timed by ncu and has no row: 2 MB in a launch of its own cost 0.68 more for each byte than 512 MB.
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

"""Coverage and width of the overlap interval on recorded experiments: writes docs/measurements/overlap-interval.md.

python tests/benchmarks/overlap_interval.py
"""

import os
import sys
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
os.environ["NSIGHTLENS_CEILINGS"] = str(ROOT / "nsightlens" / "data" / "ceilings" / "h200.json")
sys.path.insert(0, str(HERE.parent))

import overlap_truth  # noqa: E402

from nsightlens.analysis import samples as narrowing  # noqa: E402

PAGE = ROOT / "docs" / "measurements" / "overlap-interval.md"
HEAD = """# The overlap interval against the experiment

Written by `python tests/benchmarks/overlap_interval.py`. Truth: the four-variant experiment on one NVIDIA H200 (driver
580.159, CUDA 13.0), clipped to [0, 1]; its standard error by resampling is 0.003 to 0.10, most often below 0.02
(data/overlap.json). Interval: from counters (ncu 2025.3.1), with the measured ceilings of the H200. [0, 1] has width 1
and always holds the truth.

The lower end is a bound. The upper end is experience: what independent busy times give, plus 0.30. That margin was
chosen on the first recording; the second had no part in it. Its report ended after 43 of the 111 kernels of
[overlap.md](overlap.md): FP64 and some of FP32, none with tensor cores or pipelined tiles. The truth of five is null.
"""
SAMPLED = f"""## With samples of one pass

The same launches hold PM samples every 2 µs, device memory and all pipes in one pass. Samples are joined to windows of
{narrowing.LEAST_WINDOW_S * 1e6:.0f} µs or more, each with a slack of {narrowing.SLACK}
([analysis.md](../analysis.md#overlap)). The slack was settled with these launches in view, so they are no independent
test of it.
"""


def page():
    """Return the page."""
    lines = [HEAD]
    for title, points in (
        ("Recording of 80 launches (margin chosen here)", overlap_truth.factorial()),
        ("Other kernels (had no part in it)", overlap_truth.others()),
    ):
        held, width = overlap_truth.coverage(points)
        lines += [f"## {title}\n", f"{len(points)} launches: {100 * held:.0f} % held, mean width {width:.2f}.\n"]
        lines += ["| data type | blocks on a multiprocessor | launches | held | mean width |", "|---|---|---|---|---|"]
        for (kind, per_sm), group in overlap_truth.grouped(points).items():
            held, width = overlap_truth.coverage(group)
            lines.append(f"| {kind} | {per_sm or 'pipelined'} | {len(group)} | {100 * held:.0f} % | {width:.2f} |")
        lines.append("")
    return "\n".join([*lines, *independence(), *sampled()])


def independence():
    """Return the lines on a point that independent busy times would give."""
    yield "## A point from counters alone\n"
    yield "None is shown: that both times are busy independently of each other misses the truth by"
    errors = [
        [abs(point.independent - point.truth) for point in points]
        for points in (overlap_truth.factorial(), overlap_truth.others())
    ]
    first, second = (f"{sum(found) / len(found):.2f} in the mean and {max(found):.2f} at most" for found in errors)
    yield f"{first} on the first recording,"
    yield f"{second} on the second.\n"


def sampled():
    """Return the lines on what samples of one pass add, by kind of kernel."""
    plain, narrowed = overlap_truth.others(), overlap_truth.others(samples=True)
    moved = [(a, b) for a, b in zip(plain, narrowed, strict=True) if a != b]
    (held, width), (held_too, narrower) = map(overlap_truth.coverage, (plain, narrowed))
    with slack(0.0):
        strict = overlap_truth.others(samples=True)
    missed = [point for point in strict if not point.covered]
    beyond = max((abs(p.truth - min(max(p.truth, p.low), p.high)) for p in missed), default=0.0)
    return [
        SAMPLED,
        f"{len(plain)} launches: {100 * held:.0f} % held without samples, {100 * held_too:.0f} % with them.",
        f"Mean width: {width:.2f} without, {narrower:.2f} with samples.",
        f"Samples narrowed {len(moved)} of them, by {mean(moved):.2f} in the mean.",
        f"They moved {sum(b.low > a.low for a, b in moved)} lower ends",
        f"and {sum(b.high < a.high for a, b in moved)} upper ends.",
        f"With no slack {len(missed)} would miss the truth, by {beyond:.3f} at most.\n",
        "| data type | blocks on a multiprocessor | launches | held, without and with | mean width, without and with |",
        "|---|---|---|---|---|",
        *rows(overlap_truth.grouped(plain), overlap_truth.grouped(narrowed)),
        "",
    ]


def rows(plain, narrowed):
    """Yield a row of the table for each kind of kernel."""
    for (kind, per_sm), group in plain.items():
        (held, width), (held_too, narrower) = map(overlap_truth.coverage, (group, narrowed[kind, per_sm]))
        yield (
            f"| {kind} | {per_sm or 'pipelined'} | {len(group)} | {100 * held:.0f} %, {100 * held_too:.0f} % "
            f"| {width:.2f}, {narrower:.2f} |"
        )


def mean(moved):
    """Return by how much intervals became narrower."""
    return sum((a.high - a.low) - (b.high - b.low) for a, b in moved) / len(moved) if moved else 0.0


@contextmanager
def slack(value):
    """Analyse with another slack meanwhile."""
    usual, narrowing.SLACK = narrowing.SLACK, value
    try:
        yield
    finally:
        narrowing.SLACK = usual


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

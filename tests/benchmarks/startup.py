"""Start-up and reading beside the bare libraries, as ratios of medians in one run.

Run as ``python tests/benchmarks/startup.py``; needs an installed nsightlens and no GPU.
"""

import argparse
import json
import lzma
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"

BARE_READ = """
import json, sys
import pandas, ncu_report
wanted = set(json.load(open(sys.argv[2])))
context = ncu_report.load_report(sys.argv[1])
rows = []
for group in context:
    for action in group:
        rows.append({name: action.metric_by_name(name).value() for name in action.metric_names() if name in wanted})
frame = pandas.DataFrame(rows)
"""


def median_ratio(ours: list[str], theirs: list[str], runs: int) -> tuple[float, float, float]:
    """Run two commands in turn; return the median seconds of each and the median of the pairwise ratios."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(runs + 1)][1:]
    mine, other = zip(*pairs, strict=True)
    return statistics.median(mine), statistics.median(other), statistics.median(a / b for a, b in pairs)


def seconds(command: list[str]) -> float:
    """Return the wall time of a command that must succeed."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def counters_read(report: Path) -> list[str]:
    """Return the names of the counters that nsightlens reads from a report."""
    from nsightlens import load

    return sorted({name for launch in load(report).launched for name in launch.counters})


def main() -> None:
    """Print both ratios."""
    runs = argparse.ArgumentParser(description=__doc__)
    runs.add_argument("--runs", type=int, default=11)
    count = runs.parse_args().runs
    packed = DATA / "scale_full.ncu-rep.xz"
    with tempfile.TemporaryDirectory() as folder:
        plain, names = Path(folder, "report.ncu-rep"), Path(folder, "names.json")
        plain.write_bytes(lzma.decompress(packed.read_bytes()))
        names.write_text(json.dumps(counters_read(plain)), encoding="utf-8")
        bare = [sys.executable, "-c", BARE_READ, str(plain), str(names)]
        ours = str(Path(sys.executable).with_name("nsightlens"))
        rows = {
            "nsightlens --help / import click": ([ours, "--help"], [sys.executable, "-c", "import click"]),
            "analyze --format json (.xz) / bare import, load, read": (
                [ours, "analyze", "--format", "json", str(packed)],
                bare,
            ),
        }
        for label, (mine, theirs) in rows.items():
            print("{}: {:.3f} s / {:.3f} s = {:.2f}".format(label, *median_ratio(mine, theirs, count)))


if __name__ == "__main__":
    main()

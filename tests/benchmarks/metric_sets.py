"""Our metric sets beside those of Nsight Compute on one workload of 20 launches: wall time, passes, fields filled.

Run as ``python tests/benchmarks/metric_sets.py --out FOLDER``; needs a GPU, Nsight Compute and CuPy. Writes one report
a set to FOLDER and prints Markdown tables.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from nsightlens import data
from nsightlens.analysis import analyze_reports
from nsightlens.launch import Request, command_line, find_ncu
from nsightlens.report.json import document

OURS = ("overview", "losses")
THEIRS = ("basic", "roofline", "full")
PAIRS = {"overview": "roofline", "losses": "full"}
# Five kernels four times; no check of the results, whose time on the host would hide that of the profiler.
WORKLOAD = """
import cupy
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.cupy_launch import prepare
from nsightlens.ranges import annotate
kernels = (("scale", {}), ("scale_strided", {}), ("fma_chain", {"steps": 32}), ("fma_chain", {"steps": 128}))
ready = [prepare(workload(name, n=2**25, **more)) for name, more in kernels]
m = cupy.asarray(__import__("numpy").ones((1024, 1024)))
for step in range(4):
    with annotate(f"step {step}"):
        for one in ready:
            one.launch()
        cupy.matmul(m, m)
cupy.cuda.Device().synchronize()
"""


def arguments(ncu: Path, name: str, report: Path) -> list[str]:
    """Return ncu's command line for one of our sets or one of its own."""
    ours = name in OURS
    metrics, own = (data.metric_set(name), None) if ours else ((), name)
    request = Request((sys.executable, "-c", WORKLOAD), metrics, ncu_set=own)
    return command_line(ncu, request, report=report, log=report.with_suffix(".log"))


def timed(ncu: Path, name: str, folder: Path) -> tuple[float, int, int]:
    """Profile once; return wall seconds, passes of the most costly launch, and launches."""
    report = folder / f"{name}.ncu-rep"
    report.unlink(missing_ok=True)
    start = time.perf_counter()
    subprocess.run(arguments(ncu, name, report), check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    passes = [int(number) for number in re.findall(r"(\d+) pass", report.with_suffix(".log").read_text())]
    return wall, max(passes), len(passes)


def filled(report: Path) -> set[str]:
    """Return the fields of the JSON document, by path, that some launch of a report fills."""
    launches = document(analyze_reports([report]))["launches"]
    return {path for launch in launches for path in _paths(launch, "")}


def _paths(value: Any, path: str) -> set[str]:
    if isinstance(value, dict):
        return {found for name, item in value.items() for found in _paths(item, f"{path}.{name}".lstrip("."))}
    kept = value is not None and not path.startswith(("values.", "missing", "remedy", "context.", "ceilings."))
    return {path} if kept else set()


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--out", type=Path, required=True)
    chosen = options.parse_args()
    ncu = find_ncu().path
    names = (*OURS, *THEIRS)
    chosen.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[tuple[float, int, int]]] = {name: [] for name in names}
    for _ in range(chosen.runs):
        for name in names:
            found[name].append(timed(ncu, name, chosen.out))
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", WORKLOAD], check=True)
    bare = time.perf_counter() - start
    print(f"without the profiler: {bare:.1f} s\n")
    print("| set | launches | passes | s (median) | report, MB |")
    print("|---|---|---|---|---|")
    walls = {name: statistics.median(run[0] for run in runs) for name, runs in found.items()}
    for name, runs in found.items():
        size = (chosen.out / f"{name}.ncu-rep").stat().st_size / 1e6
        print(f"| {name} | {runs[-1][2]} | {runs[-1][1]} | {walls[name]:.1f} | {size:.1f} |")
    for ours, theirs in PAIRS.items():
        print(f"\n{ours} / {theirs}: {walls[ours] / walls[theirs]:.2f} of the wall time")
    fields = {name: filled(chosen.out / f"{name}.ncu-rep") for name in names}
    print("\n| field | " + " | ".join(names) + " |\n|---" + "|---" * len(names) + "|")
    for path in sorted(set.union(*fields.values())):
        print(f"| {path} | " + " | ".join("x" if path in fields[name] else "" for name in names) + " |")
    for ours, theirs in PAIRS.items():
        print(f"\nfilled by {theirs} and not by {ours}: {', '.join(sorted(fields[theirs] - fields[ours])) or 'none'}")
    for name in names:
        shutil.move(chosen.out / f"{name}.log", chosen.out / f"{name}-log.txt")


if __name__ == "__main__":
    main()

"""Reading beside a plain loop over NVIDIA's library, and the memory that it takes, in one run.

Run as ``python tests/benchmarks/readers.py``; needs psutil and no GPU. With nsight-python installed for the interpreter
that ``--nsight-python`` names, its extraction is timed as well.
"""

import argparse
import json
import lzma
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from report_blocks import first_launches, with_launches

DATA = Path(__file__).parent.parent / "data"

LOOP = """
import json, sys, time
import ncu_report
names = json.load(open(sys.argv[2]))
group = ncu_report.load_report(sys.argv[1]).range_by_idx(0)
group.action_by_idx(0)
start = time.perf_counter()
for index in range(1, group.num_actions()):
    action = group.action_by_idx(index)
    row = {name: action.metric_by_name(name).value() for name in names}
print((time.perf_counter() - start) / (group.num_actions() - 1))
"""

EXTRACT = """
import json, sys, time
import ncu_report
from nsight.extraction import extract_ncu_action_data
names = json.load(open(sys.argv[2]))
group = ncu_report.load_report(sys.argv[1]).range_by_idx(0)
group.action_by_idx(0)
start = time.perf_counter()
for index in range(1, group.num_actions()):
    extract_ncu_action_data(group.action_by_idx(index), names)
print((time.perf_counter() - start) / (group.num_actions() - 1))
"""

READ = """
import sys, time
from nsightlens.collectors import read
start = time.perf_counter()
(report,) = read(sys.argv[1:2])
print(time.perf_counter() - start, len(report.launched))
"""


def printed(*command: str) -> list[float]:
    """Return the numbers that a Python program prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def forty(report: Path) -> list[str]:
    """Return 40 counters that nsightlens reads from every launch of a report and that have numbers."""
    from nsightlens import load

    launched = load(report).launched
    numbers = [
        {name for name, value in launch.counters.items() if isinstance(value, int | float)} for launch in launched
    ]
    return sorted(set.intersection(*numbers))[:40]


def per_launch(report: Path, single: Path) -> float:
    """Return our seconds per launch after load: those of a report less those of its first launch alone."""
    whole, launches = printed(sys.executable, "-c", READ, str(report))
    one, _ = printed(sys.executable, "-c", READ, str(single))
    return (whole - one) / (launches - 1)


def compare(name: str, folder: Path, runs: int, peer: str | None) -> None:
    """Print the time per launch beside the plain loop and beside nsight-python, each pair in turn."""
    report, single, names = folder / f"{name}.ncu-rep", folder / f"{name}-1.ncu-rep", folder / f"{name}.json"
    content = lzma.decompress((DATA / f"{name}.ncu-rep.xz").read_bytes())
    report.write_bytes(content)
    single.write_bytes(first_launches(content, 1))
    names.write_text(json.dumps(forty(report)), encoding="utf-8")
    rivals = {"plain loop": (sys.executable, LOOP)} | ({"nsight-python": (peer, EXTRACT)} if peer else {})
    found: dict[str, list[float]] = {rival: [] for rival in ("ours", *rivals)}
    for _ in range(runs):
        found["ours"].append(per_launch(report, single))
        for rival, (python, program) in rivals.items():
            found[rival] += printed(python, "-c", program, str(report), str(names))
    for rival in rivals:
        ratio = statistics.median(a / b for a, b in zip(found["ours"], found[rival], strict=True))
        ours, theirs = (1e3 * statistics.median(found[who]) for who in ("ours", rival))
        print(f"{name}: ours {ours:.2f} ms a launch, {rival} {theirs:.2f} ms; ratio {ratio:.2f}", flush=True)


def watched(command: list[str]) -> tuple[float, float]:
    """Run a command; return its seconds and the largest sum of resident memory, its children included, in MB."""
    start, most = time.perf_counter(), 0
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    ended = threading.Event()
    threading.Thread(target=lambda: (program.wait(), ended.set()), daemon=True).start()
    family = psutil.Process(program.pid)
    while not ended.wait(0.02):
        most = max(most, _resident(family))
    if program.returncode != 0:
        raise SystemExit(f"failed: {command}")
    return time.perf_counter() - start, most / 1e6


def _resident(family: psutil.Process) -> int:
    total = 0
    try:
        for process in (family, *family.children(recursive=True)):
            total += process.memory_info().rss
    except psutil.NoSuchProcess:
        return total
    return total


def many_reads(folder: Path) -> None:
    """Print the memory of one command that reads a report of about 3 MB 200 times: of many launches, and of two."""
    for name, launches in (("nested_nvtx", 180), ("scale_full", 2)):
        content = first_launches(lzma.decompress((DATA / f"{name}.ncu-rep.xz").read_bytes()), launches)
        report = folder / "three.ncu-rep"
        report.write_bytes(content)
        command = [sys.executable, "-m", "nsightlens", "analyze", "--format", "json", *[str(report)] * 200]
        seconds, memory = watched(command)
        size = f"{len(content) / 1e6:.1f} MB, {launches} launches"
        print(f"200 reads of a report of {size}: {seconds:.0f} s, at most {memory:.0f} MB", flush=True)


def long_reports(folder: Path) -> None:
    """Print time and memory for reports of more and more launches."""
    content = lzma.decompress((DATA / "nested_nvtx.ncu-rep.xz").read_bytes())
    for launches in (1250, 2500, 5000, 10000):
        report = folder / "long.ncu-rep"
        report.write_bytes(with_launches(content, launches))
        seconds, memory = watched([sys.executable, "-c", READ, str(report)])
        per = 1e3 * seconds / launches
        print(f"{launches} launches: {seconds:.1f} s, {per:.2f} ms a launch, at most {memory:.0f} MB", flush=True)


def main() -> None:
    """Print all figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=7)
    options.add_argument("--nsight-python", metavar="PYTHON", help="interpreter that has nsight-python")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("nested_nvtx", "scale_full"):
            compare(name, Path(folder), chosen.runs, chosen.nsight_python)
        many_reads(Path(folder))
        long_reports(Path(folder))


if __name__ == "__main__":
    main()

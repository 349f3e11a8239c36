"""Damaged ``.ncu-rep`` files by the thousand: each is refused or read, and a cut one is never read as a whole one.

Run as ``python tests/benchmarks/fuzz_ncu_rep.py --inputs 10000 --full 1500 --seed 1``. Every input is walked over in
this process and read by ``Reading``, with its usual child (``--full`` of them) or with one forked from this process,
which runs the same code without importing it again. Linux only. Exits with 1 if a rule is broken.
"""

import argparse
import json
import lzma
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from ncu_rep_mutations import MUTATIONS, WELL_FORMED, Source

from nsightlens.collectors import ncu_rep_child
from nsightlens.collectors.container import _blocks, walk
from nsightlens.collectors.ncu_rep import Reading
from nsightlens.collectors.report import Report
from nsightlens.errors import ReportError

DATA = Path(__file__).parent.parent / "data"
KEPT = ("range_replay", "h200_scale", "two_processes", "cuda_graph")
PUBLIC = ("nvtrain__CuVectorAddDrv", "nvtrain__manual_nvtx", "mojo__profile", "esmm__11_profile")
TOO_LONG = "took more than"
SAME = 1e-9
COLUMNS = (
    "inputs by kind",
    "inputs",
    "refused",
    "read: same launches and times",
    "read: same launches, other times",
    "read: other launches",
    "of them noted as incomplete",
    "slowest, s",
)


@dataclass
class Tally:
    """What became of the inputs of one kind."""

    inputs: int = 0
    errors: int = 0
    whole: int = 0
    other_count: int = 0
    noted: int = 0
    again: int = 0
    other_time: int = 0
    slowest_s: float = 0.0
    broken: list[str] = field(default_factory=list)


class Forked:
    """A child forked from this process, with what ``Reading`` asks of a ``Popen``."""

    def __init__(self, reading: "ForkedReading") -> None:
        inner, outer = os.pipe()
        self.stdin = os.fdopen(outer, "wb")
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            self.stdin.close()
            _become_child(reading, inner)
        os.close(inner)

    def poll(self) -> int | None:
        """Return the exit code, or None while the child runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout: float = math.inf) -> int:
        """Wait for the exit code."""
        end = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("child", timeout)
            time.sleep(0.001)
        return code

    def kill(self) -> None:
        """End the child."""
        os.kill(self.pid, signal.SIGKILL)


class ForkedReading(Reading):
    """A ``Reading`` whose child starts in a few milliseconds."""

    def _start(self) -> Forked:  # type: ignore[override]
        for path in (self._answer, self._messages):
            path.touch()  # the reader looks into them at once
        child = Forked(self)
        child.stdin.write(f"{json.dumps(self._request)}\n".encode())
        child.stdin.flush()
        return child


def _become_child(reading: ForkedReading, inner: int) -> None:
    try:
        for target, path in ((1, reading._answer), (2, reading._messages)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), target)
        os.dup2(inner, 0)
        sys.stdin = os.fdopen(0, encoding="utf-8")
        ncu_rep_child.main(reading._folder.name)
    finally:
        os._exit(1)  # main leaves by itself unless it raised


def sources(corpus: Path | None) -> list[Source]:
    """Return the reports to damage: those which the project keeps, and small public ones."""
    found = [lzma.decompress((DATA / f"{name}.ncu-rep.xz").read_bytes()) for name in KEPT]
    if corpus is not None:
        found += [(corpus / f"{name}.ncu-rep").read_bytes() for name in PUBLIC]
    return [
        Source(data, [8 + int.from_bytes(data[4:8], "little"), *(e for _, e in _blocks(data))], times(data))
        for data in found
    ]


def times(data: bytes) -> list[float]:
    """Return the times of all launches in ns, by NVIDIA's library alone, which then stands loaded for the forks."""
    with tempfile.NamedTemporaryFile(suffix=".ncu-rep") as file:
        Path(file.name).write_bytes(data)
        actions = list(ncu_rep_child.Actions(Path(file.name)))
    return [float(action.metric_by_name("gpu__time_duration.sum").value()) for action in actions]


def judge(tally: Tally, kind: str, source: Source, report: Report, *, keep_going: bool) -> str | None:
    """Count a report that was read; return which rule it breaks."""
    found = [launch.values["time_s"] for launch in report.launched]
    if len(found) != len(source.times_ns) or any(launch.row["status"] == "hollow" for launch in report.launched):
        tally.other_count += 1
        tally.noted += not report.complete and bool(report.notes)
        excused = kind in WELL_FORMED or (keep_going and not report.complete and report.notes)
        return None if excused else f"{len(found)} instead of {len(source.times_ns)} launches"
    close = (
        math.isclose(a, b / 1e9, rel_tol=SAME) or math.isnan(a + b) for a, b in zip(found, source.times_ns, strict=True)
    )
    same = all(close)
    tally.whole += same
    tally.other_time += not same
    return "a cut file read as a whole one" if kind == "cut inside a block" else None


@dataclass(frozen=True)
class Manner:
    """How an input is read: by the usual child or a forked one, with ``--keep-going`` or not, and how long at most."""

    full: bool
    keep_going: bool
    limit_s: float

    def read(self, path: Path) -> Report:
        """Read a file."""
        reading: type[Reading] = Reading if self.full else ForkedReading
        return reading(path, keep_going=self.keep_going, samples=True, timeout_s=self.limit_s).result()


def attempt(tally: Tally, kind: str, source: Source, path: Path, manner: Manner) -> str | None:
    """Read one input and count what came; return which rule is broken."""
    begun = time.monotonic()
    try:
        report = manner.read(path)
    except ReportError as error:
        tally.errors += TOO_LONG not in error.message
        return TOO_LONG if TOO_LONG in error.message else None
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        return repr(error)
    finally:
        tally.slowest_s = max(tally.slowest_s, time.monotonic() - begun)
    return judge(tally, kind, source, report, keep_going=manner.keep_going)


def run(options: argparse.Namespace) -> dict[str, Tally]:
    """Make, walk over and read all inputs."""
    dice = random.Random(options.seed)  # noqa: S311
    found = sources(options.corpus)
    tallies: dict[str, Tally] = defaultdict(Tally)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input.ncu-rep")
        for number in range(options.inputs):
            kind, source = list(MUTATIONS)[number % len(MUTATIONS)], dice.choice(found)
            data = MUTATIONS[kind](source, dice)
            if kind == "cut inside a block" and len(data) in source.ends:
                kind = "cut between blocks"
            if data == source.data:
                continue
            walk(data)
            path.write_bytes(data)
            full = number * options.full // options.inputs != (number + 1) * options.full // options.inputs
            tallies[kind].inputs += 1
            manner = Manner(full, dice.random() < options.keep_going, options.limit)
            broken = attempt(tallies[kind], kind, source, path, manner)
            if broken == TOO_LONG:  # a machine that stands still is no fault of the reader: once more
                tallies[kind].again += 1
                broken = attempt(tallies[kind], kind, source, path, manner)
            if broken:
                tallies[kind].broken.append(f"input {number}: {broken}")
                if options.keep:
                    (options.keep / f"{number}.ncu-rep").write_bytes(data)
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    """Return the figures as a Markdown table."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for kind in MUTATIONS:
        t = tallies.get(kind, Tally())
        cells = (kind, t.inputs, t.errors, t.whole, t.other_time, t.other_count, t.noted, f"{t.slowest_s:.2f}")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and which inputs broke a rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--full", type=int, default=1_500, help="inputs that are read with a child started anew")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep-going", type=float, default=0.0, help="share of the inputs that are read with --keep-going"
    )
    parser.add_argument("--limit", type=float, default=5.0, help="seconds that a read may take")
    parser.add_argument("--corpus", type=Path, help="folder of public reports")
    parser.add_argument("--keep", type=Path, help="folder for inputs that broke a rule")
    tallies = run(parser.parse_args())
    print(table(tallies))
    broken = [line for tally in tallies.values() for line in tally.broken]
    inputs, again = (sum(getattr(tally, name) for tally in tallies.values()) for name in ("inputs", "again"))
    print(f"{inputs} inputs, {again} read once more, {len(broken)} broke a rule", *broken, sep="\n")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()

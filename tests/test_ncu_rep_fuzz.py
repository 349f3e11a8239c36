"""Damaged reports: an error that says what is wrong, or a report that is well formed; nothing else, and no hang."""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCHMARKS = Path(__file__).parent / "benchmarks"
INPUTS, FULL = 300, 6


@pytest.fixture
def fuzz(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("fuzz_ncu_rep")


def test_mutants_are_read_or_refused():
    """In a process of its own, since it forks and holds the native library."""
    options = [f"--inputs={INPUTS}", f"--full={FULL}", "--seed=20", "--keep-going=0.2", "--limit=60"]
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "fuzz_ncu_rep.py", *options], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [re.split(r" *\| *", line.strip("| ")) for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 11
    assert sum(int(row[1]) for row in rows) > INPUTS * 0.9
    for kind, inputs, *outcomes, _ in rows:
        refused, same, other_times, other_launches, _ = map(int, outcomes)
        assert refused + same + other_times + other_launches == int(inputs) > 0, kind
    cut = next(row for row in rows if row[0] == "cut inside a block")
    assert int(cut[2]) > 0


def report(*times, status="ok", complete=True, notes=()):
    launched = [SimpleNamespace(values={"time_s": time}, row={"status": status}) for time in times]
    return SimpleNamespace(launched=launched, complete=complete, notes=notes)


@pytest.mark.parametrize(
    ("kind", "found", "keep_going", "broken"),
    [
        ("bits flipped", report(1e-9, 2e-9), False, False),
        ("bits flipped", report(1e-9), False, True),
        ("bits flipped", report(1e-9, 2e-9, status="hollow"), False, True),
        ("bytes deleted", report(1e-9), True, True),
        ("bytes deleted", report(1e-9, complete=False, notes=["damaged"]), True, False),
        ("bytes deleted", report(1e-9, complete=False, notes=["damaged"]), False, True),
        ("cut inside a block", report(1e-9, 2e-9), False, True),
        ("cut between blocks", report(1e-9), False, False),
    ],
)
def test_what_the_fuzzer_calls_broken(fuzz, kind, found, keep_going, broken):
    source = fuzz.Source(b"", [], [1.0, 2.0])
    assert (fuzz.judge(fuzz.Tally(), kind, source, found, keep_going=keep_going) is not None) == broken

"""Fixtures that several test files share. A recorded report is read once per run, however many tests ask for it."""

import csv
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from nsightlens.analysis import analyze
from nsightlens.collectors.load import load
from nsightlens.report.json import document, render_json

os.environ["NSIGHTLENS_CEILINGS"] = "none"  # what this machine may have measured changes no expectation

TESTS = Path(__file__).parent
DATA = TESTS / "data"
CORPUS = Path(os.environ.get("NSIGHTLENS_CORPUS", TESTS.parent.parent / "shared" / "corpus"))

settings.register_profile(
    "local", deadline=None, max_examples=40, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_generate_tests(metafunc):
    """Run a test that takes ``recording`` once per report in the data folder."""
    if "recording" in metafunc.fixturenames:
        names = sorted(path.name.removesuffix(".ncu-rep.xz") for path in DATA.glob("*.ncu-rep.xz"))
        metafunc.parametrize("recording", names)


def recorded_path(name):
    return DATA / f"{name}.ncu-rep.xz"


@cache
def _report(name):
    return load(recorded_path(name))


@cache
def _analysis(name):
    return analyze([_report(name)])


@cache
def _document(name):
    return document(_analysis(name))


@cache
def _text(name):
    return render_json(_analysis(name))


@cache
def _raw(name):
    answer = subprocess.run(
        [sys.executable, TESTS / "plain_reader.py", recorded_path(name)], capture_output=True, check=True
    )
    return json.loads(answer.stdout)


@pytest.fixture(scope="session")
def data():
    """Return the folder of recorded reports."""
    return DATA


@pytest.fixture(scope="session")
def report_of():
    """Return a function: name of a recording to what the reader gives."""
    return _report


@pytest.fixture(scope="session")
def analysis_of():
    """Return a function: name of a recording to its analysis."""
    return _analysis


@pytest.fixture(scope="session")
def document_of():
    """Return a function: name of a recording to its JSON document, as Python objects."""
    return _document


@pytest.fixture(scope="session")
def json_of():
    """Return a function: name of a recording to the text of its JSON document."""
    return _text


@pytest.fixture(scope="session")
def raw_of():
    """Return a function: name of a recording to its raw counters, read without a line of nsightlens."""
    return _raw


@pytest.fixture(scope="session")
def corpus():
    """Return the folder of public reports; tests that need it are skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of public reports is absent (NSIGHTLENS_CORPUS)")
    return CORPUS


BATCH = """
import contextlib, io, json, sys
from nsightlens.cli import main

for line in sys.stdin:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(json.loads(line))
        except SystemExit as leaving:
            code = leaving.code or 0
    print(json.dumps({"returncode": code, "out": out.getvalue(), "err": err.getvalue()}))
"""


def _batch(paths, *options):
    halves = [paths[::2], paths[1::2]]
    programs = [subprocess.Popen([sys.executable, "-c", BATCH], stdin=PIPE, stdout=PIPE, text=True) for _ in halves]
    for half, program in zip(halves, programs, strict=True):
        program.stdin.writelines(json.dumps(["analyze", str(path), *options]) + "\n" for path in half)
        program.stdin.close()
    found = {}
    for half, program in zip(halves, programs, strict=True):
        found |= zip(half, (SimpleNamespace(**json.loads(line)) for line in program.stdout), strict=True)
        program.stdout.close()
        assert program.wait() == 0
    return found


@pytest.fixture(scope="session")
def batch():
    """Return a function: analyse files one by one, in two processes; path to what the command line gave."""
    return _batch


@pytest.fixture(scope="session")
def public(corpus):
    """Return the public reports: name to its row of the index and to what the command line gave as JSON."""
    with (corpus / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = [row for row in csv.DictReader(index, delimiter="\t") if row["kind"] == "ncu-rep"]
    found = _batch([corpus / row["local_name"] for row in rows], "--format", "json")
    return {row["local_name"]: (row, found[corpus / row["local_name"]]) for row in rows}


@pytest.fixture(scope="session")
def nsightlens():
    """Return a function that runs the command line in a process of its own."""

    def run(*arguments, **options):
        command = [sys.executable, "-m", "nsightlens", *arguments]
        return subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL, **options)

    return run

"""Every public file and recording gives what was noted of it before it was read, and the page says so."""

import importlib.util
import math
import os
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CORPUS = Path(os.environ.get("NSIGHTLENS_CORPUS", TESTS.parent.parent / "shared" / "corpus"))
EXACT = 1e-9  # the times that are noted are exact sums of what the file says
DESCRIPTIONS = {"README.md", "INDEX.tsv"}


def script(name):
    spec = importlib.util.spec_from_file_location(name, TESTS / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = script("corpus_page")
ROWS = {row["file"]: row for row in PAGE.expectations()}


@cache
def outcome(name):
    path = PAGE.place(name, CORPUS)
    if not path.is_file():
        pytest.skip("the corpus of public reports is absent (NSIGHTLENS_CORPUS)")
    return PAGE.outcome(path)


@pytest.mark.parametrize("name", ROWS)
def test_a_file_gives_what_was_noted_of_it(name):
    expected, found = ROWS[name], outcome(name)
    assert [found[fact] for fact in ("error", "launches", "failed")] == [
        expected[fact] for fact in ("error", "launches", "failed")
    ]
    assert expected["says"] in found["message"]
    if expected["time_s"] == "-":
        assert found["time_s"] == "-"
    else:
        assert math.isclose(float(found["time_s"]), float(expected["time_s"]), rel_tol=EXACT)


def test_every_refusal_names_words_that_the_message_must_hold():
    for name, row in ROWS.items():
        assert (row["error"] == "-") == (row["says"] == "-"), name


def test_every_file_of_the_corpus_and_every_recording_is_in_the_table(corpus):
    files = {path.relative_to(corpus).as_posix() for path in corpus.rglob("*") if path.is_file()}
    recordings = corpus.parent / "recordings"
    files |= {f"{PAGE.RECORDINGS}{path.name}" for path in recordings.glob("*") if path.name not in DESCRIPTIONS}
    named = {name for name in ROWS if recordings.is_dir() or not name.startswith(PAGE.RECORDINGS)}
    assert files - DESCRIPTIONS == named


def test_the_page_states_the_expectations():
    lines = [line for line in PAGE.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS)
    for line, row in zip(lines, ROWS.values(), strict=True):
        assert line.startswith(PAGE.expected_cells(row))
        assert line.endswith(f" | {row['note']} |")


def test_the_page_is_what_the_files_give():
    found = {name: outcome(name) for name in ROWS}
    assert PAGE.PAGE.read_text(encoding="utf-8") == PAGE.render(list(ROWS.values()), found)

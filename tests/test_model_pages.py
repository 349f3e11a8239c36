"""The pages of the models: tables are what the code gives and what is known; every example gives what it says."""

import doctest
import re
import runpy
from pathlib import Path

import pytest
from test_stencil_tensor import CONVSTENCIL, LORASTENCIL, PREDICTED
from test_stencils import CATALOGUE, EBISU_STEPS

DOCS = Path(__file__).parent.parent / "docs"
CORRECTIONS = (DOCS / "corrections.md").read_text(encoding="utf-8")
WITHOUT_NUMBERS = {"1.8", "2.11", "2.20", "2.21", "2.22"}


def cells(title):
    """Return the rows of a table of the page, as lists of text."""
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    part = page.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    return lines[1:]


def test_the_page_is_what_the_code_gives():
    made = runpy.run_path(str(DOCS / "make_models.py"))["page"]()
    assert (DOCS / "models.md").read_text(encoding="utf-8") == made, "make docs"


def test_the_page_holds_the_known_catalogue():
    rows = {row[0]: row for row in cells("Stencils")}
    assert set(rows) == set(CATALOGUE)
    for name, (shape, taps, flop, *numbers) in CATALOGUE.items():
        row = rows[name]
        assert row[1].split()[0] == shape
        assert row[2:7] == [str(taps), str(flop), *(f"{number:g}" for number in numbers[:3])]
        if numbers[3] is not None:
            assert row[7:10] == [f"{number:.4f}" for number in numbers[3:]]
        assert row[10] == (" / ".join(map(str, EBISU_STEPS[name])) if name in EBISU_STEPS else "–")


def test_the_page_holds_the_known_predictions():
    rows = {(row[0], row[1]): row for row in cells("Predicted stencil rates")}
    assert set(rows) == set(PREDICTED)
    for key, (steps, intensity, bound, *rates) in PREDICTED.items():
        row = rows[key]
        assert row[2:8] == [str(steps), f"{intensity:.3f}", bound, *(f"{rate:.3f}" for rate in rates)]
        for known, at in ((CONVSTENCIL, 8), (LORASTENCIL, 11)):
            assert row[at : at + 3] == ([f"{value:.3f}" for value in known[key]] if key in known else ["–"] * 3)


def test_the_page_holds_the_known_counts():
    rows = {
        (row[0].split(",")[0], row[0].split(", ")[-1], row[5], row[6]): row
        for row in cells("What published codes execute")
    }
    known = {
        ("ConvStencil 7×7", "ConvStencil 7×7", "2d49pt", "1"): ("26 / 64", "104", "104.000", "2.122449"),
        ("ConvStencil 7×7", "ConvStencil 7×7", "2d9pt", "3"): ("26 / 64", "104", "34.667", "3.851852"),
        ("ConvStencil 7×7", "ConvStencil 7×7", "2d5pt", "3"): ("26 / 64", "104", "34.667", "6.933333"),
        ("ConvStencil 7×7", "ConvStencil 7×7", "2d13pt", "1"): ("26 / 64", "104", "104.000", "8.000000"),
        ("LoRAStencil rank 3", "paper", "2d49pt", "1"): ("36 / 64", "144", "144.000", "2.938776"),
        ("LoRAStencil rank 3", "released", "2d49pt", "1"): ("108 / 256", "108", "108.000", "2.204082"),
        ("LoRAStencil rank 3", "released", "2d9pt", "3"): ("108 / 256", "108", "36.000", "4.000000"),
        ("LoRAStencil star R3", "released", "2d13pt", "1"): ("8 / 64", "32", "32.000", "2.461538"),
        ("LoRAStencil star R1 t3", "released", "2d5pt", "3"): ("9 / 64", "36 + 8", "14.667", "2.933333"),
        ("TCStencil R3", "paper", "2d49pt", "1"): ("7 / 100", "286.72", "286.720", "5.851429"),
        ("TCStencil R2", "released", "2d25pt", "1"): ("5 / 256", "80", "80.000", "3.200000"),
        ("TCStencil R1", "released", "2d9pt", "1"): ("3 / 256", "48", "48.000", "5.333333"),
        ("SPIDER R7", "SPIDER R7", "box-2d7r", "1"): ("30 / 128", "480", "480.000", "2.133333", "1.066667"),
        ("SPIDER R7", "SPIDER R7", "2d9pt", "7"): ("30 / 128", "480", "68.571", "7.619048", "3.809524"),
    }
    assert set(rows) == set(known)
    for key, (instructions, macs, update, inflation, *physical) in known.items():
        row = rows[key]
        assert (row[3], row[4], row[7], row[8]) == (instructions, macs, update, inflation)
        assert row[11] == (physical[0] if physical else "–")


def examples(page):
    """Return the Python examples of a page, as one session."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


@pytest.mark.parametrize("page", ["models.md", "corrections.md"])
def test_examples_give_what_they_say(page):
    session = doctest.DocTestParser().get_doctest(examples(page), {}, page, page, 0)
    said = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(session, out=said.append)
    assert not failed, "".join(said)
    assert tried >= 2


def test_every_correction_stands_there_with_a_number():
    parts = dict(re.findall(r"### (\d\.\d+) (.*?)(?=\n##|\Z)", CORRECTIONS, re.DOTALL))
    assert list(parts) == [*(f"1.{n}" for n in range(1, 10)), *(f"2.{n}" for n in range(1, 23))]
    assert {number for number, text in parts.items() if ">>> " not in text} == WITHOUT_NUMBERS

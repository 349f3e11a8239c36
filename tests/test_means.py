"""Rows that are means over several launches: they say so, and totals count them as often as they were launched."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens import load
from nsightlens.analysis import analyze
from nsightlens.analysis.result import CauseSeconds, Context, FirstThing, Loss
from nsightlens.analysis.totals import first, ranges
from nsightlens.collectors.text.names import invocations
from nsightlens.collectors.text.page_heading import entry_of, heading
from nsightlens.report import render

cases = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("plot_cases.py"))))


@pytest.fixture(scope="module")
def means(data):
    """A summary by range: 14 launches of 2 us and 1200 of 0.5 us in one, 1 in the next, and some, not said how many."""
    return load(data / "csv" / "means_by_range.csv")


def mean(count, nvtx, **more):
    """Return a mean over ``count`` launches of 1 ms: 0.6 ms of work, 0.3 ms and 0.05 ms lost, 0.05 ms unexplained."""
    losses = (Loss("latency", 3e-4, 0.3, "medium", advice="x"), Loss("barrier", 5e-5, 0.05, "low", advice="y"))
    ledger = {"ideal_s": 6e-4, "losses": losses, "unexplained_s": 5e-5} | more
    return cases.launch(0, "f", 1.0, 1e12, nvtx=nvtx, context=Context(invocations=count), **ledger)


def test_the_frame_says_how_many_launches_a_row_stands_for(means):
    assert str(means.launches["invocations"].dtype) == "Int64"
    assert means.launches["invocations"].isna().tolist() == [False, False, False, True]
    assert means.launches["invocations"].dropna().tolist() == [14, 1200, 1]
    assert means.launches["time_s"].tolist() == pytest.approx([2e-6, 0.5e-6, 9e-6, 9e-6])


def test_every_launch_of_a_report_is_one(report_of):
    assert set(report_of("scale_full").launches["invocations"]) == {1}


def test_the_time_of_a_range_counts_every_launch(means):
    document = json.loads(render(analyze([means]), "json"))
    found = {total["nvtx"]: (total["launches"], total["time_s"]) for total in document["ranges"]}
    assert found["train/step"] == (1214, pytest.approx(628e-6))  # 14 x 2 us + 1200 x 0.5 us
    assert found["train/init"] == (1, pytest.approx(9e-6))
    assert found["train/end"] == (None, None)
    assert [launch["context"]["invocations"] for launch in document["launches"]] == [14, 1200, 1, None]
    assert [launch["time_s"] for launch in document["launches"]] == pytest.approx([2e-6, 0.5e-6, 9e-6, 9e-6])


def test_the_table_says_of_how_many_launches_a_row_is_the_mean(means):
    lines = render(analyze([means]), "table").splitlines()
    assert any(line.startswith("0 axpb [step] (mean of 14) ") for line in lines)
    assert any(line.startswith("2 fill [init] ") for line in lines)
    assert sum("(mean of" in line for line in lines) == 3
    assert "1216 in all" in " ".join(lines)
    assert all(len(line) <= 80 for line in lines)


def test_losses_of_a_range_are_weighed():
    (total,) = ranges([mean(10, ("d/a",)), mean(1, ("d/a",))])
    assert (total.launches, total.time_s, total.ideal_s) == (11, pytest.approx(11e-3), pytest.approx(6.6e-3))
    assert total.losses == (
        CauseSeconds("latency", pytest.approx(3.3e-3)),
        CauseSeconds("barrier", pytest.approx(5.5e-4)),
    )
    assert total.unexplained_s == pytest.approx(5.5e-4)


def test_a_mean_of_unknown_count_makes_the_total_unknown():
    (total,) = ranges([mean(10, ("d/a",)), mean(None, ("d/a",))])
    assert (total.launches, total.time_s, total.ideal_s, total.losses, total.unexplained_s) == (None,) * 5


def test_what_to_look_at_first_is_weighed():
    rare = (Loss("imbalance", 2e-3, 0.5, "medium", advice="z"),)
    found = first([mean(1, ("d/a",), losses=rare), mean(10, ("d/b",)), mean(None, ("d/c",))], count=2)
    assert found == (
        FirstThing("latency", pytest.approx(3e-3), "d/b", "f", 10),
        FirstThing("imbalance", pytest.approx(2e-3), "d/a", "f", 1),
    )


@given(st.integers(1, 10**12), st.sampled_from(["", ",", ".", "'", " ", "\u202f"]))
def test_a_count_is_whole_in_any_locale(count, group):
    assert invocations(f"{count:,}".replace(",", group)) == count


@pytest.mark.parametrize(
    ("text", "count"), [(None, 1), ("", None), ("0", None), ("n/a", None), ("1,5", None), ("-3", None)]
)
def test_a_count_that_cannot_be_read_is_unknown(text, count):
    assert invocations(text) == count


@pytest.mark.parametrize(("text", "count"), [("14", 14), ("1,200", 1200), ("1.234.567", 1234567)])
def test_the_heading_of_a_text_page_gives_the_count(text, count):
    found = heading(f"  axpb(float *) (8, 1, 1)x(128, 1, 1), Device 0, CC 9.0, Invocations {text}")
    entry = entry_of(found, None, {})
    assert (entry.name, entry.invocations) == ("axpb(float *)", count)
    assert entry.facts["launch__grid_size"] == 8

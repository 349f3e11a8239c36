"""What helps a reader: near names, no trifles first, short names and reprs, the right remedy."""

import json
import math
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import recorded_path

import nsightlens
from nsightlens import data
from nsightlens.analysis.frame import launch_frame
from nsightlens.analysis.missing import remedy
from nsightlens.analysis.repeats import with_spread
from nsightlens.analysis.result import Analysis
from nsightlens.analysis.select import Selection, select
from nsightlens.cli import cli
from nsightlens.errors import UsageError
from nsightlens.launch import unlisted
from nsightlens.report import render

HERE = Path(__file__).parent


def test_the_remedy_is_for_the_kind_of_result():
    names = ("dram__bytes.sum", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum")
    assert "--replay-mode" not in remedy(names)
    over_ranges = remedy(names, "range")
    assert "--replay-mode range" in over_ranges
    assert "__sass_" not in over_ranges
    assert "dram__bytes.sum" in over_ranges
    assert "--replay-mode kernel" in remedy(names[1:], "range")
    assert "--graph-profiling graph" in remedy(names, "graph")
    assert remedy((), "range") is None


@pytest.mark.parametrize("asked", ["/train/step 3", "step 3", "Train/Step 3", "train/stpe 3"])
def test_a_range_that_is_not_there_gets_near_ones(analysis_of, asked):
    with pytest.raises(UsageError, match=r"did you mean: .*train/step 3"):
        select(analysis_of("nested_nvtx"), Selection(nvtx=asked))


def test_a_range_like_none_gets_some(analysis_of):
    with pytest.raises(UsageError, match=r"ranges \(domain/outer/inner\): "):
        select(analysis_of("nested_nvtx"), Selection(nvtx="\N{SNOWMAN}"))


def test_trifles_are_not_named_first_and_the_unexplained_is(recording, analysis_of):
    analysis = analysis_of(recording)
    whole = math.fsum(launch.time_s or 0 for launch in analysis.launches)
    assert all(thing.seconds >= 0.005 * whole for thing in analysis.first)
    unexplained = math.fsum(launch.unexplained_s or 0 for launch in analysis.launches)
    most = max((thing.seconds for thing in analysis.first), default=0.0)
    leads = (
        "Look at first\n - " in (text := render(analysis, "table"))
        and "unexplained" in (text.split("Look at first\n - ")[1].splitlines()[0])
    )
    assert leads == (unexplained > max(most, 0.005 * whole))


def test_long_names_take_few_lines_at_80_columns(analysis_of):
    for name in ("nested_nvtx", "scale_full"):
        text = "".join(nsightlens.report.chunks(analysis_of(name), "table", brief=True, width=80))
        rows = [line for line in text.splitlines() if line[:6].strip().isdigit()]
        assert len(text.splitlines()) <= 4 * len(rows) + 1


def test_reprs_are_one_short_line(analysis_of, report_of):
    analysis = analysis_of("nested_nvtx")
    for thing in (analysis, analysis.launches[0], report_of("nested_nvtx").launched[0], Analysis((), ())):
        assert len(repr(thing)) < 300
        assert "\n" not in repr(thing)
    assert "280 launches" in repr(analysis)


def test_the_default_set_is_marked():
    text = " ".join(CliRunner().invoke(cli, ["metrics"]).output.split())
    assert f"{data.DEFAULT_SET} What profile collects by default." in text
    assert "nsightlens metrics --set NAME" in text


def test_a_tensor_pipe_that_is_busy_below_the_roof_is_explained(analysis_of):
    assert "Busy, but below the roof\n - 9 dmma: tensor pipe 98 % busy at 49 % of the" in render(
        analysis_of("scale_roofline"), "table"
    )
    assert "Busy, but below" not in render(analysis_of("overlap_factorial"), "table")


def test_the_spread_of_repeats_is_in_the_frame(analysis_of):
    analysis = analysis_of("cuda_graph")
    frame = launch_frame(with_spread([analysis, analysis], [recorded_path("cuda_graph")] * 2))
    assert set(frame["repeats"]) == {2}
    assert list(frame["repeats_max_s"]) == [launch.time_s for launch in analysis.launches]
    assert launch_frame(analysis)["repeats"].isna().all()


LISTING = "dram__bytes   Counter  byte\nsm__cycles_active   Counter  cycle\n"


def test_counters_that_ncu_does_not_list_are_named(tmp_path):
    ncu = tmp_path / "ncu"
    ncu.write_text(f"#!{sys.executable}\nprint({LISTING!r})\n")
    ncu.chmod(0o755)
    asked = ("dram__bytes.sum", "sm__nosuch.sum", "regex:x", "group:y", "launch__z", "sm__cycles_active.avg")
    assert unlisted(ncu, asked) == ("sm__nosuch.sum",)
    ncu.write_text("#!/bin/sh\nexit 1\n")
    assert unlisted(ncu, asked) == ()
    assert unlisted(tmp_path / "absent", asked) == ()


def test_the_note_on_a_range_report_is_in_the_document():
    result = CliRunner().invoke(cli, ["analyze", str(recorded_path("range_replay")), "--format", "json"])
    assert "--replay-mode range" in json.loads(result.output)["launches"][0]["remedy"]

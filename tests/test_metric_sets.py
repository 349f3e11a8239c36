"""The metric sets: nothing that the analysis reads is left out, each counter says why, a chip's lack is shown."""

import json
import re

import pytest
from click.testing import CliRunner

from nsightlens import data
from nsightlens.analysis.losses import REASONS
from nsightlens.analysis.missing import PATTERNS, STALLS, TENSOR
from nsightlens.cli import cli
from nsightlens.collectors.quantities import evaluate
from nsightlens.errors import ProfilerError, UsageError
from nsightlens.launch.metric_sets import metric_set, names
from nsightlens.launch.query import has, listed

LISTING = """Chip gh100
--------------------------- --------------- --------------- ----------------
Metric Name                 Metric Type     Metric Unit     Metric Description
--------------------------- --------------- --------------- ----------------
TPC.TriageCompute.sm__x     Counter         cycle           # of cycles
dram__bytes_read            Counter         byte            # of bytes, see dram__made_up
gpu__time_duration          Counter         ns              duration
sm__ops_path_tensor_src_fp64  Counter                       # of math ops
smsp__average_warps_issue_stalled_wait_per_issue_active Ratio inst average # of warps
"""


def asked(name, held):
    """Return those counters of a report that a set asks for, as ncu expands the names."""
    exact = data.metric_set(name)
    patterns = [text.removeprefix("regex:") for text in exact if text.startswith("regex:")]
    return {
        counter: value
        for counter, value in held.items()
        if counter in exact
        or (re.fullmatch(r"(.+)\.(sum|avg|min|max)", counter) and counter.rsplit(".", 1)[0] in exact)
        or any(re.search(pattern, counter) for pattern in patterns)
        or counter.startswith(("device__", "launch__"))
    }


def test_the_losses_set_holds_all_that_the_ledger_reads(raw_of):
    """A report cut down to the set gives every quantity that the whole report gives and the ledger wants."""
    whole = raw_of("h200_scale")[0]["counters"]
    cut = asked("losses", whole)
    assert not [name for name in cut if name.startswith("sm__throughput")]
    values, origins = evaluate(cut)
    for name, entry in data.table("counters").items():
        if entry.get("needed") or entry.get("role"):
            assert origins[name].state in {"measured", "derived"}, name
            assert values[name] == pytest.approx(evaluate(whole)[0][name], rel=0.01), name
    reasons = {match[1] for name in cut if (match := re.match(r"smsp__average_warps_issue_stalled_(\w+)_per_", name))}
    assert reasons >= REASONS
    assert set(data.metric_set("losses")) >= PATTERNS


def test_the_expressions_keep_the_roll_ups_that_are_read_and_no_others(raw_of):
    whole = raw_of("h200_scale")[0]["counters"]
    tensor = [name for name in whole if re.search(TENSOR.removeprefix("regex:"), name)]
    assert {re.sub(r"^\w+\.", "", name) for name in tensor} == {"sum", "sum.peak_sustained"}
    stalls = [name for name in whole if re.search(STALLS.removeprefix("regex:"), name)]
    assert {name.rsplit(".", 1)[1] for name in stalls} == {"ratio"}
    assert {TENSOR, STALLS} <= set(data.metric_set("losses"))


@pytest.mark.parametrize("name", ["overview", "losses", "source", "timeline"])
def test_every_counter_has_a_unit_and_a_reason_and_stands_once(name):
    counters = metric_set(name).counters
    assert counters
    assert all(counter.unit and counter.why for counter in counters)
    assert len({counter.name for counter in counters}) == len(counters)
    assert all(isinstance(count, int) and count > 0 for count in metric_set(name).passes.values())


def test_the_sets_of_sections_carry_their_options():
    assert data.metric_set_options("losses") == ()
    source = metric_set("source").command.split()
    assert source[source.index("--import-sass") + 1] == "yes"
    assert source[source.index("--section") + 1] == "SourceCounters"
    assert source.count("--import-sass") == 1
    assert "--section PmSampling --pm-sampling-interval 1000" in metric_set("timeline").command


def test_the_listing_of_ncu_gives_names_and_nothing_of_the_descriptions():
    assert listed(LISTING) == [
        "TPC.TriageCompute.sm__x",
        "dram__bytes_read",
        "gpu__time_duration",
        "sm__ops_path_tensor_src_fp64",
        "smsp__average_warps_issue_stalled_wait_per_issue_active",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dram__bytes_read.sum", True),
        ("dram__bytes_read", True),
        ("dram__bytes.sum.peak_sustained", False),
        (TENSOR, True),
        (STALLS, True),
        (r"regex:^lts__nothing_.*\.sum$", False),
        ("profiler__pmsampler_pass_groups", None),
    ],
)
def test_a_chip_has_a_counter_or_not_or_the_listing_cannot_tell(name, expected):
    assert has(frozenset(listed(LISTING)), name) is expected


@pytest.fixture
def ncu(tmp_path):
    """An ncu that knows one chip."""
    table = tmp_path / "table"
    table.write_text(LISTING)
    program = tmp_path / "ncu"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo Version 2025.3.1.0 && exit\n'
        f'[ "$3" = gh100 ] && exec cat {table}\necho "==ERROR== Invalid chip $3"; exit 1\n'
    )
    program.chmod(0o755)
    return str(program)


def invoke(*arguments):
    return CliRunner().invoke(cli, ["metrics", *arguments])


def test_counters_that_a_chip_lacks_are_marked(ncu):
    result = invoke("--set", "overview", "--chip", "gh100", "--ncu", ncu)
    assert result.exit_code == 0, result.output
    assert "Checked against gh100 by ncu 2025.3.1.0." in result.output
    assert "  dram__bytes_write.sum  (not on this chip)\n" in result.output
    assert "  dram__bytes_read.sum\n" in result.output
    assert f"\n{ncu} --nvtx " in result.output


def test_a_chip_that_ncu_does_not_know_is_an_error(ncu):
    result = invoke("--set", "overview", "--chip", "gh999", "--ncu", ncu)
    assert isinstance(result.exception, ProfilerError)
    assert "--chip gh999" in str(result.exception)


def test_without_ncu_the_set_is_shown_unchecked(monkeypatch, tmp_path):
    def nothing(_explicit=None):
        raise ProfilerError("is not \x1bexecutable", where="/opt/ncu", remedy="chmod +x /opt/ncu")

    monkeypatch.setattr("nsightlens.launch.find.find_ncu", nothing)
    result = invoke("--set", "overview", "--chip", "gh100")
    assert result.exit_code == 0
    said = r"Cannot be checked against gh100: /opt/ncu: is not \x1bexecutable (chmod +x /opt/ncu)"
    assert said in " ".join(result.output.split())
    assert max(map(len, result.output.split("\n\n")[0].splitlines())) <= 80
    assert "not on this chip" not in result.output
    with pytest.raises(ProfilerError):
        cli.main(
            [*["metrics", "--set", "overview", "--chip", "gh100", "--ncu"], str(tmp_path / "no")], standalone_mode=False
        )


def test_json_names_the_schema_and_holds_all_sets(ncu):
    answer = json.loads(invoke("--format", "json", "--chip", "gh100", "--ncu", ncu).output)
    assert (answer["schema"], answer["ncu_version"]) == ("nsightlens.metrics/1", "2025.3.1.0")
    assert [entry["name"] for entry in answer["sets"]] == list(names())
    found = {counter["name"]: counter["available"] for counter in answer["sets"][0]["counters"]}
    assert (found["gpu__time_duration.sum"], found["dram__bytes_write.sum"]) == (True, False)


def test_the_list_and_markdown_show_every_set():
    text = invoke().output
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"\n{name} " in f"\n{text}" for name in names())
    page = invoke("--format", "markdown").output
    assert all(f"**{name}**" in page for name in names())


def test_a_set_that_does_not_exist_is_a_usage_error():
    assert isinstance(invoke("--set", "all").exception, UsageError)

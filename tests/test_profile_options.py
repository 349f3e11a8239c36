"""What the options of ``profile`` make of a run, through a stand-in for ncu."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_contract import require_valid

from nsightlens import data
from nsightlens.analysis import analyze_reports
from nsightlens.analysis.repeats import with_spread
from nsightlens.cli.profile import command
from nsightlens.errors import ProfilerError, ReportError, UsageError
from nsightlens.launch import manifest_path, read_manifest, report_targets
from nsightlens.launch.output import RANKS
from nsightlens.report import render
from nsightlens.report.json import document

HERE = Path(__file__).parent
RECORDED = HERE / "data" / "cuda_graph.ncu-rep.xz"
OTHER = HERE / "data" / "scale_roofline.ncu-rep.xz"
PROGRAM = (sys.executable, "-c", "pass")


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """The stand-in, which leaves a recorded report; the current folder is empty, and no launcher is about."""
    path = tmp_path / "bin" / "ncu"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "stand_in_ncu.py"} "$@"\n')
    path.chmod(0o755)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("STAND_IN_REPORT", str(RECORDED))
    monkeypatch.setenv("STAND_IN_ARGUMENTS", str(tmp_path / "arguments"))
    for name in RANKS:
        monkeypatch.delenv(name, raising=False)
    return str(path)


def invoke(ncu, *options, program=PROGRAM):
    return CliRunner().invoke(command, ["--ncu", ncu, *options, "--", *program])


def passed(tmp_path):
    """Return the options that ncu was given, the program left out."""
    return json.loads((tmp_path / "arguments").read_text())[: -len(PROGRAM)]


def value(arguments, option):
    return arguments[arguments.index(option) + 1]


def names():
    return sorted(path.name for path in Path().iterdir())


def test_a_set_of_ncus_own_is_passed_through_with_further_counters(ncu, tmp_path):
    result = invoke(ncu, "--set", "full", "--metrics", "a.sum, b.avg", "--report", "r")
    assert result.exit_code == 0, result.output
    assert value(passed(tmp_path), "--set") == "full"
    assert value(passed(tmp_path), "--metrics") == "a.sum,b.avg"
    manifest = read_manifest(Path("r.ncu-rep"))
    assert (manifest["metric_set"], manifest["metrics"]) == ("full", ["a.sum", "b.avg"])


def test_further_counters_come_after_those_of_our_set_each_once(ncu, tmp_path):
    ours = data.metric_set("overview")
    invoke(ncu, "--set", "overview", "--metrics", f"x.sum,{ours[0]}")
    assert "--set" not in passed(tmp_path)
    assert value(passed(tmp_path), "--metrics") == ",".join((*ours, "x.sum"))


def test_a_counter_that_the_caller_named_and_ncu_does_not_know_is_an_error(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN_UNKNOWN", "x__nothing.sum")
    result = invoke(ncu, "--metrics", "x__nothing.sum")
    assert isinstance(result.exception, ProfilerError)
    assert "a counter is unknown" in str(result.exception)
    assert "x__nothing" in str(result.exception)
    assert names() == []


def test_what_cannot_be_a_counter_is_a_usage_error(ncu):
    assert isinstance(invoke(ncu, "--metrics", "a,,b").exception, UsageError)


def test_how_launches_are_measured_reaches_ncu_and_the_manifest(ncu, tmp_path):
    options = ("--target-processes", "application-only", "--replay-mode", "application")
    options += ("--cache-control", "none", "--clock-control", "base")
    assert invoke(ncu, *options, "--report", "r").exit_code == 0
    manifest = read_manifest(Path("r.ncu-rep"))
    for name, given in zip(options[::2], options[1::2], strict=True):
        assert passed(tmp_path).count(name) == 1
        assert value(passed(tmp_path), name) == given
        assert manifest[name.removeprefix("--").replace("-", "_")] == given


@pytest.mark.parametrize("mode", ["range", "app-range"])
def test_over_ranges_instruction_counters_are_left_out_and_the_result_says_so(ncu, tmp_path, mode):
    result = invoke(ncu, "--replay-mode", mode, "--format", "json", "--report", "r")
    asked = value(passed(tmp_path), "--metrics").split(",")
    left_out = [name for name in data.metric_set("losses") if "__sass_" in name]
    assert left_out
    assert asked == [name for name in data.metric_set("losses") if name not in left_out]
    (note,) = (one for one in json.loads(result.stdout)["reports"][0]["notes"] if "__sass_" in one)
    assert note.startswith(f"{len(left_out)} instruction counters")
    assert read_manifest(Path("r.ncu-rep"))["notes"] == [note]
    assert "__sass_" not in result.stderr


def test_counters_unknown_to_this_ncu_are_one_note_in_the_result(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN_UNKNOWN", "sm__cycles_elapsed dram__bytes_read.sum")
    notes = json.loads(invoke(ncu, "--format", "json").stdout)["reports"][0]["notes"]
    (note,) = (one for one in notes if "does not know" in one)
    assert "sm__cycles_elapsed, dram__bytes_read.sum; profiled without (started 3 times" in note


@pytest.mark.parametrize(
    ("options", "expression"),
    [
        ((), "^(?!ncclDevKernel|ncclKernel)"),
        (("--kernel", "a|^b"), "^(?!ncclDevKernel|ncclKernel).*(?:a|^b)"),
        (("--kernel", "a", "--with-communication"), "a"),
        (("--with-communication",), None),
    ],
)
def test_communication_kernels_are_left_out_unless_asked_for(ncu, tmp_path, options, expression):
    result = invoke(ncu, *options)
    given = passed(tmp_path)
    assert (value(given, "--kernel-name") if "--kernel-name" in given else None) == (
        expression and f"regex:{expression}"
    )
    assert ("communication kernels" in result.stderr) == ("--with-communication" not in options)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32", False),
        ("ncclKernel_SendRecv", False),
        ("scale", True),
        ("my_ncclKernel_scale", True),
        ("other", False),
    ],
)
def test_the_expression_for_kernels_excludes_only_communication(ncu, tmp_path, name, kept):
    invoke(ncu, "--kernel", "scale|SendRecv|AllReduce")
    expression = value(passed(tmp_path), "--kernel-name").removeprefix("regex:")
    assert bool(re.search(expression, name)) == kept


@pytest.mark.parametrize("scenario", ["nothing", "filtered"])
def test_when_nothing_matches_a_range_the_forms_are_named(ncu, monkeypatch, scenario):
    monkeypatch.setenv("STAND_IN", scenario)
    text = str(invoke(ncu, "--nvtx", "d@r").exception)
    assert "DOMAIN@RANGE" in text
    assert "DOMAIN@regex:RANGE selects nothing" in text


def test_a_dry_run_needs_nothing_and_prints_what_a_run_would_start(ncu, tmp_path):
    program = ("no such program", "--x=a b")
    result = invoke("nowhere/ncu", "--dry-run", "--report", "my report", "--kernel", "a b", program=program)
    assert result.exit_code == 0
    assert names() == []
    words = shlex.split(result.stdout)
    assert words[0] == "nowhere/ncu"
    assert words[-2:] == list(program)
    assert value(words, "--export") == "my report.ncu-rep"
    assert "--ncu nowhere/ncu: no such program" in result.stderr
    assert "no such program: no such program" in result.stderr
    invoke(ncu, "--kernel", "a b", "--report", "my report")
    ran = passed(tmp_path)
    changing = {ran.index(option) + offset for option in ("--log-file", "--export") for offset in (0, 1)}
    printed = [word for number, word in enumerate(words[1:-2]) if words[number] != "--export" and word != "--export"]
    assert printed == [word for number, word in enumerate(ran) if number not in changing]


def test_a_dry_run_names_a_missing_program(ncu):
    result = invoke(ncu, "--dry-run", "--repeat", "2", program=("nowhere",))
    assert result.exit_code == 0
    assert "nowhere: no such program" in result.stderr
    assert len(result.stdout.splitlines()) == 2


@pytest.mark.parametrize("variable", RANKS)
def test_each_rank_has_its_own_report(ncu, monkeypatch, variable):
    monkeypatch.setenv(variable, "3")
    assert invoke(ncu, "--report", "run.ncu-rep", "-o", "run.json").exit_code == 0
    assert names() == ["run-rank3.json", "run-rank3.ncu-rep", "run-rank3.nsightlens.json"]
    assert report_targets(None)[0].name.endswith("-rank3.ncu-rep")
    monkeypatch.setenv(variable, "../x")
    assert report_targets(Path("run")) == [Path("run.ncu-rep")]


def test_a_folder_that_does_not_exist_is_a_usage_error(ncu):
    error = invoke(ncu, "--report", "nosuchdir/x").exception
    assert isinstance(error, UsageError)
    assert "mkdir -p" in str(error)


def test_repeated_runs_keep_their_reports_and_show_the_spread(ncu):
    result = invoke(ncu, "--repeat", "3", "--report", "r", "--format", "json")
    assert result.exit_code == 0, result.output
    reports = [Path(f"r-{number}.ncu-rep") for number in (1, 2, 3)]
    assert names() == sorted(str(path) for report in reports for path in (report, manifest_path(report)))
    found = json.loads(result.stdout)
    require_valid(found)
    assert "the first of 3 runs: r-1.ncu-rep, r-2.ncu-rep, r-3.ncu-rep" in found["reports"][0]["notes"]
    for launch in found["launches"]:
        assert launch["repeats"] == {"runs": 3} | dict.fromkeys(("median_s", "min_s", "max_s"), launch["time_s"])


def test_no_run_starts_where_a_later_report_exists(ncu):
    Path("r-2.ncu-rep").touch()
    assert isinstance(invoke(ncu, "--repeat", "2", "--report", "r").exception, UsageError)
    assert names() == ["r-2.ncu-rep"]


def test_runs_that_differ_in_their_launches_say_so(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN_REPORT", f"{RECORDED}{os.pathsep}{OTHER}")
    result = invoke(ncu, "--repeat", "2", "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    counts = [len(analyze_reports([path]).launches) for path in (RECORDED, OTHER)]
    note = f"the runs differ: run 1 has {counts[0]} launches, run 2 has {counts[1]}"
    assert note in found["reports"][0]["notes"]


def slower(analysis, factor):
    return replace(
        analysis, launches=tuple(replace(launch, time_s=launch.time_s * factor) for launch in analysis.launches)
    )


def test_the_spread_is_median_least_and_greatest():
    one = analyze_reports([RECORDED])
    joined = with_spread([one, slower(one, 4), slower(one, 2)], [Path("a"), Path("b"), Path("c")])
    require_valid(document(joined))
    for launch, before in zip(joined.launches, one.launches, strict=True):
        time_s = before.time_s
        over = launch.repeats
        assert (over.runs, over.median_s, over.min_s, over.max_s) == (3, 2 * time_s, time_s, 4 * time_s)
    for form in ("table", "markdown"):
        text = render(joined, form)
        assert "Times over the runs" in text
        assert "in 3 runs" in text
    assert all(len(line) <= 80 for line in render(joined, "table").splitlines())


def test_a_launch_of_another_name_or_without_a_time_has_no_spread():
    one = analyze_reports([RECORDED])
    first, second, *rest = one.launches
    changed = (replace(first, full_name="other", name="other"), replace(second, time_s=None), *rest)
    joined = with_spread([one, replace(one, launches=changed)], [Path("a"), Path("b")])
    assert [launch.repeats is None for launch in joined.launches] == [True, True, *(False for _ in rest)]
    assert f"launch 0 is {first.name} in run 1, other in run 2" in joined.reports[0].notes[-1]


def test_an_ncu_that_is_killed_half_way_is_an_error(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN", "killed")
    error = invoke(ncu).exception
    assert isinstance(error, ProfilerError)
    assert "ncu was killed by SIGKILL after 1 profiled launch " in str(error)
    assert names() == []


def test_no_ncu_is_an_error_with_its_remedy():
    error = invoke("nowhere/ncu").exception
    assert isinstance(error, ProfilerError)
    assert "install Nsight Compute" in str(error)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_ncu_ends_when_nsightlens_is_killed(ncu):
    arguments = [sys.executable, "-m", "nsightlens", "profile", "--ncu", ncu, "--", *PROGRAM]
    env = {**os.environ, "PYTHONPATH": str(HERE.parent), "STAND_IN": "sleep"}
    with subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stderr.readline() == "profiling\n"
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 30
        while any(map(alive, children)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(children) == 2
        assert not any(map(alive, children))


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_set_that_ncu_does_not_know_is_an_error_though_ncu_ends_well(ncu):
    result = invoke(ncu, "--set", "nosuch", "--report", "r")
    assert isinstance(result.exception, ProfilerError)
    assert "--set nosuch: Nsight Compute has no such set" in str(result.exception)
    assert "ncu --list-sets" in str(result.exception)


def test_a_report_that_ncu_could_not_write_whole_is_not_called_kept(ncu, monkeypatch):
    def unreadable(reports):
        raise ReportError("damaged", where=str(reports[0]))

    monkeypatch.setattr("nsightlens.analysis.analyze_reports", unreadable)
    monkeypatch.setenv("STAND_IN", "program_failed")
    result = invoke(ncu, "--report", "r")
    assert "what was written to r.ncu-rep cannot be read" in str(result.exception)
    assert "kept in" not in str(result.exception)

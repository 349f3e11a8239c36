"""The profile job and its command, driven through a stand-in for ncu."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from nsightlens import data
from nsightlens.analysis.result import Analysis
from nsightlens.apps.profile import profile, run_profile
from nsightlens.cli.profile import command
from nsightlens.cli.status_line import status
from nsightlens.errors import ProfilerError, ReportError, UsageError
from nsightlens.launch import Progress, folder_beside, keep, manifest_path, read_manifest, report_targets

HERE = Path(__file__).parent
RECORDED = HERE / "data" / "cuda_graph.ncu-rep.xz"
PROGRAM = (sys.executable, "-c", "print('from the program')")
NOTHING = Analysis(reports=(), launches=())
TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# Scenario of the stand-in: what the message must say, and a part of the remedy.
FAILURES = {
    "permission": ("may not read the performance counters", "NVreg_RestrictProfilingToAdminUsers=0"),
    "counters_taken": ("another tool uses the performance counters", "dcgmi profile --pause"),
    "driver": ("does not work with the installed GPU driver", "update the driver"),
    "library": ("cannot load the library of the GPU driver", "nvidia-smi"),
    "no_device": ("there is no CUDA device", "CUDA_VISIBLE_DEVICES"),
    "unsupported": ("cannot profile GPU 0", "--list-chips"),
    "option": ("does not take the option --import-sass", "--ncu PATH"),
    "set": ("has no such set: loses", "ours: overview, losses"),
    "range_replay": ("cannot be measured over ranges", "--replay-mode kernel"),
    "lock": ("cannot be written: /tmp/nsight-compute-lock", "TMPDIR"),
    "disk": ("cannot write its report", "--report FILE"),
    "exists": ("found a report of that name", "--force"),
    "memory": ("not enough memory", "smaller problem"),
    "prepare": ("could not prepare a kernel", "--ncu PATH"),
    "unknown_device_error": ("unknown error", "run as root"),
    "launch_failed": ("a kernel failed while it was profiled", "compute-sanitizer"),
    "program_failed": ("the program ended with exit code 3", "without the profiler"),
    "program_crashed": ("exit code 11 (or SIGSEGV)", "without the profiler"),
    "nothing": ("no kernel was profiled", "launches kernels"),
    "filtered": (r"the program launched: sca\x1b[31mle, fma_chain<8>", "--kernel"),
    "only_communication": ("the program launched: ncclDevKernel_AllReduce", "--with-communication"),
    "unheard_of": (r"ncu says: The flux \x1b[2Jcapacitor is empty.", "plain ncu"),
    "silent": ("ncu ended with exit code 7", "plain ncu"),
}
WITH_LAUNCHES = {"launch_failed", "program_failed"}


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """The stand-in, with the current folder empty."""
    path = tmp_path / "bin" / "ncu"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "stand_in_ncu.py"} "$@"\n')
    path.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return str(path)


@pytest.fixture
def analysed(monkeypatch):
    """The reports that would be analysed."""
    paths = []

    def analyze_reports(reports):
        paths.extend(reports)
        return NOTHING

    monkeypatch.setattr("nsightlens.analysis.analyze_reports", analyze_reports)
    return paths


def names():
    return sorted(path.name for path in Path().iterdir())


def invoke(ncu, *options, program=PROGRAM):
    return CliRunner().invoke(command, ["--ncu", ncu, *options, "--", *program])


def test_the_report_and_its_manifest_are_kept(ncu, analysed):
    assert profile(PROGRAM, ncu=ncu, metric_set="overview") is NOTHING
    (report,) = analysed
    assert re.fullmatch(r"nsightlens-\d{8}-\d{6}\.ncu-rep", str(report))
    assert names() == sorted([str(report), str(manifest_path(report))])
    manifest = read_manifest(report)
    assert manifest["command"] == list(PROGRAM)
    assert manifest["report"] == str(report)
    assert manifest["metrics"] == list(data.metric_set("overview"))
    assert (manifest["ncu_path"], manifest["ncu_version"]) == (ncu, "2025.3.1.0")
    assert (manifest["clock_control"], manifest["cache_control"], manifest["replay_mode"]) == ("none", "all", "kernel")
    assert (manifest["launches"], manifest["refused"], manifest["error"]) == (3, [], None)


def test_an_ncu_that_was_passed_over_stands_in_the_notes(ncu, analysed, monkeypatch, tmp_path):
    broken = tmp_path / "broken" / "ncu"
    broken.parent.mkdir()
    broken.write_text("")
    monkeypatch.setenv("PATH", os.pathsep.join([str(broken.parent), str(Path(ncu).parent), os.environ["PATH"]]))
    analysed.clear()
    profile(PROGRAM, report=Path("r.ncu-rep"))
    manifest = read_manifest(Path("r.ncu-rep"))
    assert manifest["ncu_path"] == ncu
    assert manifest["notes"] == [f"another ncu was passed over: {broken}: is not executable"]


def test_options_reach_ncu_and_the_program_is_left_alone(ncu, analysed, monkeypatch, tmp_path):
    monkeypatch.setenv("STAND_IN_ARGUMENTS", str(tmp_path / "arguments"))
    program = (*PROGRAM, "--kernel", "mine", "--", "-o", "x")
    result = invoke(ncu, "--kernel", "scale", "--nvtx", "d@r", "--launch-count", "2", program=program)
    assert result.exit_code == 0, result.output
    arguments = json.loads((tmp_path / "arguments").read_text())
    assert arguments[-len(program) :] == list(program)
    ours = arguments[: -len(program)]
    assert ours[ours.index("--metrics") + 1] == ",".join(data.metric_set("losses"))
    kernels = "regex:^(?!ncclDevKernel|ncclKernel).*(?:scale)"
    assert ours[-6:] == ["--kernel-name", kernels, "--nvtx-include", "d@r/", "--launch-count", "2"]
    assert analysed


@pytest.mark.parametrize("scenario", FAILURES)
def test_every_failure_is_one_line_with_a_remedy(ncu, analysed, monkeypatch, scenario):
    monkeypatch.setenv("STAND_IN", scenario)
    before = names()
    with pytest.raises(ProfilerError) as caught:
        profile(PROGRAM, ncu=ncu)
    text = str(caught.value)
    what, remedy = FAILURES[scenario]
    assert what in text
    assert remedy in text
    assert not CONTROL.search(text)
    assert "\n" not in text
    assert caught.value.exit_code == 4
    assert bool(analysed) == (scenario in WITH_LAUNCHES)
    assert len(names()) == len(before) + 2 * len(analysed)


def test_the_table_of_this_test_is_that_of_the_stand_in():
    text = (HERE / "stand_in_ncu.py").read_text()
    assert set(re.findall(r'^    "(\w+)": \(', text, re.MULTILINE)) == set(FAILURES)


def test_what_was_collected_before_the_program_failed_is_analysed(ncu, analysed, monkeypatch):
    monkeypatch.setenv("STAND_IN", "program_failed")
    done = run_profile(PROGRAM, ncu=ncu, targets=[Path("run.ncu-rep")])
    assert done.analysis is NOTHING
    assert analysed == [Path("run.ncu-rep")]
    assert "2 launches are kept in run.ncu-rep" in str(done.error)
    assert read_manifest(Path("run.ncu-rep"))["error"] == "the program ended with exit code 3"


def test_a_partial_report_that_cannot_be_read_does_not_hide_the_failure(ncu, monkeypatch):
    def analyze_reports(_reports):
        raise ReportError("holds no launch")

    monkeypatch.setattr("nsightlens.analysis.analyze_reports", analyze_reports)
    with pytest.raises(ReportError):
        profile(PROGRAM, ncu=ncu)
    monkeypatch.setenv("STAND_IN", "program_failed")
    with pytest.raises(ProfilerError, match="exit code 3"):
        profile(PROGRAM, ncu=ncu)


def test_an_existing_report_is_kept_unless_forced(ncu, analysed, monkeypatch):
    Path("old.ncu-rep").write_text("old")
    with pytest.raises(UsageError, match="--force"):
        profile(PROGRAM, ncu=ncu, report=Path("old.ncu-rep"))
    monkeypatch.setenv("STAND_IN", "permission")
    with pytest.raises(ProfilerError):
        profile(PROGRAM, ncu=ncu, report=Path("old.ncu-rep"), force=True)
    assert Path("old.ncu-rep").read_text() == "old"
    monkeypatch.delenv("STAND_IN")
    profile(PROGRAM, ncu=ncu, report=Path("old"), force=True)
    assert Path("old.ncu-rep").read_text() == "report"
    assert analysed == [Path("old.ncu-rep")]


def test_names_that_are_taken_get_a_number(ncu, tmp_path):
    assert ncu
    first = report_targets(None)[0]
    first.touch()
    manifest_path(first.with_name(f"{first.stem}-2.ncu-rep")).touch()
    collected = tmp_path / "collected"
    collected.touch()
    assert keep(collected, first) == first.with_name(f"{first.stem}-3.ncu-rep")


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ProfilerError, match="cannot write there"), folder_beside(tmp_path / "no" / "x.ncu-rep"):
        pass


def test_a_name_with_a_percent_sign_is_taken_literally(ncu, analysed):
    profile(PROGRAM, ncu=ncu, report=Path("run%p.ncu-rep"))
    assert analysed == [Path("run%p.ncu-rep")]
    assert Path("run%p.ncu-rep").exists()


def test_counters_that_ncu_does_not_know_are_left_out(ncu, analysed, monkeypatch):
    missing = ("sm__cycles_elapsed", r"regex:^sm__ops_path_tensor_.*\.sum(\.peak_sustained)?$")
    monkeypatch.setenv("STAND_IN_UNKNOWN", " ".join(missing))
    result = invoke(ncu, "--report", "r.ncu-rep")
    assert result.exit_code == 0, result.output
    assert f"does not know {', '.join(missing)}" in result.stderr
    manifest = read_manifest(Path("r.ncu-rep"))
    assert manifest["refused"] == list(missing)
    assert not set(missing) & set(manifest["metrics"])
    assert analysed


def test_an_ncu_that_knows_none_of_the_counters_is_an_error(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN_UNKNOWN", " ".join(data.metric_set("overview")))
    monkeypatch.setattr("nsightlens.apps.profile_run.MAX_RUNS", 2)
    with pytest.raises(ProfilerError, match=r"a counter is unknown.*--set overview"):
        profile(PROGRAM, ncu=ncu, metric_set="overview")


def test_a_program_that_does_not_exist_is_an_error(ncu):
    with pytest.raises(ProfilerError, match=re.escape(r"no\x1bwhere: no such program")):
        profile(["no\x1bwhere"], ncu=ncu)
    with pytest.raises(UsageError, match="no program"):
        profile([], ncu=ncu)


@pytest.mark.parametrize("name", ["", "-f", "a b", "over,view"])
def test_what_cannot_be_the_name_of_a_set_is_a_usage_error(ncu, name):
    with pytest.raises(UsageError, match="overview, losses"):
        profile(PROGRAM, ncu=ncu, metric_set=name)


def test_an_output_file_is_refused_before_the_program_runs(ncu):
    Path("out.json").touch()
    result = invoke(ncu, "-o", "out.json")
    assert isinstance(result.exception, UsageError)
    assert names() == ["out.json"]


def test_a_manifest_of_someone_else_is_not_read(tmp_path):
    report = tmp_path / "r.ncu-rep"
    assert read_manifest(report) is None
    for text in ("", "[]", '{"schema": "other/1"}', "[" * 100_000):
        manifest_path(report).write_text(text)
        assert read_manifest(report) is None


def test_status_shows_hostile_names_escaped():
    assert status(Progress(0, None, 0.4)) == "nsightlens: 0 launches profiled, 0 s"
    assert status(Progress(1, "k\x1b[2J", 61)) == r"nsightlens: 1 launch profiled, now k\x1b[2J, 61 s"


def shell(ncu, *options, program=PROGRAM, **environment):
    arguments = [sys.executable, "-m", "nsightlens", "profile", "--ncu", ncu, *options, "--", *program]
    env = {**os.environ, "PYTHONPATH": str(HERE.parent), **environment}
    return subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )


def test_standard_output_is_for_data_only(ncu):
    process = shell(ncu, "--format", "json", "--report", "r.ncu-rep", STAND_IN_REPORT=str(RECORDED))
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    assert json.loads(stdout)["schema"] == "nsightlens.analysis/1"
    assert "from the program" in stderr
    assert "report kept in r.ncu-rep" in stderr
    assert "\r" not in stderr


def test_the_exit_code_is_4_after_printing_what_was_collected(ncu):
    process = shell(ncu, "--format", "json", STAND_IN="program_failed", STAND_IN_REPORT=str(RECORDED))
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 4
    assert json.loads(stdout)["launches"]
    assert stderr.splitlines()[-1].startswith("nsightlens: the program ended with exit code 3; 2 launches are kept in")
    assert "Traceback" not in stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_what_was_collected(ncu, number):
    process = shell(ncu, "--report", "r", STAND_IN="sleep", STAND_IN_REPORT=str(RECORDED))
    assert process.stderr.readline() == "profiling\n"
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 4, stderr
    assert "interrupted after 2 profiled launches; 2 launches are kept in r.ncu-rep" in stderr
    assert stdout
    assert names() == ["r.ncu-rep", "r.nsightlens.json"]


def test_ctrl_c_on_a_terminal_reaches_everyone_once(ncu):
    terminal, ours = os.openpty()
    arguments = [sys.executable, "-m", "nsightlens", "profile", "--ncu", ncu, "--report", "r", "--", *PROGRAM]
    arguments = [sys.executable, "-c", TAKE_TERMINAL, *arguments]
    env = {**os.environ, "PYTHONPATH": str(HERE.parent), "STAND_IN": "sleep", "STAND_IN_REPORT": str(RECORDED)}
    process = subprocess.Popen(
        arguments,
        stdin=ours,
        stdout=subprocess.PIPE,
        stderr=ours,
        env=env,
        start_new_session=True,
    )
    os.close(ours)
    shown = b""
    while b"2 launches profiled" not in shown:
        shown += os.read(terminal, 4096)
    os.write(terminal, b"\x03")
    stdout, _ = process.communicate(timeout=60)
    os.close(terminal)
    assert process.returncode == 4
    assert stdout
    assert rb"now sca\x1b[31mle" in shown
    assert names() == ["r.ncu-rep", "r.nsightlens.json"]


def test_the_time_limit_stops_a_stubborn_program(ncu, monkeypatch):
    stop = tuple((number, 0.5) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
    monkeypatch.setattr("nsightlens.launch.process.STOP", stop)
    monkeypatch.setenv("STAND_IN", "stubborn")
    start = time.monotonic()
    with pytest.raises(ProfilerError, match=r"stopped at the time limit after \d profiled launches"):
        profile(PROGRAM, ncu=ncu, timeout_s=2)
    assert time.monotonic() - start < 20
    assert names() == []


def test_progress_is_reported_and_a_callback_may_interrupt(ncu, analysed, monkeypatch):
    monkeypatch.setenv("STAND_IN", "sleep")
    seen = []

    def follow(progress):
        seen.append(progress)
        if progress.launches == 2:
            raise KeyboardInterrupt

    done = run_profile(PROGRAM, ncu=ncu, targets=report_targets(None), on_progress=follow)
    assert seen[-1].current == "sca\x1b[31mle"
    assert seen[-1].elapsed_s > 0
    assert "interrupted after 2 profiled launches" in str(done.error)
    assert analysed

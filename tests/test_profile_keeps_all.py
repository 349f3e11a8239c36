"""No report is lost or replaced: names, parallel runs, and what goes wrong while ncu is followed."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from nsightlens.apps.profile import profile, run_profile
from nsightlens.cli.profile import command
from nsightlens.cli.status_line import StatusLine
from nsightlens.errors import ProfilerError, ReportError, UsageError
from nsightlens.launch import Progress, keep, manifest_path, report_targets
from nsightlens.launch.output import RANKS
from nsightlens.launch.signals import Signals, Told
from nsightlens.launch.watch import watched
from nsightlens.measured import find_ceilings

HERE = Path(__file__).parent
RECORDED = HERE / "data" / "cuda_graph.ncu-rep.xz"
PROGRAM = (sys.executable, "-c", "pass")


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """The stand-in, which leaves a recorded report and notes its process id; the current folder is empty."""
    path = tmp_path / "bin" / "ncu"
    path.parent.mkdir()
    stand_in = f'exec {sys.executable} {HERE / "stand_in_ncu.py"} "$@"'
    path.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{stand_in}\n")
    path.chmod(0o755)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("STAND_IN_REPORT", str(RECORDED))
    monkeypatch.setenv("STAND_IN_ARGUMENTS", str(tmp_path / "arguments"))
    for name in (*RANKS, "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    return str(path)


def invoke(ncu, *options):
    return CliRunner().invoke(command, ["--ncu", ncu, *options, "--", *PROGRAM])


def names():
    return sorted(path.name for path in Path().iterdir())


def test_runs_at_one_moment_share_no_name(tmp_path):
    def one(number):
        collected = tmp_path / f"collected-{number}"
        collected.write_bytes(b"%d" % number)
        return number, keep(collected, tmp_path / "run.ncu-rep")

    with ThreadPoolExecutor(16) as pool:
        kept = list(pool.map(one, range(64)))
    assert len({place for _, place in kept}) == 64
    assert all(place.read_bytes() == b"%d" % number for number, place in kept)


def test_force_overwrites_only_what_is_named(ncu, monkeypatch):
    taken = Path("nsightlens-20260101-000000.ncu-rep")

    def name_of_another_run(*_, **__):
        taken.write_bytes(b"of another run")  # which ended after our name was chosen
        return [taken]

    monkeypatch.setattr("nsightlens.cli.profile.report_targets", name_of_another_run)
    assert invoke(ncu, "--force", "--format", "json").exit_code == 0
    assert taken.read_bytes() == b"of another run"
    assert "nsightlens-20260101-000000-2.ncu-rep" in names()


def test_each_process_of_torchrun_has_its_own_report(ncu, monkeypatch):
    assert ncu
    monkeypatch.setenv("RANK", "5")
    assert report_targets(Path("run")) == [Path("run.ncu-rep")]
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert report_targets(Path("run")) == [Path("run-rank5.ncu-rep")]


@pytest.mark.parametrize(
    ("report", "more", "output"),
    [
        ("run", (), "run.ncu-rep"),
        ("run", (), "run.nsightlens.json"),
        ("run.ncu-rep", ("--repeat", "2"), "run-2.ncu-rep"),
        ("run", ("--repeat", "2"), "run-1.nsightlens.json"),
    ],
)
def test_an_analysis_never_replaces_what_the_run_writes(ncu, report, more, output):
    result = invoke(ncu, "--report", report, "--force", "--format", "json", *more, "-o", output)
    assert isinstance(result.exception, UsageError)
    assert "would replace the report" in str(result.exception)
    assert names() == []


def test_the_rank_counts_when_names_are_compared(ncu, monkeypatch):
    monkeypatch.setenv("SLURM_PROCID", "1")
    result = invoke(ncu, "--report", "run", "--force", "--format", "json", "-o", "run.ncu-rep")
    assert "would replace the report" in str(result.exception)


@pytest.mark.parametrize("name", ["", "/", ".ncu-rep", "x" * 300, "a/.."])
def test_what_can_be_no_file_is_refused_in_one_line(ncu, name):
    result = invoke(ncu, "--report", name)
    assert isinstance(result.exception, (UsageError, SystemExit)), result.exception
    assert names() == []


def test_an_output_that_is_a_folder_is_refused_under_a_launcher_too(ncu, monkeypatch):
    monkeypatch.setenv("SLURM_PROCID", "1")
    assert isinstance(invoke(ncu, "--format", "json", "-o", ".").exception, UsageError)
    assert names() == []


def test_a_dry_run_with_force_prints_what_overwrites(ncu):
    assert "--force-overwrite" in invoke(ncu, "--dry-run", "--force", "--report", "r").stdout
    assert "--force-overwrite" not in invoke(ncu, "--dry-run", "--report", "r").stdout


def test_no_failure_leaves_ncu_running(ncu, monkeypatch, tmp_path):
    monkeypatch.setenv("STAND_IN", "sleep")

    def follow(progress):
        if progress.launches == 2:
            raise RuntimeError("the terminal has gone")

    with pytest.raises(RuntimeError):
        run_profile(PROGRAM, ncu=ncu, targets=[Path("r.ncu-rep")], on_progress=follow)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_terminal_that_has_gone_does_not_end_the_run(monkeypatch):
    def gone(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("click.echo", gone)
    line = StatusLine()
    line.visible = True
    line.show(Progress(1, None, 1.0))
    assert not line.visible


@pytest.mark.parametrize(("number", "kind"), [(signal.SIGTERM, Told), (signal.SIGINT, KeyboardInterrupt)])
def test_a_signal_before_ncu_can_be_stopped_waits(number, kind):
    signals = Signals()
    signals.take(number, None)
    with pytest.raises(KeyboardInterrupt) as caught:
        signals.let_in()
    assert caught.type is kind
    signals.take(number, None)  # a second one breaks nothing off
    assert signals.waiting is not None


def test_python_leaves_communication_kernels_out_too(ncu, tmp_path):
    def asked(**options):
        profile(PROGRAM, ncu=ncu, **options)
        return json.loads((tmp_path / "arguments").read_text())

    assert any("ncclDevKernel" in word for word in asked())
    assert not any("ncclDevKernel" in word for word in asked(communication=True))
    assert not any("ncclDevKernel" in word for word in asked(extra_args=("--kernel-name", "scale")))
    assert not any("ncclDevKernel" in word for word in asked(extra_args=("--replay-mode", "range")))


def test_a_manifest_without_its_report_is_not_replaced(ncu):
    manifest_path(Path("run.ncu-rep")).write_text("{}")
    assert isinstance(invoke(ncu, "--report", "run").exception, UsageError)
    assert names() == ["run.nsightlens.json"]


LATE = """#!/bin/sh
if [ "$1" = --version ]; then exec {python} {stand_in} "$@"; fi
{python} {stand_in} "$@"
code=$?
kill -{signal} $PPID
sleep {delay}
exit $code
"""


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
@pytest.mark.parametrize("delay", [0, 0.05])
def test_a_signal_when_ncu_has_ended_loses_nothing(ncu, name, delay):
    Path(ncu).write_text(
        LATE.format(python=sys.executable, stand_in=HERE / "stand_in_ncu.py", signal=name, delay=delay)
    )
    arguments = [sys.executable, "-m", "nsightlens", "profile", "--ncu", ncu, "--report", "r", "--", *PROGRAM]
    env = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, check=False)
    assert names() == ["r.ncu-rep", "r.nsightlens.json"], done.stderr
    assert "r.ncu-rep" in done.stderr
    assert done.returncode in {0, 4}


def test_several_signals_at_once_are_one(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN", "sleep")
    env = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    arguments = [sys.executable, "-m", "nsightlens", "profile", "--ncu", ncu, "--report", "r", "--", *PROGRAM]
    process = subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    assert process.stderr.readline() == "profiling\n"
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGTERM):
        process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "2 launches are kept in r.ncu-rep" in stderr
    assert names() == ["r.ncu-rep", "r.nsightlens.json"]


def test_a_manifest_that_cannot_be_written_is_a_note_and_the_report_is_kept(ncu, monkeypatch):
    def full(*_, **__):
        raise UsageError("cannot be written: No space left on device")

    monkeypatch.setattr("nsightlens.launch.write_manifest", full)
    result = invoke(ncu, "--report", "r", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert names() == ["r.ncu-rep"]
    assert "what was asked is not kept beside the report" in result.stderr + result.stdout


@pytest.mark.parametrize("name", ["x" * 243, "x" * 250])
def test_names_too_long_for_the_manifest_are_refused_before_the_run(ncu, tmp_path, name):
    assert isinstance(invoke(ncu, "--report", name).exception, UsageError)
    assert not (tmp_path / "pid").exists()


def test_a_manifest_that_is_a_folder_is_refused_before_the_run(ncu, tmp_path):
    manifest_path(Path("r.ncu-rep")).mkdir()
    assert isinstance(invoke(ncu, "--report", "r", "--force").exception, UsageError)
    assert not (tmp_path / "pid").exists()


def test_a_file_of_ceilings_that_is_none_is_said_before_the_run(ncu, tmp_path, monkeypatch):
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", "/nonexistent")
    find_ceilings.cache_clear()
    assert isinstance(invoke(ncu, "--report", "r").exception, UsageError)
    find_ceilings.cache_clear()
    assert not (tmp_path / "pid").exists()


def test_a_report_that_cannot_be_read_does_not_end_the_repeats(ncu, monkeypatch):
    def analyze_reports(_reports):
        raise ReportError("holds no launch")

    monkeypatch.setattr("nsightlens.analysis.analyze_reports", analyze_reports)
    result = invoke(ncu, "--report", "r", "--repeat", "2")
    assert isinstance(result.exception, ReportError)
    assert "reports kept in r-1.ncu-rep, r-2.ncu-rep" in result.stderr
    assert {"r-1.ncu-rep", "r-2.ncu-rep"} <= set(names())


def test_the_runs_own_failure_counts_whatever_becomes_of_the_output(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN", "program_failed")

    def full(*_, **__):
        raise UsageError("standard output: cannot be written")

    monkeypatch.setattr("nsightlens.cli.profile.emit", full)
    result = invoke(ncu, "--report", "r")
    assert isinstance(result.exception, ProfilerError)
    assert "r.ncu-rep" in result.stderr


def test_without_room_for_a_watcher_ncu_is_still_followed(monkeypatch):
    def no_room(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("nsightlens.launch.watch._watcher", no_room)
    with watched(SimpleNamespace(pid=1), own_group=False):
        pass


def test_a_closed_standard_error_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert not StatusLine().visible

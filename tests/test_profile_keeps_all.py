"""No report is lost or replaced: names, parallel runs, and what goes wrong while ncu is followed."""

import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from nsightlens.apps.profile import profile, run_profile
from nsightlens.cli.profile import command
from nsightlens.cli.status_line import StatusLine
from nsightlens.errors import UsageError
from nsightlens.launch import Progress, keep, manifest_path, report_targets
from nsightlens.launch.output import RANKS
from nsightlens.launch.process import _Signals, _Told

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


@pytest.mark.parametrize(("number", "kind"), [(signal.SIGTERM, _Told), (signal.SIGINT, KeyboardInterrupt)])
def test_a_signal_before_ncu_can_be_stopped_waits(number, kind):
    signals = _Signals()
    signals.take(number, None)
    with pytest.raises(KeyboardInterrupt) as caught:
        signals.let_in()
    assert caught.type is kind
    with pytest.raises(KeyboardInterrupt):
        signals.take(number, None)


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

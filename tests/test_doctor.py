"""``nsightlens doctor``: from facts about a machine to checks; no GPU is needed."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from nsightlens.apps.doctor import can_profile, try_out
from nsightlens.cli import cli
from nsightlens.launch.checks import GIB, checks, shipped_cuda
from nsightlens.launch.machine import Machine, admin_only, capable, driver, look

GOOD = Machine(
    ncu="/opt/ncu",
    ncu_version="2025.3.1.0",
    gpus=("NVIDIA H200",),
    driver_version="580.159.04",
    cuda_version="13.0",
    admin_only=False,
    uid=1000,
    packages={"ncu-report": "2025.3.1", "nvtx": "0.2", "cupy-cuda13x": "14.2", "pyarrow": "20"},
    temporary="/tmp",  # noqa: S108
    free_bytes=50 * GIB,
)


def changed(**facts):
    """Return the checks of a good machine with some facts changed, by name, that are not ok."""
    return {check.name: check for check in checks(replace(GOOD, **facts)) if check.status != "ok"}


def test_a_good_machine_can_profile():
    assert changed() == {}
    assert can_profile(checks(GOOD))


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"ncu": None, "ncu_version": None}, "ncu"),
        ({"gpus": (), "driver_version": None, "cuda_version": None}, "gpu"),
        ({"gpus": (), "cuda_version": None}, "gpu"),
        ({"admin_only": True}, "permission"),
        ({"admin_only": True, "uid": 0}, "permission"),
    ],
)
def test_what_stops_profiling_is_a_problem_with_a_remedy(facts, name):
    found = changed(**facts)
    assert found[name].status == "problem"
    assert found[name].remedy
    assert not can_profile(checks(replace(GOOD, **facts)))


def test_the_remedy_for_missing_permission_is_one_that_an_administrator_can_act_on():
    check = changed(admin_only=True)["permission"]
    assert "ERR_NVGPUCTRPERM" in check.found
    for word in ("NVreg_RestrictProfilingToAdminUsers=0", "/etc/modprobe.d", "--cap-add=SYS_ADMIN", "reload"):
        assert word in check.remedy
    assert changed(admin_only=True, uid=0, capable=True) == {}


@pytest.mark.parametrize(
    ("facts", "name", "words"),
    [
        ({"admin_only": None}, "permission", "does not say"),
        ({"cuda_version": "12.8", "packages": GOOD.packages | {}}, "versions", "CUDA 13"),
        ({"ncu_version": "2024.1.0.0"}, "versions", "CUDA 12"),
        ({"packages": GOOD.packages | {"ncu-report": "2025.2.9"}}, "ncu-report", "older than ncu"),
        ({"packages": {}}, "cupy", "absent"),
        ({"packages": {}}, "pyarrow", "Parquet"),
        ({"packages": {}}, "nvtx", "ranges"),
        ({"packages": {}}, "ncu-report", "absent"),
        ({"cuda_version": "12.8"}, "cupy", "newer driver"),
        ({"packages": GOOD.packages | {"cupy-cuda12x": "14"}}, "cupy", "together"),
        ({"free_bytes": GIB // 2}, "room", "0.5 GiB"),
        ({"free_bytes": None}, "room", "cannot be looked at"),
    ],
)
def test_what_only_hinders_is_a_warning(facts, name, words):
    found = changed(**facts)
    assert found[name].status == "warning"
    assert words in found[name].found
    assert found[name].remedy
    assert can_profile(checks(replace(GOOD, **facts)))


@pytest.mark.parametrize(
    ("version", "cuda"), [("2025.3.1.0", 13), ("2026.1.0", 13), ("2025.2.1", 12), ("2022.3.0", 11), (None, None)]
)
def test_the_cuda_that_a_release_came_with(version, cuda):
    assert shipped_cuda(version) == cuda


def test_facts_are_read_from_what_the_kernel_says():
    assert (
        driver("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n") == "580.159.04"
    )
    assert driver("") is None
    assert admin_only("A: 3\nRmProfilingAdminOnly: 1\n") is True
    assert admin_only("RmProfilingAdminOnly: 0\n") is False
    assert admin_only("nothing") is None
    assert capable("CapEff:\t000001fffeffffff\n") is True
    assert capable("CapEff:\t00000000a80425fb\n") is False
    assert capable("") is False


def test_looking_at_a_machine_without_anything_never_fails(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    machine = look(root=tmp_path)
    assert (machine.gpus, machine.driver_version, machine.admin_only, machine.capable) == ((), None, None, False)
    assert "ncu-report" in machine.packages


@pytest.fixture
def empty(monkeypatch, tmp_path):
    """A machine in which nothing is installed: its root."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("content", "mode", "found", "remedy"),
    [
        (b"#!/bin/sh\necho Version 2025.3.1.0\n", 0o644, "is not executable", "chmod +x"),
        (b"\x7fELF", 0o755, "cannot be started: Exec format error", "install Nsight Compute again"),
        (b"#!/nowhere/sh\n", 0o755, "cannot be started: No such file", "install Nsight Compute again"),
        (b"#!/bin/sh\necho no target >&2; exit 3\n", 0o755, "fails with exit code 3 when asked", "--ncu PATH"),
        (b"#!/bin/sh\necho 16.14.12\n", 0o755, "gives no version of Nsight Compute", "--ncu PATH"),
    ],
    ids=["mode", "format", "interpreter", "wrapper", "another program"],
)
def test_an_ncu_that_does_not_work_is_a_problem_that_says_why(empty, content, mode, found, remedy):
    path = empty / "bin" / "ncu"
    path.write_bytes(content)
    path.chmod(mode)
    for named in (None, str(path)):
        check = next(check for check in checks(look(named, empty)) if check.name == "ncu")
        assert check.status == "problem"
        assert f"{path}: {found}" in check.found
        assert "\n" not in check.found
        assert remedy in check.remedy


def test_what_a_broken_wrapper_says_is_quoted_with_its_control_characters_escaped(empty):
    path = empty / "bin" / "ncu"
    path.write_text("#!/bin/sh\nprintf '\\n\\033[31mno target\\nmore\\n' >&2; exit 3\n")
    path.chmod(0o755)
    assert look(root=empty).ncu_error.message.endswith(r"for its version: \x1b[31mno target")


def test_an_ncu_behind_a_broken_one_is_used_with_a_warning(empty):
    (empty / "bin" / "ncu").write_text("")
    stand_in(empty)
    toolkit = empty / "usr/local/cuda-13.0/bin"
    toolkit.mkdir(parents=True)
    (empty / "ncu").rename(toolkit / "ncu")
    check = next(check for check in checks(look(root=empty)) if check.name == "ncu")
    assert check.status == "warning"
    assert f"2025.3.1.0, {toolkit / 'ncu'}; passed over: {empty / 'bin' / 'ncu'}: is not executable" in check.found
    assert check.remedy


def test_the_command_takes_the_ncu_that_is_named(tmp_path, nsightlens):
    named = nsightlens("doctor", "--format", "json", "--ncu", stand_in(tmp_path), text=True)
    first = json.loads(named.stdout)["checks"][0]
    assert (first["status"], first["found"]) == ("ok", f"2025.3.1.0, {tmp_path / 'ncu'}")
    absent = nsightlens("doctor", "--format", "json", "--ncu", tmp_path / "no", text=True)
    assert absent.returncode == 4
    assert json.loads(absent.stdout)["checks"][0]["found"] == f"--ncu {tmp_path / 'no'}: no such program"


def stand_in(tmp_path):
    program = tmp_path / "ncu"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("stand_in_ncu.py")} "$@"\n')
    program.chmod(0o755)
    return program


def test_a_real_try_tells_what_ncu_said(tmp_path, monkeypatch):
    program = (sys.executable, "-c", "pass")
    assert try_out(stand_in(tmp_path), program).status == "ok"
    monkeypatch.setenv("STAND_IN", "permission")
    check = try_out(tmp_path / "ncu", program)
    assert check.status == "problem"
    assert "ERR_NVGPUCTRPERM" in check.found
    assert check.remedy


@pytest.mark.parametrize(("machine", "code"), [(GOOD, 0), (replace(GOOD, ncu=None), 4)])
def test_the_exit_code_and_the_document_say_whether_profiling_can_work(machine, code, monkeypatch):
    monkeypatch.setattr("nsightlens.apps.doctor.look", lambda _ncu: machine)
    result = CliRunner().invoke(cli, ["doctor", "--format", "json"])
    assert result.exit_code == code
    answer = json.loads(result.output)
    assert (answer["schema"], answer["can_profile"]) == ("nsightlens.doctor/1", code == 0)
    assert {check["status"] for check in answer["checks"]} <= {"ok", "warning", "problem"}
    text = CliRunner().invoke(cli, ["doctor"])
    assert text.exit_code == code
    assert ("cannot profile" in text.output) is (code == 4)
    assert max(map(len, text.output.splitlines())) <= 80


def test_a_try_that_cannot_be_made_says_so(monkeypatch):
    monkeypatch.setattr("nsightlens.apps.doctor.look", lambda _ncu: replace(GOOD, gpus=()))
    assert "not tried" in CliRunner().invoke(cli, ["doctor", "--try"]).output

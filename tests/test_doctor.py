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
    machine = look(tmp_path)
    assert (machine.gpus, machine.driver_version, machine.admin_only, machine.capable) == ((), None, None, False)
    assert "ncu-report" in machine.packages


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
    monkeypatch.setattr("nsightlens.apps.doctor.look", lambda: machine)
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
    monkeypatch.setattr("nsightlens.apps.doctor.look", lambda: replace(GOOD, gpus=()))
    assert "not tried" in CliRunner().invoke(cli, ["doctor", "--try"]).output

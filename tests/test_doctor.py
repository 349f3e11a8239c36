"""``nsightlens doctor``: from facts about a machine to checks; no GPU is needed."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from nsightlens.apps.doctor import can_profile, try_out
from nsightlens.cli import cli
from nsightlens.launch import smi
from nsightlens.launch.checks import GIB, checks
from nsightlens.launch.machine import Machine, look
from nsightlens.launch.proc import admin_only, capabilities, driver, user_namespace
from nsightlens.launch.versions import CAME_WITH, came_with
from nsightlens.report.checks import render_checks

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


@pytest.mark.parametrize(
    ("facts", "status", "words"),
    [
        ({"capabilities": {"CAP_SYS_ADMIN"}}, "ok", "this process has CAP_SYS_ADMIN"),
        ({"capabilities": {"CAP_PERFMON"}, "driver_version": "565.57.01"}, "ok", "this process has CAP_PERFMON"),
        (
            {"capabilities": {"CAP_PERFMON"}, "driver_version": "560.35.03"},
            "problem",
            "from driver 565 on, this is 560",
        ),
        ({"capabilities": {"CAP_PERFMON"}, "driver_version": None}, "warning", "driver 565"),
        ({"capabilities": {"CAP_SYS_ADMIN"}, "user_namespace": True}, "warning", "user namespace"),
        ({"capabilities": {"CAP_PERFMON"}, "user_namespace": True, "uid": 0}, "warning", "user namespace"),
        ({"user_namespace": True, "uid": 0}, "problem", "root without the capability"),
        ({"user_namespace": True, "admin_only": False}, "ok", "every user"),
    ],
)
def test_what_a_capability_proves(facts, status, words):
    machine = replace(GOOD, **({"admin_only": True} | facts))
    check = next(check for check in checks(machine) if check.name == "permission")
    assert (check.status, check.remedy is None) == (status, status == "ok")
    assert words in check.found


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
    ("release", "bounds"),
    [
        ("2025.3.1.0", ((13, 0), (13, 0))),
        ("2022.3.0", ((11, 8), (11, 8))),
        ("2024.4.0", ((12, 6), (12, 8))),
        ("2019.5.0", (None, min(CAME_WITH.values()))),
        ("2099.1.0", (max(CAME_WITH.values()), None)),
    ],
)
def test_the_cuda_that_a_release_came_with_has_bounds_where_it_is_not_known(release, bounds):
    assert came_with(release) == bounds


def test_later_releases_come_with_later_cuda():
    assert list(CAME_WITH) == sorted(CAME_WITH)
    assert list(CAME_WITH.values()) == sorted(CAME_WITH.values())


@pytest.mark.parametrize(
    ("release", "cuda", "words"),
    [
        ("2099.1.0", "12.9", "or later, the driver runs CUDA 12.9"),
        ("2099.1.0", "99.0", None),
        ("2019.5.0", "12.0", "a CUDA before 11.4"),
        ("2019.5.0", "10.2", None),
        ("2024.4.0", "13.0", "a CUDA from 12.6 to 12.8"),
        ("2025.1.0", "12.9", None),
        ("2025.2.0", "12.8", None),
    ],
)
def test_a_release_is_only_called_too_old_or_new_where_that_is_known(release, cuda, words):
    check = changed(ncu_version=release, cuda_version=cuda).get("versions")
    assert (check is None) == (words is None)
    assert words is None or words in check.found


def test_facts_are_read_from_what_the_kernel_says():
    assert (
        driver("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n") == "580.159.04"
    )
    assert driver("") is None
    assert admin_only("A: 3\nRmProfilingAdminOnly: 1\n") is True
    assert admin_only("RmProfilingAdminOnly: 0\n") is False
    assert admin_only("nothing") is None
    assert capabilities("CapEff:\t000001fffeffffff\n") == {"CAP_SYS_ADMIN", "CAP_PERFMON"}
    assert capabilities("CapPrm:\t000001ffffffffff\nCapEff:\t0000004000000000\n") == {"CAP_PERFMON"}
    assert capabilities("CapEff:\t00000000a80425fb\n") == set()
    assert capabilities("") == set()


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (None, False),
        ("         0          0 4294967295\n", False),
        ("", True),
        ("         0       1000          1\n", True),
        ("0 0 4294967294\n4294967294 100000 1\n", True),
    ],
)
def test_users_of_a_namespace_are_told_from_those_of_the_host(tmp_path, text, inside):
    if text is not None:
        (tmp_path / "uid_map").write_text(text)
    assert user_namespace(tmp_path / "uid_map") is inside


def test_looking_at_a_machine_without_anything_never_fails(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    machine = look(root=tmp_path)
    assert (machine.gpus, machine.driver_version, machine.admin_only) == ((), None, None)
    assert (machine.capabilities, machine.user_namespace, machine.devices) == (frozenset(), False, ())
    assert machine.smi_silence == "nvidia-smi is absent"
    assert "ncu-report" in machine.packages


@pytest.fixture
def empty(monkeypatch, tmp_path):
    """A machine in which nothing is installed: its root."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    return tmp_path


NVRM = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n"


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def gpu_of(root):
    return next(check for check in checks(look(root=root)) if check.name == "gpu")


def test_without_nvidia_smi_a_driver_or_a_device_leaves_open_what_gpu_there_is(empty):
    assert gpu_of(empty).status == "problem"
    assert "nvidia-smi is absent, and no driver is loaded" in gpu_of(empty).found
    (empty / "dev").mkdir()
    (empty / "dev/nvidiactl").touch()
    assert gpu_of(empty).status == "problem"
    (empty / "dev/nvidia0").touch()
    assert gpu_of(empty).status == "warning"
    assert "nvidia-smi is absent, so what GPU there is stays unknown; found: /dev/nvidia0" in gpu_of(empty).found
    version = empty / "proc/driver/nvidia/version"
    version.parent.mkdir(parents=True)
    version.write_text(NVRM)
    assert "found: driver 580.159.04 is loaded and /dev/nvidia0" in gpu_of(empty).found
    assert gpu_of(empty).remedy


def test_an_nvidia_smi_that_does_not_run_is_no_absent_gpu(empty, monkeypatch):
    (empty / "dev").mkdir()
    (empty / "dev/nvidia0").touch()
    (empty / "bin/nvidia-smi").write_bytes(b"\x7fELF")
    (empty / "bin/nvidia-smi").chmod(0o755)
    assert (gpu_of(empty).status, "cannot be started: Exec format" in gpu_of(empty).found) == ("warning", True)
    script(empty / "bin/nvidia-smi", "exec /bin/sleep 30")
    monkeypatch.setattr(smi, "TIMEOUT_S", 0.1)
    assert (gpu_of(empty).status, "no answer within 0.1 s" in gpu_of(empty).found) == ("warning", True)


def test_what_nvidia_smi_says_instead_of_gpus_is_quoted(empty):
    (empty / "dev").mkdir()
    (empty / "dev/nvidia0").touch()
    script(empty / "bin/nvidia-smi", "echo No devices were found; exit 6")
    check = gpu_of(empty)
    assert check.status == "problem"
    assert "/dev/nvidia0; but nvidia-smi lists no GPU: No devices were found" in check.found


@pytest.mark.parametrize(
    "head", ["Driver Version: 580.1   CUDA Version: 13.0", "KMD Version: 610.1  CUDA UMD Version: 13.0"]
)
def test_gpus_and_the_cuda_of_the_driver_are_read_from_nvidia_smi_old_and_new(empty, head):
    script(empty / "bin/nvidia-smi", f'[ "$1" ] && echo "NVIDIA H200, 580.1" || echo "| {head} |"')
    assert gpu_of(empty).found == "NVIDIA H200; driver 580.1, CUDA up to 13.0"


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
    monkeypatch.setattr("nsightlens.apps.doctor.look", lambda _ncu: replace(GOOD, gpus=(), packages={}))
    assert "not tried: see gpu, cupy above" in CliRunner().invoke(cli, ["doctor", "--try"]).output


def test_a_try_is_made_where_only_nvidia_smi_is_absent(tmp_path, monkeypatch):
    machine = replace(GOOD, ncu=str(stand_in(tmp_path)), gpus=(), smi_silence="nvidia-smi is absent", admin_only=None)
    monkeypatch.setattr("nsightlens.apps.doctor.look", lambda _ncu: machine)
    monkeypatch.setattr("nsightlens.apps.doctor.PROGRAM", (sys.executable, "-c", "pass"))
    result = CliRunner().invoke(cli, ["doctor", "--try"])
    assert "a kernel was profiled\n\nThis machine can profile." in result.output
    assert "doctor --try" not in result.output


def test_the_advice_to_try_is_not_given_by_a_try(monkeypatch):
    monkeypatch.setattr("nsightlens.apps.doctor.look", lambda _ncu: replace(GOOD, admin_only=None, packages={}))
    assert "-> nsightlens doctor --try" in CliRunner().invoke(cli, ["doctor"]).output
    tried = CliRunner().invoke(cli, ["doctor", "--try"]).output
    assert "doctor --try" not in tried
    assert "-> see try below" in tried


def test_a_try_that_takes_too_long_is_called_a_timeout_and_no_problem(tmp_path, monkeypatch):
    monkeypatch.setenv("STAND_IN", "sleep")
    check = try_out(stand_in(tmp_path), ("true",), timeout_s=0.2)
    assert (check.name, check.status) == ("try", "warning")
    assert check.found.startswith("timeout: not done after 0.2 s")
    assert "nvidia-smi" in check.remedy
    assert "see the warnings above" in render_checks([check], can_profile=True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_during_the_try_ends_doctor_as_it_ends_other_commands(empty, number, code):
    package = empty / "packages" / "cupy_cuda13x-14.2.dist-info" / "METADATA"
    package.parent.mkdir(parents=True)
    package.write_text("Metadata-Version: 2.1\nName: cupy-cuda13x\nVersion: 14.2\n")
    script(empty / "bin/nvidia-smi", 'echo "NVIDIA H200, 580.1"')
    found = os.pathsep.join([str(package.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    doctor = subprocess.Popen(
        [sys.executable, "-m", "nsightlens", "doctor", "--try", "--ncu", stand_in(empty)],
        env=os.environ | {"STAND_IN": "sleep", "PYTHONPATH": found},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert doctor.stderr.readline() == "profiling\n"
    doctor.send_signal(number)
    out, _ = doctor.communicate(timeout=60)
    assert (doctor.returncode, out) == (code, "")

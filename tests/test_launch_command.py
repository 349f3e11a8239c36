"""The command line of ncu, and where ncu is looked for."""

from pathlib import Path

import pytest

from nsightlens.errors import ProfilerError
from nsightlens.launch import Request, command_line, find_ncu, option_value, select
from nsightlens.launch.find import ncu_version


def build(*extra, command=("python", "x.py", "--metrics", "mine"), report="r.ncu-rep"):
    request = Request(command, ("a.sum", "regex:^b_.*"), extra)
    return command_line(Path("/opt/ncu"), request, report=Path(report), log=Path("n.log"))


def test_clocks_stay_as_they_are_and_the_program_comes_last_untouched():
    arguments = build()
    assert arguments[0] == "/opt/ncu"
    assert option_value(arguments, "--clock-control", "") == "none"
    assert option_value(arguments, "--import-sass", "") == "no"
    assert option_value(arguments, "--target-processes", "") == "all"
    assert option_value(arguments, "--metrics", "") == "a.sum,regex:^b_.*"
    assert "--nvtx" in arguments
    assert arguments[-4:] == ["python", "x.py", "--metrics", "mine"]


@pytest.mark.parametrize("extra", [("--clock-control", "base"), ("--clock-control=base",)])
def test_an_option_of_the_caller_replaces_ours(extra):
    arguments = build(*extra)
    assert sum(argument.startswith("--clock-control") for argument in arguments) == 1
    assert option_value(arguments, "--clock-control", "") == "base"


def test_the_name_of_the_report_is_taken_literally():
    assert option_value(build(report="run%p.ncu-rep"), "--export", "") == "run%%p.ncu-rep"


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ("scale", "scale/"),
        ("nsightlens@scale", "nsightlens@scale/"),
        ("regex:nsightlens@scale[0-9]", "regex:nsightlens@scale[0-9]/"),
        ("nsightlens@scale/", "nsightlens@scale/"),
        ("train/*/attn", "train/*/attn"),
        ("[train", "[train"),
        ("a,b", "a,b"),
        ("scale/", "scale/"),
        ("mix/step 3/layer 1", "mix@step 3/layer 1/"),
        ("/outer/inner", "outer/inner/"),
        ("mix/step", "mix@step/"),
        ("mix/a%2Fb", r"mix@a\/b/"),
        ("mix/a[0],b@c+*", r"mix@a\[0\]\,b\@c\+\*/"),
        ("mix/a[0]", r"mix@a\[0\]/"),
        ("nsightlens@a/b/", "nsightlens@a/b/"),
        ("a/b]", "a/b]"),
    ],
)
def test_a_single_range_name_selects_push_pop_ranges(given, passed):
    assert select(nvtx=[given]) == ("--nvtx-include", passed)


def test_every_selection_reaches_ncu():
    assert select(kernel="scale", launch_skip=0, launch_count=2) == (
        "--kernel-name",
        "regex:scale",
        "--launch-skip",
        "0",
        "--launch-count",
        "2",
    )


def executable(path):
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\necho Version 2025.3.1.0\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """An environment in which no ncu is found."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    return tmp_path


def test_path_comes_first_then_cuda_home_then_the_newest_installation(bare, monkeypatch):
    toolkit = executable(bare / "usr/local/cuda-13.0/bin/ncu")
    assert find_ncu(root=bare).path == toolkit
    executable(bare / "opt/nvidia/nsight-compute/2024.3.2/ncu")
    newest = executable(bare / "opt/nvidia/nsight-compute/2025.10.0/ncu")
    executable(bare / "opt/nvidia/nsight-compute/2025.9.1/ncu")
    assert find_ncu(root=bare).path == newest
    home = executable(bare / "cuda/bin/ncu")
    monkeypatch.setenv("CUDA_HOME", str(bare / "cuda"))
    assert find_ncu(root=bare).path == home
    first = executable(bare / "bin/ncu")
    monkeypatch.setenv("PATH", str(bare / "bin"))
    assert find_ncu(root=bare).path == first


def test_what_does_not_start_is_passed_over_and_named(bare, monkeypatch):
    locked = executable(bare / "first/ncu")
    locked.chmod(0o644)
    failing = executable(bare / "second/ncu")
    failing.write_text("#!/bin/sh\nexit 1\n")
    home = executable(bare / "cuda/bin/ncu")
    home.write_text("#!/nowhere\n")
    monkeypatch.setenv("PATH", f"{locked.parent}:{failing.parent}")
    monkeypatch.setenv("CUDA_HOME", str(bare / "cuda"))
    with pytest.raises(ProfilerError, match=rf"{locked}: is not executable \(chmod \+x {locked}\)"):
        find_ncu(root=bare)
    toolkit = executable(bare / "usr/local/cuda-13.0/bin/ncu")
    (bare / "usr/local/cuda").symlink_to("cuda-13.0")
    found = find_ncu(root=bare)
    assert found.path.samefile(toolkit)
    assert found.version == "2025.3.1.0"
    assert [line.split(": ", 1)[0] for line in found.passed_over] == [str(locked), str(failing), str(home)]


def test_a_broken_ncu_that_links_reach_twice_is_named_once(bare):
    executable(bare / "usr/local/cuda-13.0/bin/ncu").chmod(0o644)
    (bare / "usr/local/cuda").symlink_to("cuda-13.0")
    good = executable(bare / "usr/local/cuda-12.9/bin/ncu")
    found = find_ncu(root=bare)
    assert (found.path, len(found.passed_over)) == (good, 1)


def test_an_explicit_ncu_must_exist(bare):
    with pytest.raises(ProfilerError, match="--ncu nowhere"):
        find_ncu("nowhere", root=bare)


def test_an_explicit_ncu_that_does_not_start_is_said_so_although_another_would(bare):
    executable(bare / "usr/local/cuda-13.0/bin/ncu")
    broken = executable(bare / "mine/ncu")
    broken.write_text("#!/bin/sh\nexit 7\n")
    with pytest.raises(ProfilerError, match=f"{broken}: fails with exit code 7"):
        find_ncu(str(broken), root=bare)
    broken.chmod(0o644)
    with pytest.raises(ProfilerError, match=f"--ncu {broken}: is not executable"):
        find_ncu(str(broken), root=bare)
    with pytest.raises(ProfilerError, match=f"--ncu {broken.parent}: is a folder .--ncu {broken}"):
        find_ncu(str(broken.parent), root=bare)


def test_version(bare):
    assert ncu_version(executable(bare / "x/ncu")) == "2025.3.1.0"


def test_an_ncu_that_does_not_start_is_an_error(bare):
    broken = bare / "ncu"
    broken.write_bytes(b"\x7fELF broken")
    broken.chmod(0o755)
    with pytest.raises(ProfilerError, match="cannot be started"):
        ncu_version(broken)

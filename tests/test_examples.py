"""The examples: without a GPU that they start and say what is missing, with one that they run and are right."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py") if path.name != "common.py")
PACKAGES = {"torch_step.py": "torch", "triton_softmax.py": "torch"}
BLOCKED = "import sys\nfor name in ('cupy', 'torch', 'triton'):\n    sys.modules[name] = None\n"
CUDA_CPP = EXAMPLES / "cuda_cpp" / "transpose.cu"
NOTEBOOK = EXAMPLES / "notebook.ipynb"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, check=False, text=True, **options)


@pytest.fixture
def without_packages(tmp_path):
    """Return an environment in which no GPU package can be imported, also in processes that a program starts."""
    (tmp_path / "sitecustomize.py").write_text(BLOCKED, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def test_there_is_an_example_of_each():
    assert {"mix.py", "scale.py", "torch_step.py", "triton_softmax.py", "two_processes.py"} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_needs_no_package(name, without_packages):
    done = run(sys.executable, EXAMPLES / name, "--help", env=without_packages)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: {name}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_missing_package_is_one_line_and_exit_code_2(name, without_packages):
    done = run(sys.executable, EXAMPLES / name, env=without_packages)
    assert (done.returncode, done.stdout) == (2, "")
    lines = set(done.stderr.splitlines())
    assert len(lines) == 1
    (line,) = lines
    assert line.startswith(f"{name}: {PACKAGES.get(name, 'CuPy')} cannot be imported: ")
    assert "pip install" in line


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_head_says_how_to_run_it(name):
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert f"\npython examples/{name}\nnsightlens profile -- python examples/{name}\n" in text


def compile_cuda(folder, *options):
    """Compile as the head of the file says; return the program."""
    (line,) = [line for line in CUDA_CPP.read_text(encoding="utf-8").splitlines() if line.startswith("//   nvcc")]
    words = line.removeprefix("//   ").split()
    words[words.index("-o") + 1] = str(folder / "transpose")
    arch = words.index("-arch=native")
    words[arch : arch + 1] = options or ("-arch=native",)
    done = run(*words, cwd=EXAMPLES.parent)
    assert done.returncode == 0, done.stderr
    return folder / "transpose"


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_the_cuda_program_compiles_and_says_how_to_call_it(tmp_path):
    program = compile_cuda(tmp_path, "-arch=sm_90", "-Werror", "all-warnings")
    assert run(program, "--help").stdout.startswith("usage: transpose")
    assert run(program, "unknown").returncode == 2
    without = run(program, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    assert (without.returncode, without.stderr.count("\n")) == (2, 1)
    assert "no usable CUDA device" in without.stderr


def cells():
    book = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4
    assert all(cell["outputs"] == [] for cell in book["cells"] if cell["cell_type"] == "code")
    return [
        ("".join(cell["source"]), cell["metadata"].get("tags", []))
        for cell in book["cells"]
        if cell["cell_type"] == "code"
    ]


def shown(source, names):
    """Run a cell and return the value of its last line, as a notebook shows it."""
    *body, last = source.splitlines()
    exec(compile("\n".join(body), str(NOTEBOOK), "exec"), names)  # noqa: S102
    return eval(compile(last, str(NOTEBOOK), "eval"), names)  # noqa: S307


def test_the_cells_of_the_notebook_that_need_no_gpu_run(data, raw_of):
    first, *rest = cells()
    names = {}
    exec(first[0], names)  # noqa: S102
    assert {"REPORT", "SCRIPT"} <= set(names)
    assert (EXAMPLES / names["SCRIPT"]).is_file()
    names["REPORT"] = str(data / "h200_scale.ncu-rep.xz")
    results = [shown(source, names) for source, tags in rest if "gpu" not in tags]
    report, analysis, frame, losses = results
    assert "<table>" in report._repr_html_()
    assert "scale" in analysis._repr_html_()
    expected = [launch["counters"]["gpu__time_duration.sum"] * 1e-9 for launch in raw_of("h200_scale")]
    assert isinstance(frame, pd.DataFrame)
    np.testing.assert_allclose(frame["time_s"], expected)
    np.testing.assert_allclose(losses.drop(columns="time_s").sum(axis=1), expected)


def test_the_cell_that_profiles_is_valid_and_starts_the_command(monkeypatch, capsys):
    (source,) = [source for source, tags in cells() if tags == ["gpu"]]
    asked = []

    def instead(command, **options):
        asked.append((command, options))
        return subprocess.CompletedProcess(command, 0, "table", "")

    monkeypatch.setattr(subprocess, "run", instead)
    exec(source, {"REPORT": "r.ncu-rep", "SCRIPT": "s.py"})  # noqa: S102
    ((command, _),) = asked
    assert command[1:4] == ["-m", "nsightlens", "profile"]
    assert command[-2:] == [sys.executable, "s.py"]
    assert capsys.readouterr().out == "table\n"


@pytest.mark.gpu
@pytest.mark.parametrize("name", PROGRAMS)
def test_examples_are_right_on_a_gpu(name):
    done = run(sys.executable, EXAMPLES / name)
    assert done.returncode == 0, done.stderr
    assert "correct" in done.stdout or "as on the CPU" in done.stdout


@pytest.mark.gpu
def test_the_cuda_program_is_right_on_a_gpu(tmp_path):
    done = run(compile_cuda(tmp_path))
    assert (done.returncode, done.stdout) == (0, "transpose: 4 launches, results correct\n"), done.stderr


RANGES = {
    "torch_step.py": {f"nsightlens/train/step {n}/{part}" for n in (0, 1) for part in ("forward", "backward")},
    "triton_softmax.py": {"nsightlens/add", "nsightlens/sweep/softmax"},
    "two_processes.py": {"nsightlens/rank 0/scale", "nsightlens/rank 1/scale"},
}


@pytest.mark.gpu
@pytest.mark.parametrize("name", RANGES)
def test_a_profile_of_the_example_has_its_ranges(name, nsightlens, tmp_path):
    report = tmp_path / "r.ncu-rep"
    done = nsightlens(
        "profile", "--report", report, "--format", "json", "--", sys.executable, EXAMPLES / name, text=True
    )
    assert done.returncode == 0, done.stderr
    assert {total["nvtx"] for total in json.loads(done.stdout)["ranges"]} >= RANGES[name]

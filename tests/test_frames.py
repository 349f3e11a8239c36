"""The frame of launches is the same wherever it is written, and docs/frames.md describes it."""

import io
import json
import os
import pty
import runpy
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import nsightlens
from nsightlens import schema

DOCS = Path(__file__).parent.parent / "docs"
PLAIN = ["nvtx", "declared", "payload", "grid", "block"]


@pytest.fixture(scope="module")
def path(data):
    return data / "scale_full.ncu-rep.xz"


@pytest.fixture(scope="module")
def loaded(report_of):
    return report_of("scale_full").launches


def as_json(value):
    return None if value is None else json.loads(json.dumps(value))


def require_loaded(frame, loaded):
    """Compare a frame that was read from a file with the one that was loaded."""
    assert list(frame.columns) == list(loaded.columns)
    plain = [name for name in loaded.columns if name not in PLAIN]
    pd.testing.assert_frame_equal(frame[plain], loaded[plain])
    for name in PLAIN:
        read = [None if pd.isna(text) else json.loads(text) for text in frame[name]]
        assert read == [as_json(value) for value in loaded[name]], name


def test_parquet_is_the_loaded_frame_with_units(nsightlens, tmp_path, path, loaded):
    done = nsightlens("launches", path, "-o", tmp_path / "a.parquet")
    assert done.returncode == 0, done.stderr
    require_loaded(pd.read_parquet(tmp_path / "a.parquet"), loaded)
    for field in pq.read_schema(tmp_path / "a.parquet"):
        column = schema.launch_columns(loaded.columns)[field.name]
        assert field.metadata[b"unit"].decode() == column.unit
        assert field.metadata[b"description"].decode() == column.doc


def test_csv_is_the_loaded_frame(nsightlens, path, loaded):
    done = nsightlens("launches", path, "--format", "csv")
    assert done.returncode == 0, done.stderr
    dtypes = {name: "string" if name in PLAIN else str(dtype) for name, dtype in loaded.dtypes.items()}
    frame = pd.read_csv(io.BytesIO(done.stdout), dtype=dtypes)
    require_loaded(frame, loaded)


def test_json_is_the_loaded_frame(nsightlens, path, loaded):
    document = json.loads(nsightlens("launches", path, "--format", "json").stdout)
    assert document["schema"] == "nsightlens.launches/1"
    assert list(document["columns"]) == list(loaded.columns)
    assert [row["time_s"] for row in document["launches"]] == loaded["time_s"].tolist()
    assert [row["grid"] for row in document["launches"]] == [list(grid) for grid in loaded["grid"]]


def test_the_analysis_adds_its_findings_and_they_sum_up(path, loaded):
    frame = nsightlens.analyze(str(path)).frame()
    assert list(frame.columns) == [*loaded.columns, *schema.finding_columns()]
    losses = frame[[name for name in frame if name.startswith("loss_")]].sum(axis=1)
    total = frame["ideal_s"] + losses + frame["unexplained_s"]
    assert total.to_numpy() == pytest.approx(frame["time_s"].to_numpy(), rel=1e-9)
    for name, column in schema.finding_columns().items():
        assert frame[name].dtype == column.dtype, name


def test_several_reports_are_told_apart(nsightlens, data, path):
    other = data / "range_replay.ncu-rep.xz"
    done = nsightlens("launches", path, other, "--format", "csv")
    frame = pd.read_csv(io.BytesIO(done.stdout))
    assert list(frame.columns[:3]) == ["report", "path", "launch"]
    assert dict(zip(frame["report"], frame["path"], strict=True)) == {0: str(path), 1: str(other)}
    listed = nsightlens("launches", path, other).stdout.decode()
    assert [line.split()[0] for line in listed.splitlines() if line.split()[0].startswith(("0:", "1:"))][:2] == [
        "0:0",
        "0:1",
    ]


@pytest.mark.parametrize("command", ["analyze", "launches"])
def test_a_selection_holds_for_frames(nsightlens, path, loaded, command):
    done = nsightlens(command, path, "--kernel", "fma", "--top", "2", "--format", "csv")
    frame = pd.read_csv(io.BytesIO(done.stdout))
    expected = loaded[loaded["name"].str.contains("fma")].nlargest(2, "time_s")["launch"]
    assert frame["launch"].tolist() == expected.tolist()


def test_the_page_is_what_the_schema_says():
    made = runpy.run_path(str(DOCS / "make_frames.py"))["page"]()
    assert (DOCS / "frames.md").read_text(encoding="utf-8") == made, "make docs"


def test_the_page_names_every_column(report_of):
    text = (DOCS / "frames.md").read_text(encoding="utf-8")
    for frame in (report_of("scale_full").launches, report_of("scale_full").metrics):
        for name in frame.columns:
            assert f"| `{name}` |" in text or name.startswith(("stall_", "tensor_")), name


def test_without_pyarrow_one_line_says_what_to_install(tmp_path, path):
    program = "import sys; sys.modules['pyarrow'] = None; from nsightlens.cli import main; main(sys.argv[1:])"
    for more in (["-o", tmp_path / "a.parquet"], ["--format", "parquet"]):
        done = subprocess.run([sys.executable, "-c", program, "analyze", path, *more], capture_output=True, check=False)
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
        assert b"pip install pyarrow" in done.stderr
    program = program.replace("sys.modules['pyarrow']", "sys.modules['pyarrow.parquet'] = sys.modules['pyarrow']")
    done = subprocess.run(
        [sys.executable, "-c", program, "launches", path, "--format", "csv"], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_parquet_is_not_for_a_terminal(path):
    terminal, inner = pty.openpty()
    command = [sys.executable, "-m", "nsightlens", "analyze", path, "--format", "parquet"]
    done = subprocess.run(command, stdout=inner, stderr=subprocess.PIPE, check=False)
    os.close(inner)
    os.close(terminal)
    assert done.returncode == 2
    assert b"-o" in done.stderr
    assert done.stderr.count(b"\n") == 1

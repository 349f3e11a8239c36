"""The commands ``bench`` and ``ceilings`` on recorded results, the pages made of these, and what the records show."""

import importlib.util
import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from nsightlens import analyze
from nsightlens.apps.bench import losses
from nsightlens.cli import cli
from nsightlens.errors import ReportError, UsageError
from nsightlens.kernels import cupy_launch
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.timing import timing
from nsightlens.measured import find_ceilings

ROOT = Path(__file__).parent.parent
DATA = ROOT / "docs" / "measurements" / "data"
SHIPPED = ROOT / "nsightlens" / "data" / "ceilings" / "h200.json"
RECORDED = {
    "scale": DATA / "scale.json",
    "overlap": DATA / "overlap.json",
    "co_issue": DATA / "co_issue.json",
    "losses": DATA / "loss_pairs.json",
    "ceilings": SHIPPED,
}


@pytest.fixture(autouse=True)
def shipped_ceilings(monkeypatch):
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", str(SHIPPED))
    find_ceilings.cache_clear()
    yield
    find_ceilings.cache_clear()


def invoke(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def recorded(suite):
    return json.loads(RECORDED[suite].read_text())


@pytest.mark.parametrize("suite", RECORDED)
def test_a_recorded_result_is_shown_without_a_gpu(suite):
    result = invoke("bench", suite, "--from", RECORDED[suite])
    assert result.exit_code == 0, result.output
    assert "NVIDIA H200" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    again = json.loads(invoke("bench", suite, "--from", RECORDED[suite], "--format", "json").stdout)
    again.pop("verdict", None)
    assert again == recorded(suite)


def test_ceilings_is_a_command_of_its_own():
    assert invoke("ceilings", "--from", SHIPPED).stdout == invoke("bench", "ceilings", "--from", SHIPPED).stdout


@pytest.mark.parametrize("suite", RECORDED)
def test_without_cupy_there_is_one_line(suite, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    cupy_launch.load_cupy.cache_clear()
    assert isinstance(invoke("bench", suite).exception, UsageError)
    cupy_launch.load_cupy.cache_clear()


def test_what_is_no_result_is_refused(tmp_path):
    for text in ("", "[]", '{"schema": "nsightlens.overlap/1"}'):
        (tmp_path / "x.json").write_text(text)
        assert isinstance(invoke("bench", "scale", "--from", tmp_path / "x.json").exception, ReportError)
    assert isinstance(invoke("bench", "scale", "--from", tmp_path / "no.json").exception, UsageError)


def test_results_and_figures_are_not_overwritten_unasked(tmp_path):
    out, figure = tmp_path / "s.json", tmp_path / "s.png"
    asked = ("bench", "scale", "--from", RECORDED["scale"], "-o", out, "--figure", figure)
    assert invoke(*asked).exit_code == 0
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert isinstance(invoke(*asked).exception, UsageError)
    assert invoke(*asked, "--force").exit_code == 0


def test_the_pages_are_what_the_records_say():
    spec = importlib.util.spec_from_file_location("make_bench", ROOT / "docs" / "make_bench.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    for name in make.PAGES:
        assert (ROOT / "docs" / "measurements" / f"{name}.md").read_text(encoding="utf-8") == make.page(name), name


def rates(elements):
    return {row["variant"]: row["bytes_per_s"] for row in recorded("scale")["rows"] if row["elements"] == elements}


def test_scale_is_as_fast_as_a_copy_and_coalesced_tensor_cores_are_near():
    found = rates(max(row["elements"] for row in recorded("scale")["rows"]))
    assert found["CUDA cores"] >= 0.97 * found["best copy"]
    for rows in ("m8n8k4", "m16n8k4"):
        assert found[f"tensor {rows}, coalesced"] >= 0.95 * found["CUDA cores"]


VARIANTS = {
    "CUDA cores": ("scale", {}),
    "tensor m8n8k4, published": ("scale_tensor", {"published": 1, "rows": 8}),
    "tensor m8n8k4, coalesced": ("scale_tensor", {"published": 0, "rows": 8}),
    "tensor m16n8k4, published": ("scale_tensor", {"published": 1, "rows": 16}),
    "tensor m16n8k4, coalesced": ("scale_tensor", {"published": 0, "rows": 16}),
}


def test_counted_work_is_the_catalogues_and_traffic_is_within_three_percent():
    launches = analyze(ROOT / "docs" / "measurements" / "reports" / "scale.ncu-rep.xz").launches
    assert {launch.nvtx[0].split("/", 2)[-1] for launch in launches} == set(VARIANTS)
    for launch in launches:
        name, given = VARIANTS[launch.nvtx[0].split("/", 2)[-1]]
        work = workload(name, n=launch.declared.payload, **given)
        assert work.dram_bytes > 20 * 60e6
        assert launch.work.fp64_flop == work.flop["fp64"]
        assert launch.work.tensor_flop["fp64"] == work.flop.get("tensor_fp64", 0)
        assert launch.traffic_bytes.dram == pytest.approx(work.dram_bytes, rel=0.03)


def test_a_tunable_double_buffer_hides_more_the_more_is_fetched_ahead():
    rows = [row for row in recorded("overlap")["rows"] if row["family"] == "pipelined"]
    for kernel in {(row["kind"], row["steps"]) for row in rows}:
        found = sorted((row["ahead"], row["overlap"]) for row in rows if (row["kind"], row["steps"]) == kernel)
        assert [ahead for ahead, _ in found] == [0, 1, 2, 3, 4]
        assert all(before < after for (_, before), (_, after) in pairwise(found))
        assert found[-1][1] - found[0][1] > 0.4


def test_fp64_units_take_turns():
    result = recorded("co_issue")
    for row in result["rows"]:
        fma, mma, both = (row[name] - result["launch_s"] for name in ("fma_s", "mma_s", "both_s"))
        hidden = (fma + mma - both) / min(fma, mma)
        assert row["together"] == pytest.approx(hidden)
        assert (hidden < 0.05) == (row["bits"] == 64)


def test_truth_is_the_share_that_goes_with_one_defect():
    both, one, none = (timing([seconds] * 5) for seconds in (4.0, 3.0, 1.0))
    a, b = frozenset({"a"}), frozenset({"b"})
    times = {frozenset(): none, a: one, b: timing([2.0] * 5), a | b: both}
    less = pytest.approx(1 - 0.5 / 2.5)
    assert losses.truth(a, times, 0.5) == {"a": {"share": pytest.approx(2 / 3), "error": 0, "share_less_launch": less}}
    two = losses.truth(a | b, times, 0.5)
    assert (two["a"]["share"], two["b"]["share"]) == (pytest.approx(1 - 2 / 4), pytest.approx(1 - 3 / 4))
    assert two["b"]["share_less_launch"] == pytest.approx(1 - 2.5 / 3.5)

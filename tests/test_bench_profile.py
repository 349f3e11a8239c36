"""``bench SUITE --profile`` through a stand-in for ncu, and counters of recorded reports beside recorded times."""

import json
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from nsightlens.apps.bench import launch
from nsightlens.cli import cli
from nsightlens.data import metric_set
from nsightlens.errors import NsightlensError, ProfilerError, UsageError
from nsightlens.kernels import cupy_launch

HERE = Path(__file__).parent
MEASUREMENTS = HERE.parent / "docs" / "measurements"
RECORDED = {
    "scale": MEASUREMENTS / "data" / "scale.json",
    "overlap": MEASUREMENTS / "data" / "overlap.json",
    "losses": MEASUREMENTS / "data" / "loss_pairs.json",
}
REPORTS = {
    "scale": MEASUREMENTS / "reports" / "scale.ncu-rep.xz",
    "overlap": MEASUREMENTS / "reports" / "overlap.ncu-rep.xz",
    "losses": MEASUREMENTS / "reports" / "loss_pairs_b.ncu-rep.xz",
}
ELEMENTS = 2**27 + 1


def invoke(suite, *options):
    asked = ["bench", suite, "--from", RECORDED[suite], *options]
    return CliRunner().invoke(cli, [str(one) for one in asked])


@cache
def with_counters(suite):
    """Return the recorded result of a suite with the counters of its report (of some loss pairs)."""
    some = ("--only", "^(parts|sweeps)_") if suite == "losses" else ()
    result = invoke(suite, "--counters", REPORTS[suite], "--format", "json", *some)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def rows(suite):
    return {row["label"]: row for row in with_counters(suite)["counters"]}


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """The stand-in, which leaves the recorded report of SCALE; a program that succeeds; a CuPy that is there."""
    path = tmp_path / "bin" / "ncu"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "stand_in_ncu.py"} "$@"\n')
    path.chmod(0o755)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("STAND_IN_REPORT", str(REPORTS["scale"]))
    monkeypatch.setenv("STAND_IN_ARGUMENTS", str(tmp_path / "arguments"))
    monkeypatch.setattr("nsightlens.apps.bench.counters.sys", SimpleNamespace(executable="true"))
    monkeypatch.setattr(cupy_launch, "load_cupy", lambda: None)
    return path


def test_the_kernels_of_the_suite_run_under_ncu_and_their_counters_are_kept(ncu, tmp_path):
    result = invoke("scale", "--profile", "--ncu", ncu, "--report", "r", "-o", "s.json")
    assert result.exit_code == 0, result.output
    arguments = json.loads((tmp_path / "arguments").read_text())
    assert arguments[-4:] == ["true", "-m", "nsightlens.apps.bench.launch", "scale"]
    asked = arguments[arguments.index("--metrics") + 1].split(",")
    assert set(metric_set("overview")) < set(asked)
    assert "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" in asked
    assert "report kept in r.ncu-rep" in result.stderr
    assert json.loads(Path("s.json").read_text())["counters"] == list(rows("scale").values())
    assert "by counters" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert CliRunner().invoke(cli, ["bench", "scale", "--from", "s.json"]).stdout == result.stdout


def test_when_ncu_fails_the_times_are_shown_and_kept_all_the_same(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN", "permission")
    result = invoke("scale", "--profile", "--ncu", ncu, "-o", "s.json")
    assert isinstance(result.exception, ProfilerError)
    assert "may not read the performance counters" in str(result.exception)
    assert result.stdout == invoke("scale").stdout
    assert "counters" not in json.loads(Path("s.json").read_text())


def test_a_report_of_something_else_is_said_after_the_times(ncu, monkeypatch):
    monkeypatch.setenv("STAND_IN_REPORT", str(HERE / "data" / "cuda_graph.ncu-rep.xz"))
    result = invoke("scale", "--profile", "--ncu", ncu)
    assert isinstance(result.exception, NsightlensError)
    assert "holds no launch of the suite scale" in str(result.exception)
    assert result.exception.exit_code == 3
    assert result.stdout == invoke("scale").stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--profile", "--report", "there"), "--force"),
        (("--profile", "--ncu", "/no/such/ncu"), "/no/such/ncu"),
        (("--profile", "--counters", "x"), "leave one of them out"),
        (("--report", "x"), "add --profile"),
        (("--ncu", "x"), "add --profile"),
        (("--counters", "x"), "no such file"),
    ],
)
@pytest.mark.usefixtures("ncu")
def test_what_cannot_be_had_is_refused_before_the_measurement(options, said, monkeypatch):
    Path("there.ncu-rep").write_text("")
    monkeypatch.setattr("nsightlens.apps.bench.scale.measure", lambda _: 1 / 0)
    error = CliRunner().invoke(cli, ["bench", "scale", *options]).exception
    assert isinstance(error, NsightlensError)
    assert said in str(error)


def test_without_cupy_nothing_is_profiled(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    cupy_launch.load_cupy.cache_clear()
    assert "CuPy cannot be imported" in str(invoke("scale", "--profile").exception)
    cupy_launch.load_cupy.cache_clear()


def test_counted_bytes_and_work_of_scale_stand_beside_the_formulas():
    found = rows("scale")
    tiles = {"m8n8k4": (64, 2 * 8 * 8 * 8), "m16n8k4": (128, 2 * 16 * 8 * 8)}
    for name, row in found.items():
        assert row["elements"] == ELEMENTS
        assert row["formula_dram_bytes"] == 16 * ELEMENTS == pytest.approx(row["dram_bytes"], rel=0.03)
        shape = name.removeprefix("tensor ").split(",")[0]
        each, flop = tiles.get(shape, (ELEMENTS + 1, 0))
        whole, rest = divmod(ELEMENTS, each)
        assert row["flop"] == row["formula_flop"] == whole * flop + rest
        # A warp reads 16 bytes a lane in 16 sectors; in the published pattern 8 bytes a lane in 8.
        assert row["load_sectors_per_request"] == pytest.approx(8 if "published" in name else 16, rel=1e-5)
        assert (row["tensor_pipe_share"] > 0) == name.startswith("tensor")
    times = {row["variant"]: row for row in json.loads(RECORDED["scale"].read_text())["rows"]}
    assert {name: row["event_s"] for name, row in found.items()} == {name: times[name]["median_s"] for name in found}


def test_the_verdict_by_counters(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(with_counters("scale")))
    shown = " ".join(CliRunner().invoke(cli, ["bench", "scale", "--from", str(path)]).stdout.split())
    slow, cuda = (rows("scale")[name] for name in ("tensor m16n8k4, coalesced", "CUDA cores"))
    assert f"coalesced: {100 * (slow['time_s'] / cuda['time_s'] - 1):.1f} % more time than CUDA cores" in shown
    assert "tensor m8n8k4, coalesced: as fast as CUDA cores; the same bytes" in shown


def test_counters_of_the_overlap_experiment_bound_the_fraction():
    found = rows("overlap")
    assert len(found) == 43  # those of the experiment that the report holds
    assert set(found) < {row["label"] for row in json.loads(RECORDED["overlap"].read_text())["rows"]}
    for name, row in found.items():
        # The kernels of this report also made up the values that stand for memory accesses, and did not use them.
        unused = (2 if name.startswith("factorial 64") else 5) * 2**25
        assert row["flop"] - row["formula_flop"] == pytest.approx(unused, rel=0.01)
        assert row["dram_bytes"] == pytest.approx(row["formula_dram_bytes"], rel=0.03)
        assert 0 <= row["overlap_low"] <= row["overlap_high"] <= 1


def test_counters_of_loss_pairs_stand_beside_the_truth():
    found = rows("losses")
    assert {label.split(",")[0] for label in found} == {
        "parts_triangle",
        "parts_straggler",
        "sweeps_four",
        "sweeps_two",
    }
    truth = {pair["name"]: pair["truth"] for pair in json.loads(RECORDED["losses"].read_text())["pairs"]}
    planted = found["parts_straggler, imbalance"]["planted"]["imbalance"]
    assert planted["share"] == truth["parts_straggler"]["imbalance"]["imbalance"]["share"]
    assert 0.2 < planted["ledger_share"] < 0.4
    assert found["sweeps_two, none"]["planted"] == {}


@pytest.mark.parametrize("suite", RECORDED)
def test_damaged_counters_of_a_result_are_refused(suite, tmp_path):
    path = tmp_path / "x.json"
    whole = with_counters(suite)
    row = whole["counters"][-1]
    for counters in (None, [], {}, [1], [{}], [row | {"time_s": 0}], [row | {"dram_bytes": "x"}], [row | {"label": 1}]):
        path.write_text(json.dumps(whole | {"counters": counters}))
        error = CliRunner().invoke(cli, ["bench", suite, "--from", str(path)]).exception
        assert isinstance(error, NsightlensError)
        assert "counters is missing or holds" in str(error)


@pytest.mark.parametrize("arguments", [[], ["nosuch"], ["scale", "x"], ["losses", "x", "y"]])
def test_what_is_profiled_refuses_other_suites(arguments):
    with pytest.raises(UsageError, match="take one of: scale, overlap, losses"):
        launch.main(arguments)


def test_what_is_profiled_gets_the_pairs_that_were_asked_for(monkeypatch):
    seen = []
    monkeypatch.setattr(launch, "SUITES", {"losses": lambda *only: seen.append(only)})
    launch.main(["losses", "transpose"])
    launch.main(["losses"])
    assert seen == [("transpose",), ()]

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
from nsightlens.errors import NsightlensError, UsageError
from nsightlens.kernels import cupy_launch
from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.timing import timing
from nsightlens.measured import find_ceilings, read_ceilings

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


@pytest.fixture
def without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    cupy_launch.load_cupy.cache_clear()
    yield
    cupy_launch.load_cupy.cache_clear()


def refused(*arguments):
    """Return the one line of an error that a user can mend."""
    error = invoke(*arguments).exception
    assert isinstance(error, NsightlensError), error
    assert "\n" not in str(error)
    return error


@pytest.mark.usefixtures("without_cupy")
@pytest.mark.parametrize("arguments", [("ceilings",), *(("bench", suite) for suite in RECORDED)])
def test_without_cupy_there_is_one_line(arguments, tmp_path):
    error = refused(*arguments, "-o", tmp_path / "x.json")
    assert "CuPy cannot be imported" in str(error)
    assert error.exit_code == 2
    assert not list(tmp_path.iterdir())


def changed(thing, change):
    """Return a document with its numbers changed."""
    if isinstance(thing, dict):
        return {name: changed(value, change) for name, value in thing.items()}
    if isinstance(thing, list):
        return [changed(value, change) for value in thing]
    return change if isinstance(thing, int | float) and not isinstance(thing, bool) else thing


NO_ROWS = (None, [], {}, [1], [{}], "x", float("nan"))
NO_NUMBERS = (float("nan"), float("inf"), 0, -1.5, 1e300, 10**400, None, "fast", True, [])


def damaged(suite):
    """Yield texts that are no whole result of a suite."""
    whole = recorded(suite)
    text = json.dumps(whole)
    yield from ("", "[]", "3", "[" * 100_000, text[: len(text) // 2], json.dumps({"schema": whole["schema"]}))
    rows = {"losses": "pairs", "ceilings": "values"}.get(suite, "rows")
    yield from (json.dumps(whole | {rows: value}) for value in NO_ROWS)
    yield from (json.dumps(whole | {"conditions": value}) for value in (None, "x", [1]))
    few = whole | {rows: whole[rows][-6:]} if isinstance(whole[rows], list) else whole
    yield from (json.dumps(changed(few, value)) for value in NO_NUMBERS)
    yield json.dumps(whole | {"schema": "nsightlens.analysis/1"})


@pytest.mark.parametrize("suite", RECORDED)
def test_what_is_no_whole_result_is_refused(tmp_path, suite):
    path = tmp_path / "x.json"
    for text in damaged(suite):
        path.write_text(text)
        error = refused("bench", suite, "--from", path)
        assert error.exit_code == 3
        assert str(path) in str(error)


def test_a_result_that_cannot_be_read_is_a_usage_error(tmp_path):
    for path in (tmp_path / "no.json", tmp_path, Path("/dev/zero")):
        assert refused("bench", "scale", "--from", path).exit_code == 2


@pytest.mark.parametrize("suite", ["overlap", "losses", "ceilings"])
def test_hostile_text_of_a_result_is_escaped(tmp_path, suite):
    text = RECORDED[suite].read_text().replace("NVIDIA H200", "\\u001b[31m[red]\\u202e").replace("warm", "a\\nb")
    (tmp_path / "x.json").write_text(text)
    result = invoke("bench", suite, "--from", tmp_path / "x.json")
    assert result.exit_code == 0
    assert "\\x1b[31m[red]\\u202e" in result.stdout
    assert not {"\x1b", "\u202e"} & set(result.stdout)


def test_hostile_text_in_the_figure(tmp_path):
    text = (
        RECORDED["scale"].read_text().replace("NVIDIA H200", "$x_$ \\u001b").replace("m8n8k4, published", "$\\\\frac$")
    )
    (tmp_path / "x.json").write_text(text)
    assert invoke("bench", "scale", "--from", tmp_path / "x.json", "--figure", tmp_path / "f.svg").exit_code == 0


def test_ceilings_that_lack_what_the_bounds_need(tmp_path, monkeypatch):
    rates = recorded("ceilings")
    del rates["values"]["tensor_fp64_dmma_flop_per_s"]
    (tmp_path / "c.json").write_text(json.dumps(rates))
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", str(tmp_path / "c.json"))
    assert "No such ceilings" in invoke("bench", "scale", "--from", RECORDED["scale"]).stdout
    find_ceilings.cache_clear()
    (tmp_path / "c.json").write_text("{}")
    assert "holds no ceilings" in str(refused("bench", "scale"))


def test_the_slow_down_that_arithmetic_explains_is_that_of_the_shape():
    """T = T_mem + T_cmp by hand: 16 bytes an element; 1 slot of a multiply-add, or 8 multiply-adds on tensor cores."""
    rates = recorded("ceilings")["values"]
    memory = 16 / rates["dram_copy_bytes_per_s"]
    cuda = memory + 2 / rates["fp64_flop_per_s"]
    shown = " ".join(invoke("bench", "scale", "--from", RECORDED["scale"]).stdout.split())
    for shape in ("m8n8k4", "m16n8k4"):
        tensor = memory + 16 / rates[f"tensor_fp64_dmma_{shape}_flop_per_s"]
        assert f"{shape} {cuda / tensor:.3f}" in shown


def test_only_some_pairs_of_a_recorded_result():
    asked = ("bench", "losses", "--from", RECORDED["losses"], "--only")
    found = json.loads(invoke(*asked, "^transpose", "--format", "json").stdout)["pairs"]
    assert [pair["name"] for pair in found] == ["transpose_quarter", "transpose_both", "transpose_null"]
    assert "no pair has such a name" in str(refused(*asked, "nosuch"))
    assert "not a regular expression" in str(refused(*asked, "("))
    assert "not a regular expression" in str(refused("bench", "losses", "--only", "("))


def test_results_are_kept_as_json_alone(tmp_path):
    for name in ("x.csv", "x.png"):
        assert "as JSON" in str(refused("bench", "scale", "--from", RECORDED["scale"], "-o", tmp_path / name))
    assert "mkdir" in str(refused("bench", "scale", "--from", RECORDED["scale"], "-o", tmp_path / "no" / "x.json"))


def test_a_folder_that_cannot_be_made_is_said_before_the_measurement(monkeypatch, tmp_path):
    monkeypatch.setattr("nsightlens.apps.bench.ceilings.measure", lambda _: 1 / 0)
    (tmp_path / "nsightlens").write_text("a file")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "cannot be made" in str(refused("ceilings"))


def test_ceilings_are_kept_before_they_are_printed(monkeypatch, tmp_path):
    monkeypatch.setattr("nsightlens.apps.bench.ceilings.measure", lambda _: read_ceilings(SHIPPED))
    monkeypatch.setattr("nsightlens.cli.bench.output.write_out", lambda _: 1 / 0)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert isinstance(invoke("ceilings").exception, ZeroDivisionError)
    (kept,) = (tmp_path / "nsightlens" / "ceilings").iterdir()
    assert read_ceilings(kept) == read_ceilings(SHIPPED)


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

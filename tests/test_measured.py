"""Measured ceilings: their file, how they are found, and what the analysis makes of them."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import recorded_path

from nsightlens.analysis import analyze
from nsightlens.analysis.ceilings import ceilings, dram_efficiency
from nsightlens.cli import cli
from nsightlens.collectors.load import load
from nsightlens.collectors.report import make_launch
from nsightlens.errors import UsageError
from nsightlens.measured import Measured, find_ceilings, read_ceilings, true_ceilings, using, write_ceilings

H200 = "NVIDIA H200"
BEST = Measured(
    H200,
    {
        "dram_read_bytes_per_s": 4.4e12,
        "dram_copy_bytes_per_s": 4.0e12,
        "dram_write_bytes_per_s": 4.2e12,
        "fp64_flop_per_s": 33e12,
        "tensor_fp64_dmma_flop_per_s": 60e12,
        "tensor_fp16_hmma_flop_per_s": 600e12,
        "tensor_fp16_hgmma_flop_per_s": 800e12,
    },
    {"fp64_flop_per_s": 1.98e9},
    {"driver_version": "580.1", "max_sm_clock_hz": 1.98e9},
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user's empty folder; nothing named by the environment."""
    monkeypatch.delenv("NSIGHTLENS_CEILINGS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    find_ceilings.cache_clear()
    yield tmp_path
    find_ceilings.cache_clear()


def test_what_was_written_is_found_by_the_name_of_the_gpu(home):
    path = write_ceilings(BEST)
    assert path.name == "NVIDIA_H200-580.1-1980MHz.json"
    assert path.is_relative_to(home)
    assert find_ceilings(H200) == BEST
    assert find_ceilings("NVIDIA H20") is None


@pytest.mark.usefixtures("home")
def test_the_newest_file_of_the_user_counts():
    old = write_ceilings(BEST)
    newer = Measured(H200, {"fp64_flop_per_s": 1.0}, {}, {"driver_version": "600", "max_sm_clock_hz": 1e9})
    write_ceilings(newer)
    os.utime(old, (1, 1))
    (old.parent / "broken.json").write_text("{")
    find_ceilings.cache_clear()
    assert find_ceilings(H200) == newer


def test_the_environment_names_one_or_none(home, monkeypatch):
    write_ceilings(BEST)
    other = write_ceilings(Measured(H200, {"fp64_flop_per_s": 2.0}), home / "mine.json")
    for named, expected in ((str(other), 2.0), ("none", None)):
        monkeypatch.setenv("NSIGHTLENS_CEILINGS", named)
        find_ceilings.cache_clear()
        found = find_ceilings(H200)
        assert (found and found.values["fp64_flop_per_s"]) == expected


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"schema": "nsightlens.ceilings/1"}']
    + [
        json.dumps(
            {"schema": "nsightlens.ceilings/1", "gpu": "x", "values": values, "sm_clock_hz": {}, "conditions": {}}
        )
        for values in ({"a": 0}, {"a": -1}, {"a": None}, {"a": "fast"}, {"a": 1e999}, {"a": 10**400}, {}, [1], None)
    ],
)
def test_what_is_no_file_of_ceilings_is_a_usage_error(tmp_path, text):
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="holds no ceilings"):
        read_ceilings(path)


def test_a_missing_file_and_a_huge_one_are_usage_errors(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_ceilings(tmp_path / "no.json")
    (tmp_path / "huge.json").write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(UsageError, match="too large"):
        read_ceilings(tmp_path / "huge.json")


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    path = tmp_path / "c.json"
    write_ceilings(BEST, path)
    with pytest.raises(UsageError, match="--force"):
        write_ceilings(BEST, path)


def test_throughputs_follow_the_clock():
    assert BEST.at_clock("fp64_flop_per_s", 0.99e9) == pytest.approx(16.5e12)
    assert BEST.at_clock("tensor_fp64_dmma_flop_per_s", 0.99e9) == 60e12
    assert BEST.at_clock("fp32_flop_per_s", 1e9) is None
    assert BEST.at_clock("fp64_flop_per_s", float("nan")) == 33e12


@pytest.mark.parametrize(
    ("share", "expected"), [(0, 4.2e12), (0.5, 4.0e12), (1, 4.4e12), (0.75, 2 / (1 / 4e12 + 1 / 4.4e12))]
)
def test_device_memory_depends_on_the_mix(share, expected):
    assert BEST.dram_bytes_per_s(share) == pytest.approx(expected)


def test_with_a_copy_alone_every_mix_is_that(tmp_path):
    assert tmp_path
    assert Measured(H200, {"dram_copy_bytes_per_s": 1.0}).dram_bytes_per_s(0.9) == 1.0
    assert Measured(H200, {}).dram_bytes_per_s(0.9) is None


def test_the_analysis_takes_measured_ceilings_first(home, monkeypatch):
    write_ceilings(BEST, home / "mine.json")
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", str(Path(home / "mine.json")))
    find_ceilings.cache_clear()
    report = load(recorded_path("overlap_factorial"))
    result = analyze([report]).launches[0]
    launch = report.launched[0]
    assert result.ceilings["dram_bytes_per_s"].source == "measured"
    # Half of the bytes are read: about the bandwidth of a copy.
    assert result.ceilings["dram_bytes_per_s"].value == pytest.approx(4.0e12, rel=0.01)
    clock = launch.values["sm_clock_hz"]
    assert result.ceilings["fp64_flop_per_s"].value == pytest.approx(33e12 * clock / 1.98e9)
    expected = launch.values["dram_bytes"] / result.ceilings["dram_bytes_per_s"].value
    assert result.overlap.t_mem_s == pytest.approx(expected, rel=0.02)
    total = result.ideal_s + sum(loss.seconds for loss in result.losses) + result.unexplained_s
    assert total == pytest.approx(result.time_s)


def test_what_is_no_ordinary_file_is_refused_or_passed_over(home, monkeypatch):
    folder = write_ceilings(BEST).parent
    (folder / "dangling.json").symlink_to(home / "nowhere")
    os.mkfifo(folder / "pipe.json")
    assert find_ceilings(H200) == BEST
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", "/dev/zero")
    find_ceilings.cache_clear()
    with pytest.raises(UsageError, match="no ordinary file"):
        find_ceilings(H200)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "conditions", [{}, {"max_sm_clock_hz": None}, {"max_sm_clock_hz": "fast", "driver_version": 7}]
)
def test_odd_conditions_make_a_name_too(conditions):
    assert write_ceilings(Measured("x/../y", {"a": 1.0}, {}, conditions)).name.startswith("x_.._y-")


def test_the_file_of_a_folder_that_cannot_be_made_is_a_usage_error(home):
    (home / "nsightlens").write_text("a file")
    with pytest.raises(UsageError, match="cannot be made"):
        write_ceilings(BEST)


@pytest.mark.parametrize("change", [{"schema": "other/1"}, {"gpu": 7}, {"conditions": []}])
def test_every_part_of_the_file_is_looked_at(tmp_path, change):
    path = write_ceilings(BEST, tmp_path / "c.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UsageError, match="holds no ceilings"):
        read_ceilings(path)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_mix_that_is_none_has_no_bandwidth(share):
    assert BEST.dram_bytes_per_s(share) is None


@pytest.mark.usefixtures("home")
def test_a_measured_ceiling_that_the_launch_exceeds_gives_way_to_the_reports_own(monkeypatch, tmp_path):
    slow = {"dram_read_bytes_per_s": 1e12, "dram_copy_bytes_per_s": 1e12, "dram_write_bytes_per_s": 1e12}
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", str(write_ceilings(Measured(H200, slow), tmp_path / "c.json")))
    find_ceilings.cache_clear()
    result = analyze([load(recorded_path("overlap_factorial"))]).launches[0]
    assert result.ceilings["dram_bytes_per_s"].source == "report"


@pytest.mark.usefixtures("home")
def test_a_file_measured_again_replaces_the_one_before():
    write_ceilings(BEST)
    path = write_ceilings(replace(BEST, values={"fp64_flop_per_s": 1.0}))
    assert read_ceilings(path).values == {"fp64_flop_per_s": 1.0}


def launch_with(counters):
    row = {"launch": 0, "process_id": 7, "kind": "kernel", "name": "k", "full_name": "void k()", "nvtx": ()}
    counters = {"gpu__time_duration.sum": 1e6, "device__attribute_display_name": H200, **counters}
    return make_launch({**row, "declared": {}, "payload": None}, counters)


MOVED = {"dram__bytes.sum": 1e9, "dram__bytes_read.sum": 0.5e9, "dram__bytes_write.sum": 0.5e9}
PEAK = {"dram__bytes.sum.peak_sustained": 1000.0, "dram__cycles_elapsed.avg.per_second": 5e9}
SPEC = {"device__attribute_max_mem_frequency_khz": 3.2e6, "device__attribute_global_memory_bus_width": 6144.0}


@pytest.mark.parametrize(
    ("counters", "copy", "expected"),
    [
        (PEAK, 4.0e12, 0.8),  # of 1000 byte a cycle at 5 GHz
        (SPEC, 4.0e12, 4.0e12 / (2 * 3.2e9 * 6144 / 8)),  # two transfers a cycle of 768 byte
        (PEAK, 6.0e12, 1.0),
        ({}, 4.0e12, 1.0),
    ],
)
def test_device_memory_reaches_a_part_of_its_peak_at_best(monkeypatch, tmp_path, counters, copy, expected):
    best = Measured(H200, {f"dram_{kind}_bytes_per_s": copy for kind in ("read", "copy", "write")})
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", str(write_ceilings(best, tmp_path / "c.json")))
    find_ceilings.cache_clear()
    launch = launch_with(MOVED | counters)
    assert dram_efficiency(launch, ceilings(launch)) == pytest.approx(expected)


def test_the_tensor_ceiling_is_that_of_the_family_that_ran_else_of_the_fastest(monkeypatch, tmp_path):
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", str(write_ceilings(BEST, tmp_path / "c.json")))
    find_ceilings.cache_clear()
    name = "sm__ops_path_tensor_op_{}_src_fp16_dst_fp32_sparsity_off.sum"
    found = {family: launch_with({name.format(family): 1e9}) for family in ("hmma", "hgmma")}
    assert ceilings(found["hmma"])["tensor_fp16_flop_per_s"].value == 600e12
    assert ceilings(found["hgmma"])["tensor_fp16_flop_per_s"].value == 800e12
    assert ceilings(launch_with({}))["tensor_fp16_flop_per_s"].value == 800e12


def test_the_shipped_ceilings_are_what_was_recorded():
    """Rates less the launch cost, by hand from the recorded medians; the copy is the slope of the SCALE run."""
    root = Path(__file__).parent.parent
    shipped = json.loads((root / "nsightlens" / "data" / "ceilings" / "h200.json").read_text())
    rows = json.loads((root / "docs" / "measurements" / "data" / "scale.json").read_text())["rows"]
    medians = {row["elements"]: row["median_s"] for row in rows if row["variant"] == "best copy"}
    small, large = sorted(medians)[-2:]
    slope = (medians[large] - medians[small]) / (large - small)
    cost = medians[small] - slope * small
    assert shipped["conditions"]["launch_cost_s"] == pytest.approx(cost)
    assert shipped["values"]["dram_copy_bytes_per_s"] == pytest.approx(16 / slope)
    for name in ("dram_read_bytes_per_s", "fp64_flop_per_s", "tensor_fp64_dmma_flop_per_s"):
        each = [k for k in shipped["conditions"]["kernels"] if k["name"] == name]
        best = max(k["value"] * k["median_s"] / (k["median_s"] - cost) for k in each)
        assert shipped["values"][name] == pytest.approx(best)


def source_of(*more):
    done = CliRunner().invoke(cli, ["analyze", str(recorded_path("overlap_factorial")), "--format", "json", *more])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    return found["launches"][0]["ceilings"]["dram_bytes_per_s"]["source"], found["reports"][0]["notes"]


def test_the_option_comes_before_the_environment_and_ends_with_the_command(home, monkeypatch):
    path = str(write_ceilings(BEST, home / "c.json"))
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", "none")
    find_ceilings.cache_clear()
    assert source_of()[0] == source_of("--ceilings", "none")[0] == "report"
    assert source_of("--ceilings", path)[0] == "measured"
    assert source_of()[0] == "report"
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", path)
    find_ceilings.cache_clear()
    assert source_of()[0] == "measured"
    assert source_of("--ceilings", "none")[0] == "report"


def test_ceilings_of_another_gpu_serve_no_launch_and_are_noted(home):
    other = Measured("NVIDIA H100 \x1b[31m", BEST.values)
    source, notes = source_of("--ceilings", str(write_ceilings(other, home / "c.json")))
    assert source == "report"
    assert any("NVIDIA H100" in note and "none of these launches" in note for note in notes)
    assert not any("NVIDIA H100" in note for note in source_of("--ceilings", "none")[1])


@pytest.mark.parametrize("name", ["analyze", "roofline", "profile"])
@pytest.mark.parametrize("text", [None, "", "{}", "[1"])
def test_a_file_that_holds_none_is_refused_before_any_work(name, text, tmp_path):
    path = tmp_path / "c.json"
    if text is not None:
        path.write_text(text)
    more = ["--", "true"] if name == "profile" else ["nosuch.ncu-rep"]
    error = CliRunner().invoke(cli, [name, "--ceilings", str(path), *more]).exception
    assert isinstance(error, UsageError)
    assert str(path) in str(error)


def test_a_name_that_is_empty_is_refused():
    with pytest.raises(UsageError, match="names no file"), using(""):
        pass


def test_a_product_below_mma_sync_is_no_ceiling_of_wgmma(tmp_path):
    rates = {
        "tensor_int8_imma_flop_per_s": 3.0,
        "tensor_int8_igmma_flop_per_s": 2.0,
        "tensor_fp16_hmma_flop_per_s": 3.0,
        "tensor_fp16_hgmma_flop_per_s": 4.0,
        "tensor_fp8_qgmma_flop_per_s": 1.0,
    }
    kept = {name: rate for name, rate in rates.items() if "igmma" not in name}
    assert true_ceilings(rates) == kept
    assert read_ceilings(write_ceilings(Measured(H200, rates), tmp_path / "c.json")).values == kept


def test_shipped_ceilings_hold_nothing_that_never_ran():
    path = Path(__file__).parent.parent / "nsightlens" / "data" / "ceilings" / "h200.json"
    assert not {"tensor_fp8_qmma_flop_per_s", "tensor_int8_igmma_flop_per_s"} & set(read_ceilings(path).values)

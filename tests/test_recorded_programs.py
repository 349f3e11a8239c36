"""Reports that ``nsightlens profile`` made of the examples on an H200; commands in docs/measurements/programs.md."""

from pathlib import Path

import pytest

from nsightlens import analyze

REPORTS = Path(__file__).parent.parent / "docs" / "measurements" / "reports"


@pytest.fixture(scope="module")
def launches():
    return lambda name: analyze(REPORTS / f"{name}.ncu-rep.xz").launches


@pytest.mark.parametrize(
    ("name", "count", "processes", "ranges"),
    [
        ("torch_step", 34, 1, {f"nsightlens/train/step {n}/{p}" for n in (0, 1) for p in ("forward", "backward")}),
        ("triton_softmax", 4, 1, {"nsightlens/add", "nsightlens/sweep/softmax"}),
        ("two_processes", 2, 2, {"nsightlens/rank 0/scale", "nsightlens/rank 1/scale"}),
        ("cuda_cpp", 4, 1, {f"transpose/size {n}/{how}" for n in (1000, 4096) for how in ("straight", "tiled")}),
        ("set-overview", 20, 1, {f"nsightlens/step {n}" for n in range(4)}),
        ("set-losses", 20, 1, {f"nsightlens/step {n}" for n in range(4)}),
    ],
)
def test_every_launch_and_range_of_a_program_is_there(launches, name, count, processes, ranges):
    found = launches(name)
    assert len(found) == count
    assert len({launch.process_id for launch in found}) == processes
    assert {path for launch in found for path in launch.nvtx} >= ranges
    assert all(launch.time_s for launch in found)


@pytest.mark.parametrize("name", ["torch_step", "triton_softmax", "two_processes", "cuda_cpp", "set-losses"])
def test_the_set_losses_leaves_no_counter_missing(launches, name):
    for launch in launches(name):
        assert launch.missing == ()
        assert launch.losses is not None
        parts = launch.ideal_s + sum(loss.seconds for loss in launch.losses) + launch.unexplained_s
        assert parts == pytest.approx(launch.time_s, rel=1e-9)


def test_two_processes_declare_the_traffic_that_was_counted(launches):
    """Up to what is still in L2 (62.9 MB on an H200) when a launch ends and is written later."""
    for launch in launches("two_processes"):
        assert launch.declared.dram_bytes - 62.9e6 < launch.traffic_bytes.dram < 1.02 * launch.declared.dram_bytes


def test_only_the_transpose_without_tiles_moves_sectors_that_nobody_asked_for(launches):
    for launch in launches("cuda_cpp"):
        lost = sum(loss.share for loss in launch.losses if loss.cause == "uncoalesced_access")
        assert lost > 0.4 if launch.name == "straight" else lost < 0.05

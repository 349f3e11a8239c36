"""What the suites of ``bench`` measure and check, on a device made of NumPy whose every time is known."""

from types import SimpleNamespace

import pytest
from stand_in_gpu import Gpu

from nsightlens.apps.bench import ceilings, co_issue, launch_cost, losses, overlap, scale
from nsightlens.errors import NsightlensError
from nsightlens.kernels.vendor import Product

LAUNCH_S = 11e-6


def moved(work):
    """Return the seconds of a kernel on a device of 1 TB/s."""
    return work.dram_bytes / 1e12


# --- launch


def test_what_a_launch_costs_is_the_time_that_bytes_do_not_explain(monkeypatch):
    Gpu(moved, LAUNCH_S).install(monkeypatch)
    found = launch_cost.launch_cost_s(SimpleNamespace(l2_bytes=1 << 18))
    assert found == pytest.approx(LAUNCH_S, rel=1e-6)


# --- ceilings


@pytest.fixture
def few_repeats(monkeypatch):
    for suite in (ceilings, co_issue, losses, scale, launch_cost):
        few = suite.time_in_turn
        monkeypatch.setattr(suite, "time_in_turn", lambda launches, few=few: few(launches, repeats=2, warm_up=0))
    monkeypatch.setattr(overlap, "REPEATS", 3)


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(ceilings, "sm_clock_hz", lambda *_: 1.5e9)
    monkeypatch.setattr(ceilings, "products", dict)


def ceiling_seconds(work):
    """Of each rate one kernel is fastest: eight blocks of FP64, four of FP32, four accesses of a copy."""
    if work.name.startswith("dram"):
        return work.dram_bytes / 1e12 * {4: 1, 8: 2}.get(work.defines["PIECES"], 3)
    return {("fma_fp64", 4): 2e-3, ("fma_fp64", 8): 3e-3, ("fma_fp32", 4): 2e-3, ("fma_fp32", 8): 5e-3}.get(
        (work.name, work.grid[0]), 1e-3
    )


@pytest.mark.usefixtures("few_repeats", "clock")
def test_a_ceiling_is_the_fastest_kernel_less_its_launch(monkeypatch):
    Gpu(ceiling_seconds, LAUNCH_S).install(monkeypatch)
    # Copies of one piece and of two, to know what a launch costs, take four accesses a thread.
    found = ceilings.measure()
    assert found.conditions["launch_cost_s"] == pytest.approx(LAUNCH_S, rel=1e-6)
    thread = 2 * 8 * 64 * ceilings.ROUNDS["fma"]
    expected = {
        "fp64_flop_per_s": thread * 256 * 8 / 3e-3,
        "fp32_flop_per_s": thread * 256 * 4 / 2e-3,
        "fp16_flop_per_s": 2 * thread * 256 * 8 / 1e-3,
        "tensor_fp64_dmma_flop_per_s": 2 * 16 * 8 * 16 * 8 * ceilings.ROUNDS["mma"] * 8 * 8 / 1e-3,
        "tensor_fp16_hmma_fp16_flop_per_s": 2 * 16 * 8 * 16 * 8 * 1024 * 8 * 8 / 1e-3,
        "dram_copy_bytes_per_s": 1e12,
        "l2_read_bytes_per_s": 1501 * 16 * 16384 / 1e-3,
        "shared_bytes_per_s": 8 * ceilings.ROUNDS["shared"] * 8 * 256 * 16 / 1e-3,
    }
    assert {name: found.values[name] for name in expected} == pytest.approx(expected, rel=1e-6)
    assert found.sm_clock_hz["fp64_flop_per_s"] == 1.5e9
    assert "dram_copy_bytes_per_s" not in found.sm_clock_hz
    assert not any("fp8" in name for name in found.values)  # an H200 has no such mma.sync


@pytest.mark.usefixtures("few_repeats", "clock")
def test_a_product_of_the_vendor_is_a_rate_less_its_launch(monkeypatch):
    gpu = Gpu(ceiling_seconds, LAUNCH_S).install(monkeypatch)

    def launch():
        gpu.now_s += 4e-3

    monkeypatch.setattr(ceilings, "products", lambda: {"fp16": Product(launch, 8 * 10**10, "a product")})
    assert ceilings.measure().values["tensor_fp16_hgmma_flop_per_s"] == pytest.approx(2e13, rel=1e-6)


@pytest.mark.usefixtures("few_repeats", "clock")
@pytest.mark.parametrize("name", ["dram_read", "l2_read", "shared_read", "fma_fp16", "mma_fp16_fp16", "mma_int8"])
def test_ceilings_of_a_kernel_that_does_nothing_are_refused(monkeypatch, name):
    Gpu(ceiling_seconds, LAUNCH_S, broken=lambda work: work.name == name).install(monkeypatch)
    with pytest.raises(NsightlensError, match="wrong result") as caught:
        ceilings.measure()
    assert caught.value.where == name


# --- co-issue


def co_issue_seconds(work):
    if work.name == "dram_copy":
        return moved(work)
    return {(True, False): 2e-3, (False, True): 3e-3, (True, True): 4e-3}[
        work.defines["FMAS"] > 0, work.defines["MMAS"] > 0
    ]


@pytest.mark.usefixtures("few_repeats")
def test_what_hides_is_the_part_of_the_shorter_time_less_the_launch(monkeypatch):
    Gpu(co_issue_seconds, LAUNCH_S).install(monkeypatch)
    found = co_issue.measure()
    assert found["launch_s"] == pytest.approx(LAUNCH_S, rel=1e-6)
    assert [(row["bits"], row["apart"]) for row in found["rows"]] == [(64, 0), (64, 1), (32, 0), (32, 1)]
    for row in found["rows"]:
        times = [row[name] for name in ("fma_s", "mma_s", "both_s")]
        assert times == pytest.approx([2e-3 + LAUNCH_S, 3e-3 + LAUNCH_S, 4e-3 + LAUNCH_S])
        assert row["together"] == pytest.approx((2 + 3 - 4) / 2, rel=1e-6)


@pytest.mark.usefixtures("few_repeats")
@pytest.mark.parametrize("both", [True, False])
def test_co_issue_of_a_kernel_that_does_nothing_is_refused(monkeypatch, both):
    def broken(work):
        return work.name == "co_issue" and bool(work.defines["FMAS"] and work.defines["MMAS"]) == both

    Gpu(co_issue_seconds, broken=broken).install(monkeypatch)
    with pytest.raises(NsightlensError, match="wrong result"):
        co_issue.measure()


# --- losses


def chase_seconds(work):
    return moved(work) if work.name == "dram_copy" else (3e-4 if work.defines["CHAIN"] else 2e-4)


@pytest.mark.usefixtures("few_repeats")
def test_a_planted_loss_is_given_with_and_without_the_launch(monkeypatch):
    Gpu(chase_seconds, LAUNCH_S).install(monkeypatch)
    found = losses.measure("chase_l2")
    assert found["launch_s"] == pytest.approx(LAUNCH_S, rel=1e-6)
    (pair,) = found["pairs"]
    truth = pair["truth"]["latency"]["latency"]
    assert truth["share"] == pytest.approx(1e-4 / (3e-4 + LAUNCH_S))
    assert truth["share_less_launch"] == pytest.approx(1 / 3, rel=1e-6)
    assert truth["error"] == pytest.approx(0, abs=1e-9)
    variants = pair["variants"]
    assert variants["none"]["median_s"] == pytest.approx(2e-4 + LAUNCH_S)
    threads = 2 * 8 * 256
    assert variants["none"]["flop"] == {"fp32": 1600 * threads}
    assert variants["latency"]["dram_bytes"] == 4 * threads * 25


@pytest.mark.usefixtures("few_repeats")
@pytest.mark.parametrize("planted", [0, 1])
def test_a_loss_of_a_kernel_that_does_nothing_is_refused(monkeypatch, planted):
    Gpu(chase_seconds, broken=lambda work: work.defines.get("CHAIN") == planted).install(monkeypatch)
    with pytest.raises(NsightlensError, match="wrong result"):
        losses.measure("chase_l2")


# --- scale


def scale_seconds(work):
    if work.name == "cudaMemcpy":
        return 5e-6
    return 4e-6 if work.name == "dram_copy" and work.defines["PIECES"] == 2 else 6e-6


@pytest.mark.usefixtures("few_repeats")
def test_the_best_copy_is_the_fastest_one(monkeypatch):
    Gpu(scale_seconds).install(monkeypatch)
    rows = {row["variant"]: row for row in scale.measure(largest=scale.SMALLEST)["rows"]}
    assert set(rows) == {*scale.VARIANTS, "best copy"}
    elements = (1 << scale.SMALLEST) + 1
    assert rows["best copy"]["bytes_per_s"] == pytest.approx(16 * elements / 4e-6)
    assert rows["CUDA cores"]["bytes_per_s"] == pytest.approx(16 * elements / 6e-6)


def broken_copies():
    yield "cudaMemcpy", None
    yield from (("dram_copy", each) for each in (1, 2, 4, 8))
    yield "scale", None
    yield from (("scale_tensor", rows) for rows in (8, 16))


@pytest.mark.usefixtures("few_repeats")
@pytest.mark.parametrize(("name", "which"), [*broken_copies()])
def test_scale_and_every_copy_are_checked(monkeypatch, name, which):
    def broken(work):
        return work.name == name and which in (None, work.defines.get("PIECES"), work.defines.get("MMA_ROWS"))

    Gpu(scale_seconds, broken=broken).install(monkeypatch)
    with pytest.raises(NsightlensError, match="wrong result") as caught:
        scale.measure(largest=scale.SMALLEST)
    assert caught.value.where == name


# --- overlap

EVERY = [*overlap.cases(2)]


def small(case):
    """Return a case with few data."""
    family, given = case
    return family, given | ({"tiles": 3} if family == "pipelined" else {"vectors": 96})


def overlap_seconds(work):
    """Memory takes 3 ms, arithmetic 2 ms, of which half hides, all else 1 ms."""
    return {"full": 5e-3, "memory": 4e-3, "compute": 3e-3, "skeleton": 1e-3}[work.name.split("_")[1]]


@pytest.mark.usefixtures("few_repeats")
def test_the_overlap_is_what_hides_of_the_shorter_part(monkeypatch):
    Gpu(overlap_seconds, LAUNCH_S).install(monkeypatch)
    monkeypatch.setattr(overlap, "cases", lambda _: map(small, EVERY[::10]))
    rows = overlap.measure()["rows"]
    assert [row["label"] for row in rows] == [overlap.label(case) for case in EVERY[::10]]
    for row in rows:
        assert row["overlap"] == pytest.approx(0.5)
        assert row["t_full_s"] == pytest.approx(5e-3 + LAUNCH_S)


@pytest.mark.usefixtures("few_repeats")
@pytest.mark.parametrize("variant", ["full", "memory"])
@pytest.mark.parametrize("case", EVERY, ids=overlap.label)
def test_every_case_of_the_overlap_experiment_is_checked(monkeypatch, case, variant):
    """The kernel of this case alone does nothing; one that is right comes before it, on the same data."""
    wrong = small(case)
    defines = {"KIND": wrong[1]["kind"], "STEPS": wrong[1]["steps"]}
    other = small((case[0], case[1] | {"steps": 1}))
    monkeypatch.setattr(overlap, "cases", lambda _: [other, wrong])
    Gpu(
        overlap_seconds,
        broken=lambda work: work.name.endswith(variant) and defines.items() <= work.defines.items(),
    ).install(monkeypatch)
    with pytest.raises(NsightlensError, match="wrong result") as caught:
        overlap.measure()
    assert caught.value.where == f"{case[0]}_{variant}"

"""The table of GPUs: peaks that follow from the architecture, a source for every number, and names that never slip."""

from urllib.parse import urlsplit

import pytest

from nsightlens.data import table
from nsightlens.errors import UsageError
from nsightlens.gpus import by_device_name, find_gpu, gpus

KEYS = [gpu.key for gpu in gpus()]
AGREE = 0.02
# Multiply-adds per clock and multiprocessor and the clock in GHz, worked out by hand from the whitepapers.
BY_HAND = [
    ("v100_sxm2", "tensor_fp16", 64 * 8, 80, 1.53, 125.3),
    ("a100_80_sxm", "tensor_fp16", 256 * 4, 108, 1.41, 311.9),
    ("a100_80_sxm", "tensor_tf32", 128 * 4, 108, 1.41, 155.9),
    ("a100_80_sxm", "tensor_fp64", 16 * 4, 108, 1.41, 19.49),
    ("h100_sxm", "tensor_fp16", 512 * 4, 132, 1.83, 989.4),
    ("h100_sxm", "tensor_tf32", 256 * 4, 132, 1.83, 494.7),
    ("h100_sxm", "tensor_fp64", 32 * 4, 132, 1.98, 66.9),
    ("h200", "fp64", 64, 132, 1.98, 33.45),
]


def recomputed(gpu, kind):
    """Return a peak from multiprocessors, clock and multiply-adds; None where one of them is not known."""
    low = kind.startswith("tensor_") and kind != "tensor_fp64"
    clock = gpu.tensor_clock_hz if low and gpu.tensor_clock_hz else gpu.clock_hz
    rate = gpu.architecture.fma_per_clock_per_sm.get(kind)
    return 2 * rate * gpu.sms * clock if rate and gpu.sms and clock else None


@pytest.mark.parametrize("key", KEYS)
def test_peaks_follow_from_multiprocessors_clock_and_multiply_adds(key):
    gpu = find_gpu(key)
    kinds = [name.removesuffix("_flop_per_s") for name in gpu.peaks if name.endswith("_flop_per_s")]
    expected = {kind: value for kind in kinds if (value := recomputed(gpu, kind)) is not None}
    assert {kind: gpu.peaks[f"{kind}_flop_per_s"] for kind in expected} == pytest.approx(expected, rel=AGREE)


def test_most_peaks_can_be_recomputed():
    """Only where no clock is published nothing is checked: then the test above would be empty."""
    assert [gpu.key for gpu in gpus() if recomputed(gpu, "fp32") is None] == ["h100_nvl", "h200_nvl", "b200", "gb200"]


@pytest.mark.parametrize(("key", "kind", "rate", "sms", "ghz", "teraflop"), BY_HAND)
def test_the_architecture_is_as_the_whitepapers_say(key, kind, rate, sms, ghz, teraflop):
    gpu = find_gpu(key)
    assert gpu.architecture.fma_per_clock_per_sm[kind] == rate
    assert gpu.sms == sms
    assert recomputed(gpu, kind) == pytest.approx(2 * rate * sms * ghz * 1e9)
    assert gpu.peaks[f"{kind}_flop_per_s"] == pytest.approx(teraflop * 1e12, rel=AGREE)


@pytest.mark.parametrize("key", KEYS)
def test_sparse_peaks_are_twice_the_dense_and_fp32_results_half(key):
    gpu = find_gpu(key)
    assert gpu.sparse == pytest.approx({name: 2 * gpu.peaks[name] for name in gpu.sparse})
    assert gpu.fp32_accumulate == pytest.approx({name: gpu.peaks[name] / 2 for name in gpu.fp32_accumulate}, rel=AGREE)


def test_what_hardware_lacks_has_no_number():
    for key, lacking in {
        "v100_sxm2": {"tensor_fp64", "tensor_tf32", "tensor_int8"},
        "t4": {"tensor_fp64", "tensor_tf32", "tensor_bf16"},
        "a100_80_sxm": {"tensor_fp8"},
        "rtx_3090": {"tensor_fp64", "tensor_fp8"},
        "l4": {"tensor_fp64"},
    }.items():
        assert not {f"{kind}_flop_per_s" for kind in lacking} & set(find_gpu(key).peaks)
    assert not find_gpu("v100_sxm2").sparse
    assert not find_gpu("t4").sparse


@pytest.mark.parametrize("key", KEYS)
def test_every_number_has_a_source_and_every_doubt_a_note(key):
    gpu = find_gpu(key)
    entry = table("gpus")["gpus"][key]
    facts = {name for name, value in entry.items() if isinstance(value, int | float)} | set(gpu.peaks)
    for name in facts:
        found = gpu.source_of(name)
        assert found.title
        assert urlsplit(found.address).scheme == "https"
    assert set(gpu.sources) <= facts
    assert set(gpu.uncertain) <= facts
    assert bool(gpu.notes) or not gpu.uncertain


def test_no_document_stands_there_for_nothing():
    entries = table("gpus")
    used = {entry["source"] for group in ("gpus", "architectures") for entry in entries[group].values()}
    used |= {key for entry in entries["gpus"].values() for key in entry.get("sources", {}).values()}
    assert used == set(entries["sources"])


def test_b200_says_that_its_fp64_peaks_are_disputed():
    b200 = find_gpu("b200")
    assert {"fp64_flop_per_s", "tensor_fp64_flop_per_s"} <= set(b200.uncertain)
    assert "37" in " ".join(b200.notes)


def test_a_device_name_is_that_of_one_gpu():
    names = [name for gpu in gpus() for name in gpu.names]
    assert len(names) == len(set(names))
    assert [by_device_name(name).key for name in ("NVIDIA H200", "NVIDIA H200 NVL")] == ["h200", "h200_nvl"]
    assert by_device_name("NVIDIA H200 ") is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("H200", "h200"),
        ("nvidia h200", "h200"),
        ("H200 NVL", "h200_nvl"),
        ("a100 80gb pcie", "a100_80_pcie"),
        ("A100-SXM4-40GB", "a100_40_sxm"),
        ("rtx4090", "rtx_4090"),
        ("RTX 5090", "rtx_5090"),
        ("V100 SXM2", "v100_sxm2"),
        ("NVIDIA GH200 480GB", "gh200_96"),
        ("Tesla T4", "t4"),
    ],
)
def test_a_user_may_name_a_gpu_freely(text, key):
    assert find_gpu(text).key == key


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("h100", ["h100_sxm", "h100_pcie", "h100_nvl"]),
        ("A100", ["a100_40_sxm", "a100_40_pcie", "a100_80_sxm", "a100_80_pcie"]),
        ("h20", ["h200"]),
        ("rtx4080", ["rtx_4090"]),
        ("mi300", ["model gpus"]),
        ("", ["model gpus"]),
    ],
)
def test_a_name_that_does_not_decide_lists_near_ones(text, near):
    with pytest.raises(UsageError) as caught:
        find_gpu(text)
    assert all(name in str(caught.value) for name in near)

"""What the loss pairs declare, held against what was counted on an H200, and what their checks can see."""

import numpy as np
import pair_truth
import pytest

from nsightlens.kernels import check
from nsightlens.kernels.overlap import pipelined
from nsightlens.kernels.pairs import (
    access,
    arithmetic,
    conflicts,
    device_memory,
    instructions,
    label,
    local_memory,
    pairs,
    parallelism,
)

SMS = 132
L2_BYTES = 60 * 2**20
"""Of an H200 (docs/measurements/data, conditions)."""
DIVISIONS = (1 << 23) * 64
"""In the pairs of ``divide``: elements times steps."""


def extra(name, variant, threads, products):
    """Return what is counted beyond the work declared: the least and the most FLOP in FP64, then in FP32.

    A division is one operation, but is carried out by 8 instructions of 15 FLOP and an FP32 multiply-add; each thread
    divides 1 by d besides, in 5 multiply-adds. Where registers are short, each thread adds 8 of its starts up again.
    The compiler of the recording multiplied in FP32 with each conversion between FP64 and FP32, of which there is one
    after each of ``products`` and few others.
    """
    fp64 = fp32 = most = 0
    if name.startswith("divide"):
        planted = DIVISIONS * ("instruction_overhead" in variant)
        fp64, fp32 = (1 + 2 * 7 - 1) * planted + 2 * 5 * threads, 2 * planted
    elif (name, variant) == ("registers_spill", "register_spill"):
        fp64 = 8 * threads
    elif "slow_pipe" in variant:
        fp32, most = products, int(1.1 * products)
    return (fp64, fp64), (fp32, max(fp32, most))


VARIANTS = [(name, label(planted)) for name, pair in pairs().items() for planted in pair.variants()]


def made(name, variant):
    pair = pairs()[name]
    (planted,) = (one for one in pair.variants() if label(one) == variant)
    return pair.make(planted, SMS)


def counted(name, variant):
    values = pair_truth.launches()[name, variant].values
    return {(pipe, kind): values[f"{pipe}_{kind}"] for pipe in ("fp64", "fp32") for kind in ("add", "mul", "fma")}


def flop(counts, pipe):
    return counts[pipe, "add"] + counts[pipe, "mul"] + 2 * counts[pipe, "fma"]


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_declared_flop_is_what_was_counted(name, variant):
    work, counts = made(name, variant), counted(name, variant)
    expected = {"fp64": 0, "fp32": 0} | work.flop
    spans = extra(name, variant, work.grid[0] * work.block[0], expected["fp64"] // 2)
    for (pipe, declared), (least, most) in zip(expected.items(), spans, strict=True):
        assert declared + least <= flop(counts, pipe) <= declared + most


LARGE = [(name, variant) for name, variant in VARIANTS if made(name, variant).dram_bytes > 2 * L2_BYTES]


@pytest.mark.parametrize(("name", "variant"), LARGE)
def test_declared_traffic_is_what_was_counted_or_less(name, variant):
    work, values = made(name, variant), pair_truth.launches()[name, variant].values
    assert work.dram_bytes <= values["dram_bytes"] + L2_BYTES  # what L2 still holds is written after the kernel
    if variant == "none":
        assert values["dram_bytes"] <= 1.12 * work.dram_bytes


SMALL = [(name, variant) for name, variant in VARIANTS if (name, variant) not in LARGE]


@pytest.mark.parametrize(("name", "variant"), SMALL)
def test_declared_traffic_of_small_data_is_what_arrays_hold(name, variant):
    work = made(name, variant)
    arrays = [one for one in work.arguments(np.random.default_rng(0)) if isinstance(one, np.ndarray) and one.ndim]
    assert work.dram_bytes == sum(one.nbytes for one in arrays)


def of_ones():
    """Return arguments with one number in all places, which take no memory."""
    return [np.broadcast_to(np.float32(1), (24576 * device_memory.CHUNK, 4))]


REPEATED = {
    "divide": (lambda part: instructions.divide(True, 1, 256, n=64, steps=64 // part), None),
    "wrap": (lambda part: instructions.wrap(True, 1, 1 << 13, taps=16 // part), None),
    "pixels": (lambda part: access.pixels(True, 1, 1 << 10, steps=96 // part), None),
    "halves": (lambda part: access.halves(True, 1, rounds=200 // part), None),
    "columns": (lambda part: conflicts.columns(8, 1, rounds=100 // part), None),
    "filter": (lambda part: local_memory.recursive(1, steps=2048 // part), None),
    "registers": (lambda part: local_memory.registers(2, 1, rounds=800 // part), None),
    "branches": (lambda part: arithmetic.branches(1, 1 << 10, 256 // part, alternate=True), None),
    "branches of one step": (lambda part: arithmetic.branches(1, 1 << 10, 1 // part, alternate=True), None),
    "chase": (lambda part: parallelism.chase(True, 1, 24, 1600 // part), None),
    "parts": (lambda part: parallelism.parts([[4000 // part, 12000 // part], [8000 // part]]), None),
    "phases": (lambda part: parallelism.phases(True, 1, loads=False, count=480 // part), None),
    "phases with loads": (lambda part: parallelism.phases(True, 1, loads=True, count=160 // part), None),
    "sweeps": (lambda part: device_memory.sweeps(True, 1, 4 // part), of_ones),
    "sweeps of two": (lambda part: device_memory.sweeps(True, 1, 2 // part), of_ones),
    "pipelined_full": (lambda part: pipelined.make(64, 48 // part, tiles=2, blocks=1, ahead=1), None),
}
"""Workload to how it is made with all of its steps, or with a part of them; what stands for its data."""
ONCE = {"transpose", "particles", "gather", "matmul", "iterations", "histogram", "chunks", "scale"}
"""Without rounds or steps, but for two: what ``iterations`` repeats is in its data (below), and the rounds of a
transposition write the same again."""


def test_every_pair_with_rounds_or_steps_is_among_these():
    assert {name.split(" ")[0] for name in REPEATED} | ONCE == {made(*one).name for one in VARIANTS}


@pytest.mark.parametrize("name", REPEATED)
def test_half_of_the_steps_gives_another_result(name):
    make, data = REPEATED[name]
    whole, half = make(1), make(2)
    arguments = data() if data else whole.arguments(np.random.default_rng(0))
    for right, wrong in zip(whole.reference(arguments), half.reference(arguments), strict=True):
        assert not check.agree(wrong, right, whole.rtol, whole.atol)


def test_half_of_the_iterations_gives_another_result():
    work = arithmetic.iterations(True, 1, 256)
    a, counts, *rest = work.arguments(np.random.default_rng(0))
    ((right,), (wrong,)) = (work.reference((a, some, *rest)) for some in (counts, counts // 2))
    assert not check.agree(wrong, right, work.rtol, work.atol)
    assert work.flop == {"fp64": sum(8 * number * int(many) for number, many in enumerate(np.bincount(counts)))}


def phases_by_hand(given, loads, warps=16, spread=2, rows=8):
    """Walk through the phases of one block, one warp after the other, in FP64, with what the kernel is given."""
    a, _, m, c, count = given
    found = []
    for warp in range(warps):
        x = a[0, 32 * warp : 32 * warp + 32].astype(np.float64)
        for phase in range(count):
            for turn in range(1 + (warp + phase) % warps * spread):
                if loads:
                    x = x + float(m) * a[(phase + turn) % rows, 32 * warp : 32 * warp + 32]
                for _ in range(8):
                    x = x * float(m) + float(c)
        found.append(x)
    return np.concatenate(found)


@pytest.mark.parametrize("loads", [False, True])
def test_the_phases_are_what_the_kernel_does(loads):
    work = parallelism.phases(True, 1, loads=loads, count=5)
    given = work.arguments(np.random.default_rng(0))
    assert given[0].shape == (8 if loads else 1, 1024)
    np.testing.assert_allclose(work.reference(given)[0][:512], phases_by_hand(given, loads), rtol=1e-6)


def test_the_pixels_are_what_the_kernel_does():
    work = access.pixels(False, 1, 256, steps=96)
    _, _, gain, m, c, _ = work.arguments(np.random.default_rng(0))
    (found,) = work.reference((np.arange(256, dtype=np.uint8),))
    for value in range(256):
        x = float(value * int(gain) >> 8)
        for _ in range(96):
            x = x * float(m) + float(c)
        assert found[value] == int(x) & 255


def test_the_divisions_are_what_the_kernel_does():
    work = instructions.divide(True, 1, 256, n=64, steps=64)
    a, _, d, c, steps, _ = work.arguments(np.random.default_rng(0))
    x = a
    for _ in range(4 * steps):
        x = x / d + c
    np.testing.assert_allclose(work.reference((a,))[0], x, rtol=work.rtol)


def test_no_output_is_right_before_the_launch():
    for make, data in REPEATED.values():
        work = make(1)
        if data is None:
            arguments = work.arguments(np.random.default_rng(0))
            for place, right in zip(work.outputs, work.reference(arguments), strict=True):
                assert not check.agree(arguments[place], right, work.rtol, work.atol)

"""The catalogue of loss pairs: complete, compiled, and the same as what was recorded."""

import hashlib
import json
from pathlib import Path

import cuda_sources
import numpy as np
import pytest

from nsightlens.data import table
from nsightlens.kernels.pairs import label, pairs, set_aside
from nsightlens.kernels.pairs.access import _gained
from nsightlens.kernels.pairs.arithmetic import _branched
from nsightlens.kernels.pairs.local_memory import _filtered

ROOT = Path(__file__).parent.parent
SMS = 132
MORE_WORK = {"chase_chain": (2, 0.0), "chase_l2": (2, 0.0), "sweeps_four": (1, 0.025), "sweeps_two": (1, 0.025)}
"""FLOP of the planted variant over those of its twin, and how near: a product makes the next address; weights are added
up once a sweep instead of once a chunk."""


def test_every_cause_of_the_ledger_has_a_pair():
    assert {cause for pair in pairs().values() for cause in pair.causes} == set(table("causes"))


def test_there_are_enough_of_each_kind():
    every = pairs().values()
    assert len(every) >= 30
    assert sum(len(pair.causes) == 2 for pair in every) >= 4
    assert sum(pair.null for pair in every) >= 4
    assert all(pair.doc for pair in every)
    resident = [pair for pair in every if pair.make(frozenset(), SMS).l2_resident]
    assert len(resident) >= 3


@pytest.mark.parametrize("name", sorted(pairs()))
def test_pairs_are_set_aside_by_their_names_alone(name):
    digest = hashlib.sha256(name.encode("utf-8")).digest()
    assert set_aside(name) == (digest[-1] % 2 == 0)


@pytest.mark.parametrize("name", sorted(pairs()))
def test_variants_differ_in_the_defect_alone(name):
    pair = pairs()[name]
    works = {planted: pair.make(planted, SMS) for planted in pair.variants()}
    plain = works[frozenset()]
    for planted, work in works.items():
        assert (work.entry, work.source) == (plain.entry, plain.source)
        if not pair.short:
            assert work.dram_bytes == pytest.approx(plain.dram_bytes, rel=0.01)  # bins differ
            times, apart = MORE_WORK.get(name, (1, 0.0)) if planted else (1, 0.0)
            assert sum(work.flop.values()) == pytest.approx(times * sum(plain.flop.values()), rel=apart, abs=0)
        threads = work.grid[0] * work.grid[1] * work.block[0] * work.block[1]
        if not planted & {"small_grid", "launch_overhead"}:
            assert threads == plain.grid[0] * plain.grid[1] * plain.block[0] * plain.block[1]


def sources():
    """Return one workload for every source with its macros."""
    found = {}
    for pair in pairs().values():
        for planted in pair.variants():
            work = pair.make(planted, SMS)
            found[work.source, tuple(sorted(work.defines.items()))] = work
    return list(found.values())


def compiled():
    """Yield what is compiled for which architecture: all of it for one, each source once for the others."""
    seen = set()
    for work in sources():
        for arch in ("sm_90",) if work.source in seen else ("sm_80", "sm_90", "sm_100"):
            yield pytest.param(work, arch, id="-".join(map(str, (work.name, *work.defines.values(), arch))))
        seen.add(work.source)


@pytest.mark.skipif(cuda_sources.compiler() is None, reason="neither nvcc nor the wheel nvidia-cuda-nvrtc is there")
@pytest.mark.parametrize(("work", "arch"), [*compiled()])
def test_every_source_compiles(work, arch, tmp_path):
    assert cuda_sources.compile_source(work, arch, tmp_path) == ""


def test_what_was_recorded_is_this_catalogue():
    recorded = json.loads((ROOT / "docs" / "measurements" / "data" / "loss_pairs.json").read_text())["pairs"]
    assert [one["name"] for one in recorded] == list(pairs())
    for one in recorded:
        pair = pairs()[one["name"]]
        assert (one["causes"], one["null"], one["set_aside"]) == (list(pair.causes), pair.null, set_aside(pair.name))
        assert set(one["variants"]) == {label(planted) for planted in pair.variants()}


def largest(truth):
    """Return the largest share of the variant with most defects."""
    return max(one["share"] for one in truth[max(truth, key=len)].values())


def test_half_of_the_planted_losses_are_of_middling_size():
    recorded = json.loads((ROOT / "docs" / "measurements" / "data" / "loss_pairs.json").read_text())["pairs"]
    main = [largest(one["truth"]) for one in recorded if one["truth"] and not one["null"]]
    assert sum(0.2 <= share <= 0.6 for share in main) >= len(main) / 2


def test_references_by_hand():
    assert list(_gained(0)[[0, 1, 128, 255]]) == [0, 0, 100, 199]
    a, kinds = np.array([1.0, 1.0], np.float32), np.array([0, 1], np.uint8)
    m, c = float(np.float32(0.999)), 0.25
    x, y = 1.0, 1.0
    for _ in range(3):
        x, y = x * m + c, y * -m + c
    np.testing.assert_allclose(_branched(a, kinds, 3), [x, y], rtol=1e-6)
    inputs, weights = np.arange(1.0, 33.0).reshape(16, 2), np.full(16, 0.01)
    past, total = np.zeros(16), 0.0
    for step in range(40):
        past[step % 16] = inputs[step % 16, 1] + sum(weights[k] * past[(step + k) % 16] for k in range(16))
        total += past[step % 16]
    assert _filtered(inputs, weights, 40)[1] == pytest.approx(total, rel=1e-6)

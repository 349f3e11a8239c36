"""The report that ``nsightlens profile -- python examples/scale.py`` made on an H200, and its kept analysis."""

import json
import math

import pytest

from nsightlens import analyze
from nsightlens.report.json import document

ELEMENTS = 2**27


@pytest.fixture(scope="module")
def kept(data):
    return json.loads((data / "h200_scale.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def fresh(data):
    return document(analyze([data / "h200_scale.ncu-rep.xz"]))


def test_dram_traffic_is_within_two_percent_of_sixteen_bytes_an_element(fresh):
    assert len(fresh["launches"]) == 2
    for launch in fresh["launches"]:
        assert launch["traffic_bytes"]["dram"] == pytest.approx(16 * ELEMENTS, rel=0.02)


def test_flop_count_is_exact_and_nothing_else_was_computed(fresh):
    for launch in fresh["launches"]:
        assert launch["work"]["fp64_flop"] == ELEMENTS
        assert launch["work"]["fp32_flop"] == 0
        assert set(launch["work"]["tensor_flop"].values()) == {0}


def test_what_the_range_declares_agrees_with_what_was_counted(fresh):
    warm_up, scale = fresh["launches"]
    assert warm_up["declared"] == {"flop": None, "dram_bytes": None, "payload": None}
    assert scale["nvtx"] == ["nsightlens/scale"]
    assert scale["declared"] == {"flop": scale["work"]["fp64_flop"], "dram_bytes": 16 * ELEMENTS, "payload": ELEMENTS}


def test_nothing_that_the_analysis_asks_for_is_missing(fresh):
    for launch in fresh["launches"]:
        assert launch["missing"] == []
        assert launch["remedy"] is None


def test_the_kept_analysis_is_what_the_code_still_gives(kept, fresh):
    kept["reports"][0].pop("path"), fresh["reports"][0].pop("path")
    assert list(differences(kept, fresh)) == []


def differences(kept, fresh, where="$"):
    if isinstance(kept, dict) and isinstance(fresh, dict):
        for key in kept.keys() | fresh.keys():
            if key not in kept or key not in fresh:
                yield f"{where}.{key}"
            else:
                yield from differences(kept[key], fresh[key], f"{where}.{key}")
    elif isinstance(kept, list) and isinstance(fresh, list) and len(kept) == len(fresh):
        for number, pair in enumerate(zip(kept, fresh, strict=True)):
            yield from differences(*pair, f"{where}[{number}]")
    elif isinstance(kept, float) and isinstance(fresh, float):
        if not math.isclose(kept, fresh, rel_tol=1e-9):
            yield f"{where}: {kept} is now {fresh}"
    elif kept != fresh:
        yield f"{where}: {kept!r} is now {fresh!r}"

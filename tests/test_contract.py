"""The JSON document keeps what docs/analysis.schema.json promises, for every recorded and every public report."""

import copy
import json
import math
import types
import typing
from dataclasses import fields, is_dataclass
from pathlib import Path

import jsonschema
import pytest

from nsightlens.analysis import result
from nsightlens.collectors.quantities import Origin
from nsightlens.data import table
from nsightlens.report import json as rendering

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "analysis.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SAMPLE = 25


def require_valid(document):
    """Validate a document against the schema; of many launches, a sample from start to end."""
    step = max(1, len(document["launches"]) // SAMPLE)
    shorter = {**document, "launches": document["launches"][::step], "ranges": document["ranges"][:SAMPLE]}
    error = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(shorter))
    assert error is None, f"{error.json_path}: {error.message}"


def numbers(value, path=""):
    """Yield every number in a document with its path."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from numbers(part, f"{path}.{name}")
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def require_sound(document):
    """Check what a schema cannot say: sums, orders, references, and that no time or share is out of its range."""
    for path, value in numbers(document):
        assert math.isfinite(value), path
        assert value >= 0 or path.endswith("overlap.estimate"), path
    for launch in document["launches"]:
        require_sound_launch(launch)
        assert launch["report"] < len(document["reports"])
    positions = [(launch["report"], launch["launch"]) for launch in document["launches"]]
    assert positions == sorted(set(positions))
    for total in document["ranges"]:
        require_sum(total, total["launches"])
    seconds = [thing["seconds"] for thing in document["first"]]
    assert seconds == sorted(seconds, reverse=True)
    assert len(seconds) <= 3


def require_sound_launch(launch):
    require_sum(launch, 1)
    losses = launch["losses"] or []
    assert [loss["seconds"] for loss in losses] == sorted((loss["seconds"] for loss in losses), reverse=True)
    assert len({loss["cause"] for loss in losses}) == len(losses)
    for loss in losses:
        assert loss["share"] == pytest.approx(loss["seconds"] / launch["time_s"], rel=1e-9)
    for name, share in launch["utilisation"].items():
        assert share is None or 0 <= share <= 1 or launch["values"][name]["state"] == "out_of_range", name
    overlap = launch["overlap"]
    if overlap["status"] in {"bounded", "not_identifiable"}:
        assert 0 <= overlap["low"] <= overlap["high"] <= 1
        assert 0 <= overlap["idle_low_s"] <= overlap["idle_high_s"] <= launch["time_s"]
        assert max(overlap["t_mem_s"], overlap["t_cmp_s"]) <= launch["time_s"]
    if launch["tensor_core"]["speedup_high"] is not None:
        assert launch["tensor_core"]["speedup_low"] <= launch["tensor_core"]["speedup_high"]
    if launch["status"] != "ok":
        assert launch["time_s"] is None
    assert (launch["remedy"] is None) == (launch["missing"] == [])


def require_sum(part, launches):
    if part["ideal_s"] is None:
        return
    total = part["ideal_s"] + sum(loss["seconds"] for loss in part["losses"]) + part["unexplained_s"]
    assert total == pytest.approx(part["time_s"], rel=1e-9 * launches)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_recordings_keep_the_contract(recording, json_of):
    text = json_of(recording)
    assert "NaN" not in text
    assert "Infinity" not in text
    document = json.loads(text)
    require_valid(document)
    require_sound(document)


def test_public_reports_keep_the_contract(public):
    for name, (_, done) in public.items():
        assert done.returncode == 0, name
        assert "NaN" not in done.out
        document = json.loads(done.out)
        require_valid(document)
        require_sound(document)


def test_every_ledger_of_the_recorded_kernels_sums_to_the_time(document_of):
    for name in ("scale_roofline", "scale_full", "overlap_factorial"):
        launches = document_of(name)["launches"]
        assert all(launch["losses"] is not None for launch in launches)


# -- the schema itself: it must refuse what the contract does not allow --------------------------------------------


@pytest.fixture(scope="module")
def whole(document_of):
    """Return a document with a few launches, ranges and first things."""
    document = copy.deepcopy(document_of("scale_full"))
    document["launches"] = document["launches"][1:5]
    return document


def valid(document):
    return VALIDATOR.is_valid(document)


def parts_of(value, path=()):
    """Yield the path of every object and list in a document, the document itself included."""
    yield path
    if isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, dict | list):
                yield from parts_of(part, (*path, name))
    elif value and isinstance(value[0], dict | list):
        yield from parts_of(value[0], (*path, 0))


def at(document, path):
    for step in path:
        document = document[step]
    return document


OPEN = {"tensor_flop", "ceilings", "values", "evidence"}


def test_no_field_may_be_added_or_left_out(whole):
    assert valid(whole)
    tried = 0
    for path in list(parts_of(whole)):
        if not isinstance(at(whole, path), dict) or (path and path[-1] in OPEN):
            continue
        changed = copy.deepcopy(whole)
        at(changed, path)["surprise"] = 1
        assert not valid(changed), path
        for name in at(whole, path):
            if not OPEN & set(path):
                changed = copy.deepcopy(whole)
                del at(changed, path)[name]
                assert not valid(changed), (*path, name)
                tried += 1
    assert tried > 80


def test_only_known_words_are_allowed(whole):
    words = {
        ("launches", 0, "kind"): "kernels",
        ("launches", 0, "status"): "OK",
        ("launches", 0, "roofline", "bound"): "dram",
        ("launches", 0, "roofline", "level"): "hbm",
        ("launches", 0, "roofline", "pipe"): "alu",
        ("launches", 0, "overlap", "status"): "good",
        ("launches", 0, "overlap", "method"): "guess",
        ("launches", 0, "losses", 0, "cause"): "bad_luck",
        ("launches", 0, "losses", 0, "confidence"): "sure",
        ("launches", 0, "ceilings", "dram_bytes_per_s", "source"): "web",
        ("launches", 0, "values", "time_s", "state"): "fine",
        ("reports", 0, "format"): "nsys-rep",
        ("first", 0, "cause"): "bad_luck",
        ("schema",): "nsightlens.analysis/2",
    }
    for (*path, name), word in words.items():
        changed = copy.deepcopy(whole)
        assert isinstance(at(changed, path)[name], str)
        at(changed, path)[name] = word
        assert not valid(changed), (*path, name)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("launches", 0, "time_s"), -1),
        (("launches", 0, "losses", 0, "share"), 1.5),
        (("launches", 0, "losses", 0, "seconds"), -1e-9),
        (("launches", 0, "overlap", "low"), -0.1),
        (("launches", 0, "overlap", "high"), 1.1),
        (("launches", 0, "losses"), None),
        (("launches", 0, "unexplained_s"), None),
        (("launches", 0, "grid"), [1, 1]),
        (("launches", 0, "launch"), -1),
        (("launches", 0, "nvtx"), ["no domain"]),
        (("launches", 0, "work", "tensor_flop"), {"FP 64": 1}),
        (("launches", 0, "ceilings"), {"dram": {"value": 1, "source": "spec"}}),
        (("launches", 0, "missing"), ["twice", "twice"]),
    ],
)
def test_values_out_of_their_range_are_refused(whole, path, value):
    changed = copy.deepcopy(whole)
    at(changed, path[:-1])[path[-1]] = value
    assert not valid(changed)


CLASSES = {
    "report": result.ReportInfo,
    "context": result.Context,
    "utilisation": result.Utilisation,
    "work": result.Work,
    "traffic": result.Traffic,
    "declared": result.Declared,
    "repeats": result.Repeats,
    "ceiling": result.Ceiling,
    "point": result.RooflinePoint,
    "instructionPoint": result.InstructionPoint,
    "instructionRoofline": result.InstructionRoofline,
    "useful": result.Useful,
    "roofline": result.Roofline,
    "overlap": result.Overlap,
    "place": result.Place,
    "loss": result.Loss,
    "causeSeconds": result.CauseSeconds,
    "tensorCore": result.TensorCore,
    "value": Origin,
    "launch": result.LaunchResult,
    "range": result.RangeResult,
    "firstThing": result.FirstThing,
}


def test_every_class_of_the_result_stands_in_the_schema():
    described = {*CLASSES.values(), result.Analysis}
    assert {value for value in vars(result).values() if isinstance(value, type) and is_dataclass(value)} == described


@pytest.mark.parametrize("name", CLASSES)
def test_null_is_allowed_exactly_where_a_value_can_be_unmeasured(name):
    hints = typing.get_type_hints(CLASSES[name])
    part = SCHEMA["$defs"][name]
    assert list(part["properties"]) == [field.name for field in fields(CLASSES[name])]
    for field, schema in part["properties"].items():
        nullable = jsonschema.Draft202012Validator({**schema, "$defs": SCHEMA["$defs"]}).is_valid(None)
        union = isinstance(hints[field], types.UnionType)
        assert nullable == (union and type(None) in typing.get_args(hints[field])), field


def test_every_cause_and_state_that_the_code_knows_is_in_the_schema():
    assert set(table("causes")) <= set(SCHEMA["$defs"]["cause"]["anyOf"][0]["enum"])


def test_numbers_that_are_none_become_null():
    assert rendering.plain({"a": math.nan, "b": (math.inf, 1.0), "c": True}) == {"a": None, "b": [None, 1.0], "c": True}


def test_text_from_strangers_survives_the_way_through_json(analysis_of):
    hostile = "</script>\x1b[31m\u202e\n\"'\\ \udcff"
    analysis = analysis_of("range_replay")
    changed = result.Analysis(
        tuple(result.ReportInfo(hostile, "ncu-rep", complete=True) for _ in analysis.reports),
        analysis.launches,
    )
    text = rendering.render_json(changed)
    assert text.isascii()
    assert json.loads(text)["reports"][0]["path"] == hostile

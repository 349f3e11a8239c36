"""Rules of other packages: they take part in the ledger, and what they do wrong is said with their name."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from nsightlens.analysis.rules import GROUP, Excess, Rule, added, rules
from nsightlens.errors import UsageError

DATA = Path(__file__).parent / "data"
SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "analysis.schema.json").read_text(encoding="utf-8"))
MODULE = """
from nsightlens.analysis.rules import Excess, Rule

def find(facts):
    return Excess({"dram_share": 0.25 if facts["dram_share"] > 0.5 else 0.0})

rule = Rule("mine.quarter", "A quarter of what device memory moves.", ("dram_share",), find, advice="move less")
"""


class Point:
    """An entry point of a package."""

    value = "mine:rule"

    def __init__(self, thing):
        self.thing = thing

    def load(self):
        if isinstance(self.thing, Exception):
            raise self.thing
        return self.thing


@pytest.fixture
def installed(monkeypatch):
    """Return a function that stands for installing packages with such rules."""

    def install(*things):
        points = list(map(Point, things))
        monkeypatch.setattr("nsightlens.analysis.rules.entry_points", lambda group: points if group == GROUP else [])

    added.cache_clear()
    rules.cache_clear()
    yield install
    monkeypatch.undo()
    added.cache_clear()
    rules.cache_clear()


def rule(**changed):
    given = {"cause": "mine.own", "doc": "A rule.", "evidence": ("dram_share",), "find": lambda _: Excess()}
    return Rule(**given | {"advice": "do better"} | changed)


def test_a_package_adds_a_rule(installed):
    installed(rule(find=lambda facts: Excess({"dram_share": facts})))
    assert rules()[-1].cause == "mine.own"
    assert rules()[-1].find(0.5) == Excess({"dram_share": 0.5})


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (print, "is no rule of the ledger: a builtin_function_or_method"),
        (ImportError("no module named other"), "cannot be loaded: no module named other"),
        (rule(cause="bank_conflict"), "its cause is not called package.cause"),
        (rule(cause=7), "its cause is not called package.cause"),
        (rule(advice=""), "needs doc, advice and a confidence"),
        (rule(confidence="certain"), "needs doc, advice and a confidence"),
        (rule(evidence=("dram_shares",)), "no quantity is called dram_shares"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_name(installed, thing, why):
    installed(thing)
    with pytest.raises(UsageError, match=why) as caught:
        rules()
    assert caught.value.where == "entry point mine:rule"


def test_two_rules_for_one_cause_are_refused(installed):
    installed(rule(), rule())
    with pytest.raises(UsageError, match=r"two packages bring a rule for mine\.own"):
        rules()


@pytest.mark.parametrize(
    ("find", "why"),
    [
        (lambda facts: facts["nothing"], r"mine\.own failed: KeyError"),
        (lambda _: None, r"mine\.own failed: AttributeError"),
        (lambda _: Excess({"dram_share": "much"}), r"mine\.own failed: TypeError"),
        (lambda _: Excess({"dram_share": 1.5}), r"mine\.own found a part that is not within"),
        (lambda _: Excess({}, {"memory": float("nan")}), r"mine\.own found a part that is not within"),
    ],
)
def test_what_a_rule_gets_wrong_is_said_with_its_name(installed, find, why):
    installed(rule(find=find))
    with pytest.raises(UsageError, match=why):
        rules()[-1].find({})


@pytest.fixture
def analysed(tmp_path):
    """Return a function that runs ``nsightlens`` where a package with this module is installed."""

    def run(module, *arguments):
        (tmp_path / "mine.py").write_text(module)
        facts = tmp_path / "mine-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[{GROUP}]\nquarter = mine:rule\n")
        command = [sys.executable, "-m", "nsightlens", "analyze", DATA / "scale_full.ncu-rep.xz", *arguments]
        env = os.environ | {"PYTHONPATH": str(tmp_path)}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    return run


def test_an_installed_rule_takes_part_in_the_ledger(analysed):
    done = analysed(MODULE, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    scale = found["launches"][0]
    (loss,) = (loss for loss in scale["losses"] if loss["cause"] == "mine.quarter")
    assert loss["evidence"] == {"dram_share": scale["utilisation"]["dram_share"]}
    assert (loss["confidence"], loss["advice"]) == ("low", "move less")
    assert loss["seconds"] > 0.1 * scale["time_s"]
    losses = sum(each["seconds"] for each in scale["losses"])
    assert scale["ideal_s"] + losses + scale["unexplained_s"] == pytest.approx(scale["time_s"], rel=1e-9)


def test_an_installed_rule_stands_in_the_table(analysed):
    assert "mine.quarter" in analysed(MODULE).stdout


def test_an_installed_rule_has_a_column(analysed):
    assert "loss_mine.quarter_s" in analysed(MODULE, "--format", "csv").stdout.splitlines()[0]


def test_a_broken_rule_is_one_line_and_an_exit_code(analysed):
    done = analysed(MODULE.replace("0.25", "25"))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "entry point mine:rule: mine.quarter found a part that is not within 0...1" in line

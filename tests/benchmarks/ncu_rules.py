"""What the rules of Nsight Compute say of kernels whose loss is known.

Run as ``python tests/benchmarks/ncu_rules.py``; needs ncu_report and no GPU. Reads the recorded loss pairs, writes
every estimate of every launch to ``docs/measurements/data/ncu_rules.json``, with a summary of each variant, and prints
the summary as Markdown. Estimates are in per cent; a global one is of the time of the launch, by ncu's definition.
"""

import json
import lzma
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ncu_report
from ncu_rules_page import page

from nsightlens import load

MEASUREMENTS = Path(__file__).parents[2] / "docs" / "measurements"
# A launch that is in both was recorded anew for the second.
REPORTS = ("loss_pairs_a", "loss_pairs_b")
CAUSES = Path(__file__).with_name("ncu_rule_causes.toml")
TYPES = {ncu_report.SpeedupType_LOCAL: "local", ncu_report.SpeedupType_GLOBAL: "global"}
PATH = "nsightlens", "pairs"

Record = dict[str, Any]


def actions(packed: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield pair, variant and launch of a report."""
    with tempfile.NamedTemporaryFile(suffix=".ncu-rep") as file:
        file.write(lzma.decompress(packed.read_bytes()))
        file.flush()
        for action in ncu_report.load_report(file.name).range_by_idx(0):
            pair, variant = place(action.nvtx_state())
            yield pair, variant, action


def place(state: Any) -> tuple[str, str]:
    """Return pair and variant of the NVTX ranges of a launch."""
    for domain in state:
        name = state[domain].name()
        ranges = state[domain].push_pop_ranges()
        if (name, *ranges[:1]) == PATH:
            return ranges[1], ranges[2]
    raise SystemExit("a launch lies in no range nsightlens/pairs/NAME/VARIANT")


def estimates(action: Any) -> list[Record]:
    """Return the rules that give an estimate for a launch."""
    return [
        {
            "rule": result["rule_identifier"],
            "name": result["name"],
            "title": result["rule_message"]["title"],
            "type": TYPES[estimate["type"]],
            "estimate_pct": estimate["speedup"],
        }
        for result in action.rule_results_as_dicts()
        if (estimate := result.get("speedup_estimation"))
    ]


def launches() -> list[Record]:
    """Return all launches, the later recording of a launch in place of the earlier."""
    found = {}
    for report in REPORTS:
        for pair, variant, action in actions(MEASUREMENTS / "reports" / f"{report}.ncu-rep.xz"):
            seconds = action.metric_by_name("gpu__time_duration.sum").as_double() / 1e9
            more = {"report": report, "time_s": seconds, "estimates": estimates(action)}
            found[pair, variant] = {"pair": pair, "variant": variant, **more}
    return list(found.values())


def truths(pair: Record, times: dict[tuple[str, str], float]) -> Iterator[tuple[str, str, float]]:
    """Yield variant, planted cause (the larger of two) and its share of the time of the launch."""
    if pair["timed_by"] == "ncu":
        # The twins move different amounts of data: what counts is the time for a byte.
        (cause,) = pair["causes"]
        plain, planted = (times[pair["name"], v] / pair["variants"][v]["dram_bytes"] for v in ("none", cause))
        yield cause, cause, 1 - plain / planted
    for variant, causes in pair["truth"].items():
        cause = max(causes, key=lambda one: causes[one]["share"])
        yield variant, cause, causes[cause]["share"]


def told(estimate: Record, cause: str, rules: list[Record]) -> str | None:
    """Return how a rule tells a cause: ``names``, ``hints`` or not at all."""
    for rule in rules:
        if rule["identifier"] == estimate["rule"] and estimate["title"].startswith(rule.get("title", "")):
            return next((how for how in ("names", "hints") if cause in rule.get(how, ())), None)
    return None


def largest(found: list[Record], cause: str, share: float, rules: list[Record]) -> Record | None:
    """Return the largest estimate; among equals the one that tells the cause."""
    order = ("hints", "names")
    ranked = [one | {"tells": told(one, cause, rules)} for one in found]
    best = max(
        ranked, key=lambda one: (one["estimate_pct"], order.index(one["tells"]) if one["tells"] else -1), default=None
    )
    return best and best | {"error_pct": best["estimate_pct"] - 100 * share}


def summary(found: list[Record], pairs: list[Record], rules: list[Record]) -> list[Record]:
    """Return a record for each variant with a planted cause."""
    of = {(one["pair"], one["variant"]): one for one in found}
    times = {key: one["time_s"] for key, one in of.items()}
    return [
        {key: pair[key] for key in ("set_aside", "null")}
        | {"pair": pair["name"], "variant": variant, "cause": cause, "truth_pct": 100 * share}
        | said(of[pair["name"], variant]["estimates"], cause, share, rules)
        for pair in pairs
        for variant, cause, share in truths(pair, times)
    ]


def said(found: list[Record], cause: str, share: float, rules: list[Record]) -> Record:
    """Return what the estimates of one launch come to."""
    whole = [one for one in found if one["type"] == "global"]
    telling = [one for one in whole if told(one, cause, rules)]
    return {
        "largest": largest(found, cause, share, rules),
        "largest_global": largest(whole, cause, share, rules),
        "largest_global_telling": largest(telling, cause, share, rules),
        "sum_pct": sum(one["estimate_pct"] for one in found),
        "sum_global_pct": sum(one["estimate_pct"] for one in whole),
    }


def main() -> None:
    """Write the figures and print the tables."""
    pairs = json.loads((MEASUREMENTS / "data" / "loss_pairs.json").read_text(encoding="utf-8"))["pairs"]
    found = launches()
    records = summary(found, pairs, tomllib.loads(CAUSES.read_text(encoding="utf-8"))["rule"])
    versions = {load(MEASUREMENTS / "reports" / f"{report}.ncu-rep.xz").ncu_version for report in REPORTS}
    content = {"schema": "nsightlens.ncu_rules/1", "ncu": sorted(versions), "launches": found, "variants": records}
    (MEASUREMENTS / "data" / "ncu_rules.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(page(records))


if __name__ == "__main__":
    main()

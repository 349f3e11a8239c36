"""The recorded loss pairs: what the ledger says beside what is true. Used by a test and by the page of figures."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from nsightlens.analysis.ceilings import ceilings
from nsightlens.analysis.losses import account
from nsightlens.analysis.waits import ALL
from nsightlens.collectors.load import load

MEASUREMENTS = Path(__file__).parent.parent / "docs" / "measurements"
REPORTS = ("loss_pairs_a", "loss_pairs_b")
"""The second holds later versions of two kernels, and counts for every name that stands in both."""
NO_ANSWER = frozenset({"dram_inefficiency"})
"""Named first, it counts as no answer unless it was planted."""
ACCUSING = frozenset(
    {
        *("uncoalesced_access", "narrow_access", "bank_conflict", "register_spill", "l2_miss", "atomic_contention"),
        *("divergence", "slow_pipe", "instruction_overhead", "small_grid", "imbalance", "launch_overhead"),
    }
)
"""Causes that accuse the code or the launch."""
CLOSE = 0.10


class Case(NamedTuple):
    """One variant of a pair: planted causes with their true shares, and what the ledger gives, all as shares."""

    pair: str
    variant: str
    causes: tuple[str, ...]
    null: bool
    set_aside: bool
    truth: dict[str, float]
    losses: dict[str, float]
    ideal: float
    unexplained: float

    @property
    def main(self):
        """Return the planted cause with the largest true share."""
        return max(self.truth, key=self.truth.get)

    @property
    def named(self):
        """Return the cause that the ledger puts first."""
        answers = {c: s for c, s in self.losses.items() if c not in NO_ANSWER or c in self.causes}
        return max(answers, key=answers.get, default=None)

    @property
    def right(self):
        """Tell whether the ledger puts the main cause first."""
        return self.named == self.main

    @property
    def close(self):
        """Tell whether the share of the main cause is near the true one."""
        return self.error <= CLOSE

    @property
    def error(self):
        """Return how far the share of the main cause is from the true one."""
        return abs(self.losses.get(self.main, 0.0) - self.truth[self.main])

    @property
    def accused(self):
        """Return what a healthy variant is accused of: the removed cause from 0.05, others from 0.10."""
        return {
            c: s for c, s in self.losses.items() if (c in self.causes and s >= 0.05) or (c in ACCUSING and s > CLOSE)
        }


@cache
def launches():
    """Return pair and variant to the launch as it was read."""
    found = {}
    for name in REPORTS:
        for launch in load(MEASUREMENTS / "reports" / f"{name}.ncu-rep.xz").launched:
            _, _, pair, variant = launch.row["nvtx"][0].split("/")
            found[pair, variant] = launch
    return found


@cache
def manifest():
    """Return the recorded truth by pair, as shares of the time without the cost of a launch, which ncu does not count.

    That of the short launch comes from profiled durations, for each byte.
    """
    recorded = json.loads((MEASUREMENTS / "data" / "loss_pairs.json").read_text(encoding="utf-8"))
    pairs = {pair["name"]: pair for pair in recorded["pairs"]}
    for pair in pairs.values():
        for variant, truth in pair["truth"].items():
            with_launch_s = pair["variants"][variant]["median_s"]
            for one in truth.values():
                one["share"] *= with_launch_s / (with_launch_s - recorded["launch_s"])
    short = pairs["scale_short"]
    seconds = {v: launches()["scale_short", v].values["time_s"] for v in short["variants"]}
    each = {v: seconds[v] / short["variants"][v]["dram_bytes"] for v in seconds}
    share = 1 - each["none"] / each["launch_overhead"]
    short["truth"] = {"launch_overhead": {"launch_overhead": {"share": share, "error": None}}}
    return pairs


def cases(parts=ALL):
    """Return every variant with its ledger, with some parts of the model perhaps switched off."""
    return [
        _case(manifest()[pair], variant, launch, parts)
        for (pair, variant), launch in launches().items()
        if pair in manifest()
    ]


def _case(pair, variant, launch, parts):
    ledger, time = account(launch, ceilings(launch), violated=False, parts=parts), launch.values["time_s"]
    truth = {cause: one["share"] for cause, one in pair["truth"].get(variant, {}).items()}
    return Case(
        pair["name"],
        variant,
        tuple(pair["causes"]),
        pair["null"],
        pair["set_aside"],
        truth,
        {loss.cause: loss.share for loss in ledger.losses},
        ledger.ideal_s / time,
        ledger.unexplained_s / time,
    )


def planted(found):
    """Return the variants with a defect that costs something."""
    return [case for case in found if case.truth and not case.null and max(case.truth.values()) > 0.05]


def score(found):
    """Return how many variants have a defect that costs, parts named right and sized closely, mean error."""
    some = planted(found)
    right, close = (sum(getattr(c, what) for c in some) / len(some) for what in ("right", "close"))
    return len(some), right, close, sum(c.error for c in some) / len(some)

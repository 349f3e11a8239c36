"""How much of the wait for memory is queueing: by the measured latency of reads, or what else tells."""

import math
from types import SimpleNamespace

import pair_truth
import pytest

from nsightlens.analysis.waits import REASONS, least_latency, unloaded_latency, with_waits
from nsightlens.models import ledger

COUNTED = {
    "read_instructions": math.nan,
    "issued_instructions": 6e6,
    "global_load_requests": 1e5,
    "local_load_instructions": 0.0,
    "read_latency_cycles": math.nan,
    "l1_hit_share": 0.0,
    "l2_read_hit_share": 0.0,
    "l2_hit_share": 0.0,
}
DRAM, L2, L1 = 730, 290, 40
"""Cycles of a read on an idle H200, by where it hits."""


def launch(waits=20.0, chip="9.0", **values):
    stalls = {} if waits is None else dict.fromkeys(REASONS, 1.0) | {"long_scoreboard": waits}
    return SimpleNamespace(values=COUNTED | values, stalls=stalls, row={"compute_capability": chip})


def queueing(launch):
    """Return the part that is queueing of the wait for memory of a launch whose device memory is half busy."""
    model = ledger.Launch(idle={}, busy={"dram_share": 0.5}, device_wide=("dram_share",))
    return with_waits(launch, model, {}).waits["memory"].queueing


@pytest.mark.parametrize(
    ("hits", "cycles"),
    [
        *(((0, 0), DRAM), ((0, 1), L2), ((0, 1.9), L2), ((-0.1, 0), DRAM), ((1, 0), L1)),
        ((0.5, 0.25), 0.5 * L1 + 0.5 * (0.25 * L2 + 0.75 * DRAM)),
    ],
)
def test_the_latency_of_an_idle_device_follows_the_mix_of_hits(hits, cycles):
    assert unloaded_latency(launch(l1_hit_share=hits[0], l2_read_hit_share=hits[1])) == pytest.approx(cycles)


def test_the_measured_latency_beyond_that_of_an_idle_device_is_queueing():
    assert queueing(launch(read_latency_cycles=2 * DRAM)) == pytest.approx(0.5)
    assert queueing(launch(read_latency_cycles=4 * L2, l2_read_hit_share=1.0)) == pytest.approx(0.75)
    assert queueing(launch(read_latency_cycles=0.9 * DRAM)) == 0.0


def test_without_a_measured_latency_the_load_stands_in_or_the_least_latency_if_it_tells_more():
    assert queueing(launch(waits=0.1)) == pytest.approx(0.5**2)
    assert queueing(launch(waits=2 * DRAM / 60)) == pytest.approx(0.5)
    assert queueing(launch(read_latency_cycles=2 * DRAM, chip="7.0")) == pytest.approx(0.5**2)


def test_a_read_takes_at_least_as_long_as_warps_wait_for_each():
    assert least_latency(launch()) == 20 * 6e6 / 1e5
    assert least_latency(launch(local_load_instructions=5e4)) == 20 * 6e6 / 1.5e5
    assert least_latency(launch(read_instructions=4e5)) == 20 * 6e6 / 4e5


@pytest.mark.parametrize("name", ["issued_instructions", "global_load_requests", "local_load_instructions"])
def test_without_one_of_its_counters_the_least_latency_is_unknown(name):
    assert least_latency(launch(**{name: math.nan})) is None


def test_without_reads_or_waits_there_is_no_latency():
    assert least_latency(launch(global_load_requests=0.0)) is None
    assert least_latency(launch(waits=None)) is None


def test_the_least_latency_of_recorded_launches_is_no_longer_than_the_measured_one():
    """But for a histogram, whose atomics are waited for as well."""
    found = {
        key: least_latency(one) / one.values["read_latency_cycles"]
        for key, one in pair_truth.launches().items()
        if least_latency(one) is not None and key[0] != "histogram_global"
    }
    assert len(found) > 80
    assert max(found.values()) < 1.02
    assert max(found.values()) > 0.98

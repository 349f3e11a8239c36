"""How much of the wait for memory is queueing, where the latency of reads was not measured."""

import math
from types import SimpleNamespace

import pair_truth
import pytest

from nsightlens.analysis.waits import least_latency

COUNTED = {
    "read_instructions": math.nan,
    "issued_instructions": 6e6,
    "global_load_requests": 1e5,
    "local_load_instructions": 0.0,
}


def launch(waits=20.0, **values):
    return SimpleNamespace(values=COUNTED | values, stalls={} if waits is None else {"long_scoreboard": waits})


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

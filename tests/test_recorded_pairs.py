"""The ledger on recorded pairs of kernels, one with a planted defect: the truth is in docs/measurements/data."""

from pathlib import Path

import pair_truth
import pytest

from nsightlens.analysis.waits import ALL, Parts
from nsightlens.measured import find_ceilings


@pytest.fixture(scope="module", autouse=True)
def measured_ceilings():
    """The ceilings of the H200 that the pairs ran on, as they are shipped."""
    shipped = Path(pair_truth.__file__).parent.parent / "nsightlens" / "data" / "ceilings" / "h200.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NSIGHTLENS_CEILINGS", str(shipped))
        find_ceilings.cache_clear()
        yield
    find_ceilings.cache_clear()


@pytest.fixture(scope="module")
def cases():
    return pair_truth.cases()


@pytest.mark.parametrize("aside", [False, True])
def test_the_main_cause_is_the_largest_loss_and_its_size_is_near_the_truth(cases, aside):
    number, right, close, _ = pair_truth.score([case for case in cases if case.set_aside is aside])
    assert number >= 15
    assert right >= 0.9
    assert close >= 0.7


def test_every_ledger_sums_to_the_measured_time(cases):
    for case in cases:
        assert case.ideal + sum(case.losses.values()) + case.unexplained == pytest.approx(1, abs=1e-9), case
        assert all(0 < share <= 1 for share in case.losses.values())


def test_a_defect_where_nothing_limits_costs_next_to_nothing(cases):
    null = [case for case in cases if case.null and case.truth]
    assert len(null) >= 4
    for case in null:
        assert all(case.losses.get(cause, 0.0) < 0.05 for cause in case.causes), case


@pytest.mark.parametrize("part", Parts._fields)
def test_without_any_part_of_the_model_the_ledger_gets_worse(cases, part):
    _, right, close, error = pair_truth.score(cases)
    _, less_right, less_close, more_error = pair_truth.score(pair_truth.cases(ALL._replace(**{part: False})))
    assert less_right <= right
    assert less_close <= close
    assert more_error > error + 0.005

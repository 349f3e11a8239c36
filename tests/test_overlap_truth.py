"""The overlap interval on recorded experiments."""

import overlap_truth
import pytest

from nsightlens.measured import find_ceilings

SHIPPED = overlap_truth.TESTS.parent / "nsightlens" / "data" / "ceilings" / "h200.json"


@pytest.fixture(autouse=True)
def measured_ceilings(monkeypatch):
    """The ceilings of the H200 that the kernels ran on, as they are shipped."""
    monkeypatch.setenv("NSIGHTLENS_CEILINGS", str(SHIPPED))
    find_ceilings.cache_clear()
    yield
    find_ceilings.cache_clear()


@pytest.mark.parametrize(("points", "least"), [(overlap_truth.factorial, 80), (overlap_truth.others, 35)])
def test_the_interval_holds_the_truth_and_is_narrower_than_nothing_known(points, least):
    found = points()
    held, width = overlap_truth.coverage(found)
    assert len(found) >= least
    assert held >= 0.97
    assert width <= 0.70


def test_samples_of_one_pass_never_widen_the_interval_and_it_holds_the_truth_still():
    plain, narrowed = overlap_truth.others(), overlap_truth.others(samples=True)
    for without, with_samples in zip(plain, narrowed, strict=True):
        assert without.low <= with_samples.low <= with_samples.high <= without.high
    (_, width), (held, narrower) = map(overlap_truth.coverage, (plain, narrowed))
    assert held >= 0.97
    assert narrower <= width - 0.03

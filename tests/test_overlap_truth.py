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

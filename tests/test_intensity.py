"""Work and traffic of SCALE, GEMV and SpMV, in bytes that were counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.errors import ModelError
from nsightlens.models import intensity as model


@pytest.mark.parametrize(
    ("rows", "nonzeros", "traffic_bytes"),
    [
        (62451, 4007383, 49_337_620),
        (5558326, 59524291, 825_458_016),
        (116835, 766396, 11_533_456),
        (525825, 2100225, 35_719_204),
    ],
)
def test_traffic_of_square_matrices_in_csr(rows, nonzeros, traffic_bytes):
    assert model.spmv_csr(rows, rows, nonzeros) == (2 * nonzeros, traffic_bytes)


def test_traffic_counts_every_array_once():
    assert model.scale(1000, 4) == (1000, 8000)
    assert model.gemv(3, 5) == (30, (15 + 3 + 5) * 8)
    assert model.gemv(3, 5, reads_y=True) == (30, (15 + 3 + 5 + 3) * 8)
    assert model.spmv_csr(2, 3, 4, element_bytes=4, index_bytes=8) == (8, (4 + 2 + 3) * 4 + (4 + 3) * 8)


@given(st.integers(1, 10**5), st.integers(1, 10**5), st.sampled_from([2, 4, 8]), st.sampled_from([2, 4, 8]))
def test_no_matrix_exceeds_the_limits(rows, columns, element_bytes, index_bytes):
    assert model.gemv(rows, columns, element_bytes).intensity < model.gemv_limit(element_bytes)
    full = model.spmv_csr(rows, columns, rows * columns, element_bytes, index_bytes)
    assert full.intensity < model.spmv_csr_limit(element_bytes, index_bytes)


def test_large_matrices_come_near_the_limits():
    assert model.gemv_limit(8) == 0.25
    assert model.gemv(10**6, 10**6).intensity == pytest.approx(0.25, rel=1e-5)
    assert model.spmv_csr_limit() == pytest.approx(1 / 6)
    assert model.spmv_csr(10**6, 10**6, 10**12).intensity == pytest.approx(1 / 6, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: model.scale(0), "elements must be at least 1, not 0"),
        (lambda: model.gemv(2.5, 1), "rows must be a whole number, not 2.5"),
        (lambda: model.spmv_csr(2, 2, 5), "5 non-zeros do not fit into 2 x 2 places"),
        (lambda: model.spmv_csr_limit(0), "element bytes must be above 0"),
    ],
)
def test_what_is_no_matrix_is_refused_with_the_reason(call, what):
    with pytest.raises(ModelError) as caught:
        call()
    assert what in str(caught.value)

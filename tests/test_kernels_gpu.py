"""The kernels of the catalogue on a GPU: results on random data, and sizes that are no multiple of anything."""

import numpy as np
import pytest
from test_kernels import ALL, IDS

from nsightlens.kernels.catalogue import workload
from nsightlens.kernels.check import check
from nsightlens.kernels.cupy_launch import load_cupy, prepare
from nsightlens.kernels.programs import run

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("elements", [1, 2, 3, 63, 65, 127, 129, 255, 512, 513, 2**20, 2**20 + 1, 1234567])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("scale", {}),
        ("scale_strided", {"stride": 1}),
        ("scale_strided", {"stride": 32}),
        ("fma_chain", {"steps": 1}),
        ("fma_chain", {"steps": 128}),
        *[("scale_tensor", {"published": p, "rows": rows}) for p in (0, 1) for rows in (8, 16)],
    ],
)
def test_results_are_right_for_every_length(name, parameters, elements):
    assert run(name, elements, **parameters).time_s > 0


@pytest.mark.parametrize(("name", "given"), ALL, ids=IDS)
def test_every_family_computes_its_reference(name, given):
    for seed in range(3):
        prepared = prepare(workload(name, **given), seed)
        prepared.launch()
        check(prepared)


@pytest.mark.parametrize("rows", [8, 16])
@pytest.mark.parametrize("published", [0, 1])
def test_scale_on_tensor_cores_with_odd_numbers(rows, published):
    work = workload("scale_tensor", n=4096 + 5, q=-0.5, published=published, rows=rows)
    prepared = prepare(work)
    odd = np.array(prepared.host[0])
    odd[::97], odd[5::101], odd[7::11] = np.inf, np.nan, -0.0
    prepared.device[0].set(odd)
    prepared.launch()
    (found,), (right,) = prepared.results(), work.reference((odd, *prepared.host[1:]))
    np.testing.assert_array_equal(found, right)
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(right)[~np.isnan(right)])
    load_cupy().cuda.Device().synchronize()

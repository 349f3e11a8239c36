"""The kernels of the catalogue on a GPU."""

import pytest

from nsightlens.kernels.programs import run

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("elements", [1, 2, 3, 255, 512, 513, 2**20, 2**20 + 1])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("scale", {}),
        ("scale_strided", {"stride": 1}),
        ("scale_strided", {"stride": 32}),
        ("fma_chain", {"steps": 1}),
        ("fma_chain", {"steps": 128}),
    ],
)
def test_results_are_right_for_every_length(name, parameters, elements):
    assert run(name, elements, **parameters).time_s > 0

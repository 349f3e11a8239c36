"""The catalogue of kernels, and the programs that run them, without a GPU."""

import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from nsightlens.errors import NsightlensError, UsageError
from nsightlens.kernels import cupy_launch, programs
from nsightlens.kernels.catalogue import BLOCK, FMA_CHAIN, KERNELS, SCALE, SCALE_STRIDED, kernel

SIZES = (1, 2, 3, 31, 33, 511, 512, 513, 4099)


@pytest.fixture(params=KERNELS.values(), ids=KERNELS)
def entry(request):
    return request.param


def test_every_kernel_is_documented_and_its_source_is_shipped(entry):
    assert entry.doc
    assert set(entry.meaning) == set(entry.defaults)
    assert f"{entry.name}(" in entry.code
    assert entry.data_type == "fp64"


def test_each_vector_moves_once(entry):
    a = np.ones(4099)
    assert entry.dram_bytes(a.size, entry.defaults) == a.nbytes + entry.reference(a, entry.defaults).nbytes


def test_scale_multiplies_once_per_element():
    assert SCALE.flop(2**27, SCALE.defaults) == 2**27 == SCALE_STRIDED.flop(2**27, SCALE_STRIDED.defaults)


@pytest.mark.parametrize("steps", [0, 1, 2, 64])
@pytest.mark.parametrize("m", [1.0, 0.5, FMA_CHAIN.defaults["m"]])
def test_the_chain_is_steps_multiply_adds_per_element(steps, m):
    parameters = FMA_CHAIN.parameters({"steps": steps, "m": m})
    a = np.random.default_rng(0).random(101) + 0.5
    x, flop = a.copy(), 0
    for _ in range(steps):
        x = x * m + parameters["c"]
        flop += 2 * x.size
    np.testing.assert_allclose(FMA_CHAIN.reference(a, parameters), x, rtol=FMA_CHAIN.rtol)
    assert FMA_CHAIN.flop(a.size, parameters) == flop


@pytest.mark.parametrize("n", SIZES)
def test_a_grid_of_pairs_covers_every_element_once(n):
    blocks, y, z = SCALE.grid(n, SCALE.defaults)
    first = 2 * np.arange(blocks * BLOCK)
    touched = np.concatenate([first[first < n], first[first + 1 < n] + 1])
    assert (y, z) == (1, 1)
    assert sorted(touched) == list(range(n))
    assert (blocks - 1) * BLOCK * 2 < n


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("stride", [1, 4, 32])
def test_a_strided_grid_covers_every_element_once(n, stride):
    blocks, columns, z = SCALE_STRIDED.grid(n, {"stride": stride})
    touched = np.add.outer(np.arange(columns), np.arange(blocks * BLOCK) * stride).ravel()
    assert (columns, z) == (stride, 1)
    assert sorted(touched[touched < n]) == list(range(n))


def test_names_and_parameters_that_do_not_exist_are_usage_errors():
    with pytest.raises(UsageError, match="take one of: scale, scale_strided, fma_chain"):
        kernel("scael")
    with pytest.raises(UsageError, match="it takes: steps, m, c"):
        FMA_CHAIN.parameters({"step": 1})


def test_template_arguments_are_part_of_the_entry():
    assert FMA_CHAIN.entry({"steps": 8.0}) == "fma_chain<8>"
    assert SCALE.entry({}) == "scale"


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_sources_compile_to_16_byte_accesses(entry, tmp_path):
    source = tmp_path / entry.source
    types = "const double*, double*, double, double, unsigned long long"
    instance = f"template __global__ void {entry.entry(entry.defaults)}({types});" if entry.template else ""
    source.write_text(f"{entry.code}\n{instance}\n")
    done = subprocess.run(
        ["nvcc", "-std=c++17", "-arch=sm_80", "-Werror=all-warnings", "-ptx", "-o", tmp_path / "ptx", source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ptx = (tmp_path / "ptx").read_text()
    assert ("st.global.v2.f64" in ptx) == (entry is not SCALE_STRIDED)


def test_without_cupy_the_message_names_the_extras(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    cupy_launch.load_cupy.cache_clear()
    with pytest.raises(UsageError, match=r'pip install "nsightlens\[cuda13\]"'):
        programs.run("scale", 8)
    cupy_launch.load_cupy.cache_clear()


@pytest.fixture
def launches(monkeypatch):
    """A CuPy made of NumPy, whose kernels do nothing but be counted."""
    seen = []
    event = SimpleNamespace(record=lambda: None, synchronize=lambda: None)
    cuda = SimpleNamespace(Event=lambda: event, get_elapsed_time=lambda _start, _end: 2.0)
    fake = SimpleNamespace(asarray=np.array, asnumpy=np.array, empty_like=np.zeros_like, cuda=cuda)

    def launch(entry, a, b, parameters):
        seen.append(entry.name)
        b[:] = entry.reference(a, parameters)

    monkeypatch.setattr(programs, "load_cupy", lambda: fake)
    monkeypatch.setattr(programs, "launch", launch)
    return seen


def test_a_program_launches_once_and_checks_the_result(launches):
    done = programs.run("fma_chain", 33, steps=4)
    assert (done.time_s, done.flop, done.dram_bytes, done.max_relative_error) == (2e-3, 8 * 33, 16 * 33, 0)
    assert launches == ["fma_chain"]
    programs.run("scale", 33, warm_up=True)
    assert launches == ["fma_chain", "scale", "scale"]


@pytest.mark.parametrize("wrong", [1.0, np.nan])
def test_a_wrong_result_is_an_error(launches, monkeypatch, wrong):
    monkeypatch.setattr(programs, "launch", lambda _entry, _a, b, _parameters: b.fill(wrong))
    with pytest.raises(NsightlensError, match="wrong result"):
        programs.run("scale", 33)
    assert launches == []

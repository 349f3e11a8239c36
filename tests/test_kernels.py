"""The catalogue of kernels, and the programs that run them, without a GPU."""

import sys
from itertools import product
from types import SimpleNamespace

import cuda_sources
import numpy as np
import pytest

from nsightlens.apps.bench import ceilings, co_issue, overlap
from nsightlens.errors import NsightlensError, UsageError
from nsightlens.kernels import check, cupy_launch, programs
from nsightlens.kernels.catalogue import families, workload
from nsightlens.kernels.ceilings_compute import FMA, MMA
from nsightlens.kernels.overlap import VARIANTS
from nsightlens.kernels.timing import timing
from nsightlens.kernels.workload import poison

SIZES = (1, 2, 3, 31, 33, 63, 64, 65, 511, 512, 513, 4099)
SMALL = {
    "scale": [{"n": 4099}],
    "scale_strided": [{"n": 4099}],
    "fma_chain": [{"n": 4099}, {"n": 77, "steps": 128}],
    "scale_tensor": [{"n": 4099, "published": p, "rows": rows} for p in (0, 1) for rows in (8, 16)],
    "dram_read": [{"pieces": 3}],
    "dram_write": [{"pieces": 3}],
    "dram_copy": [{"pieces": 3}],
    "l2_read": [{"pieces": 3, "blocks": 5, "rounds": 7}],
    "shared_read": [{"blocks": 2, "rounds": 9}],
    "fma_rate": [{"kind": kind, "blocks": 2, "rounds": 3} for kind in FMA],
    "co_issue": [
        {"bits": bits, "blocks": 2, "rounds": 3, "fma": fma, "mma": mma, "apart": apart}
        for bits in (64, 32)
        for fma, mma in ((1, 1), (1, 0), (0, 1))
        for apart in (0, 1)
    ],
    "factorial": [
        {"kind": kind, "steps": 5, "vectors": 1024 + 32, "blocks": 3, "variant": variant, "phases": phases}
        for kind in (32, 64, 164)
        for variant in VARIANTS
        for phases in (0, 1)
    ],
    "pipelined": [
        {"kind": kind, "steps": 5, "tiles": 7, "blocks": 3, "ahead": ahead, "variant": variant}
        for kind in (32, 64, 164)
        for variant in VARIANTS
        for ahead in (0, 2, 4)
    ],
    "mma_rate": [{"kind": kind, "blocks": 2, "rounds": 3} for kind in MMA],
}
ALL = [(name, given) for name, many in SMALL.items() for given in many]
IDS = ["-".join([name, *map(str, given.values())]) for name, given in ALL]
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")


@pytest.fixture(params=ALL, ids=IDS)
def work(request):
    name, given = request.param
    return workload(name, **given)


def test_every_family_is_tried_here():
    assert set(families()) == set(SMALL)


@pytest.mark.parametrize("name", sorted(families()))
def test_every_family_is_documented(name):
    one = families()[name]
    assert one.doc
    assert set(one.defaults) <= set(one.meaning)
    assert all(one.meaning.values())


def test_every_workload_is_whole(work):
    assert work.entry.split("<")[0] + "(" in work.code
    arguments = work.arguments(np.random.default_rng(0))
    expected = work.reference(arguments)
    assert len(expected) == len(work.outputs)
    for position, right in zip(work.outputs, expected, strict=True):
        assert (arguments[position].shape, arguments[position].dtype) == (right.shape, right.dtype)
        quiet = work.name.endswith(("_compute", "_skeleton"))
        assert np.array_equal(arguments[position], poison(right.shape, right.dtype), equal_nan=right.dtype.kind == "f")
        assert check.agree(arguments[position], right, work.rtol, work.atol) == quiet
    assert all(value >= 0 and isinstance(value, int) for value in work.flop.values())


def test_least_traffic_is_what_arrays_hold(work):
    if work.l2_resident or work.name.endswith(("_compute", "_skeleton")):
        pytest.skip("its arrays stay in L2, or are not touched")
    arguments = work.arguments(np.random.default_rng(0))
    arrays = [one for one in arguments if isinstance(one, np.ndarray) and one.ndim]
    assert work.dram_bytes == sum(one.nbytes for one in arrays)


def used():
    """Yield every kernel with rounds or steps, at the numbers of the suites; without stores there is no result."""
    for kind in FMA:
        yield "fma_rate", {"kind": kind, "blocks": 2}, ceilings.ROUNDS["fma"]
    for kind, one in MMA.items():
        yield "mma_rate", {"kind": kind, "blocks": 2}, min(ceilings.ROUNDS["mma"], one.most_rounds)
    yield "shared_read", {"blocks": 2}, ceilings.ROUNDS["shared"]
    yield "l2_read", {"pieces": 1040, "blocks": 2}, 1501
    for bits, apart, (fma, mma) in product((64, 32), (0, 1), co_issue.KINDS.values()):
        yield "co_issue", {"bits": bits, "blocks": 2, "apart": apart, "fma": fma, "mma": mma}, co_issue.ROUNDS
    yield from (("fma_chain", {"n": 99}, steps) for steps in (1, 32, 128, 1024))
    for kind, many in overlap.STEPS.items():
        yield from (("factorial", {"kind": kind, "vectors": 64, "blocks": 1}, steps) for steps in many)
    for kind, many in overlap.PIPELINED.items():
        yield from (("pipelined", {"kind": kind, "tiles": 2, "blocks": 1, "ahead": 1}, steps) for steps in many)


USED = [*used()]
REPEATS = ("rounds", "steps")


def test_every_family_with_rounds_or_steps_is_among_these():
    assert {name for name, _, _ in USED} == {name for name, one in families().items() if set(REPEATS) & {*one.meaning}}


@pytest.mark.parametrize(("name", "given", "number"), USED, ids=str)
def test_half_of_the_rounds_gives_another_result(name, given, number):
    (repeat,) = set(REPEATS) & {*families()[name].meaning}
    whole, half = (workload(name, **given, **{repeat: many}) for many in (number, number // 2))
    arguments = whole.arguments(np.random.default_rng(0))
    for right, wrong in zip(whole.reference(arguments), half.reference(arguments), strict=True):
        assert not check.agree(wrong, right, whole.rtol, whole.atol)


def fp16_chain(steps):
    """Emulate the chain of fma_rate in FP16: the product is exact in FP64, and rounded once."""
    x, m = np.float16(65504), np.float16(1 - 2.0**-11)
    for _ in range(steps):
        x = np.float16(float(x) * float(m))
    return float(x)


def test_fp16_multiply_adds_are_counted_by_what_they_round_to():
    steps = 64 * ceilings.ROUNDS["fma"]
    (right,) = workload("fma_rate", kind="fp16", blocks=1, rounds=ceilings.ROUNDS["fma"]).reference(())
    assert set(right) == {8 * 2 * fp16_chain(steps)}
    (last,) = workload("fma_rate", kind="fp16", blocks=1, rounds=479).reference(())
    assert last[0] == 8 * 2 * fp16_chain(64 * 479)


def test_fp16_sums_on_tensor_cores_are_exact_all_the_way():
    rounds = 1024
    work = workload("mma_rate", kind="fp16_fp16", blocks=1, rounds=rounds)
    words, _, start, _ = work.arguments(np.random.default_rng(0))
    x, each = (np.atleast_1d(one).view(np.float16)[0] for one in (start, words))
    first = float(x)
    for _ in range(rounds * 16 // 4):  # as if it were rounded after every 4 products
        x = np.float16(float(x) + 4 * float(each) ** 2)
    bits = int(np.full(2, x).view(np.uint32)[0])
    assert float(x) == first + 4 * rounds
    assert set(work.reference(())[0]) == {8 * 2 * bits % 2**32}


def compiled():
    """Yield what is compiled for which architecture: all of it for one, of each family one workload for the others."""
    for number, (name, given) in enumerate(ALL):
        first = number == 0 or ALL[number - 1][0] != name
        for arch in ARCHITECTURES:
            if first or arch == "sm_90":
                yield pytest.param(name, given, arch, id=f"{IDS[number]}-{arch}")


@pytest.mark.skipif(cuda_sources.compiler() is None, reason="neither nvcc nor the wheel nvidia-cuda-nvrtc is there")
@pytest.mark.parametrize(("name", "given", "arch"), [*compiled()])
def test_every_source_compiles(name, given, arch, tmp_path):
    work = workload(name, **given)
    if not work.runs_on(f"{arch[3:-1]}.{arch[-1]}"):
        pytest.skip("is not for such devices")
    assert cuda_sources.compile_source(work, arch, tmp_path) == ""


def test_scale_multiplies_once_per_element():
    assert workload("scale", n=2**27).flop == {"fp64": 2**27} == workload("scale_strided", n=2**27).flop


@pytest.mark.parametrize("rows", [8, 16])
@pytest.mark.parametrize("n", SIZES)
def test_scale_on_tensor_cores_multiplies_whole_tiles_with_the_unit_matrix(n, rows):
    work = workload("scale_tensor", n=n, rows=rows)
    tiles, rest = divmod(n, 8 * rows)
    # a tile is rows x 8 times 8 x 8, a multiply-add counted 2
    assert work.flop == {"tensor_fp64": tiles * 2 * rows * 8 * 8, "fp64": rest}
    given = work.arguments(np.random.default_rng(0))
    np.testing.assert_array_equal(work.reference(given)[0], given[0] * 1.5)


def lanes(matrix, rows, columns):
    """Return what each of 32 lanes holds of a matrix at these positions."""
    lane = np.arange(32)
    return matrix[rows(lane // 4, lane % 4), columns(lane // 4, lane % 4)]


@pytest.mark.parametrize("published", [True, False])
def test_the_fragments_of_scale_give_the_scaled_tile(published):
    """Emulate what the lanes load and hold (PTX: A[g][t], B[t][g], D[g][2t] and D[g][2t+1]) for both patterns."""
    tile, q = np.random.default_rng(1).random((8, 8)), 1.5
    g, t = np.arange(32) // 4, np.arange(32) % 4
    d = np.zeros((8, 8))
    for step in (0, 1):
        column = t + 4 * step if published else 2 * t + step
        a, b = np.zeros((8, 4)), np.zeros((4, 8))
        a[g, t] = tile[g, column]
        b[t, g] = np.where(g == column, q, 0.0)
        d += a @ b
    np.testing.assert_array_equal(d, q * tile)


def test_infinities_nans_and_negative_zeros_on_tensor_cores():
    a = np.arange(1.0, 129.0)
    a[3], a[70], a[20] = np.inf, np.nan, -0.0
    work = workload("scale_tensor", n=128, q=2.0)
    (found,) = work.reference((a, None))
    assert found[3] == np.inf
    assert np.isnan(found[[0, 1, 2, 4, 5, 6, 7, 64, 70, 71]]).all()
    assert np.isfinite(found[8:64]).all()
    assert not np.signbit(found[20])


@pytest.mark.parametrize("steps", [0, 1, 2, 64])
@pytest.mark.parametrize("m", [1.0, 0.5, 1 - 2.0**-10])
def test_the_chain_is_steps_multiply_adds_per_element(steps, m):
    work = workload("fma_chain", n=101, steps=steps, m=m)
    given = work.arguments(np.random.default_rng(0))
    x, flop = given[0].copy(), 0
    for _ in range(steps):
        x = x * m + 2.0**-10
        flop += 2 * x.size
    np.testing.assert_allclose(work.reference(given)[0], x, rtol=work.rtol)
    assert work.flop == {"fp64": flop}


@pytest.mark.parametrize("n", SIZES)
def test_a_grid_of_pairs_covers_every_element_once(n):
    work = workload("scale", n=n)
    first = 2 * np.arange(work.grid[0] * work.block[0])
    touched = np.concatenate([first[first < n], first[first + 1 < n] + 1])
    assert sorted(touched) == list(range(n))
    assert (work.grid[0] - 1) * work.block[0] * 2 < n


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("stride", [1, 4, 32])
def test_a_strided_grid_covers_every_element_once(n, stride):
    rows, columns, _ = workload("scale_strided", n=n, stride=stride).grid
    touched = np.add.outer(np.arange(columns), np.arange(rows * 256) * stride).ravel()
    assert columns == stride
    assert sorted(touched[touched < n]) == list(range(n))


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 7, 11])
def test_reading_in_turn(rounds):
    work = workload("l2_read", pieces=4, blocks=6, rounds=rounds)
    given = work.arguments(np.random.default_rng(0))
    each = [np.bitwise_xor.reduce(row) for row in given[0]]
    slowly = [0] * 6
    for block in range(6):
        for turn in range(rounds):
            slowly[block] ^= int(each[(block + turn) % 4])
    assert list(work.reference(given)[0]) == slowly


def test_names_and_parameters_that_do_not_exist_are_usage_errors():
    with pytest.raises(UsageError, match="take one of: scale, scale_strided, fma_chain"):
        workload("scael", n=1)
    with pytest.raises(UsageError, match="it takes: n, steps, m, c"):
        workload("fma_chain", n=1, step=1)
    with pytest.raises(UsageError, match="needs the parameter n"):
        workload("scale")
    for name, given in (("fma_rate", {"kind": "fp128"}), ("mma_rate", {"kind": "fp128"})):
        with pytest.raises(UsageError, match="take one of: fp64"):
            workload(name, blocks=1, rounds=1, **given)
    for name, given in (
        ("scale", {"n": -5}),
        ("scale", {"n": 1.5}),
        ("scale", {"n": "7"}),
        ("dram_copy", {"pieces": 0}),
        ("scale_strided", {"n": 8, "stride": 0}),
        ("scale_strided", {"n": 8, "stride": 70000}),
        ("fma_chain", {"n": 8, "steps": -3}),
        ("factorial", {"kind": 164, "steps": 1, "vectors": 33, "blocks": 1}),
        ("factorial", {"kind": 64, "steps": 1, "vectors": 64, "blocks": 1, "per_sm": 0}),
        ("factorial", {"kind": 64, "steps": 1, "vectors": 64, "blocks": 1, "per_sm": 300}),
        ("factorial", {"kind": 64, "steps": 1, "vectors": 64, "blocks": 1, "phases": 7}),
        ("pipelined", {"kind": 64, "steps": 1, "tiles": 1, "blocks": 1, "ahead": 9, "of": 0}),
        ("pipelined", {"kind": 64, "steps": 1, "tiles": 8, "blocks": 1, "ahead": 9, "of": 4}),
        ("pipelined", {"kind": 64, "steps": 1, "tiles": 3, "blocks": 4, "ahead": 1}),
        ("pipelined", {"kind": 64, "steps": 1, "tiles": 8, "blocks": 1, "ahead": 1, "depth": 29}),
        ("co_issue", {"bits": 64, "blocks": 1, "rounds": 1, "apart": 2}),
        ("co_issue", {"bits": 64, "blocks": 1, "rounds": 1, "fma": 0, "mma": 0}),
        ("fma_rate", {"kind": "fp64", "blocks": True, "rounds": 1}),
        ("fma_rate", {"kind": "fp16", "blocks": 1, "rounds": 480}),
        ("fma_rate", {"kind": "fp32", "blocks": 1, "rounds": 2**31}),
        ("mma_rate", {"kind": "fp16_fp16", "blocks": 1, "rounds": 1025}),
        ("scale_tensor", {"n": 64, "published": 2}),
    ):
        with pytest.raises(UsageError):
            workload(name, **given)
    with pytest.raises(UsageError, match="rows=8 or rows=16"):
        workload("scale_tensor", n=1, rows=4)


def test_without_cupy_the_message_names_the_extras(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    cupy_launch.load_cupy.cache_clear()
    with pytest.raises(UsageError, match=r'pip install "nsightlens\[cuda13\]"'):
        programs.run("scale", 8)
    cupy_launch.load_cupy.cache_clear()


class Device(np.ndarray):
    """A NumPy array that answers as CuPy's do."""

    def get(self):
        return np.array(self)

    def set(self, values):
        self[:] = values


@pytest.fixture
def launches(monkeypatch):
    """A CuPy made of NumPy, whose kernels compute the reference and are counted."""
    seen = []
    event = SimpleNamespace(record=lambda: None, synchronize=lambda: None)
    cuda = SimpleNamespace(
        Event=lambda: event,
        get_elapsed_time=lambda _start, _end: 2.0,
        Device=lambda: SimpleNamespace(compute_capability="90"),
    )
    fake = SimpleNamespace(asarray=lambda a: np.array(a).view(Device), cuda=cuda)

    def function(_grid, _block, arguments, **_):
        work = seen.pop()
        seen.append(work.name)
        for position, right in zip(work.outputs, work.reference(arguments), strict=True):
            arguments[position].set(right)

    for module in ("cupy_launch", "timing"):
        monkeypatch.setattr(f"nsightlens.kernels.{module}.load_cupy", lambda: fake)
    monkeypatch.setattr(cupy_launch, "_function", lambda *_: function)
    launch = cupy_launch.Prepared.launch

    def counted(self):
        seen.append(self.work)
        launch(self)

    monkeypatch.setattr(cupy_launch.Prepared, "launch", counted)
    return seen


def test_a_program_launches_once_and_checks_the_result(launches):
    done = programs.run("fma_chain", 33, steps=4)
    assert (done.time_s, done.flop, done.dram_bytes, done.max_relative_error) == (2e-3, 8 * 33, 16 * 33, 0)
    assert launches == ["fma_chain"]
    programs.run("scale", 33, warm_up=True)
    assert launches == ["fma_chain", "scale", "scale"]


@pytest.mark.parametrize("wrong", [1.0, np.nan])
def test_a_wrong_result_is_an_error(launches, monkeypatch, wrong):
    monkeypatch.setattr(cupy_launch.Prepared, "results", lambda _: [np.full(33, wrong)])
    with pytest.raises(NsightlensError, match="wrong result"):
        programs.run("scale", 33)
    assert launches == ["scale"]


@pytest.mark.usefixtures("launches")
def test_a_device_that_is_too_old_is_a_usage_error(monkeypatch):
    work = workload("scale_tensor", n=8, rows=16)
    monkeypatch.setattr(cupy_launch.load_cupy().cuda, "Device", lambda: SimpleNamespace(compute_capability="80"))
    with pytest.raises(UsageError, match=r"needs compute capability 9\.0 or newer"):
        cupy_launch.prepare(work)


def test_kernels_for_some_devices_alone():
    overlap, eight = (
        workload("pipelined", **SMALL["pipelined"][0]),
        workload("mma_rate", kind="fp8", blocks=1, rounds=1),
    )
    # 227 KiB of shared memory a multiprocessor: 9.0 and 10.x; 99 KiB: 8.9 and 12.x. FP8 mma.sync: 8.9 and 12.x.
    for capability, shared, fp8 in (("8.9", 0, 1), ("9.0", 1, 0), ("10.0", 1, 0), ("10.3", 1, 0), ("12.0", 0, 1)):
        assert (overlap.runs_on(capability), eight.runs_on(capability)) == (shared, fp8)
    assert [workload("scale_tensor", n=64, rows=16).runs_on(one) for one in ("8.9", "9.0", "10.0")] == [0, 1, 1]


@pytest.mark.usefixtures("launches")
def test_a_device_that_is_of_another_kind_is_a_usage_error():
    with pytest.raises(UsageError, match=r"needs compute capability 8\.9 or 12"):
        cupy_launch.prepare(workload("mma_rate", kind="fp8", blocks=1, rounds=1))


def test_deviations():
    one = np.array([1.0, 2.0, np.nan])
    assert check.agree(one, one, 0, 0)
    assert not check.agree(one, one[:2], 0, 0)
    assert not check.agree(one, np.array([1.0, 2.0, 3.0]), 1, 1)
    assert check.relative_error(np.array([1.1, 0.0]), np.array([1.0, 0.0])) == pytest.approx(0.1)
    assert check.agree(np.array([7], np.uint32), np.array([7], np.uint32), 0, 0)


def test_a_timing_is_median_and_quartiles():
    found = timing([4.0, 1.0, 2.0, 3.0, 5.0])
    assert (found.median_s, found.low_s, found.high_s, found.repeats) == (3, 2, 4, 5)
    assert found.spread == pytest.approx(1 / 3)

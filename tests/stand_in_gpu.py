"""A device made of NumPy: kernels compute their reference, and each takes as long as a test says."""

from types import SimpleNamespace

import numpy as np

from nsightlens.kernels import cupy_launch
from nsightlens.kernels.device import Device

DEVICE = Device(
    name="Stand-in",
    compute_capability="9.0",
    multiprocessors=2,
    l2_bytes=1 << 18,
    memory_bytes=1 << 30,
    max_sm_clock_hz=2e9,
    memory_clock_hz=1e9,
    driver_cuda="13.0",
    runtime_cuda="13.0",
)
MODULES = ("kernels.cupy_launch", "kernels.timing", "apps.bench.launch_cost", "apps.bench.losses")
MODULES += ("apps.bench.overlap", "apps.bench.scale")
SUITES = ("ceilings", "co_issue", "losses", "overlap", "scale")


COPY = SimpleNamespace(name="cudaMemcpy", defines={})
"""Stands for a copy by the library."""


class Array(np.ndarray):
    """A NumPy array that answers as CuPy's do; ``gpu`` is the device that it lies on."""

    gpu = None

    def get(self):
        return np.array(self)

    def set(self, values):
        self[...] = values

    @property
    def data(self):
        return SimpleNamespace(copy_from_device_async=lambda other, _: self.gpu.copied(self, other.whole), whole=self)


class Gpu:
    """The device and its clock.

    ``seconds`` tells how long a workload takes; ``launch_s`` goes on top between two events. ``broken`` tells whether
    the kernel of a workload does nothing.
    """

    def __init__(self, seconds, launch_s=0.0, broken=lambda _: False):
        self.seconds, self.launch_s, self.broken, self.now_s = seconds, launch_s, broken, 0.0

    def install(self, monkeypatch):
        """Put it in the place of CuPy and of the device, for all suites."""
        cupy = self._cupy()
        for module in MODULES:
            monkeypatch.setattr(f"nsightlens.{module}.load_cupy", lambda: cupy)

        def launch(prepared):
            self.launch(prepared)

        monkeypatch.setattr(cupy_launch.Prepared, "launch", launch)
        for suite in SUITES:
            monkeypatch.setattr(f"nsightlens.apps.bench.{suite}.device", lambda: DEVICE)
            monkeypatch.setattr(f"nsightlens.apps.bench.{suite}.conditions", lambda _: {"gpu": DEVICE.name})
        return self

    def launch(self, prepared):
        work = prepared.work
        self.now_s += self.seconds(work)
        if not self.broken(work):
            for place, right in zip(work.outputs, self._computed(prepared), strict=True):
                prepared.device[place].reshape(-1)[: right.size] = right.reshape(-1)

    def _computed(self, prepared):
        if prepared.work.name == "dram_copy":  # its arguments may be of another shape
            source = prepared.device[0].reshape(-1)
            return [source[: prepared.work.dram_bytes // 2 // source.itemsize]]
        return prepared.work.reference(prepared.device)

    def copied(self, to, source):
        self.now_s += self.seconds(COPY)
        if not self.broken(COPY):
            to[...] = source

    def _cupy(self):
        pool = SimpleNamespace(free_all_blocks=lambda: None)
        cuda = SimpleNamespace(
            Event=lambda: Event(self),
            get_elapsed_time=lambda start, end: (end.at_s - start.at_s + self.launch_s) * 1e3,
            Device=lambda: SimpleNamespace(compute_capability="90"),
        )
        return SimpleNamespace(asarray=self._array, cuda=cuda, get_default_memory_pool=lambda: pool)

    def _array(self, values):
        found = np.array(values).view(Array)
        found.gpu = self
        return found


class Event:
    """An event: when it was recorded."""

    def __init__(self, gpu):
        self.gpu, self.at_s = gpu, None

    def record(self):
        self.at_s = self.gpu.now_s

    def synchronize(self):
        pass

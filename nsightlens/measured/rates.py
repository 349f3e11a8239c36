"""Rates measured on a GPU: bandwidths in byte/s, throughputs in FLOP/s (int8: operations per second), clocks in Hz."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_WGMMA = {"hgmma": "hmma", "igmma": "imma", "qgmma": "qmma"}
"""Instruction family of wgmma to that of mma.sync."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured ceilings of one GPU.

    Attributes
    ----------
    gpu
        The device's name.
    values
        Name, such as ``dram_copy_bytes_per_s`` or ``tensor_fp16_hmma_flop_per_s``, to the rate.
    sm_clock_hz
        Name to the clock of the multiprocessors while it was measured; absent where unknown.
    conditions
        Driver, CUDA, memory clock, date, spread: what a reader wants to know.
    """

    gpu: str
    values: Mapping[str, float]
    sm_clock_hz: Mapping[str, float] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)

    def at_clock(self, name: str, clock_hz: float) -> float | None:
        """Return a throughput at another clock of the multiprocessors (it is so much a cycle), None if not measured."""
        value, measured_hz = self.values.get(name), self.sm_clock_hz.get(name)
        if value is None or measured_hz is None or not clock_hz > 0:
            return value
        return value * clock_hz / measured_hz

    def dram_bytes_per_s(self, read_share: float) -> float | None:
        """Return the bandwidth of device memory for a mix of reads and writes, between write, copy and read alone.

        Parameters
        ----------
        read_share
            Bytes read over bytes moved, in 0...1; the answer is None for anything else.
        """
        if not 0 <= read_share <= 1:
            return None
        low, high = ("write", "copy") if read_share < 0.5 else ("copy", "read")  # noqa: PLR2004
        ends = [self.values.get(f"dram_{kind}_bytes_per_s") for kind in (low, high)]
        if ends[0] is None or ends[1] is None:
            return self.values.get("dram_copy_bytes_per_s")
        # Times add, not rates: a byte read and a byte written each take their own time.
        part = 2 * read_share % 1 if read_share < 1 else 1.0
        return 1 / ((1 - part) / ends[0] + part / ends[1])


def true_ceilings(rates: Mapping[str, float]) -> dict[str, float]:
    """Return the rates without those of wgmma that lie below mma.sync of the same type.

    A matrix product of the vendor stands for wgmma. Where it is the slower one it is no ceiling, and the report's own
    serves.
    """
    return {name: rate for name, rate in rates.items() if rate >= rates.get(_mma_sync_of(name), 0.0)}


def _mma_sync_of(name: str) -> str:
    return "_".join(_WGMMA.get(word, word) for word in name.split("_"))

"""Useful against actual work: what a range declares beside what its launch did."""

import math
from collections.abc import Iterable
from itertools import groupby

from nsightlens.analysis.levels import bandwidth
from nsightlens.analysis.result import Ceiling, Useful
from nsightlens.analysis.work import CUDA_CORES, flop_by_pipe, known, uncounted_tensor_work
from nsightlens.collectors.report import Launch
from nsightlens.models import roofline as model


def useful(launch: Launch, pipe: str | None, ceilings: dict[str, Ceiling]) -> Useful | None:
    """Return the useful part of work and traffic, ``None`` if the range declares neither.

    Only for launches of ``one_launch_a_pass``: what a range declares is the work of all launches in it.
    """
    said = launch.row["declared"]
    flop, moved = said.get("flop"), said.get("dram_bytes")
    if flop is None and moved is None:
        return None
    time, intensity = known(launch.values["time_s"]), flop / moved if flop is not None and moved else None
    rate = flop / time if flop is not None and time else None
    most = _attainable(intensity, pipe, ceilings)
    return Useful(
        flop_share=_share(flop, _counted_flop(launch)),
        dram_bytes_share=_share(moved, known(launch.values["dram_bytes"])),
        intensity_flop_per_byte=intensity,
        performance_flop_per_s=rate,
        attainable_flop_per_s=most,
        roof_fraction=rate / most if rate is not None and most else None,
    )


def one_launch_a_pass(launches: Iterable[Launch]) -> frozenset[int]:
    """Return the positions of launches that stand alone in a pass through the range that declares their work.

    Reports do not say where one pass ends and the next begins. Neighbours of one process with the same declaration that
    are the same kernel with the same grid count as passes of their own, as a loop makes them; others share a pass.
    """
    alone: set[int] = set()
    for _, run in groupby(launches, key=_declaration):
        rows = [launch.row for launch in run]
        if len({(row["full_name"], row["grid"], row["block"]) for row in rows}) == 1:
            alone.update(row["launch"] for row in rows)
    return frozenset(alone)


def _declaration(launch: Launch) -> tuple[object, ...]:
    row = launch.row
    return row["process_id"], row["kind"], row["declared"].get("flop"), row["declared"].get("dram_bytes")


def _share(said: float | None, counted: float | None) -> float | None:
    return said / counted if said is not None and counted else None


def _counted_flop(launch: Launch) -> float | None:
    """Return the FLOP of all pipes, ``None`` unless those of every pipe were counted."""
    lacking = any(math.isnan(launch.values[f"{name}_flop"]) for name in CUDA_CORES)
    return None if lacking or uncounted_tensor_work(launch) else sum(flop_by_pipe(launch).values())


def _attainable(intensity: float | None, pipe: str | None, ceilings: dict[str, Ceiling]) -> float | None:
    roof, peak = bandwidth("dram", ceilings), ceilings.get(f"{pipe}_flop_per_s")
    return model.attainable(intensity, peak.value, roof.value) if intensity is not None and roof and peak else None

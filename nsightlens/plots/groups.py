"""Launches that share a label: those of one kernel in one place."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsightlens.analysis.result import LaunchResult
from nsightlens.analysis.totals import deepest
from nsightlens.plots.spots import Spot, slowest_first

Key = tuple[str, str, str | None]


@dataclass(frozen=True, slots=True)
class Group:
    """Launches of one kernel (in ranges of one name, on one GPU) that stand in one place, slowest first."""

    spots: tuple[Spot, ...]

    @property
    def launches(self) -> list[LaunchResult]:
        """Return the launches, slowest first."""
        return [spot.launch for spot in self.spots]


def leaf(launch: LaunchResult) -> str:
    """Return the name of the innermost NVTX range, or nothing."""
    return (deepest(launch.nvtx) or "").rsplit("/", 1)[-1].replace("%2F", "/")


def group_key(launch: LaunchResult) -> Key:
    """Return what the launches of a group have in common besides their place."""
    return launch.name, leaf(launch), launch.gpu


def grouped(spots: Sequence[Spot], places: Sequence[tuple[float, float]], radius: float) -> list[list[Group]]:
    """Return the groups in each place: within ``radius`` of the slowest launch there.

    Parameters
    ----------
    spots
        Launches, slowest first.
    places
        Where each is drawn.
    """
    together: list[list[int]] = []
    for i, place in enumerate(places):
        near = (members for members in together if math.dist(place, places[members[0]]) <= radius)
        home = next(near, None)
        if home is None:
            together.append([i])
        else:
            home.append(i)
    return [_by_kernel(spots[i] for i in members) for members in together]


def slowest_groups(places: Sequence[Sequence[Group]], most: int) -> list[list[Group]]:
    """Return at most so many of the groups, those with the slowest launches."""
    ordered = sorted((group for place in places for group in place), key=lambda group: slowest_first(group.spots[0]))
    kept = {id(group) for group in ordered[:most]}
    left = ([group for group in place if id(group) in kept] for place in places)
    return [place for place in left if place]


def _by_kernel(spots: Iterable[Spot]) -> list[Group]:
    found: dict[Key, list[Spot]] = {}
    for spot in spots:
        found.setdefault(group_key(spot.launch), []).append(spot)
    return [Group(tuple(members)) for members in found.values()]

"""Finds places for the labels of launches and roofs, where no two of them overlap, and draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from nsightlens.plots.geometry import Rows, leaders_to
from nsightlens.plots.placement import Placer
from nsightlens.plots.style import FAINT, measure, pixels, write

PAD = 1.5  # points around each label
LEADER_FROM = 3.0  # points from the marker beyond which a label needs a line


@dataclass(frozen=True, slots=True)
class Label:
    """A text for a point in the axes (pixels) with ``gap`` pixels of room around it; ``bias`` as in ``Placer``."""

    text: str
    anchor: tuple[float, float]
    gap: float
    style: dict[str, Any]
    bias: float = 0.0


def arrange(axes: Axes, placer: Placer, labels: Sequence[Label]) -> list[Rows | None]:
    """Return the box (4,) of each label in pixels, padding included; None where no room was left."""
    return [placer.place(label.anchor, _size(axes, label), label.gap, label.bias) for label in labels]


def _size(axes: Axes, label: Label) -> tuple[float, float]:
    width, height = measure(axes, label.text, **label.style)
    return width + 2 * PAD * pixels(axes), height + 2 * PAD * pixels(axes)


def draw_label(axes: Axes, label: Label, box: Rows) -> None:
    """Draw a label in its box, and its leader."""
    pad = PAD * pixels(axes)
    side, edge = ("left", box[0] + pad) if box[0] + box[2] > 2 * label.anchor[0] else ("right", box[2] - pad)
    x, y = axes.transData.inverted().transform((edge, box[1] + pad))
    write(axes, x, y, label.text, va="bottom", ha=side, multialignment="left", zorder=6, **label.style)
    inner = box + np.array([pad, pad, -pad, -pad])
    _draw_leader(axes, leaders_to(inner[None], np.asarray(label.anchor), label.gap)[0])


def _draw_leader(axes: Axes, leader: Rows) -> None:
    if np.hypot(*(leader[2:] - leader[:2])) < LEADER_FROM * pixels(axes):
        return
    ends = axes.transData.inverted().transform(leader.reshape(2, 2))
    axes.add_collection(LineCollection([ends], colors=FAINT, linewidths=0.5, zorder=3), autolim=False)

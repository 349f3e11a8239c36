"""Labels of the roofs: the flat ones at their right end, those of memory levels at the slant."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

from nsightlens.analysis.names import LEVEL_NAMES
from nsightlens.plots.callouts import Label
from nsightlens.plots.frame import Range, from_pixels, to_pixels
from nsightlens.plots.geometry import Rows, stacked
from nsightlens.plots.roof_lines import slant_end
from nsightlens.plots.roofs import Roofs, roof_label
from nsightlens.plots.style import GPU_COLOURS, HINTING, ROOF_SIZE, UNKNOWN_GPU, drawable, pixels, write
from nsightlens.plots.view import flat_name

CONNECTOR = 12.0  # points from the end of a flat roof to its label
SHORT_OF = 0.8  # of that the connector takes
ROOF_PITCH = 9.5  # points from one label of a flat roof to the next
GPU_LIMIT = 18
ALONG = 0.7  # where on the slanted line its label had best be anchored
STEPS = 21
CLEAR = 14.0  # points from there to the nearest marker
SIDE = 40.0  # the highest slanted roof has its label on the left, the others on the right


@dataclass(frozen=True, slots=True)
class RoofText:
    """A label of a flat roof, not yet in its place, and the roof's value."""

    artist: Text
    value: float


def gpu_prefix(roofs: Sequence[Roofs], which: int) -> str:
    """Return the GPU's name for a roof's label, if there are several GPUs to tell apart."""
    if len(roofs) == 1:
        return ""
    names = [one.gpu.removeprefix("NVIDIA ") or UNKNOWN_GPU for one in roofs]
    models = [re.split("[- ]", name)[0] for name in names]
    return drawable((models if len(set(models)) == len(models) else names)[which], GPU_LIMIT) + " "


def _style(which: int, pipe: str) -> dict[str, Any]:
    look = {"fontsize": ROOF_SIZE, "style": "italic", "color": GPU_COLOURS[which]}
    return {**look, "gid": f"roof-label-{which}-{pipe}"}


def flat_labels(axes: Axes, roofs: Sequence[Roofs], unit: str) -> list[RoofText]:
    """Return the labels of the flat roofs, which must be measured before the axes can be laid out."""
    labels = []
    for i, one in enumerate(roofs):
        for flat in one.flat:
            text = gpu_prefix(roofs, i) + roof_label(flat_name(flat.pipe), flat.ceiling, unit)
            artist = write(axes, 0, 0, text, va="center", **_style(i, flat.pipe))
            labels.append(RoofText(artist, flat.ceiling.value))
    return labels


def band_width(axes: Axes, labels: Sequence[RoofText]) -> float:
    """Return the width in pixels that the labels of the flat roofs need."""
    widths = [HINTING * label.artist.get_window_extent().width + CONNECTOR * pixels(axes) for label in labels]
    return max(widths, default=0.0)


def place_flat_labels(axes: Axes, labels: Sequence[RoofText], end: float) -> None:
    """Stack the labels right of ``end`` (an intensity), each as near to its roof as the others allow."""
    starts = to_pixels(axes, [(end, label.value) for label in labels])
    pitch, reach = ROOF_PITCH * pixels(axes), CONNECTOR * pixels(axes)
    heights = stacked(starts[:, 1], pitch, axes.bbox.y0 + pitch / 2, axes.bbox.y1 - pitch / 2)
    for label, (x, y), height in zip(labels, starts, heights, strict=True):
        stop = (x + SHORT_OF * reach, height)
        line = from_pixels(axes, [(x, y), stop])
        label.artist.set_position(tuple(from_pixels(axes, [(x + reach, height)])[0]))
        axes.plot(*line.T, color=label.artist.get_color(), linewidth=0.4, alpha=0.6, zorder=1)


def slant_labels(axes: Axes, roofs: Sequence[Roofs], x: Range, markers: Rows) -> list[Label]:
    """Return the labels of the roofs of memory levels, anchored where no marker (box, pixels) is near."""
    known = [(i, one, slant) for i, one in enumerate(roofs) for slant in one.slants]
    highest = max((slant.ceiling.value for _, _, slant in known), default=0.0)
    labels = []
    for i, one, slant in known:
        value = slant.ceiling.value
        along = np.geomspace(x[0], slant_end(one, slant, axes, x), STEPS)
        places = to_pixels(axes, np.stack([along, along * value], axis=1))
        anchor = places[_clearest(places, markers, CLEAR * pixels(axes))]
        text = gpu_prefix(roofs, i) + roof_label(LEVEL_NAMES[slant.level], slant.ceiling, "B/s")
        bias = -SIDE if value == highest else SIDE
        labels.append(Label(text, (anchor[0], anchor[1]), 2 * pixels(axes), _style(i, slant.level), bias))
    return labels


def _clearest(places: Rows, markers: Rows, enough: float) -> int:
    """Return which of the ``places`` keeps away from markers; of several, that nearest to the preferred one."""
    centres = (markers[:, :2] + markers[:, 2:]) / 2
    reach = places[:, None] - centres[None]
    distance = np.hypot(reach[..., 0], reach[..., 1]).min(axis=1)
    order = np.argsort(np.abs(np.linspace(0, 1, len(places)) - ALONG), kind="stable")
    return int(order[np.argmax(np.minimum(distance, enough)[order])])

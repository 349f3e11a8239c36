"""Label placement without chance: a label takes the cheapest free place, and a taken place is never given twice.

Everything is in pixels. A box is a row ``left, bottom, right, top``; a segment is a row ``x0, y0, x1, y1``.
"""

import numpy as np

from nsightlens.plots.geometry import (
    TINY,
    Hits,
    Rows,
    boxes_around,
    crosses,
    leaders_to,
    lengths,
    overlaps,
    passes,
)

Pair = tuple[float, float]

DISTANCES = (0, 3, 7, 12, 18, 26, 38, 54)
DIRECTIONS = 16
GRID_STEP = 8.0
CANDIDATES = 240
# What a fault costs, in points of distance from the launch: the label covers ..., its leader crosses ...
COVERS_MARKER, COVERS_LEADER, COVERS_ROOF = 60.0, 60.0, 45.0
CROSSES_LABEL, CROSSES_LEADER, CROSSES_MARKER, CROSSES_ROOF = 70.0, 30.0, 10.0, 6.0
NEARER_TO_ANOTHER = 8.0  # launch than to its own


class Placer:
    """Places labels in ``area`` (one box) around ``markers`` (boxes) and ``roofs`` (segments).

    Parameters
    ----------
    unit
        Pixels per typographic point.
    """

    def __init__(self, area: Rows, markers: Rows, roofs: Rows, unit: float) -> None:
        self.area, self.markers, self.roofs, self.unit = area, markers, roofs, unit
        self.labels = np.empty((0, 4))
        self.leaders = np.empty((0, 4))
        self.tidy = True  # no label so far covers anything

    def place(self, anchor: Pair, size: Pair, gap: float, bias: float = 0.0) -> Rows | None:
        """Return the box (4,) of a label of ``size`` for ``anchor``, or None if no place is free.

        ``gap`` is the room to leave around the anchor. A ``bias`` above 0 is what a place left of the anchor costs
        in points, one below 0 what a place right of it costs; above and below it half of that.
        """
        point = np.asarray(anchor)
        boxes = self._free(np.vstack([self._rings(point, size, gap), self._grid(size)]))
        if not len(boxes):
            return None
        distance = np.round(np.maximum(lengths(leaders_to(boxes, point)), gap) / self.unit, 3)
        nearest = np.argsort(distance, kind="stable")[:CANDIDATES]
        boxes, distance = boxes[nearest], distance[nearest]
        faults = self._faults(boxes, point, gap)
        cost = distance + _wrong_side(boxes, point, bias) + faults
        choice = np.argmin(np.round(cost, 3))
        best: Rows = boxes[choice]
        self.tidy = self.tidy and bool(faults[choice] < COVERS_ROOF)
        self.labels = np.vstack([self.labels, best])
        self.leaders = np.vstack([self.leaders, leaders_to(best[None], point)])
        return best

    def _rings(self, point: Rows, size: Pair, gap: float) -> Rows:
        angle = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
        direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        reach = gap + np.asarray(DISTANCES)[:, None, None] * self.unit
        # The side or corner that faces the launch touches the ring, whatever the shape of the label.
        centre = point + reach * direction + np.sign(np.round(direction, 6)) * np.asarray(size) / 2
        return boxes_around(centre.reshape(-1, 2), size)

    def _grid(self, size: Pair) -> Rows:
        left, bottom, right, top = self.area
        step = GRID_STEP * self.unit
        x, y = np.meshgrid(np.arange(left, right, step), np.arange(bottom, top, step))
        return boxes_around(np.stack([x.ravel(), y.ravel()], axis=1) + np.asarray(size) / 2, size)

    def _free(self, boxes: Rows) -> Rows:
        left, bottom, right, top = self.area
        inside = (boxes[:, :2] >= (left, bottom)).all(axis=1) & (boxes[:, 2:] <= (right, top)).all(axis=1)
        taken = np.asarray(overlaps(boxes, self.labels).any(axis=1))
        return boxes[inside & ~taken]

    def _faults(self, boxes: Rows, point: Rows, gap: float) -> Rows:
        lines = leaders_to(boxes, point, gap)
        counted = (
            (COVERS_MARKER, overlaps(boxes, self.markers)),
            (COVERS_LEADER, passes(self.leaders, boxes).T),
            (COVERS_ROOF, passes(self.roofs, boxes).T),
            (NEARER_TO_ANOTHER, self._nearer_to_another(boxes, point, gap)),
            (CROSSES_LABEL, passes(lines, self.labels)),
            (CROSSES_LEADER, crosses(lines, self.leaders)),
            (CROSSES_MARKER, passes(lines, self.markers)),
            (CROSSES_ROOF, crosses(leaders_to(boxes, point), self.roofs)),
        )
        return np.asarray(sum(weight * hits.sum(axis=1) for weight, hits in counted))

    def _nearer_to_another(self, boxes: Rows, point: Rows, gap: float) -> Hits:
        centres = (self.markers[:, :2] + self.markers[:, 2:]) / 2
        others = centres[np.hypot(*(centres - point).T) > gap]
        reach = np.clip(others, boxes[:, None, :2], boxes[:, None, 2:]) - others
        hits: Hits = np.hypot(reach[..., 0], reach[..., 1]) < lengths(leaders_to(boxes, point))[:, None]
        return hits


def _wrong_side(boxes: Rows, point: Rows, bias: float) -> Rows:
    reach = (boxes[:, :2] + boxes[:, 2:]) / 2 - point
    cosine = reach[:, 0] / np.maximum(np.hypot(*reach.T), TINY)
    return np.asarray((abs(bias) - bias * cosine) / 2)

"""Boxes and segments in the plane, by the whole array.

A box is a row ``left, bottom, right, top``; a segment is a row ``x0, y0, x1, y1``.
"""

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float64]
Hits = npt.NDArray[np.bool_]
TINY = 1e-9


def boxes_around(centres: Rows, size: tuple[float, float]) -> Rows:
    """Return the boxes (n, 4) of one size around their centres (n, 2)."""
    half = np.asarray(size) / 2
    return np.hstack([centres - half, centres + half])


def lengths(segments: Rows) -> Rows:
    """Return the lengths (n,) of segments (n, 4)."""
    return np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])


def leaders_to(boxes: Rows, point: Rows, gap: float = 0.0) -> Rows:
    """Return the segments (n, 4) from ``point``, less ``gap``, to the nearest spot of each box (n, 4)."""
    end = np.clip(point, boxes[:, :2], boxes[:, 2:])
    reach = end - point
    length = np.maximum(np.hypot(*reach.T), TINY)[:, None]
    return np.hstack([point + reach * np.minimum(gap / length, 1), end])


def overlaps(boxes: Rows, others: Rows) -> Hits:
    """Tell which boxes (n, 4) overlap which others (k, 4): (n, k)."""
    a, b = boxes[:, None], others[None]
    return np.asarray(((a[..., :2] < b[..., 2:]) & (b[..., :2] < a[..., 2:])).all(axis=-1))


def passes(segments: Rows, boxes: Rows) -> Hits:
    """Tell which segments (n, 4) pass through which boxes (k, 4): (n, k)."""
    start, reach = segments[:, None, :2], segments[:, None, 2:] - segments[:, None, :2]
    reach = np.where(np.abs(reach) < TINY, TINY, reach)
    one, two = (boxes[None, :, :2] - start) / reach, (boxes[None, :, 2:] - start) / reach
    entry = np.minimum(one, two).max(axis=-1)
    leave = np.maximum(one, two).min(axis=-1)
    hits: Hits = np.maximum(entry, 0) < np.minimum(leave, 1)
    return hits


def crosses(segments: Rows, others: Rows) -> Hits:
    """Tell which segments (n, 4) cross which others (k, 4): (n, k)."""
    a, b = segments[:, None, :2], segments[:, None, 2:]
    c, d = others[None, :, :2], others[None, :, 2:]
    hits: Hits = (_side(a, b, c) * _side(a, b, d) < 0) & (_side(c, d, a) * _side(c, d, b) < 0)
    return hits


def stacked(wanted: Rows, pitch: float, low: float, high: float) -> Rows:
    """Return positions at least ``pitch`` apart, in [low, high], nearest to the ``wanted`` (n,) in least squares.

    Of two that want the same position the first gets the higher one.
    """
    order = np.lexsort((-np.arange(len(wanted)), wanted))
    blocks: list[tuple[float, int]] = []
    for k, i in enumerate(order):
        value, size = wanted[i] - k * pitch, 1
        while blocks and blocks[-1][0] > value:
            before, n = blocks.pop()
            value, size = (before * n + value * size) / (n + size), n + size
        blocks.append((value, size))
    level = np.array([value for value, size in blocks for _ in range(size)])
    highest = max(low, high - (len(wanted) - 1) * pitch)
    places = np.empty(len(wanted))
    places[order] = np.clip(level, low, highest) + pitch * np.arange(len(wanted))
    return places


def _side(a: Rows, b: Rows, c: Rows) -> Rows:
    ab, ac = b - a, c - a
    return np.asarray(ab[..., 0] * ac[..., 1] - ab[..., 1] * ac[..., 0])

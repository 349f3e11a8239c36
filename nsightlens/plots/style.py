"""Colours, sizes and safe text of the figures."""

import math
from typing import Any, cast

from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, IdentityTransform, Transform, offset_copy

from nsightlens.analysis.result import LaunchResult
from nsightlens.text import printable, shorten

# Okabe and Ito's palette; the shape says the same again for print without colour.
BOUNDS = {
    "memory": ("#0072B2", "o", "memory-bound"),
    "compute": ("#D55E00", "s", "compute-bound"),
    "latency": ("#C2649B", "^", "latency-bound"),
    "unknown": ("#767676", "D", "bound unknown"),
}
GPU_COLOURS = ("#222222", "#8C510A", "#01665E", "#762A83")
GPU_FILLS = ("full", "none", "left", "bottom")
FAINT = "#6E6E6E"
INK = "#222222"
GRID = "#E6E6E6"

LABEL_SIZE = 7.5
ROOF_SIZE = 7.0
LIST_SIZE = 6.5
NOTE_SIZE = 6.5
KEY_SIZE = 7.0
LINE_HEIGHT = 1.35

POINTS_PER_INCH = 72.0
HINTING = 1.06  # the same text can be so much wider at another resolution
SMALLEST_MARKER = 4.5
LARGEST_MARKER = 10.0
UNNAMED = "(unnamed)"
UNKNOWN_GPU = "unknown GPU"


def write(axes: Axes, x: float, y: float, text: str, **style: Any) -> Text:  # noqa: ANN401
    """Add ``text`` as it stands: no mathtext, no TeX."""
    artist = axes.text(x, y, text)
    artist.set_parse_math(False)
    artist.set_usetex(False)
    artist.set(**style)
    return artist


def measure(axes: Axes, text: str, **style: Any) -> tuple[float, float]:  # noqa: ANN401
    """Return width and height of ``text`` in pixels, with room for other formats and resolutions."""
    artist = write(axes, 0, 0, text, transform=IdentityTransform(), **style)
    box = artist.get_window_extent()
    artist.remove()
    return HINTING * box.width, box.height


def pixels(axes: Axes) -> float:
    """Return the pixels per typographic point."""
    return float(figure_of(axes).dpi) / POINTS_PER_INCH


def beside(axes: Axes, x: float, y: float, corner: tuple[float, float]) -> Transform:
    """Return the transform that puts (0, 0) at ``x``, ``y`` points from a ``corner`` of the axes."""
    origin = Affine2D().translate(*corner) + axes.transAxes
    return offset_copy(origin, fig=figure_of(axes), x=x, y=y, units="points")


def figure_of(axes: Axes) -> Figure:
    """Return the figure that the axes stand in."""
    figure: Any = axes.figure  # a Figure, or a SubFigure that does all that is asked of one here
    return cast("Figure", figure)


def drawable(text: str, limit: int) -> str:
    r"""Return at most ``limit`` characters of ``text``; what the font lacks is shown as ``\uNNNN``."""
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    shown = printable(shorten(text.strip() or UNNAMED, limit))
    return shorten("".join(c if font.get_char_index(ord(c)) else _code(c) for c in shown), limit)


def _code(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode()


def bound_of(launch: LaunchResult) -> str:
    """Return the key of ``BOUNDS`` that the launch is drawn with."""
    return launch.roofline.bound if launch.roofline.bound in BOUNDS else "unknown"


def marker_size(launch: LaunchResult, longest_s: float) -> float:
    """Return the marker's diameter in points; its area is proportional to time down to a smallest size."""
    share = (launch.time_s or 0.0) / longest_s if longest_s else 0.0
    return max(SMALLEST_MARKER, LARGEST_MARKER * math.sqrt(share))

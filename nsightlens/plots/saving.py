"""Makes a roofline figure of the right size and writes it whole or not at all."""

import io
import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nsightlens.analysis.result import Analysis
from nsightlens.errors import UsageError
from nsightlens.files import refuse_existing, write_atomically
from nsightlens.plots.groups import group_key
from nsightlens.plots.labelling import MOST_LABELLED
from nsightlens.plots.listing import list_height
from nsightlens.plots.roofline import plot_roofline
from nsightlens.plots.spots import spots_of
from nsightlens.plots.style import POINTS_PER_INCH
from nsightlens.plots.view import LIMITING, View, view_of
from nsightlens.text import printable

RESOLUTION = 200
WIDTH, HEIGHT = 5.6, 3.7  # inches, of the axes alone
WIDTH_WHEN_TALL = 6.4
MARGIN = 0.08
FINE = 10  # places that differ by less than a tenth are likely to share a label
NO_DATE: dict[str, dict[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
ENDINGS = ".png, .svg or .pdf"
# Text stays text, and the same analysis gives the same bytes.
WRITING: dict[Any, Any] = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "nsightlens"}


def roofline_figure(result: Analysis, *, levels: str = LIMITING, instructions: bool | None = None) -> Figure:
    """Return a figure with the roofline of an analysis, as large as its contents need; see ``plot_roofline``.

    Raises
    ------
    ReportError
        If no launch can be drawn.
    """
    height = _height(result, view_of(result, levels, instructions=instructions))
    figure = Figure(figsize=(WIDTH if height == HEIGHT else WIDTH_WHEN_TALL, height), dpi=RESOLUTION)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    plot_roofline(result, axes, levels=levels, instructions=instructions)
    _fit(figure, axes)
    return figure


def _height(result: Analysis, view: View) -> float:
    """Return the height in inches that the list of launches will need, roughly."""
    spots, _ = spots_of(result, view)
    places = {(group_key(s.launch), round(FINE * math.log(s.x)), round(FINE * math.log(s.y))) for s in spots}
    return max(HEIGHT, list_height(min(MOST_LABELLED, len(places))) / POINTS_PER_INCH)


def _fit(figure: Figure, axes: Axes) -> None:
    """Grow the figure around its contents; the axes keep their size, so every label keeps its place."""
    box = figure.get_tightbbox()
    width, height = box.width + 2 * MARGIN, box.height + 2 * MARGIN
    size = figure.get_size_inches()
    figure.set_size_inches(width, height)
    left, bottom = (MARGIN - box.x0) / width, (MARGIN - box.y0) / height
    axes.set_position((left, bottom, size[0] / width, size[1] / height))


def save_roofline(
    result: Analysis,
    path: str | Path,
    *,
    force: bool = False,
    levels: str = LIMITING,
    instructions: bool | None = None,
) -> Path:
    """Draw the roofline of an analysis and write it as PNG, SVG or PDF, by the ending of ``path``.

    Parameters
    ----------
    result
        The analysis.
    path
        The file to write; its folder must exist.
    force
        Replace an existing file.
    levels, instructions
        What to show: see ``nsightlens.plots.roofline.plot_roofline``.

    Returns
    -------
    Path
        The written file.

    Raises
    ------
    UsageError
        If the ending is another, the file exists, or it cannot be written.
    ReportError
        If no launch can be drawn.
    """
    target = check_figure(path, force=force)
    figure = roofline_figure(result, levels=levels, instructions=instructions)
    ending = target.suffix.lower()
    content = io.BytesIO()
    with mpl.rc_context(WRITING):
        figure.savefig(content, format=ending[1:], dpi="figure", metadata=NO_DATE[ending])
    write_atomically(target, content.getvalue(), force=force)
    return target


def check_figure(path: str | Path, *, force: bool = False) -> Path:
    """Return ``path`` if a figure can be written there.

    Raises
    ------
    UsageError
        If the ending names no format of figures, the file exists and ``force`` is not set, or the folder does not.
    """
    target = Path(path)
    if target.suffix.lower() not in NO_DATE:
        raise UsageError("no format of figures ends so", where=printable(str(path)), remedy=f"name a file {ENDINGS}")
    refuse_existing(target, force=force)
    return target

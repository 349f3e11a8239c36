"""Bandwidth over the size of the data, one line a variant."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nsightlens.files import write_atomically
from nsightlens.plots.saving import NO_DATE, RESOLUTION, WRITING
from nsightlens.plots.style import FAINT, GRID, INK, LABEL_SIZE, drawable

GPU_LIMIT = 60
# Okabe and Ito's palette; markers say the same again.
_LINES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#E69F00", "v"), ("#56B4E9", "D"), ("#222222", "x"))


def plot_bandwidth(result: Mapping[str, Any], axes: Axes) -> Axes:
    """Draw a result of ``bench scale``: bytes moved against bytes per second, the axis of sizes logarithmic."""
    variants = list(dict.fromkeys(row["variant"] for row in result["rows"]))
    for (colour, marker), variant in zip(_LINES * len(variants), variants, strict=False):
        rows = sorted((row for row in result["rows"] if row["variant"] == variant), key=lambda row: row["bytes"])
        x, y = [row["bytes"] for row in rows], [row["bytes_per_s"] / 1e12 for row in rows]
        style = "--" if marker == "x" else "-"
        axes.plot(
            x, y, style, color=colour, marker=marker, markersize=4, linewidth=1.2, label=drawable(variant, GPU_LIMIT)
        )
    _mark_l2(result["conditions"].get("l2_bytes"), axes)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("bytes read and written", color=INK)
    axes.set_ylabel("bandwidth (TB/s)", color=INK)
    axes.grid(color=GRID)
    legend = axes.legend(fontsize=LABEL_SIZE, frameon=False, loc="lower right")
    title = axes.set_title(f"SCALE, FP64, {drawable(result['conditions']['gpu'], GPU_LIMIT)}", fontsize=9, color=INK)
    for text in (title, *legend.get_texts()):
        text.set(parse_math=False, usetex=False)
    return axes


def _mark_l2(size: float | None, axes: Axes) -> None:
    if size:
        axes.axvline(size, color=FAINT, linewidth=0.8, linestyle=":")
        axes.annotate("size of L2", (size, 0.02), xycoords=("data", "axes fraction"), fontsize=LABEL_SIZE, color=FAINT)


def save_bandwidth(result: Mapping[str, Any], path: Path, *, force: bool = False) -> Path:
    """Write the figure, whole or not at all, and return where.

    Raises
    ------
    UsageError
        If the file exists and ``force`` is not set, or it cannot be written.
    """
    with mpl.rc_context(WRITING):
        figure = Figure(figsize=(5.6, 3.7), dpi=RESOLUTION, layout="constrained")
        FigureCanvasAgg(figure)
        plot_bandwidth(result, figure.add_subplot())
        drawn = io.BytesIO()
        figure.savefig(drawn, format=path.suffix[1:], metadata=NO_DATE[path.suffix])
    write_atomically(path, drawn.getvalue(), force=force)
    return path

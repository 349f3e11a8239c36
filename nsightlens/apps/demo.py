"""The main job on a recorded report that ships with the package."""

from importlib.resources import as_file, files
from pathlib import Path

from nsightlens.analysis import analyze_reports
from nsightlens.analysis.result import Analysis
from nsightlens.errors import UsageError
from nsightlens.files import write_atomically
from nsightlens.plots.saving import save_roofline
from nsightlens.report import render

REPORT = "demo.ncu-rep.xz"
FOLDER = "nsightlens-demo"


def demo(folder: Path) -> tuple[Analysis, tuple[Path, ...]]:
    """Analyse the recorded report and write its figure and JSON document into ``folder``, replacing those files.

    Raises
    ------
    UsageError
        If the folder cannot be written.
    """
    with as_file(files("nsightlens.data").joinpath(REPORT)) as report:
        analysis = analyze_reports([report])
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot be made: {error.strerror}", where=str(folder), remedy="run the demo in a folder of your own"
        ) from error
    figure = save_roofline(analysis, folder / "roofline.png", force=True)
    document = folder / "analysis.json"
    write_atomically(document, render(analysis, "json").encode(), force=True)
    return analysis, (figure, document)

"""Where a report goes: never over another file unasked, and only once it holds something."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from nsightlens.errors import ProfilerError, UsageError
from nsightlens.launch.manifest import manifest_path

SUFFIX = ".ncu-rep"


def report_target(report: Path | None, *, force: bool = False) -> Path:
    """Return the path of the new report: ``report``, or a name from the time of day that is not taken.

    Raises
    ------
    UsageError
        If ``report`` exists and ``force`` is not given.
    """
    if report is None:
        return _free(Path(f"nsightlens-{datetime.now().astimezone():%Y%m%d-%H%M%S}{SUFFIX}"))
    target = report if report.suffix == SUFFIX else report.with_name(report.name + SUFFIX)
    if target.is_dir():
        raise UsageError("is a folder", where=str(target), remedy="choose another name")
    if _taken(target) and not force:
        remedy = "choose another name, or overwrite it with --force"
        raise UsageError("the report exists", where=str(target), remedy=remedy)
    return target


@contextlib.contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """Give a temporary folder on the file system of ``target``, so that the report can be moved in one step.

    Raises
    ------
    ProfilerError
        If the folder of ``target`` cannot be written.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=".nsightlens-", dir=target.absolute().parent))
    except OSError as error:
        remedy = "write elsewhere with --report FILE"
        raise ProfilerError(f"cannot write there: {error.strerror}", where=str(target), remedy=remedy) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep(collected: Path, target: Path, *, force: bool = False) -> Path:
    """Move the report to its place (or beside it, if that was taken meanwhile) and return that place."""
    place = target if force else _free(target)
    try:
        collected.replace(place)
    except OSError:  # a folder or a mount lies there by now: what was collected is not lost for that
        place = _free(target.with_name(f"kept-{target.name}"))
        collected.replace(place)
    return place


def _taken(report: Path) -> bool:
    return report.exists() or manifest_path(report).exists()


def _free(report: Path) -> Path:
    candidate, number = report, 1
    while _taken(candidate):
        number += 1
        candidate = report.with_name(f"{report.name.removesuffix(SUFFIX)}-{number}{SUFFIX}")
    return candidate

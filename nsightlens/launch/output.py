"""Where a report goes: never over another file unasked, and only once it holds something."""

import contextlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from nsightlens.errors import ProfilerError, UsageError
from nsightlens.files import refuse_existing
from nsightlens.launch.manifest import manifest_path

SUFFIX = ".ncu-rep"
KNOWN_SUFFIXES = frozenset({SUFFIX, ".json", ".txt", ".csv", ".parquet", ".md"})

RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")
"""Environment variables in which launchers of parallel programs give each process its number."""


def report_targets(report: Path | None, *, force: bool = False, repeat: int = 1) -> list[Path]:
    """Return the paths of the reports of ``repeat`` runs; under a launcher of parallel programs they name the rank.

    Without ``report``, names from the time of day that are not taken.

    Raises
    ------
    UsageError
        If one of them exists and ``force`` is not given, cannot be a file, or their folder does not exist.
    """
    base = ranked(Path(f"nsightlens-{datetime.now().astimezone():%Y%m%d-%H%M%S}") if report is None else report)
    name = base.name.removesuffix(SUFFIX)
    if name in {"", ".."}:
        raise UsageError("names no file", where=f"--report {report}", remedy="give a name, such as --report run")
    endings = [SUFFIX] if repeat == 1 else [f"-{number}{SUFFIX}" for number in range(1, repeat + 1)]
    targets = [base.with_name(name + ending) for ending in endings]
    try:
        if report is None:
            return [_free(target) for target in targets]
        for target in targets:
            _check(target, force=force)
    except OSError as error:
        raise UsageError(f"{error.strerror}", where=str(report), remedy="choose another name") from error
    return targets


def files_of(targets: Iterable[Path]) -> tuple[Path, ...]:
    """Return all files that runs with these reports write."""
    return tuple(path for target in targets for path in (target, manifest_path(target)))


def ranked(path: Path) -> Path:
    """Return the path with this process's rank in its name: no two ranks write one file."""
    rank = _rank()
    if rank is None or not path.name:
        return path
    suffix = path.suffix if path.suffix in KNOWN_SUFFIXES else ""
    return path.with_name(f"{path.name.removesuffix(suffix)}-rank{rank}{suffix}")


def _rank() -> str | None:
    names = (*RANKS, *(["RANK"] if "WORLD_SIZE" in os.environ else []))  # torchrun's: the name alone means little
    return next((os.environ[name] for name in names if os.environ.get(name, "").isdecimal()), None)


def _check(target: Path, *, force: bool) -> None:
    if target.is_dir():
        raise UsageError("is a folder", where=str(target), remedy="choose another name")
    folder = target.absolute().parent
    if not folder.is_dir():
        raise UsageError("its folder does not exist", where=str(target), remedy=f"mkdir -p {shlex.quote(str(folder))}")
    refuse_existing(manifest_path(target), force=True)
    if _taken(target) and not force:
        remedy = "choose another name, or overwrite it with --force"
        raise UsageError("the report exists", where=str(target), remedy=remedy)


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
    except BaseException:
        if not (folder / target.name).exists():  # what was collected is not thrown away for an error
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def keep(collected: Path, target: Path, *, force: bool = False) -> Path:
    """Move the report to its place (or beside it, if that was taken meanwhile) and return that place."""
    place = target if force else _claimed(target)
    try:
        collected.replace(place)
    except OSError:  # a folder or a mount lies there by now: what was collected is not lost for that
        place = _claimed(target.with_name(f"kept-{target.name}"))
        collected.replace(place)
    return place


def _claimed(target: Path) -> Path:
    """Take a free name for this process alone, by an empty file."""
    while True:
        place = _free(target)
        with contextlib.suppress(FileExistsError):
            place.open("xb").close()
            return place


def _taken(report: Path) -> bool:
    return any(map(_there, files_of([report])))


def _there(path: Path) -> bool:
    """Tell whether a name is taken; unlike ``lexists`` raise ``OSError`` for a name that cannot be one."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def _free(report: Path) -> Path:
    candidate, number = report, 1
    while _taken(candidate):
        number += 1
        candidate = report.with_name(f"{report.name.removesuffix(SUFFIX)}-{number}{SUFFIX}")
    return candidate

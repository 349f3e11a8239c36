"""Find Nsight Compute's command line."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nsightlens.errors import ProfilerError
from nsightlens.text import printable

INSTALL = "install Nsight Compute (it comes with the CUDA Toolkit), add its folder to PATH, or give --ncu PATH"
BROKEN = "install Nsight Compute again, or name another one with --ncu PATH"
TIMEOUT_S = 120
MAX_QUOTED = 160


class Ncu(NamedTuple):
    """An ncu that starts: its path, its version such as ``2025.3.1.0``, and what was passed over, and why."""

    path: Path
    version: str
    passed_over: tuple[str, ...] = ()


def find_ncu(explicit: str | None = None, root: Path = Path("/")) -> Ncu:
    """Return the first ``ncu`` that starts.

    Looks on PATH, in CUDA_HOME and CUDA_PATH, in the stand-alone installations of Nsight Compute (newest
    first) and in those of the CUDA Toolkit.

    Parameters
    ----------
    explicit
        A path or a name on PATH; nothing else is looked at when given.
    root
        Where the installation folders ``opt`` and ``usr`` stand.

    Raises
    ------
    ProfilerError
        If there is none, or none that starts.
    """
    if explicit is not None:
        path = _named(explicit)
        return Ncu(path, ncu_version(path))
    failed: list[ProfilerError] = []
    for candidate in _different(_candidates(root)):
        try:
            return Ncu(candidate, ncu_version(candidate), tuple(f"{each.where}: {each.message}" for each in failed))
        except ProfilerError as error:
            failed.append(error)
    raise failed[0] if failed else ProfilerError("Nsight Compute (ncu) was not found", remedy=INSTALL)


def ncu_version(ncu: Path) -> str:
    """Return the version of ``ncu``, such as ``2025.3.1.0``.

    Raises
    ------
    ProfilerError
        If it cannot be started, fails, or answers as Nsight Compute does not.
    """
    if not os.access(ncu, os.X_OK):
        raise ProfilerError("is not executable", where=str(ncu), remedy=f"chmod +x {shlex.quote(str(ncu))}")
    try:
        done = subprocess.run(  # noqa: S603
            [ncu, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except OSError as error:
        raise ProfilerError(f"cannot be started: {error.strerror}", where=str(ncu), remedy=BROKEN) from error
    except subprocess.TimeoutExpired as error:
        raise ProfilerError(f"gives no version within {TIMEOUT_S} s", where=str(ncu), remedy=BROKEN) from error
    match = re.search(r"Version (\d+(?:\.\d+)+)", done.stdout)
    if done.returncode == 0 and match is not None:
        return match[1]
    how = f"fails with exit code {done.returncode}" if done.returncode else "gives no version of Nsight Compute"
    said = _first_line(done.stderr) or _first_line(done.stdout)
    raise ProfilerError(f"{how} when asked for its version{said}", where=str(ncu), remedy=BROKEN)


def _first_line(text: str) -> str:
    line = next(filter(None, map(str.strip, text.splitlines())), "")
    return f": {printable(line, MAX_QUOTED)}" if line else ""


def _named(explicit: str) -> Path:
    """Return the program that a user names, be it a path or a name on PATH."""
    found = shutil.which(explicit)
    if found is not None:
        return _absolute(Path(found))
    path = Path(explicit)
    where = f"--ncu {explicit}"
    if path.is_dir():
        raise ProfilerError("is a folder", where=where, remedy=f"--ncu {shlex.quote(str(path / 'ncu'))}")
    if path.exists():
        raise ProfilerError("is not executable", where=where, remedy=f"chmod +x {shlex.quote(explicit)}")
    raise ProfilerError("no such program", where=where, remedy=INSTALL)


def _candidates(root: Path) -> Iterator[Path]:
    for folder in os.get_exec_path():
        yield _absolute(Path(shutil.which("ncu", path=folder) or Path(folder) / "ncu"))
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "bin" / "ncu"
    yield from _newest_first(root.glob("opt/nvidia/nsight-compute/*/ncu"))
    yield from _newest_first(root.glob("usr/local/cuda*/bin/ncu"))


def _different(paths: Iterator[Path]) -> Iterator[Path]:
    """Yield the files among some paths, each once by whatever links it is reached."""
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real not in seen and path.is_file():
            yield path
        seen.add(real)


def _newest_first(paths: Iterator[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: [int(digits) for digits in re.findall(r"\d+", str(path))], reverse=True)


def _absolute(path: Path) -> Path:
    """Return the whole path; the path as it is where the current folder no longer exists."""
    try:
        return path.absolute()
    except OSError:
        return path

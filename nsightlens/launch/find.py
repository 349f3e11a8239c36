"""Find Nsight Compute's command line."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from nsightlens.errors import ProfilerError

INSTALL = "install Nsight Compute (it comes with the CUDA Toolkit), add its folder to PATH, or give --ncu PATH"


def find_ncu(explicit: str | None = None, root: Path = Path("/")) -> Path:
    """Return the ``ncu`` to use.

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
        If there is none.
    """
    if explicit is not None:
        found = shutil.which(explicit)
        if found is None:
            raise ProfilerError("no such program", where=f"--ncu {explicit}", remedy=INSTALL)
        return Path(found).absolute()
    for candidate in _candidates(root):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise ProfilerError("Nsight Compute (ncu) was not found", remedy=INSTALL)


def ncu_version(ncu: Path) -> str | None:
    """Return the version of ``ncu``, such as ``2025.3.1.0``; None if it does not say.

    Raises
    ------
    ProfilerError
        If it cannot be started.
    """
    try:
        done = subprocess.run(  # noqa: S603
            [ncu, "--version"], capture_output=True, text=True, errors="replace", timeout=120, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProfilerError(f"cannot be started: {error}", where=str(ncu), remedy=INSTALL) from error
    match = re.search(r"Version (\d+(?:\.\d+)+)", done.stdout)
    return match[1] if match else None


def _candidates(root: Path) -> Iterator[Path]:
    on_path = shutil.which("ncu")
    if on_path is not None:
        yield Path(on_path).absolute()
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "bin" / "ncu"
    yield from _newest_first(root.glob("opt/nvidia/nsight-compute/*/ncu"))
    yield from _newest_first(root.glob("usr/local/cuda*/bin/ncu"))


def _newest_first(paths: Iterator[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: [int(digits) for digits in re.findall(r"\d+", str(path))], reverse=True)

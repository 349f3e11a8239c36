"""Ask ``nvidia-smi`` for the GPUs."""

import re
import subprocess
from dataclasses import dataclass

from nsightlens.launch.proc import first
from nsightlens.text import printable

TIMEOUT_S = 30
MAX_QUOTED = 160


@dataclass(frozen=True, slots=True)
class Answer:
    """What ``nvidia-smi`` says of the GPUs.

    Attributes
    ----------
    gpus
        Their names.
    driver_version, cuda_version
        Of the GPU driver, and the newest CUDA that it runs; None without a GPU.
    silence
        Why it could not be asked, so that nothing is known; empty if it answered.
    complaint
        What it said when it named no GPU.
    """

    gpus: tuple[str, ...] = ()
    driver_version: str | None = None
    cuda_version: str | None = None
    silence: str = ""
    complaint: str = ""


def ask() -> Answer:
    """Return what ``nvidia-smi`` says."""
    try:
        done = _run("--query-gpu=name,driver_version", "--format=csv,noheader")
        rows = re.findall(r"^(.+), (\d+\.\d[\d.]*)\s*$", done.stdout, re.MULTILINE)
        if not rows:
            said = next(filter(None, map(str.strip, (done.stdout + done.stderr).splitlines())), "")
            return Answer(complaint=printable(said, MAX_QUOTED))
        cuda_version = first(r"CUDA (?:UMD )?Version: +(\d+\.\d+)", _run().stdout)
        return Answer(tuple(name for name, _ in rows), rows[0][1], cuda_version)
    except FileNotFoundError:
        return Answer(silence="nvidia-smi is absent")
    except OSError as error:
        return Answer(silence=f"nvidia-smi cannot be started: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Answer(silence=f"nvidia-smi gives no answer within {TIMEOUT_S} s")


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        ["nvidia-smi", *options],  # noqa: S607
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )

"""The command line of ncu."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Set unless the caller asks for something else. Clocks stay as they are; embedded machine code would make
# reports a hundred times larger; a config.ncu-cfg lying about must not change what is measured.
DEFAULTS = (
    ("--config-file", "off"),
    ("--clock-control", "none"),
    ("--import-sass", "no"),
    ("--target-processes", "all"),
)


@dataclass(frozen=True, slots=True)
class Request:
    """What to profile: the program, the counters, and further options of ncu (which replace our defaults)."""

    command: tuple[str, ...]
    metrics: tuple[str, ...]
    extra_args: tuple[str, ...] = ()


def command_line(ncu: Path, request: Request, *, report: Path, log: Path) -> list[str]:
    """Return the arguments that profile ``request`` into ``report``, with ncu's own messages in ``log``."""
    arguments = [str(ncu), "--nvtx", "--log-file", str(log), "--export", _literal(report)]
    for option, value in DEFAULTS:
        if not _given(request.extra_args, option):
            arguments += [option, value]
    arguments += ["--metrics", ",".join(request.metrics)]
    return [*arguments, *request.extra_args, *request.command]


def select(
    *,
    kernel: str | None = None,
    nvtx: Sequence[str] = (),
    launch_skip: int | None = None,
    launch_count: int | None = None,
) -> tuple[str, ...]:
    """Return the options of ncu that profile only some of the launches.

    Parameters
    ----------
    kernel
        Regular expression that a part of the kernel's name matches.
    nvtx
        Ranges as ``DOMAIN@RANGE`` (``RANGE`` alone: the default domain), in ncu's NVTX filter syntax.
    launch_skip, launch_count
        Number of matching launches to leave out first, and to profile then.
    """
    options: list[str] = []
    if kernel is not None:
        options += ["--kernel-name", f"regex:{kernel}"]
    for expression in nvtx:
        options += ["--nvtx-include", _push_pop(expression)]
    if launch_skip is not None:
        options += ["--launch-skip", str(launch_skip)]
    if launch_count is not None:
        options += ["--launch-count", str(launch_count)]
    return tuple(options)


def option_value(arguments: Sequence[str], option: str, default: str) -> str:
    """Return the value that ``arguments`` give to ``option``."""
    for position, argument in enumerate(arguments):
        if argument == option and position + 1 < len(arguments):
            return arguments[position + 1]
        if argument.startswith(f"{option}="):
            return argument.removeprefix(f"{option}=")
    return default


def _given(arguments: Sequence[str], option: str) -> bool:
    return any(argument == option or argument.startswith(f"{option}=") for argument in arguments)


def _literal(path: Path) -> str:
    """Keep ncu from expanding ``%p`` and the like in the name of the report."""
    return str(path).replace("%", "%%")


def _push_pop(expression: str) -> str:
    """Add the final ``/``, without which ncu expects a start/end range and profiles nothing."""
    positional = "/" if expression.startswith("regex:") else "/[],"
    return expression if any(mark in expression for mark in positional) else f"{expression}/"

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
    """What to profile, and further options of ncu (which replace our defaults).

    ``metrics`` are those of a set of ours, ``added`` those that the caller named; ``ncu_set`` is a set of ncu's own.
    """

    command: tuple[str, ...]
    metrics: tuple[str, ...]
    extra_args: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    ncu_set: str | None = None


def command_line(
    ncu: Path, request: Request, *, report: Path, log: Path | None = None, force: bool = False
) -> list[str]:
    """Return the arguments that profile ``request`` into ``report``, with ncu's own messages in ``log``."""
    arguments = [str(ncu), "--nvtx"]
    arguments += [] if log is None else ["--log-file", str(log)]
    arguments += ["--export", _literal(report), *(["--force-overwrite"] if force else [])]
    for option, value in DEFAULTS:
        if not _given(request.extra_args, option):
            arguments += [option, value]
    if request.ncu_set is not None:
        arguments += ["--set", request.ncu_set]
    if counters := tuple(dict.fromkeys((*request.metrics, *request.added))):
        arguments += ["--metrics", ",".join(counters)]
    return [*arguments, *request.extra_args, *request.command]


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

"""What the commands of ``bench`` share: options, and the one way in which they print or keep a result."""

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from nsightlens.cli.out import complain, write_out
from nsightlens.errors import ReportError, UsageError
from nsightlens.files import refuse_existing, write_atomically

Command = TypeVar("Command", bound=Callable[..., Any])
Measure = Callable[[Callable[[str], None]], Mapping[str, Any]]


def bench_options(function: Command) -> Command:
    """Add ``--from``, ``--format``, ``-o`` and ``--force``, as ``recorded``, ``fmt``, ``output`` and ``force``."""
    options = (
        click.option("--from", "recorded", metavar="FILE", type=click.Path(path_type=Path), help="Show this result."),
        click.option("--format", "fmt", type=click.Choice(["table", "json"]), default="table", show_default=True),
        click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Keep the result (JSON)."),
        click.option("--force", is_flag=True, help="Overwrite an existing file."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def show(
    measure: Measure,
    schema: str,
    *,
    recorded: Path | None,
    fmt: str,
    output: Path | None,
    force: bool,
    verdict: Callable[[Mapping[str, Any]], Sequence[str]] | None = None,
) -> Mapping[str, Any]:
    """Measure (or read) a result, keep it if asked, print it, and return it.

    Raises
    ------
    UsageError
        If there is no GPU, or a file cannot be read or written.
    ReportError
        If the file holds no such result.
    """
    from nsightlens.report.bench import render  # noqa: PLC0415

    if output is not None:
        refuse_existing(output, force=force)
    found = measure(_say) if recorded is None else _read(recorded, schema)
    if verdict is not None:
        found = {**found, "verdict": list(verdict(found))}
    text = json.dumps(found, indent=1) + "\n"
    if output is not None:
        write_atomically(output, text.encode(), force=force)
        complain(f"wrote {output}")
    width = shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None
    write_out(text if fmt == "json" else render(found, width=width))
    return found


def _read(path: Path, schema: str) -> Mapping[str, Any]:
    remedy = "give a file that bench wrote with -o"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error
    except (ValueError, RecursionError) as error:
        raise ReportError("holds no result", where=str(path), remedy=remedy) from error
    if not isinstance(found, dict) or found.get("schema") != schema:
        raise ReportError(f"holds no result of this suite ({schema})", where=str(path), remedy=remedy)
    return found


def _say(what: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        complain(what)

"""What the commands of ``bench`` share: options, and the one way in which they print or keep a result."""

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from nsightlens.cli.out import complain, require_output, write_out
from nsightlens.errors import UsageError
from nsightlens.files import refuse_existing, require_writable, write_atomically

Command = TypeVar("Command", bound=Callable[..., Any])
Result = Mapping[str, Any]
Measure = Callable[[Callable[[str], None]], Result]


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
    finish: Callable[[Result], Result] | None = None,
    keep: Callable[[Result], None] | None = None,
) -> None:
    """Measure (or read) a result, ``finish`` it, write what was asked for, and ``keep``; then print it.

    Raises
    ------
    UsageError
        If there is no GPU, or a file cannot be read or written.
    ReportError
        If the file holds no such result.
    """
    from nsightlens.apps.bench.recorded import read_recorded  # noqa: PLC0415
    from nsightlens.report.bench import render  # noqa: PLC0415

    _check(output, fmt, force=force)
    found = measure(_say) if recorded is None else read_recorded(recorded, schema)
    if finish is not None:
        found = finish(found)
    text = json.dumps(found, indent=1) + "\n"
    if output is not None:
        write_atomically(output, text.encode(), force=force)
        complain(f"wrote {output}")
    if keep is not None:
        keep(found)
    width = shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None
    write_out(text if fmt == "json" else render(found, width=width))


def _check(output: Path | None, fmt: str, *, force: bool) -> None:
    """Raise ``UsageError`` if the result could not be kept or printed, before minutes of measuring."""
    require_output(fmt)
    if output is None:
        return
    if output.suffix not in {"", ".json"}:
        remedy = "name a .json file"
        raise UsageError(f"a result is kept as JSON, not as {output.suffix}", where=str(output), remedy=remedy)
    refuse_existing(output, force=force)
    require_writable(output.absolute().parent)


def _say(what: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        complain(what)

"""Options that commands share, and the one way in which they print a result."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nsightlens.cli.out import complain, require_output, write_out
from nsightlens.errors import UsageError
from nsightlens.files import refuse_existing, write_atomically
from nsightlens.report import FORMATS, chunks

if TYPE_CHECKING:
    from nsightlens.analysis.result import Analysis
    from nsightlens.analysis.select import Selection

Command = TypeVar("Command", bound=Callable[..., Any])

_EXTENSIONS = {".json": "json", ".txt": "table", ".csv": "csv", ".parquet": "parquet", ".md": "markdown"}
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def reports_argument(function: Command) -> Command:
    """Add the argument for one or more reports, as ``reports``."""
    return click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))(function)


def reading_options(function: Command) -> Command:
    """Add the options for reading reports: ``keep_going``, ``max_bytes`` and ``decimal``."""
    keep = click.option("--keep-going", is_flag=True, help="Analyse what can be read of a damaged report.")
    size = click.option(
        "--max-size",
        "max_bytes",
        callback=_size,
        default="1G",
        show_default=True,
        help="Stop unpacking at this size.",
    )
    mark = click.option(
        "--decimal",
        type=click.Choice(["point", "comma"]),
        help="Decimal separator of CSV and text; judged by the file if not given.",
    )
    return keep(size(mark(function)))


def ceilings_option(function: Command) -> Command:
    """Add ``--ceilings``, which holds while the command runs and takes no parameter of it.

    A file that is none is refused before any work.
    """
    return click.option(
        "--ceilings",
        metavar="FILE",
        expose_value=False,
        callback=_use_ceilings,
        help="Measured ceilings (nsightlens ceilings), or none; found by the GPU's name if not given.",
    )(function)


def _use_ceilings(context: click.Context, _option: click.Parameter, named: str | None) -> None:
    if named is not None:
        from nsightlens.measured import using  # noqa: PLC0415

        context.with_resource(using(named))


def selection_options(function: Command) -> Command:
    """Add the options that choose launches; collect them with ``selection``."""
    options = (
        click.option("--kernel", metavar="REGEX", help="Only kernels whose name matches."),
        click.option("--nvtx", metavar="PATH", help="Only launches inside this range: a prefix of domain/outer/inner."),
        click.option(
            "--launch",
            metavar="N",
            multiple=True,
            type=click.IntRange(min=0),
            help="Only launch N of the file.",
        ),
        click.option(
            "--top",
            metavar="N",
            type=click.IntRange(min=1),
            help="At most N launches, the longest if not sorted.",
        ),
        click.option(
            "--sort",
            type=click.Choice(["time", "loss", "name"]),
            help="Order; that of the file if not given.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def output_options(function: Command) -> Command:
    """Add ``--format``, ``-o`` and ``--force``, as ``fmt``, ``output`` and ``force``."""
    options = (
        click.option(
            "--format", "fmt", type=click.Choice(FORMATS), help="A table if not given, else by the extension of -o."
        ),
        click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to FILE."),
        click.option("--force", is_flag=True, help="Overwrite existing files."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def selection(**options: Any) -> "Selection":  # noqa: ANN401
    """Return the selection that the options of ``selection_options`` ask for."""
    from nsightlens.analysis.select import Selection  # noqa: PLC0415

    return Selection(**options)


def check_output(output: Path | None, fmt: str | None, *, force: bool, reports: Iterable[Path] = ()) -> None:
    """Raise ``UsageError`` if the result could not be written or would replace a report, before any work is done."""
    if (fmt or format_of(output)) == "parquet":
        from nsightlens.report.frames import require_pyarrow  # noqa: PLC0415

        require_pyarrow()
    if output is None:
        require_output(fmt)
        return
    refuse_existing(output, force=force)
    if any(os.path.realpath(output) == os.path.realpath(report) for report in reports):
        raise UsageError("would replace the report", where=str(output), remedy="choose another name for -o")


def emit(analysis: "Analysis", fmt: str | None, output: Path | None, force: bool, *, brief: bool = False) -> None:
    """Print the analysis, or the short list of its launches, on standard output, or write it to a file.

    Raises
    ------
    UsageError
        If the output cannot be written, the file exists and ``force`` is not set, or its extension names no format.
    """
    fmt = fmt or format_of(output)
    if output is not None:
        pieces = chunks(analysis, fmt, brief=brief)
        write_atomically(output, (p.encode() if isinstance(p, str) else p for p in pieces), force=force)
        complain(f"wrote {output}")
        return
    require_output(fmt)
    terminal = sys.stdout.isatty()
    color = terminal and "NO_COLOR" not in os.environ
    width = shutil.get_terminal_size().columns if terminal else None
    for piece in chunks(analysis, fmt, brief=brief, width=width, color=color):
        write_out(piece)


def needs_frames(fmt: str | None, output: Path | None) -> bool:
    """Tell whether a format shows what was read beside what was found."""
    return (fmt or format_of(output)) in {"csv", "parquet"}


def format_of(output: Path | None) -> str:
    """Return the format that the extension of a file names; a table for standard output.

    Raises
    ------
    UsageError
        If the extension names none.
    """
    if output is None:
        return "table"
    if output.suffix not in _EXTENSIONS:
        raise UsageError(
            f"no format is known for the extension {output.suffix or '(none)'!s}",
            where=str(output),
            remedy=f"use {', '.join(_EXTENSIONS)}, or give --format",
        )
    return _EXTENSIONS[output.suffix]


def _size(context: click.Context, option: click.Parameter, text: str) -> int:
    number, unit = text.upper().rstrip("IB"), ""
    if number[-1:] in _UNITS:
        number, unit = number[:-1], number[-1:]
    if not number.isdecimal():
        raise click.BadParameter(f"{text!r} is no size; give bytes, or a number with K, M or G", context, option)
    return int(number) * _UNITS[unit]

"""The one way in which the commands of ``model`` give an answer."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nsightlens.cli.model.options import Command, with_options
from nsightlens.cli.options import format_of
from nsightlens.cli.out import require_output, write_out
from nsightlens.errors import UsageError
from nsightlens.files import refuse_existing, write_atomically
from nsightlens.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from nsightlens.answers.answer import Answer

FORMATS = ("table", "json", "markdown")


def output_options(function: Command) -> Command:
    """Add ``--format``, ``-o`` and ``--force``, as ``fmt``, ``output`` and ``force``."""
    return with_options(
        function,
        click.option(
            "--format", "fmt", type=click.Choice(FORMATS), help="A table if not given, else by the extension of -o."
        ),
        click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to FILE."),
        click.option("--force", is_flag=True, help="Overwrite an existing file."),
    )


def emit(make: "Callable[[], Answer]", *, fmt: str | None, output: Path | None, force: bool) -> None:
    """Print an answer, or write it to a file.

    Raises
    ------
    UsageError
        If the output cannot be written, the file exists and ``force`` is not set, or its extension names no format.
    """
    fmt = _format(fmt, output)
    if output is None:
        require_output(fmt)
    else:
        refuse_existing(output, force=force)
    text = _rendered(make(), fmt)
    if output is None:
        write_out(text)
        return
    write_atomically(output, text.encode(), force=force)
    click.echo(f"nsightlens: wrote {printable(str(output))}", err=True)


def _format(fmt: str | None, output: Path | None) -> str:
    fmt = fmt or format_of(output)
    if fmt not in FORMATS:
        raise UsageError(f"answers are not written as {fmt}", where=str(output), remedy="use .txt, .json or .md")
    return fmt


def _rendered(answer: "Answer", fmt: str) -> str:
    from nsightlens.report import answers  # noqa: PLC0415

    if fmt == "json":
        return answers.render_json(answer)
    return answers.render_markdown(answer) if fmt == "markdown" else answers.render_table(answer)

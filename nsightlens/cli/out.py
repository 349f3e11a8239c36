"""Standard output: where it cannot be written, one line and an exit code instead of a traceback."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from nsightlens.errors import UsageError
from nsightlens.text import printable

BROKEN_PIPE = 141
"""Exit code when the reader of standard output has gone: 128 + SIGPIPE, as other programs give it."""
INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT."""
UNWRITABLE = {errno.ENOSPC, errno.EPIPE, errno.EBADF}
_REMEDY = "name a file with -o"


def require_output(fmt: str | None) -> None:
    """Raise ``UsageError`` if the result could not go to standard output."""
    if sys.stdout is None:
        raise UsageError("is closed", where="standard output", remedy=_REMEDY)
    if fmt == "parquet" and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal", where="standard output", remedy=_REMEDY)


def write_out(data: str | bytes) -> None:
    """Write to standard output.

    Raises
    ------
    UsageError
        If it cannot be written, such as on a full disk.
    """
    try:
        click.echo(data, nl=False)
    except BrokenPipeError:
        _discard()
        sys.exit(BROKEN_PIPE)
    except OSError as error:
        _discard()
        raise UsageError(
            f"cannot be written: {error.strerror}", where="standard output", remedy="free some space, or use -o"
        ) from error


def _discard() -> None:
    """Let what is still buffered go nowhere, or Python complains of it once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def call(command: Callable[..., Any]) -> NoReturn:
    """Run a command of click; show its errors with control characters escaped, since names of files come into them."""
    try:
        sys.exit(command(standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)  # click declares it final, and shows no other text
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        sys.exit(INTERRUPTED)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        complain(f"standard output: cannot be written: {error.strerror}")
        _discard()
        sys.exit(UsageError.exit_code)


def complain(text: str) -> None:
    """Write one line to standard error, if that can be written."""
    with contextlib.suppress(OSError):
        click.echo(f"nsightlens: {printable(text)}", err=True)

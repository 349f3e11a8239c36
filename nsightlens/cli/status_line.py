"""How far a run is, on a terminal."""

import shutil
import sys

import click

from nsightlens.launch import Progress
from nsightlens.text import count, printable

NAME_WIDTH = 48


class StatusLine:
    """One line on standard error, rewritten; only on a terminal."""

    def __init__(self) -> None:
        self.visible = sys.stderr is not None and sys.stderr.isatty()

    def show(self, progress: Progress) -> None:
        """Write the state of the run over the one before."""
        width = shutil.get_terminal_size().columns - 1
        self._write(printable(status(progress), width))

    def clear(self) -> None:
        """Leave an empty line."""
        self._write("")

    def _write(self, text: str) -> None:
        if not self.visible:
            return
        try:
            click.echo(f"\r\x1b[2K{text}", nl=False, err=True)
        except OSError:  # the terminal has gone; the run goes on
            self.visible = False


def status(progress: Progress) -> str:
    """Return the state of a run in words."""
    name = "" if progress.current is None else f", now {printable(progress.current, NAME_WIDTH)}"
    return f"nsightlens: {count(progress.launches, 'launch')} profiled{name}, {progress.elapsed_s:.0f} s"

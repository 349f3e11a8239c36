"""A group of commands that are imported when they are called, so that ``--help`` stays fast."""

import importlib
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows its commands by name and summary only.

    Parameters
    ----------
    package
        Where the modules of the commands lie; each exposes ``command``.
    summaries
        Name of the command and module to its summary.
    """

    def __init__(self, *arguments: Any, package: str, summaries: dict[str, str], **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self.package = package
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command ``cmd_name``."""
        del ctx
        if cmd_name not in self.summaries:
            return None
        command: click.Command = importlib.import_module(f"{self.package}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

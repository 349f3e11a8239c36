"""``nsightlens demo``: the main job without a GPU."""

from pathlib import Path

import click

from nsightlens.cli.options import emit


@click.command()
def command() -> None:
    """Analyse a report recorded on an H200 that ships with nsightlens.

    Prints the table, and writes roofline.png and analysis.json into ./nsightlens-demo/, replacing those of an
    earlier run.
    """
    from nsightlens.apps.demo import FOLDER, demo  # noqa: PLC0415

    analysis, written = demo(Path(FOLDER))
    emit(analysis, "table", None, force=False)
    for path in written:
        click.echo(f"nsightlens: wrote {path}", err=True)

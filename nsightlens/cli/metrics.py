"""``nsightlens metrics``: what ``profile`` asks Nsight Compute for."""

import json
from pathlib import Path

import click

from nsightlens.cli.out import write_out
from nsightlens.errors import ProfilerError, UsageError
from nsightlens.text import printable


@click.command(epilog="Example: nsightlens metrics --set losses --chip ga100")
@click.option("--set", "name", metavar="NAME", help="Show this set in full.")
@click.option("--chip", metavar="CHIP", help="Check the set against this chip, such as gh100 (H100, H200).")
@click.option("--ncu", metavar="PATH", help="Nsight Compute's command line; searched for if not given.")
@click.option("--format", "fmt", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True)
def command(*, name: str | None, chip: str | None, ncu: str | None, fmt: str) -> None:
    """Show the metric sets: counters, units, why each is asked for, and the ncu command."""
    from nsightlens.launch.metric_sets import metric_set, names  # noqa: PLC0415
    from nsightlens.report import metric_sets as text  # noqa: PLC0415

    if ncu is not None and chip is None:
        raise UsageError("is asked about a chip only", where="--ncu", remedy="add --chip CHIP")
    if chip is not None and name is None and fmt == "table":
        raise UsageError("checks one set", where="--chip", remedy="add --set NAME, or --format json for all")
    program, version, note = _profiler(ncu, chip)
    sets = [metric_set(one, ncu=program, chip=chip) for one in ([name] if name else names())]
    if fmt == "json":
        write_out(json.dumps(text.document(sets, version), indent=1) + "\n")
    elif fmt == "markdown":
        write_out("\n".join(text.markdown(entry, note) for entry in sets))
    else:
        write_out(text.detail(sets[0], note) if name else text.overview(sets))


def _profiler(ncu: str | None, chip: str | None) -> tuple[Path | None, str | None, str]:
    """Return the profiler and its version if a chip is to be checked, and a note of what was checked."""
    from nsightlens.launch.find import find_ncu  # noqa: PLC0415

    if chip is None:
        return None, None, "Not checked against a chip: give --chip CHIP."
    try:
        program = find_ncu(ncu)
    except ProfilerError as error:
        if ncu is not None:
            raise
        return None, None, f"Cannot be checked against {chip}: {printable(str(error))}"
    return program.path, program.version, f"Checked against {chip} by ncu {program.version}."

"""``nsightlens doctor``: can this machine profile, and if not, what mends it."""

import json
import sys

import click

from nsightlens.cli.out import write_out
from nsightlens.errors import ProfilerError


@click.command()
@click.option("--try", "attempt", is_flag=True, help="Profile a tiny program too; needs CuPy.")
@click.option("--ncu", metavar="PATH", help="Nsight Compute's command line; searched for if not given.")
@click.option("--format", "fmt", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(*, attempt: bool, ncu: str | None, fmt: str) -> None:
    """Check profiler, GPU, driver, permission and packages; the exit code is 4 if profiling cannot work."""
    from nsightlens.apps.doctor import can_profile, doctor  # noqa: PLC0415
    from nsightlens.report.checks import document, render_checks  # noqa: PLC0415

    found = doctor(attempt=attempt, ncu=ncu)
    able = can_profile(found)
    if fmt == "json":
        write_out(json.dumps(document(found, can_profile=able), indent=1) + "\n")
    else:
        write_out(render_checks(found, can_profile=able))
    if not able:
        sys.exit(ProfilerError.exit_code)

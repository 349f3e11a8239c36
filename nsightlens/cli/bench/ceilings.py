"""``nsightlens bench ceilings``, also ``nsightlens ceilings``: what this GPU gives at best."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from nsightlens.cli.bench.output import bench_options, show
from nsightlens.cli.out import complain


@click.command(epilog="Example: nsightlens ceilings")
@bench_options
def command(*, recorded: Path | None, output: Path | None, **more: Any) -> None:  # noqa: ANN401
    """Measure the ceilings of this GPU, and keep them where analyze finds them (or in FILE).

    Device memory, L2, shared memory, multiply-adds by data type, tensor instructions by data type and family.
    """
    from nsightlens.measured import SCHEMA, ready_folder  # noqa: PLC0415

    ours = recorded is None and output is None
    if ours:
        ready_folder()
    show(_measure, SCHEMA, keep=_keep if ours else None, recorded=recorded, output=output, **more)


def _keep(found: Mapping[str, Any]) -> None:
    from nsightlens.measured import Measured, write_ceilings  # noqa: PLC0415

    parts = {name: found[name] for name in ("gpu", "values", "sm_clock_hz", "conditions")}
    complain(f"kept in {write_ceilings(Measured(**parts))}")


def _measure(say: Callable[[str], None]) -> dict[str, Any]:
    from nsightlens.apps.bench.ceilings import measure  # noqa: PLC0415
    from nsightlens.measured import SCHEMA  # noqa: PLC0415

    return {"schema": SCHEMA, **asdict(measure(say))}

"""The options of ``profile`` that go to ncu."""

import click

from nsightlens.cli.options import Command
from nsightlens.launch import controls, select

_DESCRIBED = (
    ("--kernel", {"metavar": "REGEX", "help": "Profile only kernels whose name matches."}),
    (
        "--nvtx",
        {
            "metavar": "RANGE",
            "multiple": True,
            "help": "Profile only within this range: DOMAIN@RANGE, or a path as analyze prints it.",
        },
    ),
    ("--launch-skip", {"metavar": "N", "type": click.IntRange(min=0), "help": "Leave out the first N launches."}),
    ("--launch-count", {"metavar": "N", "type": click.IntRange(min=1), "help": "Profile at most N launches."}),
    ("--with-communication", {"is_flag": True, "help": "Profile NCCL kernels too; ncu may wait for ever on one."}),
    (
        "--target-processes",
        {
            "type": click.Choice(["all", "application-only"]),
            "help": "Child processes too (all, as by default), or not.",
        },
    ),
    (
        "--replay-mode",
        {
            "type": click.Choice(["kernel", "application", "range", "app-range"]),
            "help": "What is run again for each pass; kernel by default.",
        },
    ),
    (
        "--cache-control",
        {"type": click.Choice(["all", "none"]), "help": "Flush caches before each pass (all, as by default), or not."},
    ),
    (
        "--clock-control",
        {
            "type": click.Choice(["base", "none"]),
            "help": "Fix the clocks to base, or leave them (none, as by default).",
        },
    ),
)


def ncu_options(function: Command) -> Command:
    """Add the options; turn what they give into ncu's with ``ncu_arguments``."""
    for name, settings in reversed(_DESCRIBED):
        function = click.option(name, **settings)(function)
    return function


def ncu_arguments(
    *,
    kernel: str | None,
    nvtx: tuple[str, ...],
    launch_skip: int | None,
    launch_count: int | None,
    with_communication: bool,
    target_processes: str | None,
    replay_mode: str | None,
    cache_control: str | None,
    clock_control: str | None,
) -> tuple[str, ...]:
    """Return the options for ncu that the options of ``ncu_options`` ask for."""
    measured = controls(
        target_processes=target_processes,
        replay_mode=replay_mode,
        cache_control=cache_control,
        clock_control=clock_control,
    )
    chosen = select(
        kernel=kernel,
        nvtx=nvtx,
        launch_skip=launch_skip,
        launch_count=launch_count,
        communication=with_communication or replay_mode in {"range", "app-range"},
    )
    return (*measured, *chosen)

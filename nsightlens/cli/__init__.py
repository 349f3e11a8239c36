"""The command line: one click command per file, loaded only when it is called."""

import signal
import sys
import threading
from functools import partial
from io import TextIOWrapper
from typing import NoReturn

import click

from nsightlens._version import __version__
from nsightlens.cli.lazy import LazyGroup
from nsightlens.cli.out import call, complain
from nsightlens.errors import NsightlensError

COMMANDS = {
    "analyze": "Roofline, overlap and losses of every launch in a report.",
    "launches": "A short list of the launches in a report, or their frame.",
    "demo": "The main job on a recorded H200 report; needs no GPU.",
    "metrics": "What profile asks Nsight Compute for, and why.",
    "doctor": "Check whether this machine can profile.",
    "profile": "Run a program under Nsight Compute, then analyse it.",
    "roofline": "Draw the roofline of a report.",
    "ceilings": "Measure what this GPU gives at best, for analyze to use.",
    "bench": "Measure the shipped kernels: SCALE, overlap, planted losses.",
    "model": "What theory says: GPUs, intensities, tensor cores, stencils.",
}


@click.group(
    cls=LazyGroup,
    package="nsightlens.cli",
    summaries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="nsightlens")
def cli() -> None:
    """See where GPU kernels lose their time.

    Reads Nsight Compute reports (or makes them) and places each launch on the roofline, bounds how much of its
    compute time hides under its memory time, and splits the rest of the measured time into causes that add up.
    """


def _terminate(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and turn errors into one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no ≤ shows a question mark
    if threading.current_thread() is threading.main_thread():
        for name in {"SIGTERM", "SIGHUP"} & set(dir(signal)):
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup leaves it
                signal.signal(number, _terminate)  # so that what was begun is cleaned up
    try:
        call(partial(cli.main, args=args))
    except NsightlensError as error:
        complain(str(error))
        sys.exit(error.exit_code)

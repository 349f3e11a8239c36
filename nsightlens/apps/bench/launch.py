"""The launches of a suite, once each in a range of its own: the program that is profiled.

python -m nsightlens.apps.bench.launch SUITE [REGEX]
"""

import sys

from nsightlens.apps.bench import losses, overlap, scale
from nsightlens.errors import NsightlensError

SUITES = ("scale", "overlap", "losses")


def main(arguments: list[str]) -> None:
    """Launch the kernels of the suite that the first argument names; the second chooses pairs by name.

    Raises
    ------
    NsightlensError
        If there is no GPU, or no such pair.
    """
    suite, only = arguments[0], (arguments[1] if len(arguments) > 1 else None)
    if suite == "losses":
        losses.launch_each(only)
    else:
        {"scale": scale, "overlap": overlap}[suite].launch_each()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except NsightlensError as error:
        sys.exit(str(error))

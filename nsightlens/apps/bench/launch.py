"""The launches of a suite, once each in a range of its own: the program that ``bench SUITE --profile`` profiles.

python -m nsightlens.apps.bench.launch SUITE [REGEX]
"""

import sys
from collections.abc import Callable, Mapping

from nsightlens.apps.bench import losses, overlap, scale
from nsightlens.errors import NsightlensError, UsageError

SUITES: Mapping[str, Callable[..., None]] = {
    "scale": scale.launch_each,
    "overlap": overlap.launch_each,
    "losses": losses.launch_each,
}


def main(arguments: list[str]) -> None:
    """Launch the kernels of the suite that the first argument names; for ``losses`` a second one chooses pairs.

    Raises
    ------
    UsageError
        If there is no GPU, no such suite, or no such pair.
    """
    suite, *more = arguments or [""]
    if suite not in SUITES or len(more) > (suite == "losses"):
        raise UsageError("no such suite", where=" ".join(arguments), remedy=f"take one of: {', '.join(SUITES)}")
    SUITES[suite](*more)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except NsightlensError as error:
        sys.stderr.write(f"nsightlens: {error}\n")
        sys.exit(error.exit_code)

"""What the examples share: import what may be absent, and end with one line and an exit code."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from nsightlens.errors import NsightlensError

MISSING = 2
"""Exit code when a package, a GPU or a driver is missing."""


def needed(name: str, install: str) -> Any:  # noqa: ANN401
    """Return a module, or end the program with the command that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        stop(f"{name} cannot be imported: {one_line(error)} ({install})", MISSING)


def cuda_torch() -> Any:  # noqa: ANN401
    """Return the module ``torch``, or end the program if it is missing or sees no GPU."""
    torch = needed("torch", "pip install torch")
    if not torch.cuda.is_available():
        stop("torch sees no CUDA device (check nvidia-smi, and that torch was built for CUDA)", MISSING)
    return torch


def run(main: Callable[[], None]) -> None:
    """Run an example; an error of nsightlens becomes one line and its exit code."""
    try:
        main()
    except NsightlensError as error:
        stop(one_line(error), error.exit_code)


def one_line(error: BaseException) -> str:
    """Return the message of an exception on one line."""
    return " ".join(str(error).split())


def stop(message: str, code: int = 1) -> NoReturn:
    """End the program with a message on standard error."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)

"""End ncu when nsightlens itself is killed and can no longer do it."""

import contextlib
import os
import subprocess
from collections.abc import Iterator

SHELL = "/bin/sh"
# The read ends with a line once ncu is done, and without one when whoever held the other end has gone.
_SCRIPT = """
read done && exit
kill -INT "$1"
while [ "$2" -gt 0 ] && kill -0 "$1"; do set -- "$1" $(($2 - 1)); sleep 1; done
kill -0 "$1" && kill -KILL "$1"
"""
PATIENCE_S = 60
"""A large report takes a while to write."""


@contextlib.contextmanager
def watched(process: subprocess.Popen[bytes], *, own_group: bool) -> Iterator[None]:
    """Have a shell interrupt, then kill, the process (or its group) if this process dies within the block."""
    if not os.access(SHELL, os.X_OK):
        yield
        return
    try:
        watcher = _watcher(str(-process.pid if own_group else process.pid))
    except OSError:  # no room for a further process
        yield
        return
    try:
        yield
    finally:
        if process.poll() is not None:
            with contextlib.suppress(BrokenPipeError):
                watcher.communicate(b"done\n")
        elif watcher.stdin is not None:  # stopping it failed: the shell sees to it
            watcher.stdin.close()


def _watcher(target: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603
        [SHELL, "-c", _SCRIPT, "nsightlens-watch", target, str(PATIENCE_S)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

"""All launches of one report, in order, in processes forked for a slice of it each.

NVIDIA's library keeps 0.02 to 7 MB for every launch that is read, for good. What a forked process has read goes with
it, so memory does not grow with the launches of a report; and if the library ends such a process, one launch is lost.
"""

import errno
import json
import os
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

FORK = hasattr(os, "fork")
ALONE = 16
"""Launches that are not worth another process."""
SLICE = 128
GROWTH_BYTES = 48 << 20
NO_ROOM, NO_MEMORY = 74, 75
"""Exit codes of a process that could not write what it read, and of one that had too little memory."""
FULL = {errno.ENOSPC, errno.EDQUOT}
_PAGE_BYTES = 4096 if not FORK else os.sysconf("SC_PAGE_SIZE")

Copy = Callable[[int], dict[str, Any]]


class Worker(NamedTuple):
    """A forked process that reads the launches from ``start`` to before ``stop``."""

    process: int
    start: int
    stop: int
    answer: Path


class Slices:
    """Reads launches in forked processes.

    Parameters
    ----------
    copy
        Gives one launch by its position.
    folder
        Where the forked processes write.
    workers
        How many of them work at a time.
    """

    def __init__(self, copy: Copy, folder: Path, workers: int) -> None:
        self._copy = copy
        self._folder = folder
        self._workers = workers
        self._stopped = False
        self.running: deque[Worker] = deque()

    def read(self, total: int) -> Iterator[str]:
        """Yield each of ``total`` launches as one line of JSON; what ended a process is ``hollow``."""
        done = 0
        for text in self._alone(total):
            yield text
            done += 1
        starts = iter(range(done, total, SLICE))
        while True:
            while len(self.running) < self._workers and (start := next(starts, None)) is not None:
                self.running.append(self._fork(start, min(start + SLICE, total)))
            if not self.running or self._stopped:
                return
            yield from self._collect(self.running[0])

    def _alone(self, total: int) -> Iterator[str]:
        """Yield what needs no forked process.

        That is a short report; else the first launch, since the forked processes inherit what the library sets up for
        it; and if only one is to work at a time, all launches until this process has grown.
        """
        short, grown = not FORK or total <= ALONE, 0
        for index in range(total):
            yield line(self._copy(index))
            grown = grown or _resident() + 2 * GROWTH_BYTES
            if not short and (self._workers > 1 or _resident() > grown):
                return

    def stop(self) -> None:
        """End the forked processes."""
        self._stopped = True
        for worker in tuple(self.running):
            with suppress(ProcessLookupError):
                os.kill(worker.process, 9)

    def _collect(self, worker: Worker) -> Iterator[str]:
        """Wait for the first worker; what it left of its slice goes to another, in its place."""
        _, status = os.waitpid(worker.process, 0)
        self.running.popleft()
        done = worker.start
        with worker.answer.open(encoding="utf-8") as answer:
            for text in answer:
                if text.endswith("\n"):
                    yield text
                    done += 1
        worker.answer.unlink()
        if status != 0 and done < worker.stop:
            self._require_means(os.waitstatus_to_exitcode(status))
            yield line({"hollow": True})
            done += 1
        if done < worker.stop and not self._stopped:
            self.running.appendleft(self._fork(done, worker.stop))

    def _require_means(self, code: int) -> None:
        if code == NO_ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._folder))
        if code == NO_MEMORY:
            raise MemoryError

    def _fork(self, start: int, stop: int) -> Worker:
        answer = self._folder / f"slice-{start}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside a thread, which here only waits
            process = os.fork()
        if process == 0:
            self._work(start, stop, answer)
        return Worker(process, start, stop, answer)

    def _work(self, start: int, stop: int, answer: Path) -> NoReturn:
        parent, grown = os.getppid(), _resident() + GROWTH_BYTES
        code = 0
        try:
            with answer.open("w", encoding="utf-8") as out:
                for index in range(start, stop):
                    out.write(line(self._copy(index)))
                    out.flush()  # the library may end this process at any launch
                    if os.getppid() != parent or _resident() > grown:
                        break
        except OSError as error:
            code = NO_ROOM if error.errno in FULL else NO_MEMORY if error.errno == errno.ENOMEM else 1
        except MemoryError:
            code = NO_MEMORY
        except BaseException as error:  # noqa: BLE001 - a forked process may never return into its parent's code
            code = 1
            with suppress(OSError):
                sys.stderr.write(f"{type(error).__name__}: {error}\n")
        os._exit(code)


def line(found: dict[str, Any]) -> str:
    """Return one line of JSON."""
    return json.dumps(found, separators=(",", ":")) + "\n"


def _resident() -> int:
    """Return the resident memory of this process in bytes, or 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE_BYTES
    except OSError:
        return 0

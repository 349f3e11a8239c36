"""The child process that holds NVIDIA's reader.

The library can be aborted by a damaged file and frees nothing that it read, so it never runs in the parent. The request
comes as one JSON object in one line on standard input, which stays open as long as the parent lives; the answer goes
out as one JSON object a line: the session, each launch, an end mark; or one error.
"""

import errno
import importlib
import json
import mmap
import os
import shutil
import sys
import threading
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn

from nsightlens.collectors.container import Container, walk
from nsightlens.collectors.ncu_rep_action import Wanted, copy_launch
from nsightlens.collectors.ncu_rep_instructions import copy_instructions
from nsightlens.collectors.ncu_rep_slices import FULL, NO_MEMORY, NO_ROOM, Slices, line
from nsightlens.collectors.text.reader import read as read_text
from nsightlens.collectors.unpack import is_report, plain
from nsightlens.errors import ReportError
from nsightlens.text import count

_INSTALLED = (
    "/opt/nvidia/nsight-compute/*/extras/python",
    "/usr/local/cuda*/nsight-compute-*/extras/python",
    "/usr/local/NVIDIA-Nsight-Compute*/extras/python",
    "/Applications/NVIDIA Nsight Compute.app/Contents/MacOS/python",
)

_AT_WORK: list[Slices] = []
_LEAVING = threading.Lock()


def main(folder: str) -> None:
    """Answer one request, which may use ``folder`` for files."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the native library may write to standard output
    asked = sys.stdin.readline()
    if not asked.endswith("\n"):
        _leave(folder)  # the parent is gone already
    request = json.loads(asked)
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    _limit_memory(request["memory_bytes"])
    try:
        for text in _answers(request):
            answer.write(text)
            answer.flush()  # the library may end this process at any launch
    except OSError as error:
        with suppress(OSError):  # its file is in the same folder as the answer
            sys.stderr.write(f"{error}\n")
        _end(NO_ROOM if error.errno in FULL else NO_MEMORY if error.errno == errno.ENOMEM else 1)
    _end(0)


def _end(code: int) -> NoReturn:
    """End at once, since the native library's own shutdown can be slow; but not while the folder is being removed."""
    with _LEAVING:
        os._exit(code)


def _answers(request: dict[str, Any]) -> Iterator[str]:
    """Yield what ``read`` gives; an error as the last line."""
    try:
        yield from read(request)
    except ReportError as error:
        yield line({"error": {"message": error.message, "remedy": error.remedy}})
    except MemoryError:
        message = f"reading it takes more than {request['memory_bytes']} bytes of memory"
        yield line({"error": {"message": message, "remedy": "profile fewer launches at a time"}})


def _limit_memory(size: int) -> None:
    if sys.platform != "win32":  # which has no such limit
        import resource  # noqa: PLC0415

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        least = size if hard == resource.RLIM_INFINITY else min(size, hard)
        with suppress(ValueError, OSError):  # macOS refuses
            resource.setrlimit(resource.RLIMIT_AS, (least, hard))


def _end_with_parent(folder: str) -> None:
    """End, and leave nothing behind, when the other end of standard input closes: the parent is gone."""
    while os.read(0, 1):
        pass
    _leave(folder)


def _leave(folder: str) -> NoReturn:
    _LEAVING.acquire()  # for good
    for _ in range(3):  # the other thread may be writing meanwhile
        for slices in _AT_WORK:
            slices.stop()
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def read(request: dict[str, Any]) -> Iterator[str]:
    """Yield the session, then every launch and the end mark, or the instructions of some, each as a line of JSON."""
    source, folder = Path(request["path"]), Path(request["folder"])
    path = plain(source, folder, request["max_bytes"])
    names, patterns = request["counters"], request["patterns"]
    if not is_report(path):
        found = read_text(
            path, decimal=request["decimal"], keep_going=request["keep_going"], counters=names, patterns=patterns
        )
        yield from map(line, found)
        return
    container = _checked(path, source, keep_going=request["keep_going"])
    yield line(_session(container))
    if container.damage is not None:
        path = _whole_blocks(path, container, folder)
    actions = Actions(_nameable(path, folder))
    if "instructions" in request:
        yield from _instructions(actions, request["launches"], request["instructions"])
        return
    wanted = Wanted(names, patterns, samples=request["samples"])
    slices = Slices(lambda index: copy_launch(actions[index], wanted), folder, request["workers"])
    _AT_WORK.append(slices)
    yield from slices.read(len(actions))
    yield line({"end": len(actions)})


def _instructions(actions: "Actions", launches: list[int], counters: list[str]) -> Iterator[str]:
    """Yield the instructions of some launches, all in this process.

    The library takes a second to disassemble for the first time, and a process forked after that would wait for ever.
    """
    for index in launches:
        if index < len(actions):
            yield line({"launch": index, **copy_instructions(actions[index], counters)})


def _session(container: Container) -> dict[str, Any]:
    lacking = ["the session's own facts are missing: the file may be cut between launches"]
    return {
        "complete": container.damage is None and bool(container.facts),
        "notes": [] if container.facts else lacking,
        "damage": container.damage,
        "results": container.results,
        "process_ids": container.process_ids,
        "facts": container.facts,
        "devices": container.devices,
        "command_line": container.command_line,
    }


def _checked(path: Path, source: Path, *, keep_going: bool) -> Container:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        container = walk(data)
    if container.damage is not None and not (keep_going and container.results):
        held = f"; {count(container.results, 'whole launch')} before it" if container.results else ""
        remedy = "--keep-going analyses what can be read" if container.results else "copy it again or profile again"
        raise ReportError(f"the report is damaged or cut: {container.damage}{held}", where=str(source), remedy=remedy)
    if container.results == 0:
        raise ReportError(
            "the report holds no launch", where=str(source), remedy="profile again: nsightlens profile -- CMD"
        )
    return container


def _whole_blocks(path: Path, container: Container, folder: Path) -> Path:
    target = folder / "whole.ncu-rep"
    target.write_bytes(path.read_bytes()[: container.end])
    return target


def _nameable(path: Path, folder: Path) -> Path:
    """Return a name of the file that the library takes: in UTF-8, and not that of its archives."""
    if path.suffix != ".ncu-repz" and str(path).isprintable():
        return path
    link = folder / "named.ncu-rep"
    link.symlink_to(path)
    return link


class Actions:
    """The launches of all of ncu's ranges, counted through; each access builds one anew, and it stays in memory."""

    def __init__(self, path: Path) -> None:
        context = _library().load_report(str(path))
        self._groups = [context.range_by_idx(number) for number in range(context.num_ranges())]
        self._starts: list[int] = [0, *accumulate(group.num_actions() for group in self._groups)]

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, index: int) -> Any:  # noqa: ANN401
        number = bisect_right(self._starts, index) - 1
        return self._groups[number].action_by_idx(index - self._starts[number])


def _library() -> Any:  # noqa: ANN401
    folders = [str(path) for pattern in _INSTALLED for path in sorted(Path("/").glob(pattern[1:]), reverse=True)]
    sys.path += folders
    try:
        return importlib.import_module("ncu_report")
    except ImportError as error:
        raise ReportError(
            f"NVIDIA's reader ncu_report cannot be loaded ({error})",
            remedy="pip install ncu-report, or install Nsight Compute",
        ) from error


if __name__ == "__main__":
    main(sys.argv[1])

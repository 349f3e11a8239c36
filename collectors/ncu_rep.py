"""Reader of ``.ncu-rep`` files: asks a child process that holds NVIDIA's library."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from nsightlens import errors
from nsightlens.collectors.ncu_rep_build import build_launch, build_report, empty_report
from nsightlens.collectors.ncu_rep_slices import NO_MEMORY, NO_ROOM
from nsightlens.collectors.quantities import PATTERNS, counter_names
from nsightlens.collectors.report import Launch, Report
from nsightlens.errors import NsightlensError, ReportError, UsageError
from nsightlens.text import count

MAX_BYTES = 1 << 30
TIMEOUT_S = 600.0
MEMORY_BYTES = 16 << 30
MOMENT_S = 0.01

# -P keeps modules lying in the current folder out; the root comes last, so that it hides nothing.
CHILD = (
    "import sys; sys.path.append(sys.argv[1]); from nsightlens.collectors.ncu_rep_child import main; main(sys.argv[2])"
)
_ROOT = str(Path(errors.__file__).parent.parent)
_CUT = "copy it again or profile again"
_FEWER = "profile fewer launches at a time"
_ELSEWHERE = "set TMPDIR to a folder that has room"


class Reading:
    """A report that is being read by a child process.

    The child is started at once, so that the caller can import or read something else meanwhile.

    Parameters
    ----------
    path
        The report, plain or compressed.
    keep_going
        Read what is whole of a damaged report.
    max_bytes
        Unpacking stops at this size.
    decimal
        Decimal separator of the numbers in CSV and text, ``point`` or ``comma``; judged by the numbers if not given.
    samples
        Read samples over time too.
    timeout_s
        The child is ended when it writes nothing new this many seconds after ``result`` was called.
    workers
        Processes that share the launches of a long report.
    more
        What else to ask of the child.

    Raises
    ------
    UsageError
        If there is no folder for temporary files.
    """

    def __init__(
        self,
        path: Path,
        *,
        keep_going: bool = False,
        max_bytes: int = MAX_BYTES,
        decimal: str | None = None,
        samples: bool = False,
        timeout_s: float = TIMEOUT_S,
        workers: int = 2,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self._timeout_s = timeout_s
        self._folder = _temporary_folder()
        self._request = {
            "path": str(path.resolve()),
            "folder": self._folder.name,
            "keep_going": keep_going,
            "max_bytes": max_bytes,
            "decimal": decimal,
            "samples": samples,
            "memory_bytes": MEMORY_BYTES,
            "workers": workers,
            "counters": counter_names(),
            "patterns": PATTERNS,
            **(more or {}),
        }
        self._child = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-c", CHILD, _ROOT, self._folder.name]
        with self._answer.open("wb") as out, self._messages.open("wb") as messages:
            child = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=out, stderr=messages, start_new_session=True
            )
        if child.stdin is not None:
            with suppress(BrokenPipeError):
                child.stdin.write(f"{json.dumps(self._request)}\n".encode())
                child.stdin.flush()  # and left open: the child ends when this end closes, however that happens
        return child

    @property
    def _answer(self) -> Path:
        return Path(self._folder.name, "answer")

    @property
    def _messages(self) -> Path:
        return Path(self._folder.name, "messages")

    def close(self) -> None:
        """End the child and remove what it wrote."""
        if self._child.poll() is None:
            _kill_with_its_own(self._child)
        if self._child.stdin is not None:
            with suppress(BrokenPipeError):
                self._child.stdin.close()
        self._folder.cleanup()

    def result(self) -> Report:
        """Wait for the child and return the report.

        Raises
        ------
        ReportError
            If the file is damaged, holds no launch, or ended or outlasted the child.
        """
        try:
            with self._answer.open(encoding="utf-8") as answer:
                return self._report(self._lines(answer))
        finally:
            self.close()

    def nothing(self, error: ReportError) -> Report:
        """Return a report without a launch, whose note is why it could not be read."""
        return empty_report(self.path, error.message)

    def _lines(self, answer: TextIO) -> Iterator[dict[str, Any]]:
        """Yield what the child writes while it writes, until it ends; a line that it did not end is left."""
        deadline = time.monotonic() + self._timeout_s
        rest, ended = "", False
        while True:
            text = answer.readline()
            if text.endswith("\n"):
                yield self._parsed(rest + text)
                rest = ""
            elif text:
                rest += text
            elif ended:
                return
            else:
                ended = self._wait(deadline)

    def _wait(self, deadline: float) -> bool:
        """Wait a moment for the child; tell whether it has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(MOMENT_S)
            return True
        if time.monotonic() > deadline:
            raise self._error(f"reading it took more than {self._timeout_s:g} s", _FEWER)
        return False

    def _parsed(self, text: str) -> dict[str, Any]:
        line: dict[str, Any] = json.loads(text)
        if "error" in line:
            raise self._error(**line["error"])
        return line

    def _report(self, lines: Iterator[dict[str, Any]]) -> Report:
        session = next(lines, {})
        if "results" not in session:
            raise self._crash()
        process_ids = session["process_ids"] + [None] * session["results"]
        launches: list[Launch] = []
        end: dict[str, Any] | None = None
        for line in lines:
            if "end" in line:
                end = line
            else:
                launches.append(build_launch(len(launches), process_ids, line))
        code = self._child.returncode
        if code == NO_ROOM or (code != 0 and not self._request["keep_going"]):
            raise self._crash()
        self._require_whole(session, launches, ended=end is not None)
        return build_report(self.path, session, tuple(launches))

    def _crash(self) -> NsightlensError:
        code = self._child.returncode
        words = self._messages.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if code == NO_ROOM:
            where = str(Path(self._folder.name).parent)
            return NsightlensError("is full, so that no report can be read", where=where, remedy=_ELSEWHERE)
        if code == NO_MEMORY or any("bad_alloc" in word for word in words):
            return self._error(f"reading it takes more than {MEMORY_BYTES} bytes of memory", _FEWER)
        last = f": {words[-1][:200]}" if words else ""
        return self._error(f"NVIDIA's reader ended on this file (code {code}){last}", _CUT)

    def _error(self, message: str, remedy: str) -> ReportError:
        return ReportError(message, where=str(self.path), remedy=remedy)

    def _require_whole(self, session: dict[str, Any], launches: Sequence[Launch], *, ended: bool) -> None:
        hollow = sum(launch.row["status"] == "hollow" for launch in launches)
        usable = len(launches) - hollow
        if (ended and usable == session["results"] == len(launches)) or (usable and self._request["keep_going"]):
            return
        if "bad_alloc" in self._messages.read_text(encoding="utf-8", errors="replace"):
            raise self._crash()
        message = f"the report is damaged: {usable} of {count(session['results'], 'launch')} can be read"
        raise self._error(message, "--keep-going analyses these" if usable else _CUT)


def _temporary_folder() -> "TemporaryDirectory[str]":
    try:
        return TemporaryDirectory(prefix="nsightlens-", ignore_cleanup_errors=True)
    except OSError as error:
        raise UsageError(f"no folder for temporary files: {error.strerror}", remedy=_ELSEWHERE) from None


def _kill_with_its_own(child: "subprocess.Popen[bytes]") -> None:
    """End a child and what it forked; it leads a process group of its own where there are such."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()


def require_file(path: Path) -> None:
    """Raise ``UsageError`` unless ``path`` is a file that can be opened."""
    try:
        if not path.exists():
            remedy = "give a report that ncu wrote, or run: nsightlens demo"
            raise UsageError("no such file", where=str(path), remedy=remedy)
        if not path.is_file():
            raise UsageError("not a file", where=str(path), remedy="give the report itself")
        path.open("rb").close()
    except OSError as error:
        raise UsageError(
            f"cannot be opened: {error.strerror}", where=str(path), remedy="check its name and permissions"
        ) from error

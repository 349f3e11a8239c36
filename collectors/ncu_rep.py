"""Reader of ``.ncu-rep`` files: asks a child process that holds NVIDIA's library."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nsightlens import errors
from nsightlens.collectors.quantities import PATTERNS, counter_names
from nsightlens.collectors.report import Launch, Report, make_launch
from nsightlens.errors import ReportError, UsageError
from nsightlens.ranges import DECLARED_DOMAIN, parse_declaration
from nsightlens.text import count

FORMAT = "ncu-rep"
MAX_BYTES = 1 << 30
TIMEOUT_S = 600.0
MEMORY_BYTES = 16 << 30

# -P keeps modules lying in the current folder out; the root comes last, so that it hides nothing.
CHILD = (
    "import sys; sys.path.append(sys.argv[1]); from nsightlens.collectors.ncu_rep_child import main; main(sys.argv[2])"
)
_ROOT = str(Path(errors.__file__).parent.parent)
_CUT = "copy it again or profile again"
_FEWER = "profile fewer launches at a time"


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
    timeout_s
        The child is ended after this many seconds.
    """

    def __init__(
        self,
        path: Path,
        *,
        keep_going: bool = False,
        max_bytes: int = MAX_BYTES,
        decimal: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.path = path
        self._timeout_s = timeout_s
        self._folder = TemporaryDirectory(prefix="nsightlens-")
        self._request = {
            "path": str(path.resolve()),
            "folder": self._folder.name,
            "keep_going": keep_going,
            "max_bytes": max_bytes,
            "decimal": decimal,
            "memory_bytes": MEMORY_BYTES,
            "counters": counter_names(),
            "patterns": PATTERNS,
        }
        self._child = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-c", CHILD, _ROOT, self._folder.name]
        with self._answer.open("wb") as out, self._messages.open("wb") as messages:
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=messages)  # noqa: S603
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
            self._child.kill()
            self._child.wait()
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
            code = self._child.wait(self._timeout_s)
            return self._report(code)
        except subprocess.TimeoutExpired:
            message = f"reading it took more than {self._timeout_s:g} s"
            raise ReportError(message, where=str(self.path), remedy=_FEWER) from None
        finally:
            self.close()

    def _report(self, code: int) -> Report:
        with self._answer.open(encoding="utf-8") as answer:
            lines = _lines(answer)
            session = next(lines, {})
            if "error" in session:
                raise ReportError(session["error"]["message"], where=str(self.path), remedy=session["error"]["remedy"])
            if "results" not in session or (code != 0 and not self._request["keep_going"]):
                raise self._crash(code)
            return self._build(session, lines)

    def _crash(self, code: int) -> ReportError:
        words = self._messages.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if any("bad_alloc" in word for word in words):
            message = f"reading it takes more than {MEMORY_BYTES} bytes of memory"
            return ReportError(message, where=str(self.path), remedy=_FEWER)
        message = f"NVIDIA's reader ended on this file (code {code})" + (f": {words[-1][:200]}" if words else "")
        return ReportError(message, where=str(self.path), remedy=_CUT)

    def _build(self, session: dict[str, Any], lines: Iterator[dict[str, Any]]) -> Report:
        process_ids = session["process_ids"] + [None] * session["results"]
        launches: list[Launch] = []
        ended = False
        for line in lines:
            if "error" in line:
                raise ReportError(line["error"]["message"], where=str(self.path), remedy=line["error"]["remedy"])
            ended = ended or "end" in line
            if "end" not in line:
                launches.append(_launch(len(launches), process_ids, line))
        self._require_whole(session, launches, ended=ended)
        return _assemble(self.path, session, tuple(launches))

    def _require_whole(self, session: dict[str, Any], launches: Sequence[Launch], *, ended: bool) -> None:
        hollow = sum(launch.row["status"] == "hollow" for launch in launches)
        usable = len(launches) - hollow
        if (ended and usable == session["results"] == len(launches)) or (usable and self._request["keep_going"]):
            return
        message = f"the report is damaged: {usable} of {count(session['results'], 'launch')} can be read"
        raise ReportError(message, where=str(self.path), remedy="--keep-going analyses these" if usable else _CUT)


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


def _lines(answer: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in answer:
        if not line.endswith("\n"):
            return
        yield json.loads(line)


def _launch(index: int, process_ids: Sequence[int | None], line: dict[str, Any]) -> Launch:
    identity = {"launch": index, "process_id": process_ids[index] if index < len(process_ids) else None}
    if line.get("hollow"):
        blank: dict[str, Any] = {
            "kind": "kernel",
            "status": "hollow",
            "name": "",
            "full_name": "",
            "nvtx": (),
            "declared": {},
            "payload": None,
        }
        return make_launch({**identity, **blank}, {})
    row = {
        **identity,
        "kind": line["kind"],
        "name": line["name"],
        "full_name": line["full_name"],
        "nvtx": tuple(_path(span) for span in line["nvtx"] if span["domain"] != DECLARED_DOMAIN),
        "declared": _declared(line["nvtx"]),
        "invocations": line.get("invocations", 1),
        "payload": next((p for span in line["nvtx"] for p in reversed(span["payloads"]) if p is not None), None),
    }
    return make_launch(row, line["counters"], line["opcodes"])


def _declared(spans: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the innermost range that declares anything says of itself."""
    texts = [text for span in spans if span["domain"] == DECLARED_DOMAIN for text in span["path"]]
    return next((found for text in reversed(texts) if (found := parse_declaration(text))), {})


def _path(span: dict[str, Any]) -> str:
    return "/".join(name.replace("/", "%2F") for name in (span["domain"], *span["path"]))


def _assemble(path: Path, session: dict[str, Any], launches: tuple[Launch, ...]) -> Report:
    facts = session["facts"]
    notes: list[str] = []
    if session["damage"] is not None:
        notes.append(f"damaged: {session['damage']}; {count(len(launches), 'whole launch')} before it read")
    hollow = sum(launch.row["status"] == "hollow" for launch in launches)
    if hollow:
        notes.append(f"without a counter (damaged or interrupted): {count(hollow, 'launch')}")
    if len(launches) != session["results"]:
        notes.append(f"{len(launches)} of {count(session['results'], 'launch')} could be read")
    return Report(
        path=str(path).encode("utf-8", "backslashreplace").decode(),
        format=session.get("format", FORMAT),
        complete=session["complete"] and not notes,
        launched=launches,
        ncu_version=facts.get("Nsight Compute Target", "").split(" ")[0] or None,
        driver_version=facts.get("Display Driver Version"),
        cuda_version=facts.get("CUDA Version"),
        gpus=tuple(session["devices"]),
        command_line=session["command_line"],
        notes=(*notes, *session.get("notes", ())),
    )

"""The child process that holds NVIDIA's reader.

The library can be aborted by a damaged file and frees nothing that it read, so it never runs in the parent. The request
comes as one JSON object in one line on standard input, which stays open as long as the parent lives; the answer goes
out as one JSON object a line: the session, each launch, an end mark; or one error.
"""

import importlib
import json
import mmap
import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TextIO

from nsightlens.collectors.container import Container, walk
from nsightlens.collectors.text.reader import read as read_text
from nsightlens.collectors.unpack import is_report, plain
from nsightlens.errors import ReportError
from nsightlens.text import count

KINDS = {0: "kernel", 1: "range", 2: "range", 3: "graph", 4: "kernel"}
OPCODES = "sass__inst_executed_per_opcode"
DEFAULT_DOMAIN = "<default domain>"
_INSTALLED = (
    "/opt/nvidia/nsight-compute/*/extras/python",
    "/usr/local/cuda*/nsight-compute-*/extras/python",
    "/usr/local/NVIDIA-Nsight-Compute*/extras/python",
    "/Applications/NVIDIA Nsight Compute.app/Contents/MacOS/python",
)


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
        for line in read(request):
            _write(answer, line)
            answer.flush()  # the library may end this process at any launch
    except ReportError as error:
        _write(answer, {"error": {"message": error.message, "remedy": error.remedy}})
    except MemoryError:
        message = f"reading it takes more than {request['memory_bytes']} bytes of memory"
        _write(answer, {"error": {"message": message, "remedy": "profile fewer launches at a time"}})
    answer.flush()
    os._exit(0)  # the native library's own shutdown can be slow


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
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def read(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the session, then every launch, then the end mark."""
    source = Path(request["path"])
    path = plain(source, Path(request["folder"]), request["max_bytes"])
    if not is_report(path):
        names, patterns = request["counters"], request["patterns"]
        yield from read_text(
            path, decimal=request["decimal"], keep_going=request["keep_going"], counters=names, patterns=patterns
        )
        return
    container = _checked(path, source, keep_going=request["keep_going"])
    yield {
        "complete": container.damage is None and bool(container.facts),
        "notes": []
        if container.facts
        else ["the session's own facts are missing: the file may be cut between launches"],
        "damage": container.damage,
        "results": container.results,
        "process_ids": container.process_ids,
        "facts": container.facts,
        "devices": container.devices,
        "command_line": container.command_line,
    }
    if container.damage is not None:
        path = _whole_blocks(path, container, Path(request["folder"]))
    counters = frozenset(request["counters"])
    pattern = re.compile("|".join(request["patterns"]))
    done = 0
    for action in _actions(_nameable(path, Path(request["folder"]))):
        yield _launch(action, counters, pattern)
        done += 1
    yield {"end": done}


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


def _actions(path: Path) -> Iterator[Any]:
    context = _library().load_report(str(path))
    for number in range(context.num_ranges()):
        group = context.range_by_idx(number)
        # Each action is built once: the library never frees one.
        for index in range(group.num_actions()):
            yield group.action_by_idx(index)


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


def _launch(action: Any, counters: frozenset[str], pattern: re.Pattern[str]) -> dict[str, Any]:  # noqa: ANN401
    try:
        return _found(action, counters, pattern)
    except (KeyError, TypeError):  # what the library raises on a name or value whose bytes were altered
        return {"hollow": True}


def _found(action: Any, counters: frozenset[str], pattern: re.Pattern[str]) -> dict[str, Any]:  # noqa: ANN401
    names = action.metric_names()
    if not names:
        return {"hollow": True}
    wanted = [name for name in names if name in counters or pattern.match(name)]
    return {
        "kind": KINDS.get(action.workload_type(), "kernel"),
        "name": action.name() or "",
        "full_name": action.name(action.NameBase_DEMANGLED) or action.name() or "",
        "nvtx": _nvtx(action.nvtx_state()),
        "counters": {name: action.metric_by_name(name).value() for name in wanted},
        "opcodes": _opcodes(action),
    }


def _nvtx(state: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the ranges around a launch; only a numeric payload travels."""
    found: list[dict[str, Any]] = []
    for number in state.domains() if state else ():
        domain = state.domain_by_id(number)
        name = "" if domain.name() == DEFAULT_DOMAIN else domain.name()
        nested = [domain.push_pop_range(index) for index in range(len(domain.push_pop_ranges()))]
        if nested:
            found.append(
                {
                    "domain": name,
                    "path": [_range_name(r) for r in nested],
                    "payloads": [_payload(r) for r in nested],
                }
            )
        spans = [domain.start_end_range(index) for index in range(len(domain.start_end_ranges()))]
        found += [{"domain": name, "path": [_range_name(r)], "payloads": [_payload(r)]} for r in spans]
    return found


def _range_name(span: Any) -> str:  # noqa: ANN401
    return span.name() or ""


def _payload(span: Any) -> float | int | str | None:  # noqa: ANN401
    kind = span.payload_type() if span.has_attributes() else span.PayloadType_PAYLOAD_UNKNOWN
    if kind == span.PayloadType_PAYLOAD_UNKNOWN:
        return None
    if kind in (span.PayloadType_PAYLOAD_DOUBLE, span.PayloadType_PAYLOAD_FLOAT):
        return float(span.payload_as_double())
    if kind == span.PayloadType_PAYLOAD_JSON:
        return str(span.payload_as_string())
    value = int(span.payload_as_uint64())
    signed = kind in (span.PayloadType_PAYLOAD_INT32, span.PayloadType_PAYLOAD_INT64)
    return value - (1 << 64) if signed and value >= 1 << 63 else value


def _opcodes(action: Any) -> dict[str, float] | None:  # noqa: ANN401
    metric = action.metric_by_name(OPCODES)
    if metric is None or not metric.has_correlation_ids():
        return None
    ids = metric.correlation_ids()
    return {ids.as_string(index): metric.as_double(index) for index in range(metric.num_instances())}


def _write(answer: TextIO, line: dict[str, Any]) -> None:
    json.dump(line, answer, separators=(",", ":"))
    answer.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])

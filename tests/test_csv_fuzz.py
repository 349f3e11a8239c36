"""Damaged text files: an error that says what is wrong, or a result that is well formed; nothing else, and no hang."""

import json
import random
import runpy
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.collectors.text.nvtx import ranges
from nsightlens.collectors.text.reader import detect, read, sniff
from nsightlens.errors import ReportError

MUTANTS = 300
HELP = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("mutants.py"))))
SESSION = {
    "complete", "damage", "results", "process_ids", "facts", "devices", "command_line", "format", "notes",
}  # fmt: skip
LAUNCH = {"kind", "name", "full_name", "nvtx", "counters", "opcodes"}


def check(path, *, keep_going):
    """Read a file and check the form of what comes; return whether something came."""
    sniff(path.read_bytes()[: 1 << 16])
    detect(path)
    try:
        session, *launches, end = read(path, keep_going=keep_going)
    except ReportError as error:
        if not error.message or not error.remedy or error.where != str(path):
            pytest.fail(repr(error))
        return False
    assert set(session) == SESSION
    assert session["results"] == len(session["process_ids"]) == len(launches) == end["end"] > 0
    assert (session["damage"] is None) or keep_going
    assert all(set(launch) - {"invocations"} == LAUNCH for launch in launches)
    assert {launch["kind"] for launch in launches} <= {"kernel", "range", "graph"}
    assert all(isinstance(v, int | float | str | None) for launch in launches for v in launch["counters"].values())
    assert json.loads(json.dumps([session, *launches]))
    return True


SMALL = 15_000


@pytest.mark.parametrize("part", range(3))
def test_mutants_are_read_or_refused(data, tmp_path, part):
    files = [path for path in sorted((data / "csv").iterdir()) if path.suffix != ".xz" and path.stat().st_size < SMALL]
    dice = random.Random(part)  # noqa: S311
    path = tmp_path / "mutant"
    read_well = 0
    for number in range(MUTANTS // 3):
        path.write_bytes(HELP.mutated(files[number % len(files)].read_bytes(), dice))
        read_well += check(path, keep_going=bool(number % 2))
    assert read_well > MUTANTS // 15


CUT = ["nvprof_metrics.csv", "nvprof_trace.csv", "two_processes_per_gpu.txt", "two_processes_per_kernel.csv"]


@pytest.mark.parametrize("name", CUT)
def test_a_cut_file_never_gives_a_launch_that_is_not_whole_unless_nothing_can_tell(data, tmp_path, name):
    whole = (data / "csv" / name).read_bytes()
    ends = HELP.launch_ends(whole.decode())
    path = tmp_path / "cut"
    dice = random.Random(name)  # noqa: S311
    read_well = 0
    for end in [*dice.sample(range(len(whole)), 60), len(whole)]:
        path.write_bytes(whole[:end])
        try:
            session, *launches, _ = tuple(read(path))
        except ReportError:
            continue
        read_well += 1
        rest = whole[end:].partition(b"\n")[0]
        between = whole[:end].endswith(b"\n") or not rest
        said = not session["complete"] and not set(b'",;') & set(rest)  # within a last number without quotes
        assert len(launches) == sum(last <= end for last in ends) or between or said, whole[:end][-60:]
    assert read_well


@given(st.binary(max_size=400))
def test_any_bytes_are_refused_or_read(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(b'"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n' + data)
    check(path, keep_going=True)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_cell_of_ranges_is_taken_apart(push_pop, start_end):
    for span in ranges(push_pop, start_end):
        assert len(span["path"]) == len(span["payloads"]) > 0


NAMES = st.text(st.characters(codec="utf-8", exclude_characters='\0\r\n"'), min_size=1, max_size=20)


@given(st.lists(st.tuples(NAMES, st.integers(-(2**40), 2**40)), min_size=1, max_size=4))
def test_names_of_ranges_come_back(spans):
    cell = "7 " + "".join(f' "dom:{name}:Int64:{n}:RGB:0xff:REGISTERED:{name}" ' for name, n in spans)
    assert ranges(cell, "") == [{"domain": "dom", "path": [n for n, _ in spans], "payloads": [p for _, p in spans]}]


@pytest.mark.parametrize(
    "line",
    ['"5","' + '""' * 3000 + '"\n', '"5","open\n', "x" * 5000 + "\n", ", Context 1\n" * 30, '"0","1","' + "<" * 3000],
)
def test_time_grows_with_the_size_alone(tmp_path, line):
    head = '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    times = []
    for size in (100_000, 800_000):
        path = tmp_path / "file"
        path.write_text(head + line * (size // len(line)))
        begun = time.process_time()
        check(path, keep_going=True)
        times.append(time.process_time() - begun)
    assert times[1] < 40 * times[0] + 0.5

"""Launches read by forked processes: in order, each once, whatever happens to one of them."""

import errno
import json
import os
import time
from itertools import count

import pytest

from nsightlens.collectors import ncu_rep_slices, read
from nsightlens.collectors.ncu_rep_slices import Slices

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Return a function: a way to copy a launch and a number of launches to the lines, parsed."""
    monkeypatch.setattr(ncu_rep_slices, "SLICE", 10)

    def run(copy, total=95, workers=2):
        slices = Slices(copy, tmp_path, workers)
        lines = [json.loads(line) for line in slices.read(total)]
        assert not slices.running
        assert not list(tmp_path.iterdir())
        return lines

    return run


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("total", [0, 1, 16, 17, 21, 95])
def test_every_launch_comes_once_and_in_order(found, total, workers):
    assert [line["n"] for line in found(lambda index: {"n": index}, total, workers)] == list(range(total))


def test_a_short_report_needs_no_further_process_and_a_long_one_one_per_slice(found):
    copy = lambda index: {"process": os.getpid()}  # noqa: ARG005, E731
    assert {line["process"] for line in found(copy, 16)} == {os.getpid()}
    assert len({line["process"] for line in found(copy, 95)}) == 11


@pytest.mark.parametrize("bad", [1, 10, 11, 50, 94])
@pytest.mark.parametrize("end", [lambda: os._exit(3), lambda: 1 / 0, lambda: os.kill(os.getpid(), 9)])
def test_what_ends_a_process_costs_the_one_launch_it_was_reading(found, bad, end):
    def copy(index):
        if index == bad:
            end()
        return {"n": index}

    expected = [{"n": index} for index in range(95)]
    expected[bad] = {"hollow": True}
    assert found(copy) == expected


def test_a_process_that_has_grown_hands_its_slice_on(found, monkeypatch):
    resident = count(0, 20 << 20)
    monkeypatch.setattr(ncu_rep_slices, "_resident", lambda: next(resident))
    lines = found(lambda index: {"n": index, "process": os.getpid()})
    assert [line["n"] for line in lines] == list(range(95))
    assert max(sum(line["process"] == other["process"] for line in lines) for other in lines) == 3


def test_if_one_process_is_to_work_at_a_time_it_works_alone_until_it_has_grown(found, monkeypatch):
    resident = count(0, 20 << 20)
    monkeypatch.setattr(ncu_rep_slices, "_resident", lambda: next(resident))
    lines = found(lambda index: {"n": index, "process": os.getpid()}, workers=1)
    assert [line["n"] for line in lines] == list(range(95))
    assert [line["n"] for line in lines if line["process"] == os.getpid()] == [0, 1, 2, 3, 4]


def test_a_full_disk_is_no_fault_of_the_report(tmp_path):
    def copy(index):
        if index == 30:
            raise OSError(errno.ENOSPC, "No space left on device")
        return {}

    slices = Slices(copy, tmp_path, 2)
    with pytest.raises(OSError, match="No space left"):
        list(slices.read(95))


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
def test_a_lack_of_memory_is_no_fault_of_the_report(tmp_path, error):
    def copy(index):
        if index == 30:
            raise error
        return {}

    with pytest.raises(MemoryError):
        list(Slices(copy, tmp_path, 2).read(95))


def test_processes_end_when_they_are_told_to(tmp_path):
    slices = Slices(lambda index: time.sleep(60) if index else {}, tmp_path, 2)
    lines = slices.read(95)
    next(lines)
    slices.running += [slices._fork(1, 5), slices._fork(5, 9)]
    slices.stop()
    assert {os.waitstatus_to_exitcode(os.waitpid(worker.process, 0)[1]) for worker in slices.running} == {-9}


def test_a_report_read_in_slices_has_the_values_of_a_plain_loop(data, raw_of):
    (report,) = read([data / "nested_nvtx.ncu-rep.xz"])
    plain = raw_of("nested_nvtx")
    assert len(report.launched) == len(plain) == 280
    for launch, raw in zip(report.launched, plain, strict=True):
        assert launch.row["name"] == raw["name"]
        numbers = {name: value for name, value in launch.counters.items() if not isinstance(value, str)}
        assert {name: raw["counters"][name] for name in numbers} == numbers

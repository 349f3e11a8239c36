"""Ranges, with and without nvtx, and what they declare."""

import asyncio
import contextlib
import inspect
import math
import sys
import threading

import numpy as np
import pytest

from nsightlens.ranges import DECLARED_DOMAIN, DOMAIN, annotate, parse_declaration

MODULE = sys.modules[annotate.__module__]


class FakeDomain:
    """Records what is pushed and popped."""

    def __init__(self, name, events):
        self.name, self.events = name, events

    def get_event_attributes(self, message=None):
        return message

    def push_range(self, attributes):
        self.events.append(("push", self.name, attributes))

    def pop_range(self):
        self.events.append(("pop", self.name))


@pytest.fixture
def events(monkeypatch):
    seen = []
    monkeypatch.setattr(MODULE, "_domain", lambda name: FakeDomain(name, seen))
    return seen


@pytest.fixture
def _fresh():
    MODULE._domain.cache_clear()
    yield
    MODULE._domain.cache_clear()


def test_a_range_keeps_a_clean_name(events):
    with annotate("scale"):
        pass
    assert events == [("push", DOMAIN, "scale"), ("pop", DOMAIN)]


def test_figures_travel_in_a_range_around_it(events):
    with annotate("scale", flop=8, dram_bytes=128):
        pass
    (_, domain, text), inner, *ends = events
    assert domain == DECLARED_DOMAIN
    assert parse_declaration(text) == {"range": "scale", "flop": 8, "dram_bytes": 128}
    assert inner == ("push", DOMAIN, "scale")
    assert ends == [("pop", DOMAIN), ("pop", DECLARED_DOMAIN)]


def test_a_decorated_function_is_a_range_each_time_and_an_error_ends_it(events):
    @annotate("solve")
    def solve(x):
        return 1 / x

    assert solve(2) == 0.5
    with pytest.raises(ZeroDivisionError):
        solve(0)
    assert events == [("push", DOMAIN, "solve"), ("pop", DOMAIN)] * 2
    assert solve.__name__ == "solve"


@pytest.mark.usefixtures("_fresh")
def test_without_nvtx_nothing_happens(monkeypatch):
    monkeypatch.setitem(sys.modules, "nvtx", None)
    with annotate("scale", flop=1):
        pass


@pytest.mark.usefixtures("_fresh")
def test_without_a_profiler_nothing_is_pushed():
    pytest.importorskip("nvtx")
    assert annotate("scale", flop=1)._ranges == ()


def declared(events, **figures):
    with annotate("r", **figures):
        pass
    return parse_declaration(events[0][2])


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3)])
def test_numbers_of_any_kind_are_declared(value, events):
    assert declared(events, flop=value)["flop"] == 3


@pytest.mark.parametrize("payload", [3, -1.5, "n=3", "\x1b[31m"])
def test_payloads_survive(payload, events):
    assert declared(events, payload=payload)["payload"] == payload


@pytest.mark.parametrize("flop", [-1, math.nan, math.inf])
def test_an_impossible_amount_is_refused(flop):
    with pytest.raises(ValueError, match="not an amount of work"):
        annotate("r", flop=flop)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        '{"flop":1}',
        '{"range":1}',
        "[" * 4000,
        '{"range":"' + "x" * 5000 + '"}',
    ],
)
def test_what_is_no_declaration_gives_nothing(text):
    assert parse_declaration(text) == {}


def test_impossible_figures_of_strangers_are_left_out():
    text = '{"range":"r","flop":-1,"dram_bytes":NaN,"payload":true,"other":1}'
    assert parse_declaration(text) == {"range": "r"}


PASS = [("push", DOMAIN, "r"), ("pop", DOMAIN)]


def test_a_generator_is_a_range_only_while_it_runs(events):
    @annotate("r")
    def numbers():
        got = yield 1
        events.append(got)
        return 3

    running = numbers()
    assert events == []
    assert next(running) == 1
    events.append("outside")
    with pytest.raises(StopIteration) as end:
        running.send("sent")
    assert end.value.value == 3
    assert events == [*PASS, "outside", PASS[0], "sent", PASS[1]]
    assert inspect.isgeneratorfunction(numbers)


def test_a_generator_that_is_closed_or_gets_an_error_cleans_up_inside_its_range(events):
    @annotate("r")
    def numbers():
        try:
            yield 1
        except ValueError:
            yield 2
        finally:
            events.append("clean")

    running = numbers()
    next(running)
    assert running.throw(ValueError("x")) == 2
    running.close()
    assert events == [*PASS, *PASS, PASS[0], "clean", PASS[1]]


def test_ranges_of_coroutines_that_run_in_turn_do_not_cover_each_other(events):
    @annotate("r")
    async def work(name):
        events.append(name)
        await asyncio.sleep(0)
        events.append(name)
        return name

    async def both():
        return await asyncio.gather(work("a"), work("b"))

    assert asyncio.run(both()) == ["a", "b"]
    assert events == [e for name in "abab" for e in (PASS[0], name, PASS[1])]
    assert inspect.iscoroutinefunction(work)


def test_a_cancelled_coroutine_leaves_its_range(events):
    @annotate("r")
    async def wait():
        await asyncio.sleep(60)

    async def cancel():
        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert events == PASS * 2


def test_an_asynchronous_generator_is_a_range_only_while_it_runs(events):
    @annotate("r")
    async def numbers():
        try:
            yield 1
            await asyncio.sleep(0)
            yield 2
        finally:
            events.append("clean")

    async def take():
        found = []
        async with contextlib.aclosing(numbers()) as running:
            async for number in running:
                events.append("outside")
                found.append(number)
                if number == 2:
                    break
        return found

    assert asyncio.run(take()) == [1, 2]
    assert events == [*PASS, "outside", *PASS, *PASS, "outside", PASS[0], "clean", PASS[1]]


def test_one_object_may_be_entered_within_itself_and_an_error_ends_every_range(events):
    mark = annotate("r")

    def enter_twice():
        with mark, mark:
            raise KeyError

    with pytest.raises(KeyError):
        enter_twice()
    assert events == [PASS[0], PASS[0], PASS[1], PASS[1]]


def test_a_function_that_calls_itself_nests(events):
    @annotate("r")
    def countdown(n):
        return n if n == 0 else countdown(n - 1)

    assert countdown(2) == 0
    assert events == [PASS[0]] * 3 + [PASS[1]] * 3


def test_threads_share_one_object_and_each_pushes_and_pops_for_itself(monkeypatch):
    class ThreadDomain(FakeDomain):
        def push_range(self, attributes):
            assert attributes == "r"
            self.events.append((threading.get_ident(), 1))

        def pop_range(self):
            self.events.append((threading.get_ident(), -1))

    seen = []
    monkeypatch.setattr(MODULE, "_domain", lambda name: ThreadDomain(name, seen))
    mark, together = annotate("r"), threading.Barrier(4)

    def work():
        with mark:
            together.wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [change for _, change in seen] == [1] * 4 + [-1] * 4
    assert len({ident for ident, _ in seen}) == 4
    assert {ident: sum(c for i, c in seen if i == ident) for ident, _ in seen} == dict.fromkeys((i for i, _ in seen), 0)


@pytest.mark.usefixtures("_fresh")
def test_without_a_tool_a_decorated_function_stays_what_it_was(monkeypatch):
    monkeypatch.setitem(sys.modules, "nvtx", None)

    def solve():
        pass

    assert annotate("solve", payload=3)(solve) is solve

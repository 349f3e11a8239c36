"""Ranges, with and without nvtx, and what they declare."""

import math
import sys

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

"""Formulas over counters: nothing but arithmetic gets through, and the arithmetic is Python's."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.collectors.formulas import parse
from nsightlens.collectors.quantities import catalogue
from nsightlens.data import table

COUNTERS = {"a__b.sum": 3.5, "dram__bytes.sum.per_second": 0.25, "plain": -2.0, "zero__x.avg": 0.0}
FUNCTIONS = {"min": min, "max": max, "round": round}


def joined(pair, operator):
    (formula, python), (other_formula, other_python) = pair
    return f"({formula} {operator} {other_formula})", f"({python} {operator} {other_python})"


def called(pair, function):
    (formula, python), (other_formula, other_python) = pair
    return f"{function}({formula}, {other_formula})", f"{function}({python}, {other_python})"


LEAVES = st.one_of(
    st.sampled_from([(name, repr(value)) for name, value in COUNTERS.items()]),
    st.floats(0, 1e6).map(lambda number: (repr(number), repr(number))),
    st.integers(0, 10**9).map(lambda number: (str(number), str(number))),
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.tuples(inner, inner), st.sampled_from("+-*/")).map(lambda x: joined(*x)),
        st.tuples(st.tuples(inner, inner), st.sampled_from(["min", "max"])).map(lambda x: called(*x)),
        inner.map(lambda x: (f"round({x[0]})", f"round({x[1]})")),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_formulas_mean_what_python_means(pair):
    text, python = pair
    formula = parse(text)
    try:
        expected = eval(python, {"__builtins__": {}, **FUNCTIONS})  # noqa: S307 - made of numbers above
    except ArithmeticError as error:
        with pytest.raises(type(error)):
            formula.compute(COUNTERS)
    else:
        assert formula.compute(COUNTERS) == expected
    assert set(formula.names) == {name for name in COUNTERS if name in text}


def test_names_stand_once_in_order_and_counters_are_those_with_a_double_underscore():
    formula = parse("b__x.sum * time_s + a__y.avg / b__x.sum")
    assert formula.names == ("b__x.sum", "time_s", "a__y.avg")
    assert formula.counters == ("b__x.sum", "a__y.avg")
    assert formula.compute({"b__x.sum": 2, "time_s": 5, "a__y.avg": 8}) == 14


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "open('x')",
        "exec('1')",
        "a.b()",
        "a.__class__()",
        "a().b",
        "(1).real",
        "(a + b).c",
        "'x'.join",
        "'text'",
        "b'bytes'",
        "None",
        "True",
        "...",
        "1j",
        "a ** b",
        "2 ** 9999999",
        "a // b",
        "a % b",
        "a << b",
        "a | b",
        "a @ b",
        "-a",
        "not a",
        "a and b",
        "a < b",
        "a if b else c",
        "a[0]",
        "a[b]",
        "[a]",
        "{a}",
        "(a, b)",
        "{a: b}",
        "[x for x in a]",
        "lambda: a",
        "f'{a}'",
        "(a := 1)",
        "min(*a)",
        "min(a, b, key=c)",
        "max(a, default=1)",
        "min()",
        "round(a, b)",
        "abs(a)",
        "sum(a)",
        "min(a)",
        "yield a",
        "await a",
        "a; b",
        "a = b",
        "a +",
        "",
    ],
)
def test_anything_but_arithmetic_is_refused(text):
    with pytest.raises((ValueError, SyntaxError)):
        parse(text)


@pytest.mark.parametrize("text", ["min(1, a)", "max(0, a)", "max(a, 0)", "max(0, a - b)", "max(a, b)", "min(b, a)"])
def test_a_failed_counter_is_never_hidden_by_a_limit(text):
    assert math.isnan(parse(text).compute({"a": math.nan, "b": 1.0}))


def test_every_formula_of_the_catalogue_names_counters_and_quantities_above_it():
    above = set()
    for quantity in catalogue():
        assert quantity.formulas
        for formula in quantity.formulas:
            assert {name for name in formula.names if name not in formula.counters} <= above, quantity.name
        above.add(quantity.name)


def test_every_quantity_is_documented_and_has_a_known_unit():
    units = {"s", "1/s", "cycle", "share", "1", "block", "thread", "byte", "inst", "FLOP", "byte/s", "FLOP/s", "inst/s"}
    units |= {"request", "sector", "byte/sector", "wavefront", "thread/inst"}
    for name, entry in table("counters").items():
        assert entry["doc"].endswith("."), name
        assert entry["unit"] in units, name

"""Numbers, units and decimal separators: what is printed in any dialect comes back."""

import math
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.collectors.text.decimals import Decimals, decimal_of
from nsightlens.collectors.text.encodings import binary, decoded, guess, lines
from nsightlens.collectors.text.numbers import exponent_of, is_number, main_value, number
from nsightlens.errors import ReportError

MARKS = {"point": ".", "comma": ","}
GROUPS = {"point": ",", "comma": "."}
SPACES = ["", " ", "\u00a0", "\u202f", "'", "\u2019"]
UNITS = {
    "ns": 0, "nsecond": 0, "us": 3, "usecond": 3, "ms": 6, "msecond": 6, "s": 9, "second": 9,
    "byte": 0, "Kbyte": 3, "Mbyte": 6, "Gbyte": 9, "Tbyte": 12, "byte/s": 0, "byte/second": 0, "Gbyte/s": 9,
    "Gbyte/second": 9, "Tbyte/s": 12, "hz": 0, "Khz": 3, "Mhz": 6, "Ghz": 9, "cycle/second": 0, "cycle/usecond": 6,
    "cycle/nsecond": 9, "%": 0, "": 0, "inst": 0, "inst/cycle": 0, "register/thread": 0, "byte/block": 0,
    "Kbyte/block": 3, "Kbyte/cycle": 3, "warp/cycle": 0, "sector": 0, "1/ns": 9, "inst/us": 6, "SM": 0, "cluster": 0,
}  # fmt: skip


def printed(value, digits, decimal, group):
    """Format a number with a decimal separator and groups of three digits."""
    text = f"{value:,.{digits}f}"
    return text.replace(",", "\0").replace(".", MARKS[decimal]).replace("\0", group)


@given(
    st.integers(-(10**15), 10**15),
    st.sampled_from(sorted(MARKS)),
    st.booleans(),
    st.sampled_from(SPACES),
)
def test_integers_come_back_exactly(value, decimal, grouped, space):
    text = printed(value, 0, decimal, GROUPS[decimal] if grouped else space)
    assert number(text, decimal) == value
    assert isinstance(number(text, decimal), int)


@given(
    st.floats(-1e12, 1e12, allow_nan=False),
    st.integers(1, 6),
    st.sampled_from(sorted(MARKS)),
    st.booleans(),
)
def test_fractions_come_back_to_the_printed_digit(value, digits, decimal, grouped):
    text = printed(value, digits, decimal, GROUPS[decimal] if grouped else "")
    assert number(text, decimal) == float(f"{value:.{digits}f}")


@given(st.integers(0, 10**9), st.sampled_from(sorted(UNITS)))
def test_a_unit_is_a_power_of_ten(value, unit):
    assert exponent_of(unit) == UNITS[unit]
    assert float(number(str(value), exponent=exponent_of(unit))) == float(value * 10 ** UNITS[unit])


def test_a_scaled_value_is_rounded_once():
    assert number("11.488000", exponent=3) == 11488.0
    assert number("2.139904", exponent=6) == 2139904.0
    assert number("0.1", exponent=-9 + 9) == 0.1


@pytest.mark.parametrize("unit", ["Kfoo", "KiB", "Mxyz"])
def test_an_unknown_prefixed_unit_is_not_guessed(unit):
    assert exponent_of(unit) is None


@pytest.mark.parametrize("text", ["n/a", "N/A", "(!) n/a", " n/a ", "no data"])
def test_not_available_is_none(text):
    assert number(text) is None


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "-nan(ind)", "(!) nan"])
def test_nan_is_nan(text):
    assert math.isnan(number(text))


@pytest.mark.parametrize(("text", "value"), [("inf", math.inf), ("-inf", -math.inf), ("1e400", math.inf)])
def test_infinite_values(text, value):
    assert number(text) == value


@pytest.mark.parametrize(
    "text", ["CachePreferNone", "NVIDIA H200", "0, 1, 2", "1,2", "1.2.3", "9" * 80, "", "--1", "٣"]
)
def test_what_is_no_number_stays_text(text):
    assert number(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("3,670 (32; 64; 64)", "3,670"), ("0 (0)", "0"), ("15.52 (15.52)", "15.52"), ("(axpb)", ""), ("12", "12")],
)
def test_instances_behind_a_value_are_left_out(text, value):
    assert main_value(text) == value


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        ("65,77", "comma"), ("65.77", "point"), ("27.595.520", "comma"), ("27,595,520", "point"), ("1,205.00", "point"),
        ("4.963.609.951,19", "comma"), ("6.000000", "point"), ("0.344", "point"), ("1234.567", "point"),
        ("117.344", "auto"), ("5,000", "auto"), ("1.5e9", "point"), ("127.0.0.1", None), ("2025.3.1", None),
        ("n/a", None), ("1001", None),
        ("1,23,456", "point"), ("12,34,56", None),
    ],
)  # fmt: skip
def test_what_one_number_shows(text, shows):
    assert decimal_of(text) == shows


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=20), st.sampled_from(sorted(MARKS)))
def test_a_file_of_numbers_is_read_as_it_was_written(values, decimal):
    texts = [printed(value, 2, decimal, GROUPS[decimal]) for value in values]
    seen = Decimals()
    for text in texts:
        seen.see(text, "", whole=False)
    mark, _ = seen.decide()
    assert mark == decimal
    assert [number(text, mark) for text in texts] == [float(f"{value:.2f}") for value in values]


@given(st.integers(1000, 10**12), st.sampled_from(sorted(MARKS)))
def test_a_whole_quantity_tells_groups_from_fractions(value, decimal):
    seen = Decimals()
    text = printed(value, 0, decimal, GROUPS[decimal])
    seen.see(text, "ns", whole=True)
    mark, _ = seen.decide()
    assert number(text, mark) == value


def test_one_number_that_could_be_either_is_not_guessed():
    seen = Decimals()
    seen.see("117.344", "us", whole=False)
    with pytest.raises(ReportError, match="two ways") as error:
        seen.decide()
    assert "--print-units base" in error.value.remedy
    assert seen.decide("comma")[0] == "comma"
    assert seen.decide("point")[0] == "point"


def test_a_percentage_decides_where_nothing_else_does():
    seen = Decimals()
    seen.see("12.345", "%", whole=False)
    assert seen.decide()[0] == "point"


@pytest.mark.parametrize("second", [("65.77", "%", False), ("117,344", "ns", True)])
def test_a_mixture_is_refused(second):
    seen = Decimals()
    seen.see("65,77", "%", whole=False)
    text, unit, whole = second
    seen.see(text, unit, whole=whole)
    with pytest.raises(ReportError, match="mixed"):
        seen.decide()


@given(
    st.decimals(0, 10**9, places=3, allow_nan=False),
    st.integers(0, 3),
    st.sampled_from(sorted(UNITS)),
    st.sampled_from(sorted(MARKS)),
    st.booleans(),
)
def test_a_printed_value_with_its_unit_comes_back_in_base_units(value, digits, unit, decimal, grouped):
    text = printed(value, digits, decimal, GROUPS[decimal] if grouped else "")
    exact = Decimal(f"{value:.{digits}f}").scaleb(UNITS[unit])
    assert number(text, decimal, exponent_of(unit)) == float(exact)


@given(
    st.integers(0, 10**6),
    st.sampled_from(["K", "M", "G", "T"]),
    st.sampled_from(["byte", "byte/s", "hz", "byte/block"]),
)
def test_a_prefix_is_worth_its_power_of_a_thousand(value, prefix, unit):
    power = {"K": 1, "M": 2, "G": 3, "T": 4}[prefix]
    assert number(str(value), exponent=exponent_of(prefix + unit)) == number(str(value * 1000**power))


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**18), 10**18), st.sampled_from(sorted(MARKS))
)
def test_what_was_read_once_is_read_the_same_again(value, decimal):
    once = number(str(value).replace(".", MARKS[decimal]), decimal)
    assert once == value
    assert number(str(once)) == once
    assert number(main_value(str(once))) == once


@given(st.text(alphabet="0123456789.,' -+eE()", max_size=30))
def test_the_main_value_of_a_main_value_is_itself(text):
    assert main_value(main_value(text)) == main_value(text)


# What a table can hold: value, digits printed, unit, whether the counter is whole. Shares stay below 1000 %.
WHOLE = st.tuples(
    st.integers(0, 10**10).map(Decimal), st.just(0), st.sampled_from(["ns", "byte", "inst"]), st.just(True)
)
SHARES = st.tuples(st.decimals(0, 999, places=3), st.integers(0, 3), st.just("%"), st.just(False))
OTHERS = st.tuples(
    st.decimals(0, 10**7, places=3),
    st.integers(0, 3),
    st.sampled_from(["us", "Mbyte", "Ghz", "cycle", ""]),
    st.just(False),
)


@given(
    st.lists(WHOLE | SHARES | OTHERS, min_size=1, max_size=6), st.sampled_from(sorted(MARKS)), st.booleans(), st.data()
)
def test_a_table_is_read_as_written_or_refused_never_a_thousand_times_off(cells, decimal, grouped, data):
    texts = [printed(value, digits, decimal, GROUPS[decimal] if grouped else "") for value, digits, *_ in cells]
    seen = Decimals()
    for place in data.draw(st.permutations(range(len(cells)))):
        _, _, unit, whole = cells[place]
        if "." in texts[place] or "," in texts[place]:
            seen.see(texts[place], unit, whole=whole)
    try:
        mark, _ = seen.decide()
    except ReportError:
        mark, _ = seen.decide(decimal)
    for text, (value, digits, *_) in zip(texts, cells, strict=True):
        assert number(text, mark) == float(f"{value:.{digits}f}")


@given(st.integers(1, 999), st.integers(0, 999), st.sampled_from(sorted(MARKS)))
def test_nothing_but_numbers_of_either_form_is_refused(head, tail, decimal):
    seen = Decimals()
    for text in (f"{head}{MARKS[decimal]}{tail:03}", f"{head + 1000}", "n/a"):
        seen.see(text, "us", whole=False)
    with pytest.raises(ReportError, match="two ways") as error:
        seen.decide()
    assert "--decimal point or --decimal comma" in error.value.remedy


@given(st.text(max_size=70))
def test_any_text_is_a_number_or_stays_itself(text):
    value = number(text)
    assert value is None or isinstance(value, int | float) or value == text.strip()
    assert decimal_of(text) in {None, "point", "comma", "auto"}
    exponent_of(text)


@given(st.text(alphabet="0123456789.,-+eE '", max_size=40), st.sampled_from(sorted(MARKS)))
def test_what_looks_like_a_number_never_fails(text, decimal):
    if is_number(text, decimal):
        assert isinstance(number(text, decimal), int | float)


TEXT = '==PROF== café\n"ID","Kernel Name"\n"0","核 kernel"\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_come_back(tmp_path, encoding, newline):
    path = tmp_path / "file"
    path.write_bytes(TEXT.replace("\n", newline).encode(encoding))
    assert "".join(lines(path)) == TEXT
    assert decoded(path.read_bytes()).replace("\r\n", "\n") == TEXT
    assert not binary(decoded(path.read_bytes()))


def test_bytes_that_are_not_utf_8_are_windows_1252(tmp_path):
    path = tmp_path / "file"
    path.write_bytes('"café","€","日本"\n'.encode() + b'"caf\xe9","\x80"\n')
    assert list(lines(path)) == ['"café","€","日本"\n', '"café","€"\n']


def test_a_line_that_does_not_end_is_told(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo")
    assert list(lines(path)) == ["one\n", "two"]


@given(st.binary(max_size=300))
def test_any_bytes_can_be_decoded(data):
    assert guess(data)
    assert isinstance(decoded(data), str)
    assert re.fullmatch(r"utf-(8|8-sig|16|16-le|16-be|32)", guess(data))

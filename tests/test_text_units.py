"""Numbers with units, and text from strangers made safe to show."""

import math
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.text import count, printable, shorten
from nsightlens.units import counter_unit, percent, seconds, si, significant

PREFIX = {"P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "": 1.0}
TIME = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
NUMBER = r"-?[0-9.]+(?:e[+-][0-9]+)?"
ANY = st.floats(allow_nan=True, allow_infinity=True)
ORDINARY = st.floats(1e-3, 1e17) | st.floats(-1e17, -1e-3)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.812e12, "4.81 TB/s"),
        (1e3, "1.00 kB/s"),
        (999, "999 B/s"),
        (999.6, "1.00 kB/s"),
        (-4.812e12, "-4.81 TB/s"),
        (0, "0 B/s"),
        (0.0625, "0.0625 B/s"),
        (1.5e20, "150000 PB/s"),
        (1.5e22, "1.50e+07 PB/s"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "inf PB/s"),
        (-math.inf, "-inf PB/s"),
    ],
)
def test_numbers_with_a_prefix(value, text):
    assert si(value, "B/s") == text


def test_a_number_without_unit_ends_in_no_blank():
    assert si(12, "") == "12.0"
    assert si(12e3, "") == "12.0 k"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (545e-6, "545 µs"),
        (1.53e-3, "1.53 ms"),
        (0.9996e-3, "1.00 ms"),
        (2, "2.00 s"),
        (86400, "86400 s"),
        (12e-9, "12.0 ns"),
        (1e-12, "0.00100 ns"),
        (-545e-6, "-545 µs"),
        (0, "0 s"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "inf s"),
    ],
)
def test_times(value, text):
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.4875, 1, "48.8 %"),
        (0.4875, 0, "49 %"),
        (0, 1, "0.0 %"),
        (1.97, 0, "197 %"),
        (None, 1, "–"),
        (math.nan, 1, "–"),
    ],
)
def test_percentages(share, digits, text):
    assert percent(share, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234.4, "1234"),
        (9.996, "10.0"),
        (99.95, "100"),
        (0.00999, "0.00999"),
        (1e-9, "1.00e-09"),
        (1e9, "1.00e+09"),
    ],
)
def test_significant_digits(value, text):
    assert significant(value) == text


@given(ORDINARY, st.integers(1, 6))
def test_a_shown_number_is_the_number_to_its_digits(value, digits):
    text = si(value, "B", digits)
    number, prefix = re.fullmatch(rf"({NUMBER}) ([PTGMk]?)B", text).groups()
    assert float(number) * PREFIX[prefix] == pytest.approx(value, rel=0.5000001 * 10 ** (1 - digits))
    if prefix and abs(value) < 1e15:
        assert 1 <= abs(float(number)) < 1000


@given(st.floats(1e-9, 1e5), st.integers(1, 6))
def test_a_shown_time_is_the_time_to_its_digits(value, digits):
    number, unit = re.fullmatch(rf"({NUMBER}) (s|ms|µs|ns)", seconds(value, digits)).groups()
    assert float(number) * TIME[unit] == pytest.approx(value, rel=0.5000001 * 10 ** (1 - digits))
    if unit != "s":
        assert 0.99 <= float(number) < 1000


@given(ANY)
def test_no_number_is_an_error(value):
    for text in (si(value, "FLOP"), seconds(value), percent(value), significant(value) if value == value else "–"):  # noqa: PLR0124
        assert text.isprintable()
        assert len(text) < 340


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("gpu__time_duration.sum", "ns"),
        ("dram__bytes.sum.per_second", "byte/s"),
        ("dram__bytes.sum.peak_sustained", "byte/cycle"),
        ("dram__cycles_elapsed.avg.per_second", "cycle/s"),
        ("lts__t_sectors.sum", "sector"),
        ("lts__t_sector_hit_rate.pct", "%"),
        ("sm__maximum_warps_per_active_cycle_pct", "%"),
        ("sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", "%"),
        ("smsp__thread_inst_executed_per_inst_executed.ratio", "thread/inst"),
        ("dram__read_bytes_per_sec", "byte/s"),
        ("derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2", "inst/cycle"),
        ("sm__inst_executed_avg_per_elapsed_cycle", "inst/cycle"),
        ("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "byte/sector"),
        ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "wavefront"),
        ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "warp"),
        ("smsp__warp_cycles_per_issue_stall_wait", "warp"),
        ("launch__thread_count", "thread"),
        ("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed", "inst/cycle"),
        ("sm__ops_path_tensor_src_fp64.sum", "FLOP"),
        ("device__attribute_max_mem_frequency_khz", "kHz"),
        ("launch__grid_size", "block"),
    ],
)
def test_units_of_counters(name, unit):
    assert counter_unit(name) == unit


# -- text --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("void k<float>(int)", "void k<float>(int)"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\nb\r\tc\0", r"a\x0ab\x0d\x09c\x00"),
        ("\x9b31m", r"\x9b31m"),
        ("\x7f", r"\x7f"),
        ("a\u202eb\u200bc\ufeff", r"a\u202eb\u200bc\ufeff"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\U000e0041"),
        ("\ue000", r"\ue000"),
        ("ключ 核 é ≤ 🙂", "ключ 核 é ≤ 🙂"),
        ("[bold]x[/]", "[bold]x[/]"),
        ("", ""),
    ],
)
def test_what_a_terminal_would_obey_is_shown_escaped(text, shown):
    assert printable(text) == shown


@given(st.text())
def test_shown_text_holds_nothing_that_a_terminal_obeys(text):
    shown = printable(text)
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}]
    assert len(shown.splitlines()) <= 1
    assert printable(shown) == shown
    shown.encode()


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_harmless_text_stays_as_it_is(text):
    assert printable(text) == text


@given(st.text(), st.integers(1, 50))
def test_no_text_is_longer_than_its_limit(text, limit):
    shown = printable(text, limit)
    assert len(shown) <= limit
    whole = printable(text)
    if len(whole) <= limit:
        assert shown == whole
    else:
        assert len(shown) == limit
        head, _, tail = shown.partition("…") if "…" not in whole else (shown[: limit // 2], "", "")
        assert whole.startswith(head)
        assert whole.endswith(tail)


def test_long_text_keeps_its_start_and_its_end():
    assert shorten("abcdefghij", 5) == "ab…ij"
    assert shorten("abcdefghij", 1) == "…"
    assert shorten("abcdefghij", 10) == "abcdefghij"


def test_a_count_and_its_noun():
    assert [count(n, "launch") for n in (0, 1, 2)] == ["0 launches", "1 launch", "2 launches"]
    assert [count(n, "whole block") for n in (1, 2)] == ["1 whole block", "2 whole blocks"]

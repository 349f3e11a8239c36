"""The table for the terminal: never wider than it, nothing in it that the terminal obeys, and nothing it cannot say."""

import os
import pty
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from dataclasses import replace

import pytest

from nsightlens.analysis import analyze
from nsightlens.analysis.result import Analysis, Overlap, TensorCore
from nsightlens.collectors.report import Report, make_launch
from nsightlens.report import render
from nsightlens.report.ledgers import LEDGERS
from nsightlens.report.table import render_table

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def columns(line):
    """Return how many columns of a terminal a line takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line if not unicodedata.combining(c))


def require_fits(text, width, *unbreakable):
    for line in text.splitlines():
        if not any(word in line for word in unbreakable):
            assert columns(line) <= width, line
        assert line == line.rstrip()
    assert text.endswith("\n")


@pytest.mark.parametrize("width", [80, 132])
def test_no_line_of_a_recording_is_wider_than_the_terminal(recording, analysis_of, width):
    text = render_table(analysis_of(recording), width=width)
    require_fits(text, width)
    assert not re.search(r"\d\n +(%|[nµm]?s )", text)  # nor is a number parted from its unit
    assert "\x1b" not in text


def test_eighty_columns_if_nothing_is_known_of_the_terminal(analysis_of):
    analysis = analysis_of("overlap_factorial")
    assert render_table(analysis) == render_table(analysis, width=80) == render(analysis, "table")


def test_the_head_says_where_the_figures_come_from(analysis_of):
    head = render_table(analysis_of("scale_roofline")).splitlines()[:3]
    assert head[0].endswith("scale_roofline.ncu-rep.xz")
    assert "NVIDIA H200" in head[1]
    assert "ncu 2025.3.1" in head[1]
    assert "caches flushed before each pass" in head[1]
    assert "clock control none" in head[1]


def rows(text):
    """Return the lines of the table of launches, by number."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.lstrip().startswith("# "))
    end = next(number for number, line in enumerate(lines) if number > start and not line)
    found = [line.split() for line in lines[start + 1 : end]]
    return {int(cells[0]): cells for cells in found if cells[0].isdigit()}


def test_each_launch_has_its_row(analysis_of):
    found = rows(render_table(analysis_of("scale_roofline"), width=140))
    assert list(found) == list(range(10))
    assert found[3][1:6] == ["scale", "545", "µs", "memory", "81"]
    assert found[9][1:5] == ["dmma", "271", "µs", "compute"]
    assert found[9][-2:] == ["in", "use"]
    assert "0.40–1.00" in found[6]


def test_what_was_not_measured_is_a_dash_and_no_zero(analysis_of):
    found = rows(render_table(analysis_of("nested_nvtx"), width=140))
    assert len(found) == 280
    name = "[attn]" if "[attn]" in found[0] else found[0][1]
    cells = found[0][found[0].index(name) + 1 :]
    launch = analysis_of("nested_nvtx").launches[0]
    assert launch.overlap.low is None
    assert launch.tensor_core.speedup_high is None
    assert "unknown" in cells
    assert cells[-2:] == ["–", "–"]


def numbers(line):
    return [float(share) for share in re.findall(r"(-?[0-9.]+) %", line)]


def test_each_ledger_sums_to_a_hundred_percent(recording, analysis_of):
    text = render_table(analysis_of(recording), width=10_000)
    ledgers = [line for line in text.splitlines() if line.startswith(" - ") and " useful" in line]
    judged = [launch for launch in analysis_of(recording).launches if launch.losses is not None and launch.time_s]
    whole = [number for number in Counter(launch.kind for launch in judged).values() if number > 1]
    assert len(ledgers) == min(len(judged), LEDGERS) + len(whole)
    for line in ledgers:
        shares = numbers(line)
        assert sum(shares) == pytest.approx(100, abs=0.05 * len(shares) + 1e-9), line
        assert min(shares) >= 0


def test_the_longest_launches_are_written_out_and_the_others_counted(analysis_of):
    analysis = analysis_of("overlap_factorial")
    text = render_table(analysis, width=1000)
    longest = sorted(analysis.launches, key=lambda launch: -launch.time_s)[:LEDGERS]
    for launch in longest:
        assert f"\n - {launch.launch} " in text
    assert f"The {LEDGERS} longest of 80 launches" in text


def test_the_costliest_things_stand_with_their_advice(analysis_of):
    analysis = analysis_of("scale_full")
    text = " ".join(render_table(analysis).split())
    for thing in analysis.first:
        advice = next(x.advice for launch in analysis.launches for x in launch.losses if x.cause == thing.cause)
        times = f" ({thing.launches} launches)" if thing.launches > 1 else ""
        most = "" if thing.nvtx.endswith(f"/{thing.kernel}") else f", most in {thing.kernel}"
        assert f"{thing.cause} in {thing.nvtx}{times}{most}: {advice}" in text


def test_missing_counters_are_announced_only_where_some_are(analysis_of):
    assert "To collect all of them: nsightlens profile" in render_table(analysis_of("nested_nvtx"))
    whole = analysis_of("scale_full")
    complete = replace(whole, launches=tuple(replace(launch, missing=()) for launch in whole.launches))
    assert "missing" not in render_table(complete)


# -- text from strangers -----------------------------------------------------------------------------------------------

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b2J",
    "[bold]x[/]",
    "[/]",
    "[link=http://example.org]x[/link]",
    ":smiley:",
    "two\nlines\r\nand\ttab",
    "right\u202eto left",
    "\u2028line\u2029",
    "\udcff\ud800",
    "k" * 8000,
    "核" * 300,
    "a b " * 2000,
    "",
    " ",
    "\\x1b",
    "$x_1^2$ `code` | cell | <b>",
]


def hostile(analysis, text):
    """Put one text in every place that a stranger fills."""
    launches = tuple(
        replace(
            launch,
            name=text,
            full_name=text,
            nvtx=(f"{text}/{text}", f"d/{text}"),
            gpu=text,
            context=replace(launch.context, clock_control=text, cache_control=text),
        )
        for launch in analysis.launches
    )
    reports = tuple(
        replace(report, path=text, gpus=(text, text), ncu_version=text, notes=(text,)) for report in analysis.reports
    )
    first = tuple(replace(thing, nvtx=f"d/{text}") for thing in analysis.first)
    return replace(analysis, reports=reports, launches=launches, first=first)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_shown_and_not_obeyed(analysis_of, text):
    table = render_table(hostile(analysis_of("scale_full"), text))
    shown = set("".join(table.splitlines()))
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    require_fits(table, 80)
    assert len(table) < 80 * 400


def test_markup_and_emoji_codes_are_plain_text(analysis_of):
    table = render_table(hostile(analysis_of("range_replay"), "[bold]x[/] :smiley:"), color=True, width=200)
    assert "[bold]x[/] :smiley:" in ESCAPE.sub("", table)


def test_control_characters_are_readable_escapes(analysis_of):
    table = render_table(hostile(analysis_of("range_replay"), "\x1b[31mred\n"), width=200)
    assert r"\x1b[31mred\x0a" in table


def test_long_names_keep_their_start_and_their_end(analysis_of):
    table = render_table(hostile(analysis_of("range_replay"), "start" + "x" * 8000 + "end"), width=300)
    assert re.search(r"startx+…x+end", table)


# -- colours -----------------------------------------------------------------------------------------------------------


def test_colours_only_where_asked_for_and_without_a_change_of_words(analysis_of):
    analysis = analysis_of("scale_roofline")
    plain, coloured = render_table(analysis), render_table(analysis, color=True)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    assert [line.rstrip() for line in ESCAPE.sub("", coloured).splitlines()] == plain.splitlines()


@pytest.mark.parametrize("extra", [{"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor"}, {}])
def test_no_colour_codes_go_into_a_pipe(nsightlens, data, extra):
    done = nsightlens("analyze", data / "range_replay.ncu-rep.xz", env={**os.environ, **extra})
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert max(columns(line) for line in done.stdout.decode().splitlines()[1:]) <= 80


@pytest.mark.parametrize(("setting", "colours"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colours_unless_no_color_is_set(data, setting, colours):
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm", "COLUMNS": "80", **setting}
    terminal, inner = pty.openpty()
    arguments = [sys.executable, "-m", "nsightlens", "analyze", data / "range_replay.ncu-rep.xz"]
    program = subprocess.Popen(arguments, stdin=inner, stdout=inner, stderr=inner, env=environment)
    os.close(inner)
    text = b"".join(iter(lambda: read_terminal(terminal), b""))
    os.close(terminal)
    assert program.wait() == 0
    assert (b"\x1b[" in text) == colours
    require_fits(ESCAPE.sub("", text.decode()).replace("\r\n", "\n"), 80, ".ncu-rep.xz")


def read_terminal(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so when the child has closed its end
        return b""


# -- launches that cannot be judged ------------------------------------------------------------------------------------

IDENTITY = {
    "launch": 0,
    "process_id": None,
    "kind": "kernel",
    "name": "k",
    "full_name": "k",
    "nvtx": (),
    "declared": {},
    "payload": None,
}


def test_a_report_of_hollow_and_failed_launches_is_a_table_too():
    hollow = make_launch({**IDENTITY, "status": "hollow", "name": ""}, {})
    failed = make_launch({**IDENTITY, "launch": 1}, {"gpu__time_duration.sum": float("nan")})
    report = Report("run.ncu-rep", "ncu-rep", complete=False, launched=(hollow, failed), notes=("what was lost",))
    text = render_table(analyze([report]))
    require_fits(text, 80)
    assert "Note: what was lost" in text
    assert "hollow" in text
    assert "failed" in text
    assert "Where the time went" not in text
    assert "unknown GPU, ncu unknown; cache control unknown; clock control unknown" in text


def test_extreme_numbers_fit_and_are_no_error(analysis_of):
    analysis = analysis_of("range_replay")
    for time in (0.0, 1e-12, 1e6, 1e300, None):
        launches = tuple(
            replace(
                launch,
                launch=10**9,
                time_s=time,
                overlap=Overlap(low=0, high=1, status="bounded"),
                tensor_core=TensorCore(speedup_high=1e6),
            )
            for launch in analysis.launches
        )
        require_fits(render_table(replace(analysis, launches=launches)), 80)


def test_an_empty_analysis_is_no_error():
    assert render_table(Analysis((), ())).strip()

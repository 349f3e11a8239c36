"""Names chosen by an enemy go through every surface: shown, and obeyed by nothing."""

import csv
import html.parser
import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from matplotlib import image

from nsightlens.analysis import analyze_reports
from nsightlens.collectors.load import load

NAMES = [
    "\x1b[31mred\x1b[0m\x07\x9b2J",
    "right\u202eto left\u2066x\u200b",
    "[bold]x[/] [/] [link=http://e.vil]x[/link] :smiley:",
    r"$\frac{1}{$ x_1^2",
    "=HYPERLINK(1)",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "\uff1d1+1",
    "'quoted",
    "a | b \\| c `code` [link](http://e.vil) <img src=x onerror=alert(1)> **b** www.e.vil",
    "</script><script>alert(1)</script> &lt;",
    "two\nlines\r\nand\u2028more\x85",
    "nul\0nul",
    "k" * 100_000,
    "核" * 300,
    'quotes " and , commas',
]
HEAD = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size"]
HEAD += ["Device", "CC", "device__attribute_display_name", "gpu__time_duration.sum", "dram__bytes.sum.per_second"]
HEAD += ["smsp__average_warps_issue_stalled_=1+1\x1b|<b>_per_issue_active.ratio"]
HEAD += ["thread NVTX start/stop stack", "dram__bytes.sum"]
FLOP = "smsp__sass_thread_inst_executed_op_f{}_pred_on.sum"
HEAD += [FLOP.format(op) for op in ("fma", "mul", "add")] + [
    "dram__bytes.sum.peak_sustained",
    "dram__cycles_elapsed.avg.per_second",
]
HEAD += ["sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", "sm__cycles_elapsed.avg.per_second"]
HEAD += [f"smsp__sass_thread_inst_executed_op_{kind}{op}_pred_on.sum" for kind in "dh" for op in ("fma", "mul", "add")]
HEAD += ["sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"]
FORMATS = {"table": "txt", "json": "json", "csv": "csv", "markdown": "md", "parquet": "parquet"}
FORBIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")


def require_safe(text):
    assert not [c for c in set(text) - {"\n"} if unicodedata.category(c) in FORBIDDEN]


def raw_page():
    """Return a raw page as ncu prints one, a launch per name."""
    out = io.StringIO()
    write = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow
    write(HEAD)
    units = {"gpu__time_duration.sum": "ns", "dram__bytes.sum": "byte", "dram__bytes.sum.per_second": "byte/second"}
    write([units.get(name, "") for name in HEAD])
    for number, name in enumerate(NAMES):
        row = [number, 7, name[:50], "127.0.0.1", name, 1, 7, "(256, 1, 1)", "(64, 1, 1)", 0, "9.0", name]
        write(
            [
                *row,
                5000 + number,
                10**9,
                1,
                name,
                10**6,
                10**6 * (1 + number),
                0,
                0,
                1000,
                3 * 10**9,
                16384,
                10**9,
                *[0] * 7,
            ]
        )
    return out.getvalue().encode()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return a report of hostile names under a hostile name."""
    folder = os.fsencode(tmp_path_factory.mktemp("hostile"))
    name = b"=bad|`\xff\x1b[31m\n\xe2\x80\xae<b>$x$[bold].csv"
    path = os.fsdecode(folder + b"/" + name)
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(raw_page())
    return path


def run(*arguments):
    command = [sys.executable, "-m", "nsightlens", *arguments]
    return subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def written(path, tmp_path_factory):
    """Return the text or bytes of every format of both commands, as files, and check that stdout is the same."""
    folder, made = tmp_path_factory.mktemp("written"), {}
    for command in ("analyze", "launches"):
        for fmt, ending in FORMATS.items():
            target = folder / f"{command}.{ending}"
            done = run(command, path, "-o", target)
            assert done.returncode == 0, done.stderr
            require_safe(done.stderr.decode())
            made[command, fmt] = target.read_bytes()
            if fmt != "parquet":
                assert run(command, path, "--format", fmt).stdout == made[command, fmt]
    return made


def test_every_launch_is_read(path):
    assert len(load(path).launches) == len(NAMES)


@pytest.mark.parametrize("command", ["analyze", "launches"])
@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown"])
def test_no_control_character_reaches_text(written, command, fmt):
    require_safe(written[command, fmt].decode())


@pytest.mark.parametrize("command", ["analyze", "launches"])
def test_no_cell_of_csv_is_a_formula(written, command):
    text = written[command, "csv"].decode()
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) == len(text.splitlines()) == 1 + len(NAMES)
    assert {len(row) for row in rows} == {len(rows[0])}
    for row in rows:
        assert not [cell for cell in row if cell.startswith(FORMULA) and not re.fullmatch(r"-?[0-9.e+-]+", cell)]


def test_names_can_be_told_from_a_csv(path, written):
    frame = pd.read_csv(io.BytesIO(written["launches", "csv"]), dtype={"full_name": "string"}, keep_default_na=False)
    for cell, name in zip(frame["full_name"], load(path).launches["full_name"], strict=True):
        bare = cell.removeprefix("'")
        if name.isprintable():
            assert bare == name
            assert cell.startswith("'") is name.startswith((*FORMULA, "'"))


@pytest.mark.parametrize("command", ["analyze", "launches"])
def test_parquet_keeps_the_names(path, written, command):
    frame = pd.read_parquet(io.BytesIO(written[command, "parquet"]))
    assert frame["name"].tolist() == load(path).launches["name"].tolist()


@pytest.mark.parametrize("command", ["analyze", "launches"])
def test_tables_of_markdown_keep_their_columns(written, command):
    rows = [line for line in written[command, "markdown"].decode().splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(NAMES)
    bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}
    assert len(bars) == 1
    for row in rows:
        bare = re.sub(r"\\.", "", row)
        assert not re.search(r"[`<>*\[\]$&]|://|www\.", bare), row


class Tags(html.parser.HTMLParser):
    """Collects the tags of a document."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found.add((tag, *attrs))


def test_html_holds_no_tag_but_its_own(path):
    for shown in (load(path), analyze_reports(path)):
        text = shown._repr_html_()
        require_safe(text)
        assert len(text) < 20_000
        tags = Tags()
        tags.feed(text)
        assert tags.found <= {(tag,) for tag in ("div", "p", "br", "table", "thead", "tbody", "tr", "th", "td")}


def test_json_is_plain_and_keeps_the_names(path, written):
    text = written["analyze", "json"].decode()
    assert text.isascii()
    kept = [launch.row["full_name"] for launch in load(path).launched]
    for command in ("analyze", "launches"):
        document = json.loads(written[command, "json"])
        assert [launch["full_name"] for launch in document["launches"]] == kept


def test_figures_can_be_drawn_and_opened(path, tmp_path):
    for ending in ("png", "svg"):
        done = run("roofline", path, "-o", tmp_path / f"a.{ending}")
        assert done.returncode == 0, done.stderr
    assert image.imread(tmp_path / "a.png").ndim == 3
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    require_safe(text)
    assert "script" not in {element.tag.rpartition("}")[2] for element in ET.fromstring(text).iter()}  # noqa: S314


@pytest.mark.parametrize(
    "more",
    [
        ["--kernel", "\x1b[31m("],
        ["--nvtx", "\x1b[31m\u202e"],
        ["--kernel", "nothing of the kind"],
        ["--format", "\x1b[31m"],
        ["--\x1b[31m"],
        ["--max-size", "\x1b[31m"],
        ["\x1b[31m\u202e.ncu-rep"],
        ["-o", "\x1b[31m/a.json"],
        ["-o", "a.\x1b[31m"],
    ],
)
def test_errors_hold_no_control_character(path, more):
    done = run("analyze", path, *more)
    assert done.returncode == 2
    require_safe(done.stderr.decode())
    assert b"Traceback" not in done.stderr


def test_a_lone_surrogate_in_a_frame_is_an_escape(report_of):
    from dataclasses import replace

    report = report_of("range_replay")
    launch = report.launched[0]
    changed = replace(report, launched=(replace(launch, row={**launch.row, "name": "a\udcffb"}),))
    assert changed.launches["name"][0] == r"a\udcffb"

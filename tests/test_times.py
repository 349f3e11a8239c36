"""Times that were taken without ncu, beside ncu's."""

import json
import math
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_contract import require_valid

import nsightlens as package
from nsightlens.collectors.text.times import Timing, read_times
from nsightlens.errors import ReportError, UsageError

NSYS = """Processing [trace.sqlite] with [cuda_gpu_trace.py]...

Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Bytes (MB),Throughput (MB/s),Device,Ctx,Strm,Name
100,900,1,,,,,,,8.0,9.0,NVIDIA H200 (0),1,7,[CUDA memcpy Host-to-Device]
2000,510000,2,4,1,1,512,1,1,,,NVIDIA H200 (0),1,7,scale
600000,490500,3,4,1,1,512,1,1,,,NVIDIA H200 (0),1,7,scale
700000,5000,4,4,1,1,512,1,1,,,NVIDIA H200 (0),1,7,"void at::add<float, int>(float *, int)"
"""


@pytest.fixture
def report(data):
    return data / "h200_scale.ncu-rep.xz"


@pytest.fixture
def timed(report, tmp_path):
    """Return a function: text of a file of times to the event times of the two launches and the notes on them."""

    def analyse(text, name="times.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        analysis = package.analyze(report, times=tmp_path / name)
        notes = [note for note in analysis.reports[0].notes if "event times" in note]
        return [launch.event_time_s for launch in analysis.launches], notes

    return analyse


@contextmanager
def piped(text):
    """Give the path of a pipe that holds a text."""
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    yield Path(f"/dev/fd/{reader}")
    os.close(reader)


def test_a_trace_of_nsight_systems_is_read_as_it_is(timed):
    found, notes = timed(NSYS)
    assert found == pytest.approx([510e-6, 490.5e-6])
    assert notes == [
        "event times: 3 times for 2 of 2 launches",
        "event times not matched: 1 time for void at::add<float, int>(float *, int), 0 launches",
    ]


def test_a_full_name_chooses_among_instances_of_a_template_whatever_its_blanks(data, tmp_path, report_of):
    launches = report_of("overlap_factorial").launches
    name = launches["full_name"][0]
    chosen = [number for number, full in enumerate(launches["full_name"]) if full == name]
    assert 0 < len(chosen) < len(launches)
    rows = [{"name": name.replace(" ", "").replace(",", " , "), "time_us": 1 + number} for number in chosen]
    (tmp_path / "times.json").write_text(json.dumps(rows), encoding="utf-8")
    analysis = package.analyze(data / "overlap_factorial.ncu-rep.xz", times=tmp_path / "times.json")
    found = {x.launch: x.event_time_s for x in analysis.launches if x.event_time_s is not None}
    assert found == pytest.approx({number: (1 + number) * 1e-6 for number in chosen})


@pytest.mark.parametrize(("unit", "per_s"), [("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_the_column_names_the_unit(timed, unit, per_s):
    found, _ = timed(f"launch,time_{unit}\n1,{0.00025 * per_s}\n")
    assert found == [None, pytest.approx(0.00025)]


def test_repeats_of_a_launch_give_their_median(timed):
    found, _ = timed("launch,time_us\n0,10\n0,500\n0,12\n1,7\n1,9\n")
    assert found == pytest.approx([12e-6, 8e-6])


def test_names_are_paired_in_order_and_repeats_of_the_sequence_give_their_median(timed):
    found, _ = timed("name,time_us\n" + "scale,1\nscale,20\nscale,3\nscale,40\nscale,900\nscale,30\n")
    assert found == pytest.approx([median([1, 3, 900]) * 1e-6, median([20, 40, 30]) * 1e-6])


def test_a_path_chooses_among_launches_of_one_name(timed):
    rows = [{"name": "scale", "nvtx": "nsightlens/scale", "time_ms": 0.5}, {"nvtx": "nsightlens/warm_up", "time_ms": 2}]
    found, _ = timed(json.dumps(rows), "times.json")
    assert found == pytest.approx([2e-3, 0.5e-3])


def test_what_does_not_match_is_said_and_nothing_is_guessed(timed):
    found, notes = timed("launch,name,time_us\n,scale,1\n,scale,2\n,scale,3\n,other,4\n9,,5\n0,,0\nx,scale,4\n,,3\n")
    assert found == [None, None]
    assert notes == [
        "event times: 5 times for 0 of 2 launches",
        "event times not matched: there is no launch 9",
        "event times not matched: 3 times for scale, 2 launches",
        "event times not matched: 1 time for other, 0 launches",
        "event times: 3 rows without a time or a launch",
    ]


@pytest.mark.parametrize(
    "value", ["", "-1", "0", "nan", "inf", "1e999", "1_000", "=1+1", "1,5", ".", "\u0661", "0x10", "true"]
)
def test_what_is_no_time_is_none(tmp_path, value):
    path = tmp_path / "times.csv"
    path.write_text(f'launch,time_s\n0,"{value}"\n1,2\n', encoding="utf-8")
    assert read_times(path) == ((Timing(2.0, 1),), 1)


@pytest.mark.parametrize("value", [None, True, [], {}, "x", -1, 10**400])
def test_what_is_no_time_in_json_is_none(tmp_path, value):
    path = tmp_path / "times.json"
    path.write_text(json.dumps([{"launch": 0, "time_s": value}, {"launch": 1, "time_s": 2}, 3]), encoding="utf-8")
    assert read_times(path) == ((Timing(2.0, 1),), 2)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a,b\n1,2\n",
        b"launch,time\n0,1\n",
        b"[" * 100_000,
        b"{}",
        b"SQLite format 3\0" * 99,
        b'launch,time_s\n0,"' + b"x" * 200_000,
    ],
    ids=["empty", "other columns", "no unit", "nesting", "no keys", "binary", "endless field"],
)
def test_a_file_without_times_is_one_line_with_the_command_that_makes_one(report, tmp_path, nsightlens, content):
    path = tmp_path / "times"
    path.write_bytes(content)
    done = nsightlens("analyze", report, "--times", path, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "holds no times of launches" in done.stderr
    assert "nsys stats" in done.stderr


@pytest.mark.parametrize(
    "text", ["launch,time_us\n0,10\n1,7\n", '[{"launch": 1, "time_us": 7}, {"launch": 0, "time_us": 10}]']
)
def test_a_pipe_gives_times_as_a_file_does(report, text):
    with piped(text) as pipe:
        analysis = package.analyze(report, times=pipe)
    assert [launch.event_time_s for launch in analysis.launches] == pytest.approx([10e-6, 7e-6])


def test_standard_input_and_a_substituted_process_are_files_of_times(report):
    for command in ('printf \'%s\' "$0" | "$@" --times /dev/stdin', '"$@" --times <(printf \'%s\' "$0")'):
        words = [sys.executable, "-m", "nsightlens", "analyze", report, "--format", "json"]
        done = subprocess.run(["bash", "-c", command, "launch,time_us\n1,7\n", *words], capture_output=True, check=True)
        assert [launch["event_time_s"] for launch in json.loads(done.stdout)["launches"]] == [None, pytest.approx(7e-6)]


def test_a_pipe_without_times_or_without_end_is_one_line(monkeypatch):
    with piped("nothing\n") as pipe, pytest.raises(ReportError, match=f"{pipe}: holds no times of launches"):
        read_times(pipe)
    monkeypatch.setattr("nsightlens.collectors.text.piped.MAX_BYTES", 1 << 20)
    with pytest.raises(ReportError, match="/dev/zero: gives more than 1 MiB"):
        read_times(Path("/dev/zero"))


def test_numbers_of_launches_as_pandas_writes_them_beside_missing_ones(timed):
    found, notes = timed("launch,name,time_us\n0.0,,10\n1.,,7\n1.5,,9\n,other,1\n")
    assert found == pytest.approx([10e-6, 7e-6])
    assert notes[-1] == "event times: 1 row without a time or a launch"


def test_an_empty_column_of_times_leaves_the_word_to_a_filled_one(timed):
    found, _ = timed("launch,time_us,time_ms,duration_ns\n0,,0.5,\n1,,,7000\n")
    assert found == pytest.approx([0.5e-3, 7e-6])


def test_columns_of_times_that_agree_are_one(timed):
    found, _ = timed("launch,time_us,time_ms\n0,500,0.5\n")
    assert found == [pytest.approx(0.5e-3), None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("launch,time_us,duration_ns\n0,5,\n1,5,7\n", "time_us and duration_ns hold different times of one launch"),
        ('[{"launch": 0, "time_s": 1, "time_ms": 1}]', "time_s and time_ms hold different times of one launch"),
        ("launch,time_us,time_us\n0,5,5\n", "the column time_us stands twice"),
        ("launch,launch,time_us\n0,1,5\n", "the column launch stands twice"),
    ],
)
def test_times_that_contradict_each_other_are_refused_with_what_to_do(report, tmp_path, nsightlens, text, words):
    path = tmp_path / "times"
    path.write_text(text, encoding="utf-8")
    done = nsightlens("analyze", report, "--times", path, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert f"{path}: {words} (keep one" in done.stderr


def test_a_missing_file_and_several_reports_are_usage_errors(report, tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        package.analyze(report, times=tmp_path / "absent.csv")
    with pytest.raises(UsageError, match="one report"):
        package.analyze([report, report], times=tmp_path / "absent.csv")


def test_the_output_does_not_replace_the_times(report, tmp_path, nsightlens):
    path = tmp_path / "times.csv"
    path.write_text("launch,time_s\n0,1\n", encoding="utf-8")
    done = nsightlens("analyze", report, "--times", path, "-o", path, "--force")
    assert done.returncode == 2
    assert path.read_text(encoding="utf-8") == "launch,time_s\n0,1\n"


def test_every_format_shows_them_and_none_without(report, tmp_path, nsightlens, raw_of):
    path = tmp_path / "times.csv"
    path.write_text("launch,name,time_us\n0,,1006.5\n,\x1b[31m<b>,1\n", encoding="utf-8")
    ncu_s = raw_of("h200_scale")[0]["counters"]["gpu__time_duration.sum"] * 1e-9
    shown = {}
    for form in ("table", "markdown", "json"):
        done = nsightlens("analyze", report, "--times", path, "--format", form, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout
        shown[form] = done.stdout
        assert "× ncu" not in nsightlens("analyze", report, "--format", form, encoding="utf-8").stdout
    for form in ("table", "markdown"):
        assert "× ncu" in shown[form]
        assert f"{1006.5e-6 / ncu_s:.2f}" in shown[form]
    document = json.loads(shown["json"])
    require_valid(document)
    assert [launch["event_time_s"] for launch in document["launches"]] == [pytest.approx(1006.5e-6), None]
    analysis = package.analyze(report, times=path)
    frame = analysis.frame()
    assert frame["event_time_s"][0] == pytest.approx(1006.5e-6)
    assert math.isnan(frame["event_time_s"][1])
    assert "× ncu" in analysis._repr_html_()


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: ("name,time_us\n" + t).encode(errors="replace")))
def test_whatever_a_file_holds_gives_times_or_one_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    try:
        times = read_times(path)
    except ReportError:
        return
    assert times.found
    assert all(0 < each.seconds < math.inf for each in times.found)


def test_a_row_with_more_cells_than_columns_is_no_time(timed):
    found, notes = timed("launch,time_us\n0,1,5\n1,6\n")
    assert found == [None, pytest.approx(6e-6)]
    assert any("1 row without a time" in note for note in notes)


def test_a_key_that_stands_twice_is_refused(timed):
    with pytest.raises(ReportError, match="time_us stands twice"):
        timed('[{"launch": 0, "time_us": 5, "time_us": 6}]', name="times.json")

"""Dialects of ncu's CSV and text, one property at a time, in files written for the purpose."""

import json
import math

import pytest
from click.testing import CliRunner

from nsightlens import load
from nsightlens.cli import cli
from nsightlens.collectors.text.reader import read, sniff
from nsightlens.errors import ReportError, UsageError

TIME = "gpu__time_duration.sum"
FULL = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
)
RULES = FULL.rstrip("\n") + ',"Rule Name","Rule Type","Rule Description"\n'
OLD = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name",'
    '"Metric Name","Metric Unit","Metric Value"\n'
)
RAW = FULL[: FULL.index(',"Section Name"')]
SUMMARY = (
    '"Process ID","Process Name","Host Name","Kernel Name","Block Size","Grid Size","Device","CC","Invocations",'
    '"Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"\n'
)


def row(number=0, name="f(int)", metric=TIME, unit="ns", value="1,000", pid=7, section="Command line profiler metrics"):
    return (
        f'"{number}","{pid}","a.out","127.0.0.1","{name}","1","7","(32, 1, 1)","(8, 1, 1)","0","9.0",'
        f'"{section}","{metric}","{unit}","{value}"\n'
    )


def raw(*launches, metrics=((TIME, "ns"),), pid=7):
    names = "".join(f',"{name}"' for name, _ in metrics)
    units = '""' + ',""' * 10 + "".join(f',"{unit}"' for _, unit in metrics)
    rows = [
        f'"{n}","{pid}","a.out","127.0.0.1","f(int)","1","7","(32, 1, 1)","(8, 1, 1)","0","9.0",'
        + ",".join(f'"{value}"' for value in values)
        for n, values in enumerate(launches)
    ]
    return "\n".join([RAW + names, units, *rows]) + "\n"


@pytest.fixture
def parse(tmp_path):
    """Return a function: text or bytes of a file to its session and launches."""

    def parsed(text, **options):
        path = tmp_path / "file"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        session, *launches, end = read(path, **options)
        json.dumps([session, *launches])
        assert end == {"end": len(launches)} == {"end": session["results"]}
        return session, launches

    return parsed


def times(launches):
    return [launch["counters"].get(TIME) for launch in launches]


def test_units_are_converted_row_by_row(parse):
    text = FULL + "".join(
        row(n, metric=metric, unit=unit, value=value)
        for n, (metric, unit, value) in enumerate(
            [(TIME, "us", "12.50"), (TIME, "ms", "1.25"), (TIME, "nsecond", "900"), (TIME, "second", "0.5")]
        )
    )
    assert times(parse(text)[1]) == [12500, 1250000, 900, 5e8]


@pytest.mark.parametrize(
    ("unit", "value", "expected"),
    [("Kbyte", "2.14", 2140), ("Gbyte/s", "197.74", 197.74e9), ("byte/second", "5", 5),
     ("cycle/nsecond", "1.32", 1.32e9), ("Ghz", "3.20", 3.2e9), ("%", "61.84", 61.84), ("", "7", 7),
     ("Kbyte/block", "8.19", 8190)],
)  # fmt: skip
def test_a_unit_is_turned_into_the_base_unit(parse, unit, value, expected):
    _, (launch,) = parse(FULL + row(metric="x__y.sum", unit=unit, value=value))
    assert launch["counters"]["x__y.sum"] == expected


def test_an_unknown_unit_is_left_out_and_said(parse):
    session, (launch,) = parse(FULL + row() + row(metric="x__y.avg", unit="Kquux", value="3"))
    assert "x__y.avg" not in launch["counters"]
    assert "values in unknown units were left out: Kquux" in session["notes"]


def test_nan_is_nan_and_the_launch_is_kept(parse):
    _, (launch,) = parse(FULL + row(value="nan") + row(metric="x__y.sum", unit="", value="3"))
    assert math.isnan(launch["counters"][TIME])


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
@pytest.mark.parametrize("quoted", [True, False])
def test_separators_and_quotes_as_a_spreadsheet_leaves_them(parse, delimiter, quoted):
    names = [
        "ID",
        "Process ID",
        "Process Name",
        "Host Name",
        "Kernel Name",
        "Metric Name",
        "Metric Unit",
        "Metric Value",
    ]
    rows = [
        ["0", "7", "a", "h", "f<int, 3>(a, b)", TIME, "ns", "1,000"],
        ["1", "7", "a", "h", "g", TIME, "ns", "2,000"],
    ]
    protect = '"{}"' if quoted or delimiter == "," else "{}"
    text = "\r\n".join(delimiter.join(protect.format(cell) for cell in line) for line in [names, *rows]) + "\r\n"
    session, launches = parse(text if quoted else text.replace('"ID"', "ID"))
    assert times(launches) == [1000, 2000]
    assert [launch["full_name"] for launch in launches] == ["f<int, 3>(a, b)", "g"]
    assert session["complete"]


def test_messages_and_program_output_stand_anywhere(parse):
    noise = '==PROF== Disconnected from process 7\nhello "world", 1, 2\n\n==WARNING== Note: clocks\n42\n'
    text = noise + FULL + noise + row(0) + noise + row(1) + noise
    assert times(parse(text)[1]) == [1000, 1000]


def test_a_header_may_stand_behind_output_without_a_line_break(parse):
    assert times(parse("done: 3 errors" + FULL + row())[1]) == [1000]


def test_an_error_beside_results_is_a_note(parse):
    session, _ = parse("==ERROR== LaunchFailed\n" + FULL + row())
    assert "ncu said: LaunchFailed" in session["notes"]


def test_two_runs_in_one_log_are_all_launches(parse):
    session, launches = parse(FULL + row(0) + row(1) + "==PROF== x\n" + FULL + row(0, pid=8) + row(1, pid=8))
    assert session["process_ids"] == [7, 7, 8, 8]
    assert len(launches) == 4


def test_rows_appended_without_a_header_are_another_run(parse):
    text = FULL + row(0) + row(0, metric="x__y.sum", unit="") + row(0) + row(0, metric="x__y.sum", unit="")
    assert len(parse(text)[1]) == 2


def test_the_same_table_twice_is_read_once(parse):
    session, launches = parse((FULL + row(0) + row(1)) * 2)
    assert len(launches) == 2
    assert any("more than once" in note for note in session["notes"])


def test_containers_with_the_same_process_ids_are_different_runs(parse):
    text = FULL + row(0) + FULL + row(0, value="1,100")
    assert times(parse(text)[1]) == [1000, 1100]


def test_two_pages_of_the_same_launches_give_the_fuller_one(parse):
    session, (launch,) = parse(
        RULES + row(metric="Duration", value="1,000", section="GPU Speed Of Light Throughput") + raw(["1,000"])
    )
    assert session["format"] == "ncu-csv-raw"
    assert launch["counters"][TIME] == 1000


def test_the_same_kernel_again_is_another_launch(parse):
    assert len(parse(FULL + row(0) + row(1) + row(2))[1]) == 3


def test_rows_sorted_by_counter_are_put_together(parse):
    text = FULL + "".join(row(n, metric=m, unit="") for m in ("a__b.sum", TIME) for n in range(3))
    session, launches = parse(text)
    assert [set(launch["counters"]) >= {"a__b.sum", TIME} for launch in launches] == [True] * 3
    assert any("put together by launch number" in note for note in session["notes"])


def test_rows_sorted_by_counter_without_a_launch_number_are_refused(parse):
    text = '"Kernel Name","Metric Name","Metric Unit","Metric Value"\n' + "".join(
        f'"{name}","{metric}","","1"\n' for metric in ("a__b.sum", "c__d.sum") for name in "fg"
    )
    with pytest.raises(ReportError, match="cannot be told apart"):
        parse(text)


def test_columns_cut_by_hand_are_read_with_a_note(parse):
    text = f'"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","f","{TIME}","ns","1,000"\n'
    session, launches = parse(text)
    assert times(launches) == [1000]
    assert (
        "not the whole table that ncu wrote: without the columns Process ID, Process Name, Host Name"
        in session["notes"]
    )
    assert session["process_ids"] == [None]


def test_columns_in_another_order_are_refused(parse):
    with pytest.raises(ReportError, match="made by hand"):
        parse(f'"ID","Kernel Name","Metric Name","Metric Value","Metric Unit"\n"0","f","{TIME}","5","ns"\n')


def test_rule_rows_and_short_rows_are_no_counters(parse):
    short = row(metric="Duration", section="GPU Speed Of Light Throughput").rstrip("\n") + ",\n"
    rule = row(metric="", unit="", value="", section="SpeedOfLight").rstrip("\n") + ',"R","OPT","a, b ""c"""\n'
    session, (launch,) = parse(RULES + short + rule)
    assert session["format"] == "ncu-csv-details"
    assert launch["counters"][TIME] == 1000


def test_rows_of_other_tables_in_between_are_no_damage(parse):
    extra = '    The system does not have any links.\n\n"GPU ID","GPU Name"\n"0","NVIDIA H200","0","0-15","0"\n'
    session, launches = parse(RULES + row(0) + extra + row(1))
    assert len(launches) == 2
    assert session["complete"]


def test_names_of_2020_are_known(parse):
    cells = [
        ("SOL FB", "%", "46.47"),
        ("Duration", "nsecond", "8992"),
        ("Memory Frequency", "cycle/second", "768683274.02"),
    ]
    start = '"0","7","a","127.0.0.1","f(int,float*)","2020-May-29 12:02:46","1","7","GPU Speed Of Light",'
    session, (launch,) = parse(OLD + "".join(f'{start}"{m}","{u}","{v}"\n' for m, u, v in cells))
    assert session["format"] == "ncu-csv-details"
    assert launch["counters"] == {
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 46.47, TIME: 8992,
        "dram__cycles_elapsed.avg.per_second": 768683274.02, "launch__stream_id": 7, "launch__context_id": 1,
    }  # fmt: skip


def test_one_label_with_two_meanings(parse):
    text = RULES + row(metric="Memory Throughput", unit="%", value="61.84", section="GPU Speed Of Light Throughput")
    text += row(metric="Memory Throughput", unit="Gbyte/s", value="196.46", section="Memory Workload Analysis")
    _, (launch,) = parse(text)
    assert launch["counters"]["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"] == 61.84
    assert launch["counters"]["dram__bytes.sum.per_second"] == 196.46e9


def test_a_label_of_unsure_meaning_is_left_out_and_said(parse):
    session, (launch,) = parse(
        RULES + row(metric="Issue Slots Busy", unit="%", section="Compute Workload Analysis") + row()
    )
    assert any("Issue Slots Busy" in note for note in session["notes"])
    assert "Issue Slots Busy" not in launch["counters"]


def test_a_raw_page_has_units_per_column(parse):
    metrics = ((TIME, "us"), ("dram__bytes_read.sum", "Mbyte"), ("launch__grid_size", ""), ("x__y.sum", "inst"))
    _, launches = parse(raw(["12.500000", "2.139904", "1,024", ""], ["13.5", "n/a", "8", "nan"], metrics=metrics))
    assert launches[0]["counters"][TIME] == 12500
    assert launches[0]["counters"]["dram__bytes_read.sum"] == 2139904
    assert launches[0]["counters"]["launch__grid_size"] == 1024
    assert "x__y.sum" not in launches[0]["counters"]
    assert launches[1]["counters"]["dram__bytes_read.sum"] is None
    assert math.isnan(launches[1]["counters"]["x__y.sum"])


def test_a_raw_page_without_its_units_is_refused(parse):
    lines = raw(["12.5"], metrics=((TIME, "us"),)).splitlines(keepends=True)
    with pytest.raises(ReportError, match="row with the units is missing"):
        parse(lines[0] + lines[2])


def test_a_column_that_stands_twice_is_said(parse):
    session, (launch,) = parse(raw(["1", "2"], metrics=((TIME, "ns"), (TIME, "ns"))))
    assert launch["counters"][TIME] == 1
    assert any("stand twice" in note for note in session["notes"])


def test_a_range_and_a_graph_are_no_kernels(parse):
    text = FULL + row(0, name="range").replace('"7","(32, 1, 1)","(8, 1, 1)"', '"n/a","",""') + row(1, name="graph")
    assert [launch["kind"] for launch in parse(text)[1]] == ["range", "graph"]
    assert parse(FULL + row(0, name="range(int)"))[1][0]["kind"] == "kernel"


@pytest.mark.parametrize(
    ("full", "name"),
    [("void <unnamed>::scale<3, float>(const T2 *, int)", "scale"), ("unnamed>::gemm(int)", "gemm"), ("axpb", "axpb"),
     ("copy_blocked[v1,cw51c](Array<long long, 1, C>, long long)", "copy_blocked"), ("_Z4tinyPf", "_Z4tinyPf"),
     ("Kernel<Gemm<Mma<GemmShape<128, 256, 32>", "Kernel"), ("void f(T1, [lambda(float) (instance 1)])", "f")],
)  # fmt: skip
def test_the_function_name_is_cut_out_of_the_full_name(parse, full, name):
    _, (launch,) = parse(FULL + row(name=full))
    assert (launch["full_name"], launch["name"]) == (full, name)


def test_a_summary_never_invents_launches(parse):
    text = (
        SUMMARY
        + '"7","a","h","f","(32, 1, 1)","(8, 1, 1)","0","9.0","14","S","Duration","us","1.00","3.00","2.00"\n'.replace(
            '"S"', '"GPU Speed Of Light Throughput"'
        )
    )
    session, (launch,) = parse(text)
    assert (launch["invocations"], launch["counters"][TIME]) == (14, 2000)
    assert any("(14 in all): averages were read" in note for note in session["notes"])


BY_NVTX = (
    '"Domain","Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Kernel Name","Block Size","Grid Size","Device",'
    '"CC","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"\n'
)


def by_nvtx(domain):
    return (
        f'"{domain}"," ""step 0:Int64:3:RGB:0xff:REGISTERED:step 0"" ","f","(32, 1, 1)","(8, 1, 1)","0","9.0","2",'
        f'"Command line profiler metrics","{TIME}","ns","1.00","1.00","1.00"\n'
    )


def test_a_summary_by_range_is_read_within_one_domain_only(parse):
    _, (launch,) = parse(BY_NVTX + by_nvtx("train"))
    assert launch["nvtx"] == [{"domain": "train", "path": ["step 0"], "payloads": [3]}]
    with pytest.raises(ReportError, match="once in every domain"):
        parse(BY_NVTX + by_nvtx("train") + by_nvtx("other"))


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_file_that_ends_inside_a_row_is_cut(parse, keep_going):
    text = (FULL + row(0) + row(1) + row(2))[:-9]
    if not keep_going:
        with pytest.raises(ReportError, match=r"ends inside a row.*2 whole launches"):
            parse(text)
        return
    session, launches = parse(text, keep_going=True)
    assert (session["complete"], len(launches)) == (False, 2)
    assert session["damage"] == "the file ends inside a row; the last launch is left out"


def test_a_raw_page_that_ends_inside_a_row_is_cut(parse):
    text = raw(["1"], ["2"], ["3"])[:-5]
    assert len(parse(text, keep_going=True)[1]) == 2


def test_a_run_that_was_cut_before_the_next_is_told(parse):
    text = FULL + row(0) + row(1)[:-30] + "\n" + FULL + row(0, pid=8)
    session, launches = parse(text, keep_going=True)
    assert session["damage"] == "a row in the file is cut; its launch is left out"
    assert session["process_ids"] == [7, 8]
    assert len(launches) == 2


def test_a_file_cut_between_rows_is_suspected(parse):
    pair = [row(n, metric=m, unit="") for n in range(2) for m in ("a__b.sum", TIME)]
    session, launches = parse(FULL + "".join(pair[:3]))
    assert not session["complete"]
    assert session["damage"] is None
    assert len(launches) == 2
    assert parse(FULL + "".join(pair[:3]) + "==PROF== Disconnected from process 7\n")[0]["complete"]


def test_fewer_launches_than_announced_are_said(parse):
    announced = "".join(f'==PROF== Profiling "f" - {n}: 0%....100% - 9 passes\n' for n in range(3))
    session, _ = parse(announced + FULL + row(0) + row(1))
    assert "ncu announced 3 launches, 2 are in the file" in session["notes"]
    assert not session["complete"]


def test_the_last_value_without_quotes_and_line_break_is_not_believed(parse):
    text = "ID,Process ID,Process Name,Host Name,Kernel Name,Metric Name,Metric Unit,Metric Value\n"
    text += "0,7,a,h,f,a__b.sum,,5\n0,7,a,h,f,x__y.sum,,12"
    session, (launch,) = parse(text)
    assert launch["counters"] == {"a__b.sum": 5}
    assert not session["complete"]
    assert any("does not end with a line break" in note for note in session["notes"])


WHOLE = {
    "metrics": FULL + "".join(row(n, metric=m, value="1,234,567") for n in range(3) for m in (TIME, "x__y.sum")),
    "raw": raw(["1,234", "12.50"], ["2,345", "13.50"], metrics=((TIME, "ns"), ("x__y.avg", "%"))),
    "details": RULES
    + row(metric="Duration", section="GPU Speed Of Light Throughput").replace('"\n', '",\n')
    + row(metric="", unit="", value="", section="SpeedOfLight").rstrip("\n") + ',"R","OPT","say ""x"", y"\n'
    + row(metric="Threads", unit="thread", value="1,234", section="Launch Statistics").replace('"\n', '",\n'),
    "spreadsheet": "ID;Process ID;Process Name;Host Name;Kernel Name;Metric Name;Metric Unit;Metric Value\n"
    + "".join(f"{n};7;a;h;f(int, int);{m};ns;1,234,567\n" for n in range(2) for m in (TIME, "x__y.sum")),
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(WHOLE))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_no_beginning_of_a_file_is_taken_for_the_whole(parse, kind, encoding):
    data = WHOLE[kind].encode(encoding)
    step = 1 if encoding == "utf-8" else 3
    _, whole = parse(data)
    for end in range(0, len(data), step):
        try:
            session, launches = parse(data[:end])
        except ReportError:
            continue
        assert not session["complete"] or data[:end].decode(encoding, "ignore").endswith("\n"), data[:end][-40:]
        for launch, full in zip(launches, whole, strict=False):
            assert launch["counters"].items() <= full["counters"].items()


def test_a_lone_number_of_three_decimals_is_not_guessed(parse):
    text = FULL + row(unit="us", value="117.344")
    with pytest.raises(ReportError, match="two ways") as error:
        parse(text)
    assert "--print-units base" in error.value.remedy
    assert "--decimal point or --decimal comma" in error.value.remedy
    assert times(parse(text, decimal="point")[1]) == [117344]
    assert times(parse(text, decimal="comma")[1]) == [117344000]


def test_a_judgement_from_whole_values_names_the_option_that_overrules_it(parse):
    session, launches = parse(FULL + row(value="117.344"))
    assert times(launches) == [117344]
    assert "decimal commas: decided by 117.344 ns; if they are not, add --decimal point" in session["notes"]
    session, launches = parse(FULL + row(value="117.344"), decimal="point")
    assert times(launches) == [117.344]
    assert "decimal points: as asked for" in session["notes"]


@pytest.mark.parametrize(("asked", "value"), [("comma", "1,205.50"), ("point", "1.205,50")])
def test_a_separator_that_all_numbers_contradict_is_refused(parse, asked, value):
    text = FULL + row(value=value)
    assert times(parse(text)[1]) == [1205.5]
    with pytest.raises(ReportError, match="all numbers that tell") as error:
        parse(text, decimal=asked)
    assert error.value.remedy == f"leave out --decimal {asked}"


def test_numbers_that_contradict_what_was_asked_for_are_left_out_and_said(parse):
    text = FULL + row(value="1,205.50") + row(metric="launch__waves_per_multiprocessor", unit="", value="0,25")
    with pytest.raises(ReportError, match="mixed") as error:
        parse(text)
    assert "--decimal point or --decimal comma" in error.value.remedy
    session, (launch,) = parse(text, decimal="comma")
    assert launch["counters"]["launch__waves_per_multiprocessor"] == 0.25
    assert not isinstance(launch["counters"][TIME], float)
    assert any(
        note.endswith("numbers such as 1,205.50 cannot be read so and were left out") for note in session["notes"]
    )


@pytest.mark.parametrize("command", [["analyze", "--format", "json"], ["roofline", "-o", "x.png"]])
def test_the_separator_is_asked_for_on_the_command_line(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.csv").write_text(FULL + row(unit="us", value="117.344"))
    asked = []

    def taken(paths, **options):
        asked.append(options["decimal"])
        raise ReportError(str(paths))

    monkeypatch.setattr("nsightlens.analysis.analyze_reports", taken)
    for option in ([], ["--decimal", "comma"], ["--decimal", "point"]):
        assert CliRunner().invoke(cli, [*command, "one.csv", *option]).exit_code == 1
    assert asked == [None, "comma", "point"]


def test_the_separator_reaches_the_reader(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text(FULL + row(unit="us", value="117.344"))
    assert load(path, decimal="point").launches["time_s"].tolist() == pytest.approx([117.344e-6], rel=1e-12)
    assert load(path, decimal="comma").launches["time_s"].tolist() == pytest.approx([0.117344], rel=1e-12)
    with pytest.raises(ReportError, match="two ways"):
        load(path)
    with pytest.raises(UsageError, match="no such decimal separator"):
        load(path, decimal="dot")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "an empty file"),
        ("just words\n", "a text file without a table"),
        ("Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,179,61,2.9,f\n", "Nsight Systems"),
        ("timestamp, name, utilization.gpu [%]\n2026/01/01, H200, 3 %\n", "nvidia-smi"),
        ("# gpu   pwr  gtemp\n0 100 40\n", "nvidia-smi"),
        ("run,kernel,ms\n1,f,3.5\n", r"columns: run, kernel, ms"),
        ('"Kernel Name","f",\n"Address","Source","# Samples"\n', "source page"),
        ('Launch Settings\n"Launch Attribute","Value"\n', "session page"),
        ('{"a": 1}\n', "JSON"),
        ("<!DOCTYPE html><html>", "HTML"),
        ("version https://git-lfs.github.com/spec/v1\n", "LFS"),
        (b"\x00\x01\x02\x03" * 100, "binary"),
        (FULL, "holds no launch"),
        ("==PROF== Connected to process 3\n==PROF== Report: /tmp/x.ncu-rep\n", "without a table"),
        ("==12== NVPROF is profiling process 12, command: ./a\n==12== Profiling result:\n", "nvprof"),
    ],
)  # fmt: skip
def test_what_holds_no_result_is_named(parse, text, what):
    with pytest.raises(ReportError, match=what) as error:
        parse(text)
    assert error.value.remedy
    assert error.value.where


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (FULL + row(), "ncu-csv-metrics"),
        (FULL + row(metric="Duration", section="GPU Speed Of Light Throughput"), "ncu-csv-details"),
        (RULES, "ncu-csv-details"), (SUMMARY, "ncu-csv-summary"), (raw(["1"]), "ncu-csv-raw"),
        ("==ERROR== x\n", "ncu-log"), ("hello\n", None), ("a,b,c\n1,2,3\n", None), ("", None), ("\0\0\1\2" * 50, None),
        ("  f(int) (8, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n", "ncu-text-details"),
    ],
)  # fmt: skip
def test_sniffing(text, form):
    assert sniff(text.encode()) == form
    assert sniff(text.encode("utf-16")) == form


def wide(label, unit, value):
    return f"    {label:<70} {unit:>15} {value:>30}\n"


DASHES = f"    {'-' * 70} {'-' * 15} {'-' * 30}\n"
LONG = "smsp__sass_thread_inst_executed_op_ffma_pred_on_with_a_very_long_name_here.sum"
TEXT_2020 = (
    "==PROF== Connected to process 3\n  f(int*, int), 2020-Oct-18 23:42:06, Context 1, Stream 13\n"
    "    Section: GPU Speed Of Light\n"
    + DASHES + wide("SOL DRAM", "%", "43,34") + wide("Duration", "usecond", "121,63") + DASHES
    + "    WRN   Memory is more heavily utilized than Compute.\n    Section: Command line profiler metrics\n"
    + DASHES + wide("dram__throughput.avg_pct", "", "(!) n/a") + f"    {LONG} inst 1.000\n" + DASHES
)  # fmt: skip


def test_the_text_page_of_2020(parse):
    session, (launch,) = parse(TEXT_2020)
    assert session["format"] == "ncu-text-details"
    assert launch["counters"] == {
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 43.34, TIME: 121630, "dram__throughput.avg_pct": None,
        LONG: 1000, "launch__stream_id": 13, "launch__context_id": 1,
    }  # fmt: skip
    assert launch["full_name"] == "f(int*, int)"


def test_a_text_page_that_ends_inside_a_table_is_cut(parse):
    with pytest.raises(ReportError, match="ends inside a table"):
        parse(TEXT_2020[: TEXT_2020.rindex("    ----")])
    whole = TEXT_2020.replace("f(int*, int)", "g()")
    session, launches = parse(whole + TEXT_2020[: TEXT_2020.rindex("    ----")], keep_going=True)
    assert [launch["name"] for launch in launches] == ["g"]
    assert session["damage"]


def test_text_and_csv_in_one_log(parse):
    _, launches = parse(
        TEXT_2020.replace("43,34", "43.34").replace("121,63", "121.63").replace("1.000", "1000") + FULL + row()
    )
    assert times(launches) == [121630, 1000]

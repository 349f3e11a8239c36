"""nvprof's tables: what means the same as a counter of Nsight Compute is read, the rest is said."""

import pytest

from nsightlens.collectors.report import make_launch
from nsightlens.collectors.text.reader import read, sniff
from nsightlens.errors import ReportError

TIME = "gpu__time_duration.sum"
BANNER = "==4711== NVPROF is profiling process 4711, command: ./solve 3\n==4711== Profiling result:\n"
METRICS = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
SUMMARY = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,ms,,ms,us,ms,\n'
TRACE = (
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem",'
    '"Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"\n'
    "s,us,,,,,,,,KB,B,MB,GB/s,,,,,,\n"
)


def metric(name, value, kernel="f(float*, int)", calls=3):
    return f'"Tesla V100 (1)","{kernel}",{calls},"{name}","What it is",{value},{value},{value}\n'


@pytest.fixture
def parse(tmp_path):
    """Return a function: text of a file to its session and launches."""

    def parsed(text):
        path = tmp_path / "file"
        path.write_text(text)
        session, *launches, _ = read(path)
        assert sniff(text.encode()) == session["format"]
        assert session["results"] == len(launches)
        return session, launches

    return parsed


def test_metrics_with_the_same_meaning_are_read(parse):
    rows = [
        ("flop_count_dp_fma", 4096), ("flop_count_sp_add", 12), ("dram_read_transactions", 1000),
        ("dram_write_bytes", 64), ("achieved_occupancy", "0.850643"), ("stall_sync", "15.541355%"),
        ("dram_utilization", '"Low (1)"'),
    ]  # fmt: skip
    session, launches = parse(
        BANNER + METRICS + "".join(metric(*r) for r in rows) + metric("dram_read_bytes", 5, "g()", 1)
    )
    assert session["format"] == "nvprof-csv-metrics"
    assert (session["command_line"], session["process_ids"]) == ("./solve 3", [4711, 4711])
    assert session["devices"] == ["Tesla V100"]
    first, second = launches
    assert (first["name"], first["invocations"], second["name"]) == ("f", 3, "g")
    assert first["counters"] == {
        "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum": 4096,
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": 12,
        "dram__sectors_read.sum": 1000, "dram__bytes_write.sum": 64, "launch__device_id": 1,
        "sm__warps_active.avg.pct_of_peak_sustained_active": 85.0643, "device__attribute_display_name": "Tesla V100",
    }  # fmt: skip
    values = make_launch({"launch": 0}, first["counters"]).values
    assert values["dram_read_bytes"] == 32000
    assert values["occupancy_share"] == pytest.approx(0.850643)
    assert any("(4 in all): averages were read" in note for note in session["notes"])
    assert any("stall_sync, dram_utilization" in note for note in session["notes"])


def test_a_summary_gives_average_times_of_kernels_alone(parse):
    text = BANNER + SUMMARY + (
        '"GPU activities",90.0,3.0,2,1.5,100.0,2.0,"f(float*, int)"\n'
        '"GPU activities",10.0,1.0,1,1.0,100.0,2.0,"[CUDA memcpy HtoD]"\n'
        '"API calls",99.0,400.0,9,44.4,1.0,300.0,"cudaMalloc"\n'
    )  # fmt: skip
    session, (launch,) = parse(text)
    assert session["format"] == "nvprof-csv-summary"
    assert (launch["full_name"], launch["invocations"], launch["counters"]) == ("f(float*, int)", 2, {TIME: 1.5e6})


def test_names_with_commas_and_values_with_units_without_quotes(parse):
    text = (
        "Type,Time(%),Time,Calls,Avg,Min,Max,Name\n"
        "GPU activities,47.79%,542.36ms,101,5.3699ms,5.1ms,6us,void f<int, 3>(float*, int)\n"
    )
    _, (launch,) = parse(text)
    assert (launch["name"], launch["invocations"]) == ("f", 101)
    assert launch["counters"] == {TIME: 5369900}


def test_times_without_a_unit_are_refused(parse):
    with pytest.raises(ReportError, match="units is missing"):
        parse('"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n"GPU activities",90.0,3.0,2,1.5,1.0,2.0,"f"\n')


def test_a_trace_gives_every_launch(parse):
    text = BANNER + TRACE + (
        '0.1,1.888,,,,,,,,,,1.003906,0.507097,"Device",,"Tesla V100 (0)","1","7","[CUDA memset]"\n'
        '0.2,12.5,8,2,1,128,1,1,32,0.0,0,,,,,"Tesla V100 (0)","1","13","f(float*, int) [272]"\n'
        '0.3,13.5,8,2,1,128,1,1,32,0.0,0,,,,,"Tesla V100 (0)","1","13","f(float*, int) [280]"\n'
    )  # fmt: skip
    session, launches = parse(text)
    assert session["format"] == "nvprof-csv-trace"
    assert [launch["counters"][TIME] for launch in launches] == [12500, 13500]
    assert launches[0]["full_name"] == "f(float*, int)"
    row = make_launch({"launch": 0}, launches[0]["counters"]).row
    assert (row["grid"], row["block"], row["stream"], row["device"]) == ((8, 2, 1), (128, 1, 1), 13, 0)
    assert [launch["invocations"] for launch in launches] == [1, 1]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (BANNER, "nvprof"),
        (BANNER + "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n", "nvprof"),
        (BANNER + METRICS + metric("ipc", "3.1"), "none of its metrics has"),
        (BANNER + SUMMARY, "holds no launch"),
        ("==3== Error: Internal profiling error 4075:1.\n", "nvprof says: Internal profiling error"),
        ("==3== NVPROF is profiling process 3, command: ./a\n==3== Error: unified memory\n", "unified memory"),
    ],
)
def test_what_cannot_be_used_is_named(parse, text, what):
    with pytest.raises(ReportError, match=what):
        parse(text)

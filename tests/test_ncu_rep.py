"""Recorded reports against NVIDIA's reader: every figure is computed here again, from the raw counters."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from nsightlens import schema
from nsightlens.collectors import read
from nsightlens.collectors.ncu_rep import Reading
from nsightlens.collectors.ncu_rep_slices import NO_ROOM
from nsightlens.errors import NsightlensError, ReportError, UsageError

WEIGHTS = {
    "fp64_flop": {"dadd": 1, "dmul": 1, "dfma": 2},
    "fp32_flop": {"fadd": 1, "fmul": 1, "ffma": 2},
    "fp16_flop": {"hadd": 2, "hmul": 2, "hfma": 4},
}
KINDS = {0: "kernel", 1: "range", 3: "graph"}
TENSOR_TOTALS = {
    "fp64": ["src_fp64"],
    "tf32": ["src_tf32_dst_fp32"],
    "bf16": ["src_bf16_dst_fp32"],
    "fp16": ["src_fp16"],
    "fp8": ["src_fp8_sparsity_off", "src_fp8_sparsity_on"],
    "int8": ["src_int8"],
    "int1": ["src_int1"],
}


def thread_instructions(counters, operation):
    """Return how many threads executed an operation; a rate times the cycles it was taken over is a whole number."""
    name = f"smsp__sass_thread_inst_executed_op_{operation}_pred_on.sum"
    if counters.get(name) is not None:
        return counters[name]
    rate = counters.get(f"{name}.per_cycle_elapsed")
    return None if rate is None else round(rate * counters["smsp__cycles_elapsed.avg"])


def flop(counters, weights):
    counts = {operation: thread_instructions(counters, operation) for operation in weights}
    if None in counts.values():
        return None
    return sum(weight * counts[operation] for operation, weight in weights.items())


def tensor_flop(counters):
    found = {}
    for kind, names in TENSOR_TOTALS.items():
        values = [counters.get(f"sm__ops_path_tensor_{name}.sum") for name in names]
        if None not in values:
            found[kind] = sum(values)
    return found


def dram_bytes(counters):
    parts = [counters.get("dram__bytes_read.sum"), counters.get("dram__bytes_write.sum")]
    if None not in parts:
        return sum(parts)
    rate = counters.get("dram__bytes.sum.per_second")
    return None if rate is None else rate * counters["gpu__time_duration.sum"] / 1e9


def l2_bytes(counters):
    sectors = counters.get("lts__t_sectors.sum")
    return None if sectors is None else 32 * sectors


def same(value, expected):
    return value is None if expected is None else value is not None and math.isclose(value, expected, rel_tol=1e-9)


def test_time_bytes_and_flop_of_every_launch_are_those_of_the_counters(recording, document_of, raw_of):
    launches, raw = document_of(recording)["launches"], raw_of(recording)
    assert len(launches) == len(raw) > 0
    for launch, plain in zip(launches, raw, strict=True):
        counters = plain["counters"]
        assert same(launch["time_s"], counters["gpu__time_duration.sum"] / 1e9)
        assert same(launch["traffic_bytes"]["dram"], dram_bytes(counters)), launch["launch"]
        assert same(launch["traffic_bytes"]["l2"], l2_bytes(counters)), launch["launch"]
        for kind, weights in WEIGHTS.items():
            assert launch["work"][kind] == flop(counters, weights), (launch["launch"], kind)
        assert launch["work"]["tensor_flop"] == tensor_flop(counters), launch["launch"]


def test_shares_of_every_launch_are_those_of_the_counters(recording, document_of, raw_of):
    percentages = {
        "dram_share": "dram__cycles_active.avg.pct_of_peak_sustained_elapsed",
        "l2_hit_share": "lts__t_sector_hit_rate.pct",
        "l1_hit_share": "l1tex__t_sector_hit_rate.pct",
        "tensor_pipe_share": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    }
    for launch, plain in zip(document_of(recording)["launches"], raw_of(recording), strict=True):
        for share, counter in percentages.items():
            percentage = plain["counters"].get(counter)
            if percentage is not None or share == "l2_hit_share":
                expected = None if percentage is None else percentage / 100
                assert same(launch["utilisation"][share], expected), (launch["launch"], share)


ROLL_UP = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
ISSUE = ("sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed")
UNITS = tuple(f"sm__pipe_{pipe}_cycles_active.avg.pct_of_peak_sustained_elapsed" for pipe in ("fma", "fp64", "tensor"))
SHARED = "sm__pipe_shared_cycles_active.avg.pct_of_peak_sustained_elapsed"
MORE_UNITS = (
    *(f"sm__pipe_{pipe}_cycles_active.avg.pct_of_peak_sustained_elapsed" for pipe in ("alu", "fmaheavy")),
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
)


def busiest(counters):
    """Return the largest share of issue slots and units, as a percentage; None if one of UNITS is unknown."""
    issue = next((counters[name] for name in ISSUE if name in counters), None)
    if issue is None or any(name not in counters for name in UNITS):
        return None
    further = [counters[name] for name in MORE_UNITS] if all(name in counters for name in MORE_UNITS) else []
    return max([issue, *(counters[name] for name in UNITS), counters.get(SHARED, 0.0), *further])


def test_the_share_of_the_multiprocessor_is_the_roll_up_or_its_busiest_unit(recording, document_of, raw_of):
    for launch, plain in zip(document_of(recording)["launches"], raw_of(recording), strict=True):
        percentage = plain["counters"].get(ROLL_UP, busiest(plain["counters"]))
        expected = None if percentage is None else percentage / 100
        assert same(launch["utilisation"]["sm_share"], expected), launch["launch"]
        assert ("max" in (launch["values"]["sm_share"]["counter"] or "")) is (
            percentage is not None and ROLL_UP not in plain["counters"]
        )


def test_the_stand_in_for_the_roll_up_is_a_close_lower_bound(raw_of):
    for launch in raw_of("scale_full"):
        assert 0.99 * launch["counters"][ROLL_UP] <= busiest(launch["counters"]) <= launch["counters"][ROLL_UP]


def test_identity_of_every_launch_is_that_of_the_report(recording, document_of, raw_of):
    for number, (launch, plain) in enumerate(zip(document_of(recording)["launches"], raw_of(recording), strict=True)):
        assert (launch["launch"], launch["name"], launch["kind"]) == (number, plain["name"], KINDS[plain["type"]])
        assert launch["status"] == "ok"
        assert launch["gpu"] == "NVIDIA H200"
        assert max((path.count("/") for path in launch["nvtx"]), default=0) == plain["depth"]
        if launch["kind"] == "kernel":
            grid = [plain["counters"][f"launch__grid_dim_{axis}"] for axis in "xyz"]
            block = [plain["counters"][f"launch__block_dim_{axis}"] for axis in "xyz"]
            assert (launch["grid"], launch["block"]) == (grid, block)


def test_scale_is_two_to_the_27_multiplications_of_doubles(document_of):
    for name in ("scale_roofline", "scale_full"):
        (scale,) = [launch for launch in document_of(name)["launches"] if launch["name"] == "scale"]
        assert scale["work"]["fp64_flop"] == 2**27
        assert scale["work"]["fp32_flop"] == scale["work"]["fp16_flop"] == 0
        assert scale["roofline"]["pipe"] == "fp64"
        assert scale["roofline"]["intensity_flop_per_byte"] == pytest.approx(2**27 / scale["traffic_bytes"]["dram"])


def test_the_tensor_kernel_runs_at_49_percent_of_the_fp64_tensor_roof(document_of):
    (launch,) = [launch for launch in document_of("scale_roofline")["launches"] if launch["name"] == "dmma"]
    assert launch["roofline"]["pipe"] == "tensor_fp64"
    assert launch["roofline"]["roof_fraction"] == pytest.approx(0.49, abs=0.005)
    assert launch["roofline"]["bound"] == "compute"
    assert launch["tensor_core"]["used"] is True


def test_the_roof_of_the_tensor_kernel_is_its_peak_per_cycle_times_its_clock(document_of, raw_of):
    counters = raw_of("scale_roofline")[9]["counters"]
    peak = counters["sm__ops_path_tensor_src_fp64.sum.peak_sustained"] * counters["sm__cycles_elapsed.avg.per_second"]
    rate = counters["sm__ops_path_tensor_src_fp64.sum"] / (counters["gpu__time_duration.sum"] / 1e9)
    roofline = document_of("scale_roofline")["launches"][9]["roofline"]
    assert roofline["performance_flop_per_s"] == pytest.approx(rate, rel=1e-9)
    assert roofline["attainable_flop_per_s"] == pytest.approx(peak, rel=1e-9)
    assert roofline["roof_fraction"] == pytest.approx(rate / peak, rel=1e-9)


def test_every_other_launch_has_no_tensor_work_rather_than_unknown_work(document_of):
    launches = document_of("scale_roofline")["launches"]
    assert [launch["name"] for launch in launches].count("dmma") == 1
    for launch in launches:
        if launch["name"] != "dmma":
            assert set(launch["work"]["tensor_flop"]) == set(TENSOR_TOTALS)
            assert set(launch["work"]["tensor_flop"].values()) == {0}
            assert launch["tensor_core"]["used"] is False


def test_memory_and_compute_bound_launches_are_told_apart(document_of):
    bound = [(launch["name"], launch["roofline"]["bound"]) for launch in document_of("scale_roofline")["launches"]]
    assert bound[3:] == [
        ("scale", "memory"),
        ("scale_strided", "memory"),
        *[("fma_mem", "memory")] * 2,
        *[("fma_mem", "compute")] * 2,
        ("dmma", "compute"),
    ]


def test_nested_ranges_are_paths_and_their_totals_hold_every_launch_inside(document_of):
    found = document_of("nested_nvtx")
    whole = re.compile(r"train/step \d+/layer \d+/(attn|mlp)")
    inside = [launch for launch in found["launches"] if any(whole.fullmatch(path) for path in launch["nvtx"])]
    assert len(inside) > 200
    totals = {total["nvtx"]: total for total in found["ranges"]}
    for path in ("train/step 0", "train/step 0/layer 0", "train/step 0/layer 0/attn"):
        launches = [
            launch
            for launch in found["launches"]
            if any(name == path or name.startswith(path + "/") for name in launch["nvtx"])
        ]
        assert totals[path]["launches"] == len(launches) > 0
        assert totals[path]["time_s"] == pytest.approx(sum(launch["time_s"] for launch in launches), rel=1e-12)


def test_totals_of_ranges_are_the_sums_of_the_plain_readers_durations(document_of, raw_of):
    """The sums are made from NVIDIA's reader alone; launches of a range are found by their nested names."""
    found = document_of("nested_nvtx")
    times = [launch["counters"]["gpu__time_duration.sum"] / 1e9 for launch in raw_of("nested_nvtx")]
    sums, counts = Counter(), Counter()
    for launch, taken in zip(found["launches"], times, strict=True):
        prefixes = {path[:end] for path in launch["nvtx"] for end in ends(path)}
        sums.update(dict.fromkeys(prefixes, taken))
        counts.update(prefixes)
    assert len(sums) > 10
    assert {total["nvtx"]: total["launches"] for total in found["ranges"]} == counts
    assert {total["nvtx"]: total["time_s"] for total in found["ranges"]} == pytest.approx(dict(sums), rel=1e-12)
    assert {(total["processes"], total["devices"], total["kind"]) for total in found["ranges"]} == {(1, 1, "kernel")}


def ends(path):
    """Return where each level below the domain ends."""
    return [at for at, letter in enumerate(path + "/") if letter == "/"][1:]


def test_launches_of_two_processes_keep_their_process(document_of):
    found = document_of("two_processes")
    processes = [launch["process_id"] for launch in found["launches"]]
    assert len(set(processes)) == 2
    assert all(processes.count(process) == 2 for process in processes)


def test_graph_and_range_results_are_no_kernels(document_of):
    assert [launch["kind"] for launch in document_of("cuda_graph")["launches"]] == [
        "kernel",
        "kernel",
        "graph",
        "graph",
    ]
    assert [launch["kind"] for launch in document_of("range_replay")["launches"]] == ["range"]


def test_session_facts(document_of):
    (report,) = document_of("scale_roofline")["reports"]
    assert report["format"] == "ncu-rep"
    assert report["complete"] is True
    assert report["notes"] == []
    assert report["ncu_version"].startswith("2025.3.1")
    assert report["cuda_version"] == "13.0"
    assert report["gpus"] == ["NVIDIA H200"]
    assert "--set roofline" in report["command_line"]


def test_context_comes_from_the_command_line(document_of):
    context = document_of("scale_roofline")["launches"][3]["context"]
    assert context["metric_set"] == "roofline"
    assert context["clock_control"] == "none"
    assert context["cache_control"] == "all"
    assert context["replay_mode"] == "kernel"
    assert context["passes"] == 17
    assert document_of("range_replay")["launches"][0]["context"]["replay_mode"] == "range"


def test_launches_frame_has_the_columns_and_types_that_the_schema_names(recording, report_of):
    frame = report_of(recording).launches
    columns = schema.launch_columns()
    assert len(frame) == len(report_of(recording).launched)
    assert list(frame.columns[: len(columns)]) == list(columns)
    for name, column in columns.items():
        assert str(frame[name].dtype) == column.dtype, name
    extra = set(frame.columns) - set(columns)
    assert all(re.fullmatch(r"tensor_\w+_flop|stall_[a-z_]+", name) for name in extra)


def test_metrics_frame_holds_every_number_that_was_read(report_of, raw_of):
    frame = report_of("cuda_graph").metrics
    assert list(frame.columns) == list(schema.METRICS)
    for name, column in schema.METRICS.items():
        assert str(frame[name].dtype) == column.dtype
    raw = raw_of("cuda_graph")
    assert set(frame.state) == {"measured"}
    assert len(frame) > 400
    for launch, name, value in zip(frame.launch, frame.metric, frame.value, strict=True):
        assert raw[launch]["counters"][name] == value


def test_metrics_carry_the_units_of_the_counters(report_of):
    frame = report_of("scale_full").metrics.drop_duplicates("metric").set_index("metric")
    assert frame.unit["gpu__time_duration.sum"] == "ns"
    assert frame.unit["dram__bytes_read.sum"] == "byte"
    assert frame.unit["lts__t_sectors.sum"] == "sector"
    assert frame.unit["dram__cycles_active.avg.pct_of_peak_sustained_elapsed"] == "%"
    assert frame.unit["sm__cycles_elapsed.avg.per_second"] == "cycle/s"


def test_several_reports_are_read_in_the_order_given(data):
    names = ["two_processes", "range_replay", "cuda_graph", "two_processes"]
    found = list(read([data / f"{name}.ncu-rep.xz" for name in names]))
    assert [Path(report.path).name.removesuffix(".ncu-rep.xz") for report in found] == names
    assert [len(report.launched) for report in found] == [4, 1, 4, 4]


def test_every_path_is_checked_before_the_first_report_is_read(data, tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        next(read([data / "range_replay.ncu-rep.xz", tmp_path / "absent.ncu-rep"]))


def test_leaving_off_in_the_middle_ends_the_children_and_removes_their_folders(data, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    reports = read([data / "range_replay.ncu-rep.xz"] * 4)
    next(reports)
    assert list(tmp_path.glob("nsightlens-*"))
    reports.close()
    assert not list(tmp_path.iterdir())
    assert not children_of(os.getpid())


def test_a_child_that_takes_too_long_is_ended(data, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    reading = Reading(data / "scale_full.ncu-rep.xz", timeout_s=0.01)
    with pytest.raises(ReportError, match=r"took more than 0\.01 s"):
        reading.result()
    assert not list(tmp_path.iterdir())
    assert not children_of(os.getpid())


SESSION = {
    "complete": True,
    "damage": None,
    "results": 2,
    "process_ids": [7, 7],
    "facts": {},
    "devices": [],
    "command_line": None,
}
LAUNCH = {
    "kind": "kernel",
    "name": "k",
    "full_name": "k()",
    "nvtx": [],
    "counters": {"gpu__time_duration.sum": 2.0},
    "opcodes": None,
}


@pytest.fixture
def child(monkeypatch, tmp_path):
    """Return a function that puts a program of one's own in the place of the child and reads what it answers."""

    def answer(program, *, keep_going=False):
        code = "import json, os, sys\n" + f"SESSION, LAUNCH = {SESSION!r}, {LAUNCH!r}\n" + program

        def start(self):
            with self._answer.open("wb") as out, self._messages.open("wb") as messages:
                return subprocess.Popen([sys.executable, "-c", code], stdout=out, stderr=messages)

        monkeypatch.setattr(Reading, "_start", start)
        return Reading(tmp_path / "run.ncu-rep", keep_going=keep_going).result()

    return answer


TALK = "print(json.dumps(SESSION)); print(json.dumps(LAUNCH), flush=True)\n"


def test_what_a_child_answers_is_the_report(child):
    report = child(TALK + "print(json.dumps(LAUNCH)); print('{\"end\": 2}')")
    assert [(launch.row["process_id"], launch.values["time_s"]) for launch in report.launched] == [(7, 2e-9)] * 2
    assert report.complete


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("os.abort()", "ended on this file (code -6)"),
        ("", "ended on this file (code 0)"),
        ("print('{\"results\": 1', end='')", "ended on this file (code 0)"),
        ("sys.exit('the last words')", "ended on this file (code 1): the last words"),
        (TALK + "os.abort()", "ended on this file (code -6)"),
        (TALK, "the report is damaged: 1 of 2 launches can be read (--keep-going"),
        (TALK + "print('{\"kind', end='')", "the report is damaged: 1 of 2 launches can be read (--keep-going"),
        (TALK + "print('{\"end\": 1}')", "the report is damaged: 1 of 2 launches can be read (--keep-going"),
        ("print(json.dumps(SESSION))", "the report is damaged: 0 of 2 launches can be read (copy it again"),
        ('print(\'{"error": {"message": "no good", "remedy": "do better"}}\')', "no good (do better)"),
        (TALK + 'print(\'{"error": {"message": "no good", "remedy": "do better"}}\')', "no good (do better)"),
        (
            "print('terminate: std::bad_alloc', file=sys.stderr, flush=True); os.abort()",
            "bytes of memory (profile fewer",
        ),
    ],
)
def test_a_child_that_fails_gives_one_error_that_names_the_file(child, program, message, tmp_path):
    with pytest.raises(ReportError) as caught:
        child(program)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "run.ncu-rep"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["os.abort()", "print('{\"kind', end='')", "sys.exit('bad name')"])
def test_launches_before_the_end_of_a_child_are_kept_on_request(child, ending):
    report = child(TALK + ending, keep_going=True)
    assert [launch.values["time_s"] for launch in report.launched] == [2e-9]
    assert not report.complete
    assert report.notes == ("1 of 2 launches could be read",)


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_full_folder_for_temporary_files_is_not_blamed_on_the_report(child, keep_going):
    with pytest.raises(NsightlensError, match=r"^/\S+: is full, .*set TMPDIR") as caught:
        child(TALK + f"sys.exit({NO_ROOM})", keep_going=keep_going)
    assert not isinstance(caught.value, ReportError)
    assert "run.ncu-rep" not in str(caught.value)


def test_nothing_to_keep_is_an_error_all_the_same(child):
    with pytest.raises(ReportError, match="0 of 2 launches"):
        child("print(json.dumps(SESSION), flush=True); os.abort()", keep_going=True)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
@pytest.mark.parametrize(
    ("number", "smallest_answer"),
    [(signal.SIGINT, 0), (signal.SIGINT, 10_000), (signal.SIGKILL, 1)],
)
def test_an_end_in_the_middle_of_a_read_leaves_no_child_and_no_folder(data, tmp_path, number, smallest_answer):
    report = data / "nested_nvtx.ncu-rep.xz"
    command = [sys.executable, "-m", "nsightlens", "analyze", *[report] * 12, "--format", "json"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    program = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, start_new_session=True
    )
    wait_until(lambda: children_of(program.pid))
    wait_until(lambda: [path for path in tmp_path.glob("nsightlens-*/answer") if size(path) >= smallest_answer])
    children = children_of(program.pid)
    program.send_signal(number)
    _, messages = program.communicate(timeout=20)
    assert program.returncode not in {0, None}
    assert b"Traceback" not in messages
    wait_until(lambda: not any(map(alive, children)))
    wait_until(lambda: not list(tmp_path.glob("nsightlens-*")))


def size(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1


def wait_until(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("nothing happened in 30 s")


def children_of(process):
    tasks = Path("/proc", str(process), "task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def alive(process):
    try:
        return Path("/proc", str(process), "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def request_of(data, tmp_path):
    return {
        "path": str(data / "range_replay.ncu-rep.xz"),
        "folder": str(tmp_path),
        "keep_going": False,
        "max_bytes": 1 << 30,
        "memory_bytes": 16 << 30,
        "workers": 1,
        "counters": ["gpu__time_duration.sum"],
        "patterns": ["launch__.*"],
        "samples": False,
    }


def asked(request, out):
    command = [sys.executable, "-m", "nsightlens.collectors.ncu_rep_child", request["folder"]]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL, text=True)
    child.stdin.write(json.dumps(request) + "\n")
    child.stdin.flush()
    return child


def test_the_answer_of_the_child_is_json_lines_and_nothing_else(data, tmp_path):
    child = asked(request_of(data, tmp_path), subprocess.PIPE)
    session, launch, end = map(json.loads, child.stdout)
    child.communicate()
    assert child.returncode == 0
    assert session["results"] == 1
    assert set(launch["counters"]) >= {"gpu__time_duration.sum"}
    assert all(name == "gpu__time_duration.sum" or name.startswith("launch__") for name in launch["counters"])
    assert end == {"end": 1}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_child_that_cannot_write_its_answer_says_so_by_its_exit_code(data, tmp_path):
    with Path("/dev/full").open("w") as full:
        child = asked(request_of(data, tmp_path), full)
    child.wait(60)
    child.stdin.close()
    assert child.returncode == NO_ROOM


def test_the_child_imports_nothing_from_the_current_folder(data, tmp_path):
    for name in ("json", "ncu_report", "resource", "mmap", "nsightlens"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the current folder')")
    command = [sys.executable, "-P", "-m", "nsightlens", "analyze", data / "range_replay.ncu-rep.xz"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "[both]" in done.stdout

"""Payloads as the key of a sweep, and the ranges of other tools: what docs/frames.md shows."""

import json
import lzma
import re
from pathlib import Path

import pytest

import nsightlens as package
from nsightlens.collectors.ncu_rep_build import build_launch
from nsightlens.ranges import DECLARED_DOMAIN

PAGE = Path(__file__).parent.parent / "docs" / "frames.md"


def line(*spans):
    blank = {"kind": "kernel", "name": "k", "full_name": "k()", "counters": {}, "opcodes": None}
    return {**blank, "nvtx": [{"domain": d, "path": p, "payloads": v} for d, p, v in spans]}


def saying(**figures):
    return json.dumps({"range": "r", **figures})


def payload(*spans):
    return build_launch(0, [None], line(*spans)).row["payload"]


def test_a_declared_payload_is_the_payload_of_the_launch():
    declared = (DECLARED_DOMAIN, [saying(payload=512)], [None])
    assert payload(declared, ("nsightlens", ["r"], [None])) == 512
    assert payload(("train", ["step"], [7]), declared) == 512
    assert payload(("train", ["step"], [7])) == 7


def test_the_innermost_declared_payload_counts_though_a_range_within_declares_work_alone():
    texts = [saying(payload="small"), saying(payload="large"), saying(flop=8)]
    assert payload((DECLARED_DOMAIN, texts, [None] * 3)) == "large"


def test_a_recorded_declaration_gives_the_payload(report_of):
    elements = 2**27  # what examples/scale.py was run with; its warm-up says nothing
    assert [None if value is None else int(value) for value in report_of("h200_scale").launches["payload"]] == [
        None,
        elements,
    ]


def test_the_sweep_of_the_page_runs_and_adds_up(report_of, raw_of, data):
    section = PAGE.read_text(encoding="utf-8").split("## Sweeps")[1]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    *lines, pivot = code.strip().splitlines()
    frame = report_of("nested_nvtx").launches.copy()
    names = {"launches": frame}
    # All of the page but the line that loads the user's own report.
    exec("\n".join(lines[1:]), names)  # noqa: S102
    table = eval(pivot, names)  # noqa: S307
    expected = {}
    with lzma.open(data / "csv" / "nested_nvtx_raw.csv.xz", "rt", encoding="utf-8") as page:
        cells = re.findall(r'""train:step \d+:Int64:(\d+):.*""train:(\w+):none[^,]*,', page.read())
    for (step, part), launch in zip(cells, raw_of("nested_nvtx"), strict=True):
        key = int(step), part
        expected[key] = expected.get(key, 0) + launch["counters"]["gpu__time_duration.sum"] * 1e-9
    assert len({step for step, _ in expected}) > 1
    assert {(step, part): table.loc[step, part] for step, part in expected} == pytest.approx(expected)
    assert table.sum().sum() == pytest.approx(sum(expected.values()))


HEAD = (
    '"ID","Process ID","Process Name","Host Name",'
    '"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",'
    '"Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",'
    '"Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum"\n'
    '"","","","","","","","","","","","","","ns"\n'
)


def nsight_python_row(number, push_pop, span, time_ns):
    spans = f'""{number + 1}:nsight-python:{span}:none:none:RGB:0xff:REGISTERED:{span}"" '
    nested = f'77  ""train:{push_pop}:none:none:RGB:0xff:REGISTERED:{push_pop}"" ' if push_pop else ""
    rest = '"k","1","7","(128, 1, 1)","(64, 1, 1)","0","9.0"'
    return f'"{number}","77","python3","127.0.0.1","{nested}","{spans}",{rest},"{time_ns}"\n'


@pytest.fixture
def other_tool(tmp_path):
    path = tmp_path / "nsight_python.csv"
    rows = [nsight_python_row(0, "", "saxpy", 1000), nsight_python_row(1, "step 0", "n/2: gemm", 2500)]
    path.write_text(HEAD + "".join(rows), encoding="utf-8")
    return path


def test_ranges_of_nsight_python_appear_under_its_domain(other_tool):
    frame = package.load(other_tool).launches
    assert list(frame["nvtx"]) == [("nsight-python/saxpy",), ("train/step 0", "nsight-python/n%2F2: gemm")]


def test_totals_and_selection_go_by_them(other_tool, nsightlens):
    done = nsightlens("analyze", other_tool, "--nvtx", "nsight-python", "--format", "json")
    document = json.loads(done.stdout)
    assert len(document["launches"]) == 2
    totals = {total["nvtx"]: total["time_s"] for total in document["ranges"]}
    assert totals["nsight-python/saxpy"] == pytest.approx(1e-6)
    assert totals["nsight-python/n%2F2: gemm"] == totals["train/step 0"] == pytest.approx(2.5e-6)
    done = nsightlens("analyze", other_tool, "--nvtx", "nsight-python/saxpy", "--format", "json")
    assert [launch["launch"] for launch in json.loads(done.stdout)["launches"]] == [0]

"""CSV and text of ncu against the reports they were printed from, and against figures noted before a line was read."""

import csv
import io
import lzma
import math
import re
from collections import Counter

import pytest

from nsightlens.collectors.quantities import PATTERNS, counter_names, evaluate
from nsightlens.collectors.report import make_launch
from nsightlens.collectors.text.labels import counter_of
from nsightlens.collectors.text.reader import detect, read, sniff
from nsightlens.errors import ReportError, UsageError

TIME = "gpu__time_duration.sum"
SCALES = {"": 0, "K": 3, "M": 6, "G": 9, "T": 12}
ROUNDED = "read from a printed page: values are rounded, and only what the page shows is known"


@pytest.fixture(scope="session")
def sample(data, tmp_path_factory):
    """Return a function: name of a file in data/csv to its path, unpacked."""

    def unpacked(name):
        path = data / "csv" / name
        if path.is_file():
            return path
        target = tmp_path_factory.mktemp("csv") / name
        target.write_bytes(lzma.decompress((data / "csv" / f"{name}.xz").read_bytes()))
        return target

    return unpacked


def taken(path, **options):
    session, *launches, end = read(path, **options)
    assert end == {"end": len(launches)}
    assert session["results"] == len(launches) == len(session["process_ids"])
    return session, launches


def by_process(process_ids):
    """Number launches within their process: the order of processes differs between report and CSV."""
    seen = Counter()
    keys = []
    for process_id in process_ids:
        keys.append((process_id, seen[process_id]))
        seen[process_id] += 1
    return keys


@pytest.fixture(scope="session")
def reported(report_of, raw_of):
    """Return a function: name of a recording to its launches (row, all counters) by process and order."""

    def launches(name):
        launched = report_of(name).launched
        keys = by_process([launch.row["process_id"] for launch in launched])
        every = [{**raw["counters"], **launch.counters} for raw, launch in zip(raw_of(name), launched, strict=True)]
        return {key: (launch.row, all_) for key, launch, all_ in zip(keys, launched, every, strict=True)}

    return launches


def printed_step(text, unit):
    """Return half a unit of the last digit that a value shows, in ncu's base unit."""
    top, _, bottom = unit.partition("/")
    times = {"us": 3, "ms": 6, "s": 9}
    shift = times.get(top, SCALES.get(top[:1], 0) if top[1:] in {"byte", "hz"} else 0)
    digits = len(text.partition(".")[2])
    assert bottom in {"", "s", "cycle", "block", "thread"}
    return 0.5 * 10.0 ** (shift - digits)


@pytest.mark.parametrize("name", ["nested_nvtx", "two_processes"])
def test_a_raw_page_agrees_with_the_report_to_the_last_digit_that_it_shows(sample, reported, name):
    path = sample(f"{name}_raw.csv")
    session, launches = taken(path)
    header, units, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    truth = reported(name)
    compared = set()
    for key, row, launch in zip(by_process(session["process_ids"]), rows, launches, strict=True):
        identity, counters = truth.pop(key)
        assert {field: launch[field] for field in ("kind", "name")} == {f: identity[f] for f in ("kind", "name")}
        for counter, unit, text in list(zip(header, units, row, strict=True))[13:]:
            if counter not in counters or text == "":
                assert counter not in launch["counters"] or isinstance(launch["counters"][counter], str)
                continue
            value, real = launch["counters"][counter], counters[counter]
            compared.add(counter)
            if isinstance(real, str) or real is None:
                assert value == real, counter
            else:
                assert abs(value - real) <= printed_step(text, unit) * (1 + 1e-9) + 1e-12 * abs(real), counter
    assert not truth
    assert compared >= {c for c, v in counters.items() if v not in (None, "") and ":" not in c}


@pytest.mark.parametrize("name", ["nested_nvtx", "two_processes"])
def test_a_raw_page_gives_the_same_quantities_and_ranges_as_the_report(sample, report_of, name):
    session, launches = taken(sample(f"{name}_raw.csv"), counters=counter_names(), patterns=PATTERNS)
    report = report_of(name)
    ours = dict(zip(by_process(session["process_ids"]), launches, strict=True))
    theirs = dict(zip(by_process([x.row["process_id"] for x in report.launched]), report.launched, strict=True))
    assert ours.keys() == theirs.keys()
    for key, line in ours.items():
        launch = theirs[key]
        assert {("/".join((s["domain"], *s["path"]))) for s in line["nvtx"]} == set(launch.row["nvtx"])
        mine = make_launch({"launch": 0}, line["counters"])
        for field in ("grid", "block", "stream", "device", "gpu", "compute_capability", "passes"):
            assert mine.row[field] == launch.row[field], field
        assert mine.values.keys() == launch.values.keys()
        for quantity, value in launch.values.items():
            assert math.isclose(mine.values[quantity], value, rel_tol=1e-2, abs_tol=5e-3) or (
                math.isnan(value) and math.isnan(mine.values[quantity])
            ), quantity
        assert set(line["counters"]) <= set(launch.counters) | {"launch__kernel_name"}


def test_payloads_of_nested_ranges_are_read(sample):
    _, launches = taken(sample("nested_nvtx_raw.csv"))
    assert launches[0]["nvtx"] == [
        {"domain": "train", "path": ["step 0", "layer 0", "attn"], "payloads": [0, None, None]}
    ]
    assert {launch["nvtx"][0]["payloads"][0] for launch in launches} == set(range(8))


PAGES = [
    ("two_processes_details.csv", "ncu-csv-details", 4, 6e-3),
    ("two_processes_details.txt", "ncu-text-details", 4, 6e-3),
    ("two_processes_label_name.csv", "ncu-csv-details", 4, 6e-3),
    ("two_processes_all.csv", "ncu-csv-details", 4, 6e-3),
    ("two_processes_raw.txt", "ncu-text-raw", 4, 6e-3),
    ("two_processes_instances.csv", "ncu-csv-raw", 4, 1e-2),
    ("range_replay_details.csv", "ncu-csv-details", 1, 6e-3),
    ("range_replay_details.txt", "ncu-text-details", 1, 6e-3),
    ("cuda_graph_details.csv", "ncu-csv-details", 4, 6e-3),
]


@pytest.mark.parametrize(("name", "form", "count", "tolerance"), PAGES)
def test_every_page_of_a_report_gives_its_launches(sample, reported, name, form, count, tolerance):
    path = sample(name)
    session, launches = taken(path)
    assert (session["format"], session["results"]) == (form, count)
    assert session["complete"]
    assert (ROUNDED in session["notes"]) == ("raw" not in form or "text" in form)
    truth = reported(re.sub(r"_(details|label_name|all|raw|instances)\..*", "", name))
    for key, launch in zip(by_process(session["process_ids"]), launches, strict=True):
        row, counters = truth[key]
        assert (launch["kind"], launch["name"]) == (row["kind"], row["name"])
        assert {"/".join((s["domain"], *s["path"])) for s in launch["nvtx"]} == set(row["nvtx"])
        shared = {counter for counter in launch["counters"] if counter in counters}
        assert len(shared) > 20
        for counter in shared:
            value, real = launch["counters"][counter], counters[counter]
            if isinstance(real, str) or real is None:
                assert value == real, counter
            else:
                assert math.isclose(value, real, rel_tol=tolerance, abs_tol=6e-3), counter


def test_the_details_page_is_enough_for_time_bandwidth_and_occupancy(corpus):
    _, (launch,) = taken(corpus / "nsightful__copy_blocked.csv")
    values, _ = evaluate(launch["counters"])
    assert values["time_s"] == 0.021058944
    assert values["dram_bytes"] == pytest.approx(196456177859.63 * 0.021058944)
    assert values["dram_share"] == pytest.approx(0.6184)
    assert values["occupancy_share"] == pytest.approx(0.9626)
    assert launch["counters"]["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"] == 61.84
    assert launch["counters"]["launch__func_cache_config"] == "CachePreferNone"


def test_labels_stand_for_the_counters_that_ncu_names_itself(sample):
    """Printed with --print-metric-name label-name, a row holds both."""
    known = 0
    for row in csv.DictReader(io.StringIO(sample("two_processes_label_name.csv").read_text())):
        match = re.fullmatch(r"(.*) \((\S+)\)", row["Metric Name"] or "")
        if match:
            assert counter_of(row["Section Name"], "", match[1]) == match[2]
            assert counter_of(row["Section Name"], "", row["Metric Name"]) == match[2]
            known += 1
    assert known == 4 * 20


def test_a_label_means_what_its_section_says(corpus):
    _, (launch,) = taken(corpus / "nsightful__copy_blocked.csv")
    assert launch["counters"]["dram__bytes.sum.per_second"] == 196456177859.63


def test_launch_facts_come_from_the_columns(corpus):
    session, launches = taken(corpus / "esmm__metrics.csv")
    row = make_launch({"launch": 7}, launches[7]["counters"]).row
    assert session["process_ids"] == [17333] * 9
    assert (row["block"], row["grid"], row["stream"], row["device"]) == ((128, 1, 1), (8, 16, 5), 7, 0)
    assert row["compute_capability"] == 8.6
    assert launches[7]["counters"]["launch__grid_size"] == 640
    assert [launch["name"] for launch in launches[6:]] == [
        "warptiling",
        "ampere_sgemm_128x64_nn",
        "ampere_sgemm_128x64_nn",
    ]


def test_not_available_is_none_and_not_zero(corpus):
    _, launches = taken(corpus / "excerpts" / "gb10_cc12.1_dram_na.csv")
    name = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
    assert [launch["counters"].get(name, "absent") for launch in launches] == [None, "absent", "absent"]


def test_a_european_file_is_read_with_its_reason(corpus):
    session, launches = taken(corpus / "excerpts" / "eu_locale_windows_2025.1.csv")
    assert "decimal commas: decided by 27.595.520" in session["notes"]
    assert launches[0]["counters"]["dram__bytes.sum"] == 27595520
    assert launches[0]["counters"]["sm__throughput.avg.pct_of_peak_sustained_elapsed"] == 65.77


def test_the_separator_can_be_said(corpus):
    path = corpus / "excerpts" / "eu_locale_windows_2025.1.csv"
    with pytest.raises(UsageError):
        list(read(path, decimal="dot"))
    _, launches = taken(path, decimal="comma")
    assert launches[1]["counters"][TIME] == 14912


def test_a_summary_is_averages_and_says_so(sample):
    for name, form in (
        ("two_processes_per_kernel.csv", "ncu-csv-summary"),
        ("two_processes_per_gpu.txt", "ncu-text-summary"),
    ):
        session, launches = taken(sample(name))
        assert session["format"] == form
        assert session["process_ids"] == [10213, 10214]
        assert [launch["invocations"] for launch in launches] == [2, 2]
        assert any("(4 in all): averages were read" in note for note in session["notes"])
        assert [launch["counters"][TIME] for launch in launches] == [22030, 22030]
        assert launches[0]["counters"]["launch__grid_dim_x"] == 32768
        assert launches[0]["counters"]["launch__device_id"] == 0


def test_two_children_are_two_processes(sample):
    session, launches = taken(sample("two_children.csv"))
    assert session["process_ids"] == [2482] * 5 + [2483] * 5
    assert [launch["name"] for launch in launches[:5]] == ["scale", "scale", "apply", "tiny", "tiny"]
    assert launches[0]["counters"]["lts__t_sectors_hit_rate.pct"] is None


def test_names_of_ranges_hold_anything(sample):
    _, launches = taken(sample("nvtx_names.csv"))
    assert launches[0]["nvtx"] == []
    assert launches[2]["nvtx"] == [
        {"domain": "", "path": ["outer", 'inner  "x:y" '], "payloads": [None, 12345678]},
        {"domain": "", "path": ["span two"], "payloads": [None]},
        {"domain": "my:dom", "path": ['a:b, "q" / c'], "payloads": [-7]},
        {"domain": "plain", "path": ["solver"], "payloads": [2.5]},
        {"domain": "plain", "path": ["span:1"], "payloads": [1.25]},
        {"domain": "plain", "path": ["line\nbreak"], "payloads": [None]},
    ]
    _, printed = taken(sample("nvtx_names.txt"))
    assert [span for span in printed[2]["nvtx"] if span["path"] != ["line\nbreak"]] == launches[2]["nvtx"][:-1]


def test_every_counter_not_available_is_an_error(sample):
    with pytest.raises(ReportError, match=r"every counter is n/a"):
        list(read(sample("unknown_counter.csv")))


def test_a_log_gives_back_what_ncu_says(sample, corpus):
    with pytest.raises(ReportError, match="The program launched: apply, scale, tiny"):
        list(read(sample("no_kernel.csv")))
    with pytest.raises(ReportError, match="ERR_NVGPUCTRPERM") as error:
        list(read(corpus / "excerpts" / "err_no_permission.txt"))
    assert "NVreg_RestrictProfilingToAdminUsers=0" in error.value.remedy


@pytest.mark.parametrize("name", [page[0] for page in PAGES])
def test_the_format_is_told_by_content(sample, name):
    path = sample(name)
    form = next(page[1] for page in PAGES if page[0] == name)
    assert sniff(path.read_bytes()[: 1 << 16]) == form
    assert detect(path) == form


def test_a_long_preamble_needs_a_second_look(sample, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("step 1 of many\n" * 10000 + sample("two_processes_details.csv").read_text())
    assert sniff(path.read_bytes()[: 1 << 16]) is None
    assert detect(path) == "ncu-csv-details"
    assert taken(path)[0]["results"] == 4


def test_a_header_longer_than_the_first_look_is_recognised(sample):
    head = sample("two_processes_raw.csv").read_bytes()[: 1 << 16]
    assert b"\n" not in head
    assert sniff(head) == "ncu-csv-raw"


def test_a_filter_leaves_the_other_counters_out(sample):
    session, launches = taken(sample("two_processes_raw.csv"), counters={TIME}, patterns=[r"launch__grid_size$"])
    assert [set(launch["counters"]) for launch in launches] == [{TIME, "launch__grid_size"}] * 4
    assert session["devices"] == ["NVIDIA H200"]


def test_a_report_is_not_kept_in_memory(sample, tmp_path):
    lines = sample("nested_nvtx_raw.csv").read_text().splitlines(keepends=True)
    path = tmp_path / "many.csv"
    path.write_text("".join([*lines[:2], *(re.sub(r'^"\d+"', f'"{n}"', lines[2]) for n in range(1500))]))
    reader = read(path, counters=[TIME])
    assert next(reader)["results"] == 1500
    assert next(reader)["counters"] == {TIME: 11488.0}


def test_cells_are_read_like_the_csv_module_reads_them(sample):
    """The fast path and the standard library agree where ncu's output is proper CSV."""
    text = sample("two_processes_details.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    durations = [float(row["Metric Value"]) for row in rows if row["Metric Name"] == "Duration"]
    _, launches = taken(sample("two_processes_details.csv"))
    assert [launch["counters"][TIME] for launch in launches] == [round(value * 1000) for value in durations]

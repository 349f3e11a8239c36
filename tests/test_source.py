"""Where losses lie: the planted instruction on kernels with planted defects; tables made by hand; odd reports."""

import json
import lzma
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_hostile_text import NAMES, require_safe

from nsightlens.analysis import analyze_reports, attribution, source
from nsightlens.analysis.result import Place
from nsightlens.analysis.rules import Attribution, Excess, Rule
from nsightlens.analysis.select import Selection, select
from nsightlens.collectors.instructions import Instruction, read_instructions
from nsightlens.collectors.ncu_rep_instructions import copy_instructions
from nsightlens.data import table
from nsightlens.errors import ReportError
from nsightlens.kernels import pairs
from nsightlens.report import render
from nsightlens.report.json import document

REPORTS = Path(__file__).parent.parent / "docs" / "measurements" / "reports"
KERNELS = Path(pairs.__file__).parent
EVERY = 1000

# Pair and defect to what was planted, as it stands in nsightlens/kernels/pairs: the file, words of the lines, and the
# beginnings of the opcodes that the compiler must make of them.
FP64 = ("DFMA", "DADD", "DMUL", "DSETP", "F2F.F64.F32", "F2F.F32.F64")
PLANTED = {
    ("transpose_quarter", "uncoalesced_access"): ("transpose.cu", "(x) * n + y + 8 * i] = v[i]", ("STG",)),
    ("transpose_both", "uncoalesced_access"): ("transpose.cu", "(x) * n + y + 8 * i] = v[i]", ("STG",)),
    ("transpose_both", "bank_conflict"): ("transpose.cu", "= tile[threadIdx.x][", ("LDS",)),
    ("particles_layout", "uncoalesced_access"): ("particles.cu", "field[f] = AOS", ("LDG",)),
    ("gather_order", "uncoalesced_access"): ("gather.cu", "__ldcg(table + index[i])", ("LDG",)),
    ("pixels_narrow", "narrow_access"): ("pixels.cu", "out[at] =", ("LDG.E.U8", "STG.E.U8")),
    ("halves_narrow", "narrow_access"): ("halves.cu", "__half2float(__ldcg", ("LDG.E.U16",)),
    ("matmul_conflicts", "bank_conflict"): ("matmul.cu", "columns[threadIdx.x]", ("LDS", "STS")),
    ("columns_conflicts", "bank_conflict"): ("columns.cu", "tile[warp][lane][column]", ("LDS",)),
    ("filter_local", "register_spill"): ("filter.cu", "past[(i + ", ("LDL", "STL")),
    ("registers_spill", "register_spill"): ("registers.cu", "x[i]", ("LDL", "STL")),
    ("histogram_global", "atomic_contention"): ("histogram.cu", "atomicAdd(bins + four", ("RED", "ATOM")),
    ("histogram_shared", "atomic_contention"): ("histogram.cu", "atomicAdd(own + four", ("ATOMS",)),
    ("branches_alternating", "divergence"): ("branches.cu", "STEP(x, ", ("FFMA", "FMUL", "FADD")),
    ("iterations_shuffled", "divergence"): ("iterations.cu", "fma(fma(x", ("DFMA",)),
    ("branches_double", "slow_pipe"): ("branches.cu", "STEP(x, ", FP64),
    ("filter_double", "slow_pipe"): ("filter.cu", "MULTIPLY_ADD(w[k]", FP64),
    ("divide_scalar", "instruction_overhead"): ("divide.cu", "x / d + c", ("MUFU.RCP64H",)),
    ("wrap_modulo", "instruction_overhead"): ("wrap.cu", "% width", ("IMAD.HI.U32", "MUFU.RCP", "I2F")),
    ("phases_barrier", "barrier"): ("phases.cu", "__syncthreads()", ("BAR",)),
    ("phases_barrier_loads", "barrier"): ("phases.cu", "__syncthreads()", ("BAR",)),
}


@pytest.fixture(scope="module")
def recorded():
    """Return the pairs: launch to its analysis, all of them with places."""
    analysis = analyze_reports([REPORTS / f"loss_pairs_{part}.ncu-rep.xz" for part in "ab"], source=EVERY)
    return {tuple(launch.nvtx[0].split("/")[-2:]): launch for launch in analysis.launches}


def lines_with(file, words):
    """Return the numbers of the lines of a kernel that hold some words."""
    text = (KERNELS / file).read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(text, 1) if words in line}


@pytest.mark.parametrize("planted", PLANTED, ids="-".join)
def test_the_largest_place_is_the_planted_line_and_instruction(recorded, planted):
    file, words, opcodes = PLANTED[planted]
    (loss,) = [loss for loss in recorded[planted].losses if loss.cause == planted[1]]
    top = loss.where[0]
    assert attribution.opcode(top.sass).startswith(opcodes)
    lines = lines_with(file, words)
    assert lines
    assert top.line in lines
    assert top.file.endswith(".cu")


def test_shares_are_parts_of_one(recorded):
    losses = [loss for launch in recorded.values() for loss in launch.losses or ()]
    assert sum(bool(loss.where) for loss in losses) > 100
    for loss in losses:
        shares = [place.share for place in loss.where]
        assert all(0 < share <= 1 for share in shares)
        assert sum(shares) <= 1 + 1e-9
        assert shares == sorted(shares, reverse=True)
        assert all(share > 0.05 for share in shares[1:])


def test_what_lies_in_no_instruction_names_none(recorded):
    losses = [loss for launch in recorded.values() for loss in launch.losses or ()]
    whole = {"small_grid", "imbalance", "launch_overhead", "l2_miss", "dram_inefficiency"}
    assert whole <= {loss.cause for loss in losses}
    assert not any(loss.where for loss in losses if loss.cause in whole)


# -- by hand -----------------------------------------------------------------------------------------------------

SAMPLES = "smsp__pcsamp_warps_issue_stalled_barrier"


def instruction(pc, sass, line=None, file="a.cu", **counters):
    return Instruction(pc, sass, None if line is None else file, line, counters)


def test_lanes_that_branches_mask_off_are_counted_against_all_of_them():
    found = [
        instruction(0, "FFMA R0, R1, R2, R3", 3, inst_executed=10.0, thread_inst_executed=310.0),
        instruction(16, "@!P0 FADD R0, R1, R2", 4, inst_executed=10.0, thread_inst_executed=290.0),
        instruction(32, "EXIT", 5, inst_executed=10.0),
    ]
    assert attribution.places("divergence", found) == (
        Place("a.cu", 4, "@!P0 FADD R0, R1, R2", 0.75),
        Place("a.cu", 3, "FFMA R0, R1, R2, R3", 0.25),
    )


def test_instructions_of_a_line_with_the_same_opcode_are_one_place():
    found = [instruction(16 * n, f"LDL R{n}, [R1]", 7, inst_executed=n + 1.0) for n in range(3)]
    found.append(instruction(64, "STL [R1], R4", 7, inst_executed=2.0))
    found.append(instruction(80, "LDG.E R4, [R2]", 7, inst_executed=100.0))
    assert attribution.places("register_spill", found) == (
        Place("a.cu", 7, "LDL R2, [R1]", 0.75),
        Place("a.cu", 7, "STL [R1], R4", 0.25),
    )


def test_without_lines_each_instruction_is_a_place_of_its_own_and_the_largest_is_always_named():
    found = [instruction(16 * n, f"LDL R{n}, [R1]", inst_executed=2.0 if n == 40 else 1.0) for n in range(50)]
    (place,) = attribution.places("register_spill", found)
    assert (place.file, place.line, place.sass) == (None, None, "LDL R40, [R1]")
    assert place.share == pytest.approx(2 / 51)


def test_what_waits_at_a_barrier_is_sampled_behind_it():
    found = [
        instruction(0, "BAR.SYNC.DEFER_BLOCKING 0x0", 3, **{SAMPLES: 1.0}),
        instruction(16, "IMAD R0, R1, R2, R3", 4),
        instruction(32, "@!P1 BRA 0x0", 5, **{SAMPLES: 2.0}),
        instruction(48, "BAR.SYNC 0x1", 6),
        instruction(64, "EXIT", 7, **{SAMPLES: 1.0}),
    ]
    assert attribution.places("barrier", found) == (
        Place("a.cu", 3, "BAR.SYNC.DEFER_BLOCKING 0x0", 0.75),
        Place("a.cu", 6, "BAR.SYNC 0x1", 0.25),
    )


def test_older_names_of_a_counter_serve_where_the_newer_is_absent():
    old = {"memory_l2_sectors_global": 8.0, "memory_l2_sectors_global_ideal": 2.0}
    (place,) = attribution.places("uncoalesced_access", [instruction(0, None, 9, **old)])
    assert place == Place("a.cu", 9, None, 1.0)


@pytest.mark.parametrize("sass", [None, "NOP", "@P0", "", "@", ";"])
def test_nothing_is_named_where_nothing_tells(sass):
    assert attribution.places("register_spill", [instruction(0, sass, 1, inst_executed=5.0)]) == ()
    assert attribution.places("small_grid", [instruction(0, sass, 1, inst_executed=5.0)]) == ()
    assert attribution.places("barrier", []) == ()
    assert attribution.places("no such cause", []) == ()


def test_every_cause_that_names_counters_is_one_of_the_table():
    for cause, entry in table("causes").items():
        assert len(attribution.attributions(cause)) == len(entry.get("where", ()))
        assert all(one.counters and one.times > 0 for one in attribution.attributions(cause))


def test_a_rule_of_a_package_names_counters_of_its_own(monkeypatch):
    where = (Attribution(("their_counter",), opcodes=("NANOSLEEP",)),)
    rule = Rule("their_cause", "sleeps", (), lambda _: Excess(), where)
    monkeypatch.setattr(attribution, "rules", lambda: (rule,))
    attribution.attributions.cache_clear()
    found = [instruction(0, "NANOSLEEP 0x1", their_counter=1.0), instruction(16, "NOP", their_counter=9.0)]
    try:
        assert attribution.counters(["their_cause"]) == ("inst_executed", "their_counter")
        assert attribution.places("their_cause", found) == (Place(None, None, "NANOSLEEP 0x1", 1.0),)
    finally:
        attribution.attributions.cache_clear()


# -- odd and damaged reports -------------------------------------------------------------------------------------


class Ids:
    ValueKind_UINT64 = 6

    def __init__(self, pcs, kind):
        self._pcs, self._kind = pcs, kind

    def kind(self):
        return self._kind

    def as_uint64(self, index):
        return self._pcs[index]


class Metric:
    def __init__(self, rows, kind, more):
        self._rows, self._kind, self._more = rows, kind, more

    def has_correlation_ids(self):
        return True

    def correlation_ids(self):
        return Ids([pc for pc, _ in self._rows], self._kind)

    def num_instances(self):
        return len(self._rows) + self._more

    def as_double(self, index):
        return self._rows[index][1]


def action(rows, *, kind=6, more=0, sass="NOP", info=None):
    def raising(answer):
        def ask(_):
            if isinstance(answer, Exception):
                raise answer
            return answer

        return ask

    metric = Metric(rows, kind, more)
    return SimpleNamespace(metric_by_name=lambda _: metric, sass_by_pc=raising(sass), source_info=raising(info))


def info(file, line):
    return SimpleNamespace(file_name=lambda: file, line=lambda: line)


def test_a_table_of_one_launch():
    given_info = info("a.cu", 3)
    found = copy_instructions(action([(32, 2.0), (16, 1.0), (48, 0.0)], sass="  LDG.E  R0", info=given_info), ["x"])
    assert found == {
        "counters": ["x"],
        "files": ["a.cu"],
        "rows": [[16, "LDG.E R0", 0, 3, 1.0], [32, "LDG.E R0", 0, 3, 2.0]],
    }


@pytest.mark.parametrize("sass", ["N/A", "???", "", "   ", None, TypeError("altered"), OverflowError("altered")])
@pytest.mark.parametrize("lines", [None, info("", 3), info("a.cu", 0), info("a.cu", -1), KeyError("altered")])
def test_unknown_text_and_lines_are_none(sass, lines):
    found = copy_instructions(action([(16, 1.0)], sass=sass, info=lines), ["x"])
    assert found["rows"] == [[16, None, None, None, 1.0]]


@given(
    rows=st.lists(st.tuples(st.integers(0, 2**64 - 1), st.floats())),
    kind=st.sampled_from([2, 6]),
    more=st.integers(0, 1),
)
def test_odd_instances_raise_nothing_and_leave_finite_numbers(rows, kind, more):
    found = copy_instructions(action(rows, kind=kind, more=more), ["x", "y"])
    json.dumps(found, allow_nan=False)
    assert all(value is None or value >= 0 for row in found["rows"] for value in row[4:])
    assert found["rows"] == [] or (kind == 6 and more == 0)


def test_damaged_reports_are_read_or_refused(tmp_path, data):
    whole = lzma.decompress((data / "scale_full.ncu-rep.xz").read_bytes())
    dice = random.Random(3)  # noqa: S311
    outcomes = set()
    for number in range(4):
        altered = bytearray(whole)
        for _ in range(20):
            altered[dice.randrange(len(altered))] = dice.randrange(256)
        path = tmp_path / f"{number}.ncu-rep"
        path.write_bytes(altered)
        try:
            found = read_instructions(path, [1, 4], ["inst_executed"], keep_going=True)
        except ReportError as error:
            outcomes.add(bool(error.message))
        else:
            assert set(found) <= {1, 4}
            outcomes.add("read")
    assert outcomes <= {True, "read"}
    assert outcomes


def test_launches_that_are_not_there_are_left_out(data):
    assert set(read_instructions(data / "scale_full.ncu-rep.xz", [1, 99], ["inst_executed"])) == {1}


def test_without_counters_of_instructions_nothing_is_named_and_the_command_is(analysis_of):
    analysis = analysis_of("h200_scale")
    assert all(loss.where == () for launch in analysis.launches for loss in launch.losses)
    bare = source.add_places(analysis, Path(__file__).parent / "data" / "h200_scale.ncu-rep.xz")
    assert bare == analysis
    commands = {launch.where_remedy for launch in analysis.launches}
    assert source.COMMAND in commands
    assert commands <= {source.COMMAND, None}
    assert f"Lines and instructions: {source.COMMAND}" in render(analysis, "table")
    assert source.COMMAND in render(analysis, "markdown")


def test_the_second_reading_may_fail_and_the_analysis_stays(data, monkeypatch):
    def broken(*_, **__):
        raise ReportError("the file has changed")

    monkeypatch.setattr(source, "read_instructions", broken)
    analysis = analyze_reports(data / "scale_full.ncu-rep.xz")
    assert "no instruction is named: the file has changed" in analysis.reports[0].notes
    assert all(loss.where == () for launch in analysis.launches for loss in launch.losses)


# -- which launches, and how they are shown ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def placed(data):
    return analyze_reports(data / "scale_full.ncu-rep.xz")


def named(analysis):
    return {launch.launch for launch in analysis.launches if any(loss.where for loss in launch.losses or ())}


def test_the_launches_that_lost_most_come_first(data, placed):
    path = data / "scale_full.ncu-rep.xz"
    bare = analyze_reports(path, source=0)
    assert named(bare) == set()
    assert named(source.add_places(bare, path, launches=1)) == {1}  # the strided one
    assert named(source.add_places(select(bare, Selection(kernel="fma")), path, launches=1)) == {5}
    assert {1, 3, 4, 5} <= named(placed)


def test_the_strided_kernel_names_its_one_line(placed):
    (loss,) = [loss for loss in placed.launches[1].losses if loss.cause == "uncoalesced_access"]
    assert {attribution.opcode(place.sass)[:3] for place in loss.where} == {"LDG", "STG"}
    assert len({place.line for place in loss.where}) == 1
    assert sum(place.share for place in loss.where) == pytest.approx(1)


def test_the_table_names_the_largest_place_in_a_line_that_fits(placed):
    lines = render(placed, "table").splitlines()
    (line,) = [line for line in lines if line.strip().startswith("uncoalesced_access: 50 %")]
    assert ".cu:" in line
    assert all(len(one) <= 80 for one in lines)
    assert "uncoalesced\\_access" not in render(placed, "markdown")
    assert "  - uncoalesced_access: 50 % " in render(placed, "markdown")


def test_the_longest_names_fit_into_eighty_columns(placed):
    place = Place("/x/" + "f" * 90 + ".cu", 99999, "@!UP0 " + "BAR." * 30 + " R0", 1.0)
    for shown in (place, replace(place, file=None, line=None), replace(place, sass=None)):
        text = render(with_place(placed, shown, "unoverlapped_compute"), "table")
        (line,) = [line for line in text.splitlines() if line.strip().startswith("unoverlapped_compute: ")]
        assert len(line) <= 80


def with_place(analysis, place, cause):
    """Return the analysis of the first launch with one loss of half of its time, which lies in this place."""
    launch = analysis.launches[1]
    loss = replace(launch.losses[0], cause=cause, where=(place,))
    return replace(analysis, launches=(replace(launch, losses=(loss,)),), first=())


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_of_files_and_instructions_are_shown_and_obeyed_by_nothing(placed, name):
    hostile = with_place(placed, Place(name, 3, name, 1.0), "latency")
    for fmt in ("table", "markdown", "json"):
        text = render(hostile, fmt)
        require_safe(text)
        if fmt == "table":
            assert all(len(line) <= 80 for line in text.splitlines())
        if fmt == "markdown":
            assert "<img" not in text.replace("\\<", "")
    where = document(hostile)["launches"][0]["losses"][0]["where"]
    assert where == [{"file": name, "line": 3, "sass": name, "share": 1.0}]


# -- public reports ----------------------------------------------------------------------------------------------


def test_a_public_report_with_sources_names_files_lines_and_instructions(corpus):
    analysis = analyze_reports(corpus / "cutlass__384.ncu-rep")
    places = [place for launch in analysis.launches for loss in launch.losses for place in loss.where]
    assert places
    assert all(place.file.startswith("/root/cutlass/") and place.line > 0 and place.sass for place in places)


def test_a_chip_whose_machine_code_cannot_be_read_names_lines_alone(corpus):
    analysis = analyze_reports(corpus / "ncar__MW_Baseline.ncu-rep")
    places = [place for launch in analysis.launches for loss in launch.losses for place in loss.where]
    assert places
    assert all(place.file.endswith("miniWeather_mpi_openacc.F90") and place.sass is None for place in places)

"""The roofline figure, judged by its artists."""

import functools
import itertools
import math
import re
import runpy
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from nsightlens.analysis.result import Ceiling, Overlap, Roofline, Traffic, Work
from nsightlens.cli.roofline import command
from nsightlens.errors import ReportError, UsageError
from nsightlens.plots.geometry import stacked
from nsightlens.plots.roofline import plot_roofline
from nsightlens.plots.saving import roofline_figure, save_roofline

cases = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("plot_cases.py"))))

CASES = {
    "one": cases.one,
    "seven": cases.seven,
    "sixty": cases.sixty,
    "identical": cases.sixty_identical,
    "identical, two kernels": lambda: cases.sixty_identical(("ping", "pong")),
    "two GPUs": cases.two_gpus,
    "every pipe": cases.every_pipe,
    "scattered": cases.scattered,
    "near together": lambda: cases.scattered(wide=0.05),
    "hostile": cases.hostile,
    "sixty hostile": lambda: cases.hostile(5),
    "long names": cases.long_names,
    "eighty": lambda: cases.scattered(80),
    "fifteen kernels in one place": lambda: cases.sixty_identical(tuple(f"kernel{i}" for i in range(15))),
    "levels": cases.levels,
    "sixty kernels in one place": lambda: cases.sixty_identical(tuple(f"kernel{i}" for i in range(60))),
}


def draw(result):
    """Return the figure with all of its texts where they will be on paper."""
    figure = roofline_figure(result)
    figure.draw_without_rendering()
    return figure


@functools.cache
def drawing(name):
    """Return an analysis and its figure, which no test may change."""
    result = CASES[name]()
    return result, draw(result)


@pytest.fixture(params=CASES)
def drawn(request):
    return drawing(request.param)


def overlapping(figure):
    """Return the pairs of texts that overlap."""
    shown = texts(figure)
    box = np.array([text.get_window_extent().extents for text in shown])
    low, high = box[:, None, :2] + 0.5, box[None, :, 2:] - 0.5
    meet = (low < high).all(axis=-1)
    pairs = np.argwhere(np.triu(meet & meet.T, 1))
    return [(shown[i].get_text(), shown[j].get_text()) for i, j in pairs]


def texts(figure, prefix=""):
    """Return the visible texts, or those whose id starts with ``prefix``."""
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [text for text in found if (text.get_gid() or "").startswith(prefix)]


def line(figure, gid):
    """Return the line with an id."""
    return next(line for line in figure.axes[0].get_lines() if line.get_gid() == gid)


def named_launches(text):
    """Return the numbers that a label names, and how many more it stands for."""
    numbers, more = [], 0
    for run, rest in re.findall(r"(?m)(?:^|(?<=,\s))(\d+(?:–\d+)?)(?:\s\+(\d+))?(?=,|$|\s)", text.get_text()):
        first, _, last = run.partition("–")
        numbers += range(int(first), int(last or first) + 1)
        more += int(rest or 0)
    return numbers, more


def note(figure):
    return " ".join(" ".join(text.get_text() for text in texts(figure, "note")).split())


def test_no_two_texts_overlap(drawn):
    _, figure = drawn
    assert overlapping(figure) == []


def test_no_two_texts_overlap_at_another_resolution():
    figure = roofline_figure(cases.scattered())
    figure.set_dpi(72)
    figure.draw_without_rendering()
    assert overlapping(figure) == []


def test_every_text_lies_inside_the_figure(drawn):
    _, figure = drawn
    for text in texts(figure):
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1, text


def test_each_launch_is_named_once(drawn):
    result, figure = drawn
    named = [named_launches(text) for text in texts(figure, "label-")]
    numbers = [number for some, _ in named for number in some]
    assert len(numbers) == len(set(numbers))
    if len(result.launches) > 60 and not any(more for _, more in named):
        slowest = sorted(result.launches, key=lambda launch: (-launch.time_s, launch.launch))[:60]
        assert sorted(numbers) == sorted(launch.launch for launch in slowest)
    else:
        assert len(numbers) + sum(more for _, more in named) == len(result.launches)


def test_groups_that_are_not_named_in_the_axes_are_listed_in_order(drawn):
    _, figure = drawn
    labels, rows = texts(figure, "label-"), texts(figure, "list-0-")
    numbers_only = all(re.fullmatch(r"[\d–,+\s]+", text.get_text()) for text in labels)
    assert numbers_only == (len(rows) > 0)
    listed = [named_launches(row) for row in rows]
    if numbers_only:
        assert [some[0] for some, _ in listed] == sorted(some[0] for some, _ in listed)
        named = [named_launches(text) for text in labels]
        for part in (lambda one: sum(len(some) for some, _ in one), lambda one: sum(more for _, more in one)):
            assert part(listed) == part(named)
    assert len(rows) <= 60


def test_every_launch_has_its_own_marker_in_its_place(drawn):
    result, figure = drawn
    for launch in result.launches:
        marker = line(figure, f"launch-0-{launch.launch}")
        place = launch.roofline.intensity_flop_per_byte, launch.roofline.performance_flop_per_s
        assert tuple(marker.get_xydata()[0]) == place
        assert figure.axes[0].bbox.contains(*figure.axes[0].transData.transform(place))


def test_no_text_is_mathtext(drawn):
    _, figure = drawn
    axes = figure.axes[0]
    plain = [axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()]
    strange = [text for text in texts(figure) if text not in plain]
    assert not any(text.get_parse_math() or text.get_usetex() for text in strange)


@pytest.mark.parametrize("name", ["seven", "sixty", "scattered"])
def test_labels_cover_no_launch_where_there_is_room(name):
    result, figure = drawing(name)
    points = [(x.roofline.intensity_flop_per_byte, x.roofline.performance_flop_per_s) for x in result.launches]
    for point, text in itertools.product(figure.axes[0].transData.transform(points), texts(figure, "label-")):
        assert not text.get_window_extent().contains(*point)


def test_labels_mostly_stand_nearest_to_their_own_launch():
    result, figure = drawing("scattered")
    transform, ranks = figure.axes[0].transData.transform, []
    points = [(x.roofline.intensity_flop_per_byte, x.roofline.performance_flop_per_s) for x in result.launches]
    for text in texts(figure, "label-"):
        box = text.get_window_extent()
        reach = [math.dist(point, np.clip(point, box.min, box.max)) for point in transform(points)]
        ((own,), _) = named_launches(text)
        ranks.append(sum(other < reach[own] for other in reach))
    assert np.mean(ranks) < 0.33
    assert max(ranks) <= 8


def test_roofs_lie_at_their_values():
    _, figure = drawing("seven")
    ridge = 33.5e12 / 4.8e12
    flat = line(figure, "roof-0-fp64").get_xydata()
    assert flat[0] == pytest.approx((ridge, 33.5e12))
    assert flat[1][1] == 33.5e12
    assert line(figure, "roof-0-tensor_fp64").get_xydata()[0] == pytest.approx((66.9e12 / 4.8e12, 66.9e12))
    slant = line(figure, "roof-0-dram").get_xydata()
    assert slant[:, 1] / slant[:, 0] == pytest.approx([4.8e12, 4.8e12])
    assert slant[1] == pytest.approx((66.9e12 / 4.8e12, 66.9e12))


def test_a_launch_on_the_roof_lies_on_the_drawn_line():
    on_slant = cases.launch(0, "copy", 0.25, 1.2e12)
    on_flat = cases.launch(1, "gemm", 50.0, 33.5e12)
    figure = roofline_figure(cases.analysis([on_slant, on_flat]))
    transform = figure.axes[0].transData.transform
    for gid, launch in (("roof-0-dram", on_slant), ("roof-0-fp64", on_flat)):
        start, end = transform(line(figure, gid).get_xydata())
        point = transform((launch.roofline.intensity_flop_per_byte, launch.roofline.performance_flop_per_s))
        unit = (end - start) / math.dist(start, end)
        across = (point - start) @ np.array([-unit[1], unit[0]])
        assert abs(across) < 0.01
        assert 0 < (point - start) @ unit < math.dist(start, end)


def test_the_tensor_roof_of_a_precision_is_dashed_unless_a_launch_uses_it():
    unused = line(drawing("one")[1], "roof-0-tensor_fp64")
    assert unused.get_linestyle() == "--"
    assert line(drawing("seven")[1], "roof-0-tensor_fp64").get_linestyle() == "-"


def test_only_precisions_present_get_a_roof():
    figure = roofline_figure(cases.analysis([cases.launch(0, "sgemm", 9.0, 3e13, "fp32")]))
    roofs = {line.get_gid() for line in figure.axes[0].get_lines() if str(line.get_gid()).startswith("roof-")}
    assert roofs == {"roof-0-dram", "roof-0-fp32", "roof-0-tensor_tf32"}


def test_roof_labels_give_value_and_source():
    launch = cases.launch(0, "scale", 0.0625, 2.5e11)
    faster = replace(launch, launch=1, ceilings={**launch.ceilings, "dram_bytes_per_s": Ceiling(4.9e12, "measured")})
    figure = roofline_figure(cases.analysis([launch, faster]))
    labels = {text.get_text() for text in texts(figure, "roof-label-")}
    wanted = {"DRAM 4.90 TB/s (measured)", "FP64 33.5 TFLOP/s (spec)", "tensor FP64 66.9 TFLOP/s (spec)"}
    assert labels == wanted
    assert line(figure, "roof-0-dram").get_ydata()[0] / line(figure, "roof-0-dram").get_xdata()[0] == 4.9e12


def test_each_gpu_has_its_own_roofs_and_name():
    _, figure = drawing("two GPUs")
    assert line(figure, "roof-0-fp64").get_ydata()[0] == 33.5e12
    assert line(figure, "roof-1-fp64").get_ydata()[0] == 9.7e12
    names = {text.get_text().split()[0] for text in texts(figure, "roof-label-")}
    assert names == {"H200", "A100"}
    fills = [line(figure, f"launch-0-{n}").get_fillstyle() for n in range(6)]
    assert fills == ["full"] * 3 + ["none"] * 3


def test_more_gpus_than_can_be_told_apart_are_named_in_the_note():
    figure = roofline_figure(cases.analysis(cases.launch(i, "k", 1.0, 1e12, gpu=f"GPU {i}") for i in range(6)))
    assert "Roofs not drawn for want of room: GPU 4, GPU 5." in note(figure)


def test_the_slowest_launch_stands_out():
    _, figure = drawing("seven")
    bold = [text.get_text() for text in texts(figure, "label-") if text.get_fontweight() == "bold"]
    assert bold == ["5 dgemm_cuda_cores"]
    edges = [line(figure, f"launch-0-{n}").get_markeredgewidth() for n in range(7)]
    assert edges.index(max(edges)) == 5
    sizes = [line(figure, f"launch-0-{n}").get_markersize() for n in range(7)]
    assert sizes.index(max(sizes)) == 5
    assert (sizes[6] / sizes[5]) ** 2 == pytest.approx(1.6 / 3.1)


def test_labels_show_the_innermost_range_and_shorten_in_the_middle():
    labels = {text.get_text() for text in texts(drawing("seven")[1], "label-")}
    assert "0 scale [fp64]" in labels
    assert "6 cutlass::gemm:…GemmUniversal" in labels


def test_launches_that_cannot_be_drawn_are_counted_with_the_reason():
    bare = cases.launch(1, "bare", None, None)
    tensor_only = replace(bare, launch=7, work=Work(tensor_flop={"fp64": 0.0}))
    no_work = replace(bare, launch=2, work=Work(0.0, 0.0, 0.0), traffic_bytes=Traffic(dram=8.0))
    cached = replace(bare, launch=3, work=Work(fp32_flop=5.0), traffic_bytes=Traffic(dram=0.0))
    uncounted = replace(cached, launch=4, traffic_bytes=Traffic())
    failed = replace(bare, launch=5, status="failed")
    nan = replace(uncounted, launch=6, roofline=Roofline(intensity_flop_per_byte=math.nan, performance_flop_per_s=1.0))
    infinite = replace(
        cached, launch=8, roofline=Roofline(intensity_flop_per_byte=math.inf, performance_flop_per_s=1.0)
    )
    idle = replace(no_work, launch=9, roofline=Roofline(intensity_flop_per_byte=0.0, performance_flop_per_s=0.0))
    drawn = cases.launch(0, "scale", 0.0625, 2.5e11)
    launches = [drawn, bare, tensor_only, no_work, cached, uncounted, failed, nan, infinite, idle]
    said = note(roofline_figure(cases.analysis(launches)))
    for sentence in (
        "2 launches not drawn: no FLOP counts.",
        "2 launches not drawn: no floating-point work.",
        "2 launches not drawn: no DRAM traffic.",
        "2 launches not drawn: no DRAM traffic counted.",
        "1 launch not drawn: profiling failed.",
    ):
        assert sentence in said


def test_a_launch_above_a_ceiling_is_drawn_and_named():
    launch = replace(cases.launch(0, "scale", 0.0625, 9e11), overlap=Overlap(status="ceiling_violation"))
    figure = roofline_figure(cases.analysis([launch]))
    assert "Above a ceiling: 0." in note(figure)
    assert figure.axes[0].get_ylim()[1] > 9e11


def test_the_note_says_that_only_the_slowest_are_labelled():
    assert "Labels name the slowest, 60 of 80 launches drawn." in note(drawing("eighty")[1])


def test_launches_of_one_kernel_in_one_place_share_label_and_row():
    _, figure = drawing("identical")
    assert [text.get_text() for text in texts(figure, "label-")] == ["0–59 scale"]
    _, pair = drawing("identical, two kernels")
    assert [text.get_text() for text in texts(pair, "label-")] == ["0 +29 ping\n1 +29 pong"]
    assert "0 +9 is launch 0 and nine more of that kernel in that place." in note(pair)
    _, crowd = drawing("fifteen kernels in one place")
    assert len(texts(crowd, "label-")) == 1
    assert [text.get_text() for text in texts(crowd, "list-0-")][:2] == ["0, 15, 30, 45", "1, 16, 31, 46"]
    assert {text.get_text() for text in texts(crowd, "list-2-")} == {"time", "4 × 1.00 ms"}


def test_a_place_is_shared_only_within_three_points():
    near = [cases.launch(0, "scale", 0.1, 2e11), cases.launch(1, "scale", 0.1, 2.02e11)]
    far = [cases.launch(0, "scale", 0.1, 2e11), cases.launch(1, "scale", 0.1, 2.6e11)]
    assert len(texts(draw(cases.analysis(near)), "label-")) == 1
    assert len(texts(draw(cases.analysis(far)), "label-")) == 2


def test_several_reports_number_launches_by_report():
    first = cases.launch(3, "scale", 0.0625, 2.5e11)
    figure = roofline_figure(cases.analysis([first, replace(first, report=1)], reports=2))
    assert [text.get_text() for text in texts(figure, "label-")] == ["0:3, 1:3 scale"]
    assert "Numbers are report:launch." in note(figure)


@pytest.mark.parametrize("lacking", ["dram_bytes_per_s", "fp64_flop_per_s", "all"])
def test_missing_ceilings_leave_their_roofs_out(lacking):
    launch = cases.launch(0, "scale", 0.0625, 2.5e11, gpu=None, time_s=None)
    kept = {} if lacking == "all" else {k: v for k, v in launch.ceilings.items() if k != lacking}
    figure = roofline_figure(cases.analysis([replace(launch, ceilings=kept)]))
    roofs = {str(line.get_gid()) for line in figure.axes[0].get_lines()} - {"launch-0-0", "None"}
    every = {"roof-0-dram", "roof-0-fp64", "roof-0-tensor_fp64"}
    assert roofs == (set() if lacking == "all" else every - {f"roof-0-{lacking.split('_')[0]}"})


def test_extreme_values_can_be_drawn():
    far = [cases.launch(0, "near", 1e-9, 1e-3), cases.launch(1, "far", 1e12, 3e13)]
    figure = roofline_figure(cases.analysis(far))
    assert len(texts(figure, "label-")) == 2
    assert 3 <= len(figure.axes[0].get_xticks()) <= 12


def test_nothing_to_draw_names_the_report_and_the_remedy():
    launch = cases.launch(0, "scale", None, None)
    with pytest.raises(ReportError) as caught:
        roofline_figure(cases.analysis([launch, replace(launch, launch=1)]))
    assert "2 x no FLOP counts" in caught.value.message
    assert (caught.value.where, caught.value.remedy) == (
        "run0.ncu-rep",
        "collect what is missing: nsightlens profile -- CMD",
    )
    with pytest.raises(ReportError, match="holds no launch"):
        roofline_figure(cases.analysis([]))


def test_plot_draws_into_axes_of_the_caller():
    figure = Figure(figsize=(12, 5), dpi=100)
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    place = right.get_position().bounds
    assert plot_roofline(cases.seven(), right) is right
    assert right.get_position().bounds == place
    assert not left.get_lines()
    assert len(texts(figure, "label-")) == 7


def test_too_small_axes_say_what_found_no_room():
    figure = Figure(figsize=(1.6, 1.2), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    plot_roofline(cases.scattered(), axes)
    boxes = [text.get_window_extent() for text in texts(figure, "label-")]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert "No room for the labels of" in note(figure)


@pytest.mark.parametrize(
    ("wanted", "placed"),
    [
        ([], []),
        ([5.0], [5.0]),
        ([5.0, 5.0], [5.5, 4.5]),
        ([0.0, 9.9, 10.0, 3.0], [0.0, 9.0, 10.0, 3.0]),
        ([10.0, 10.0, 10.0], [10.0, 9.0, 8.0]),
    ],
)
def test_stacked_labels_keep_their_distance_and_order(wanted, placed):
    assert stacked(np.array(wanted), 1.0, 0.0, 10.0) == pytest.approx(placed)


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-"), ("SVG", b"<?xml")])
def test_files_have_the_format_of_their_ending(tmp_path, ending, magic):
    path = save_roofline(cases.one(), tmp_path / f"roofline.{ending}")
    assert path.read_bytes().startswith(magic)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_the_same_analysis_gives_the_same_bytes(tmp_path):
    for ending in ("png", "pdf", "svg"):
        one, two = (save_roofline(cases.one(), tmp_path / f"{n}.{ending}").read_bytes() for n in "ab")
        assert one == two


def test_svg_holds_text_as_text_whatever_the_names(tmp_path):
    written = save_roofline(cases.hostile(5), tmp_path / "roofline.svg").read_text(encoding="utf-8")
    nodes = ET.fromstring(written).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314
    shown = ["".join(node.itertext()) for node in nodes]
    for text in (
        "FP64 33.5 TFLOP/s (spec)",
        r"$\frac{1}{ [\ud800 lo…urrogate]",
        r"\x1b[31mred\x1b[0m [\U0001f680 launch]",
        r"two\x0alines",
        r"<script>alert('&')</script>]]> [two\x0alines]",
        "(unnamed) [$x$]",
    ):
        assert text in shown
    assert max(map(len, shown)) < 120


def test_an_existing_file_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "roofline.png"
    path.write_bytes(b"mine")
    with pytest.raises(UsageError, match="--force"):
        save_roofline(cases.one(), path)
    assert path.read_bytes() == b"mine"
    save_roofline(cases.one(), path, force=True)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["roofline", "roofline.jpg", "roofline.png.txt"])
def test_other_endings_are_refused_with_the_three_that_work(tmp_path, name):
    with pytest.raises(UsageError, match=r"\.png, \.svg or \.pdf"):
        save_roofline(cases.one(), tmp_path / name)


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match="mkdir"):
        save_roofline(cases.one(), tmp_path / "none" / "roofline.png")


def test_a_failed_drawing_leaves_no_file(tmp_path):
    with pytest.raises(ReportError):
        save_roofline(cases.analysis([]), tmp_path / "roofline.png")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def analysed(monkeypatch):
    asked = []

    def fake(paths, **options):
        asked.append((paths, options))
        return cases.seven()

    monkeypatch.setattr("nsightlens.analysis.analyze_reports", fake)
    return asked


def test_the_command_writes_the_figure_and_says_so(analysed, tmp_path):
    out = tmp_path / "roofline.svg"
    run = CliRunner().invoke(command, ["a.ncu-rep", "b.ncu-rep", "-o", str(out)], catch_exceptions=False)
    assert (run.exit_code, run.stdout, run.stderr) == (0, "", f"nsightlens: wrote {out}\n")
    assert [str(path) for path in analysed[0][0]] == ["a.ncu-rep", "b.ncu-rep"]
    assert out.is_file()


def test_the_command_draws_the_selected_launches(analysed, tmp_path):
    out = tmp_path / "roofline.svg"
    CliRunner().invoke(command, ["a.ncu-rep", "--kernel", "stencil", "-o", str(out)], catch_exceptions=False)
    assert "stencil_2d5pt" in out.read_text(encoding="utf-8")
    assert "dgemm" not in out.read_text(encoding="utf-8")
    assert len(analysed) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], r"-o with a name ending in \.png, \.svg or \.pdf"),
        (["-o", "roofline.gif"], r"\.png, \.svg or \.pdf"),
        (["-o", "none/roofline.png"], "mkdir"),
    ],
)
def test_the_command_refuses_before_any_work(analysed, monkeypatch, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said):
        CliRunner().invoke(command, ["a.ncu-rep", *arguments], catch_exceptions=False)
    assert analysed == []


# -- memory levels and instructions ---------------------------------------------------------------------------------


def view(result, **options):
    figure = roofline_figure(result, **options)
    figure.draw_without_rendering()
    return figure


def place(figure, gid):
    return tuple(line(figure, gid).get_xydata()[0])


def slants(figure):
    found = {str(line.get_gid()) for line in figure.axes[0].get_lines()}
    return found & {"roof-0-dram", "roof-0-l2", "roof-0-l1"}


def test_a_launch_stands_under_the_roof_of_the_level_that_limits_it():
    _, figure = drawing("levels")
    assert [place(figure, f"launch-0-{n}")[0] for n in range(4)] == [0.0625, 0.13, 0.21, 13.0]
    assert slants(figure) == {"roof-0-dram", "roof-0-l2", "roof-0-l1"}
    x, y = line(figure, "roof-0-l2").get_xydata()[0]
    assert y / x == pytest.approx(10.4e12)
    assert "Held against L2: 1, 3. Held against L1: 2." in note(figure)
    assert figure.axes[0].get_xlabel() == "Operational intensity (FLOP/byte of the limiting memory level)"


def test_caches_have_no_roof_where_no_launch_is_held_against_them():
    first, *_ = cases.levels().launches
    figure = view(cases.analysis([first]))
    assert slants(figure) == {"roof-0-dram"}
    assert figure.axes[0].get_xlabel() == "Operational intensity (FLOP/byte of DRAM traffic)"


@pytest.mark.parametrize(
    ("level", "across"),
    [("dram", [0.0625, 12.0, 40.0, 250.0]), ("l2", [0.045, 0.13, 9.0, 13.0]), ("l1", [0.0625, 0.13, 0.21, 10.0])],
)
def test_all_launches_at_one_level(level, across):
    figure = view(cases.levels(), levels=level)
    assert [place(figure, f"launch-0-{n}")[0] for n in range(4)] == across
    assert slants(figure) == {f"roof-0-{level}"}
    assert overlapping(figure) == []


def test_marks_at_all_levels_stand_in_a_row():
    figure = view(cases.levels(), levels="all")
    echoes = {str(line.get_gid()): tuple(line.get_xydata()[0]) for line in figure.axes[0].get_lines()}
    echoes = {gid: spot for gid, spot in echoes.items() if gid.startswith("echo-0-1-")}
    assert echoes == {"echo-0-1-dram": (12.0, 1e12), "echo-0-1-l1": (0.13, 1e12)}
    assert place(figure, "launch-0-1") == (0.13, 1e12)
    keys = {text.get_text() for text in figure.axes[0].get_legend().get_texts()}
    assert {"at DRAM", "at L2", "at L1"} <= keys
    assert overlapping(figure) == []


def test_launches_without_floating_point_work_are_drawn_by_instructions():
    figure = view(cases.without_flop())
    assert overlapping(figure) == []
    assert place(figure, "launch-0-1") == pytest.approx((0.013, 1e11))
    assert line(figure, "roof-0-instructions").get_ydata()[0] == 1.04e12
    assert {text.get_text() for text in texts(figure, "roof-label-0-instr")} == {"issue 1.04 Tinst/s (report)"}
    assert figure.axes[0].get_xlabel().startswith("Instruction intensity (warp instructions/byte")
    assert figure.axes[0].yaxis.get_major_formatter()(1e11, 0) == "100 Ginst/s"


def test_beside_floating_point_work_the_note_says_how_to_draw_the_others():
    (gemm,), (copy, *_) = cases.levels().launches[3:], cases.without_flop().launches
    both = cases.analysis([gemm, replace(copy, launch=9)])
    figure = view(both)
    assert "1 launch not drawn: no floating-point work. It can be drawn with --instructions." in note(figure)
    twice = note(view(cases.analysis([gemm, replace(copy, launch=9), replace(copy, launch=10)])))
    assert "All of them can be drawn with --instructions." in twice
    drawn_too = view(both, instructions=True)
    assert place(drawn_too, "launch-0-9") == pytest.approx((0.00625, 2.5e10))
    assert "not drawn" not in note(drawn_too)
    assert overlapping(drawn_too) == []


def test_launches_whose_instructions_were_not_counted_are_said_to_be_missing():
    with pytest.raises(ReportError, match="no instructions counted"):
        roofline_figure(cases.one(), instructions=True)


def test_the_command_takes_levels_and_instructions(monkeypatch, tmp_path):
    monkeypatch.setattr("nsightlens.analysis.analyze_reports", lambda *_, **__: cases.levels())
    out = tmp_path / "roofline.svg"
    options = ["a.ncu-rep", "-o", str(out), "--instructions", "--levels", "all"]
    CliRunner().invoke(command, options, catch_exceptions=False)
    written = out.read_text(encoding="utf-8")
    assert "Instruction intensity (warp instructions/byte of each memory level)" in written
    refused = CliRunner().invoke(command, ["a.ncu-rep", "-o", str(out), "--levels", "hbm"])
    assert refused.exit_code == 2

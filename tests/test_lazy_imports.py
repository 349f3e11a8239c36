"""Heavy modules are imported only where they are needed: help is fast, and a missing extra breaks nothing else."""

import json
import subprocess
import sys

import pytest

import nsightlens

HEAVY = {"pandas", "numpy", "matplotlib", "rich", "ncu_report", "cupy", "nvtx", "click", "dask", "scipy", "jinja2"}
PROBE = """
import atexit, contextlib, json, sys

def tell():
    print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})), file=sys.stderr)

atexit.register(tell)
"""


def imported(program, *arguments):
    """Return the top-level modules that a program had imported when it ended."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE + program, *arguments], capture_output=True, check=True, text=True
    )
    return set(json.loads(done.stderr.splitlines()[-1])), done.stdout


def test_importing_the_package_imports_nothing_heavy():
    modules, _ = imported("import nsightlens; nsightlens.__version__")
    assert not modules & HEAVY


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["analyze", "--help"], []])
def test_help_imports_nothing_heavy_but_click(arguments):
    modules, out = imported(
        "from nsightlens.cli import main\nwith contextlib.suppress(SystemExit): main(sys.argv[1:])", *arguments
    )
    assert modules & HEAVY == {"click"}
    if arguments == ["--help"]:
        assert "analyze" in out


@pytest.mark.parametrize("arguments", [["metrics"], ["metrics", "--set", "losses"], ["metrics", "--format", "json"]])
def test_showing_the_metric_sets_imports_nothing_heavy_but_click(arguments):
    modules, out = imported(
        "from nsightlens.cli import main\nwith contextlib.suppress(SystemExit): main(sys.argv[1:])", *arguments
    )
    assert "losses" in out
    assert modules & HEAVY == {"click"}


@pytest.mark.parametrize("arguments", [["gpus"], ["stencil", "--gpu", "h200", "--shape", "2d5pt"]])
def test_asking_the_models_for_json_imports_nothing_heavy_but_click(arguments):
    modules, out = imported(
        "from nsightlens.cli import main\nwith contextlib.suppress(SystemExit): main(sys.argv[1:])",
        "model",
        *arguments,
        "--format",
        "json",
    )
    assert "nsightlens.model/1" in out
    assert modules & HEAVY == {"click"}


def test_analysing_to_json_keeps_the_native_reader_and_all_drawing_out_of_this_process(data):
    modules, out = imported(
        "from nsightlens.cli import main\nwith contextlib.suppress(SystemExit): main(sys.argv[1:])",
        "analyze",
        str(data / "range_replay.ncu-rep.xz"),
        "--format",
        "json",
    )
    assert json.loads(out)["launches"]
    assert not modules & {"ncu_report", "matplotlib", "rich", "cupy", "nvtx", "scipy", "pandas"}


def test_analysing_to_a_table_needs_no_drawing_and_no_frames(data):
    modules, out = imported(
        "from nsightlens.cli import main\nwith contextlib.suppress(SystemExit): main(sys.argv[1:])",
        "analyze",
        str(data / "range_replay.ncu-rep.xz"),
    )
    assert "range" in out
    assert "rich" in modules
    assert not modules & {"ncu_report", "matplotlib", "cupy", "nvtx", "scipy", "pandas"}


@pytest.mark.parametrize(
    "module",
    [
        "nsightlens.models.ablation",
        "nsightlens.models.implementations",
        "nsightlens.models.ledger",
        "nsightlens.models.overlap",
        "nsightlens.models.roofline",
        "nsightlens.models.scale",
        "nsightlens.models.stencil_catalogue",
        "nsightlens.models.stencil_tensor",
        "nsightlens.models.tensor_core",
        "nsightlens.launch",
        "nsightlens.ranges",
        "nsightlens.schema",
        "nsightlens.units",
        "nsightlens.collectors",
        "nsightlens.collectors.ncu_rep_child",
    ],
)
def test_light_layers_stay_light(module):
    modules, _ = imported(f"import {module}")
    assert not modules & HEAVY - {"nvtx"}


def test_public_names_are_found_when_they_are_used():
    for name in nsightlens.__all__:
        assert getattr(nsightlens, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        nsightlens.nothing_of_the_kind  # noqa: B018

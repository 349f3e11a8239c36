"""Standard output that is closed, full or left early; narrow terminals; links."""

import os
import subprocess
import sys

import pytest

from nsightlens.report import render


@pytest.fixture
def shell(data):
    """Return a function that runs ``nsightlens analyze`` on a recording, with a redirection of the shell."""

    def run(redirection, name="scale_full", *more):
        command = f'"$0" -m nsightlens analyze "$1" {" ".join(more)} {redirection}'
        arguments = ["bash", "-o", "pipefail", "-c", command, sys.executable, data / f"{name}.ncu-rep.xz"]
        return subprocess.run(arguments, capture_output=True, check=False, text=True)

    return run


@pytest.mark.parametrize(("redirection", "words"), [(">&-", "is closed"), ("> /dev/full", "No space left on device")])
@pytest.mark.parametrize("fmt", ["table", "json", "csv", "parquet", "markdown"])
def test_output_that_cannot_be_written_is_one_line(shell, redirection, words, fmt):
    done = shell(redirection, "scale_full", "--format", fmt)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("nsightlens: standard output: ")
    assert words in done.stderr


def test_a_file_is_written_although_standard_output_is_closed(shell, tmp_path):
    done = shell(">&-", "scale_full", "-o", str(tmp_path / "a.md"))
    assert done.returncode == 0
    assert (tmp_path / "a.md").read_text(encoding="utf-8").count("| scale |") == 1


def test_a_reader_that_has_left_ends_the_command_quietly(data):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "nsightlens", "analyze", data / "scale_full.ncu-rep.xz"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("width", [20, 40, 60, 79])
@pytest.mark.parametrize("brief", [False, True])
def test_nothing_is_cut_off_in_a_narrow_terminal(analysis_of, width, brief):
    analysis = analysis_of("scale_full")
    text = render(analysis, "table", brief=brief, width=width)
    assert max(map(len, text.splitlines())) <= width
    joined = "".join(text.split())
    times = ["545.1", "6207", "1261"] if brief else ["545µs", "6.21ms", "1.26ms"]
    for word in ("scale_strided", "fma_mem", *times):
        assert word in joined
    if not brief:
        assert "0.37–1.00" in joined


def test_what_a_dangling_link_names_is_written_and_the_link_stays(nsightlens, data, tmp_path):
    link, target = tmp_path / "link.json", tmp_path / "target.json"
    link.symlink_to(target)
    for force in ([], ["--force"]):
        done = nsightlens("analyze", data / "range_replay.ncu-rep.xz", "-o", link, *force)
        assert done.returncode == 0, done.stderr
        assert link.is_symlink()
        assert target.read_text(encoding="utf-8").startswith("{")


def test_a_link_to_itself_is_refused(nsightlens, data, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(link)
    done = nsightlens("analyze", data / "range_replay.ncu-rep.xz", "-o", link, "--force")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert link.is_symlink()

"""What a user meets whose file, option or output cannot be used: one clear line, an exit code, no traceback."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from report_blocks import blocks

from nsightlens.cli import main
from nsightlens.collectors.container import walk

SMALL = "range_replay"


@pytest.fixture(scope="module")
def small(data):
    """Return the bytes of a report with one launch."""
    return lzma.decompress((data / f"{SMALL}.ncu-rep.xz").read_bytes())


@pytest.fixture(scope="module")
def many(data):
    """Return the bytes of a report with four launches, each in a block of its own."""
    return lzma.decompress((data / "cuda_graph.ncu-rep.xz").read_bytes())


@pytest.fixture
def run(nsightlens, tmp_path):
    """Return a function: run the command line in a folder of the test, with what it wrote as text."""

    def call(*arguments, **options):
        done = nsightlens(*arguments, cwd=tmp_path, **options)
        done.out, done.err = done.stdout.decode(), done.stderr.decode()
        return done

    return call


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Return a function like ``run`` that stays in this process; each report is read in a child all the same."""

    def here(*arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main([str(argument) for argument in arguments])
                code = 0
            except SystemExit as leaving:
                code = leaving.code or 0
        return SimpleNamespace(returncode=code, out=out.getvalue(), err=err.getvalue())

    monkeypatch.chdir(tmp_path)
    return here


def require_one_line(done, code, *words):
    """Nothing on standard output; one line on standard error that holds the words; the exit code."""
    assert done.returncode == code, done.err
    assert done.out == ""
    assert done.err.startswith("nsightlens: ")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1
    assert done.err.rstrip("\n").isprintable()
    for word in words:
        assert word in done.err, done.err


# -- in a process of its own, as a user sees it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("absent.ncu-rep", 2, ("no such file", "nsightlens demo")),
        ("empty.ncu-rep", 3, ("an empty file", "profile again")),
        ("text.ncu-rep", 3, ("a text file", "ncu --import REPORT --page raw --csv")),
        ("cut.ncu-rep", 3, ("damaged or cut", "copy it again")),
        ("packed.ncu-rep.xz", 3, ("the compressed file is damaged or cut", "copy it again")),
        ("bare.ncu-rep", 3, ("holds no launch", "nsightlens profile")),
        (".", 2, ("not a file", "give the report itself")),
    ],
)
def test_one_line_an_exit_code_and_no_traceback(run, tmp_path, small, name, code, words):
    (tmp_path / "empty.ncu-rep").touch()
    (tmp_path / "text.ncu-rep").write_text("Some notes on a run.\n")
    (tmp_path / "cut.ncu-rep").write_bytes(small[: len(small) // 2])
    (tmp_path / "packed.ncu-rep.xz").write_bytes(lzma.compress(small)[:5000])
    (tmp_path / "bare.ncu-rep").write_bytes(BARE)
    require_one_line(run("analyze", name), code, f"nsightlens: {name}: ", *words)


BARE = b"NVR\0" + struct.pack("<I", 2) + b"\x08\x07"


# -- files that are no report ----------------------------------------------------------------------------------------


def test_a_missing_file_is_a_usage_error(call):
    require_one_line(call("analyze", "absent.ncu-rep"), 2, "absent.ncu-rep: no such file", "nsightlens demo")


@pytest.mark.parametrize("name", ["a" * 300, "/dev/null", ".", "here/below.ncu-rep"])
def test_what_is_no_file_is_a_usage_error(call, tmp_path, name):
    (tmp_path / "here").write_text("a file, not a folder")
    require_one_line(call("analyze", name), 2, name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root can read everything")
def test_a_file_that_may_not_be_read_is_a_usage_error(run, tmp_path, small):
    path = tmp_path / "secret.ncu-rep"
    path.write_bytes(small)
    path.chmod(0)
    require_one_line(run("analyze", path.name), 2, "secret.ncu-rep: cannot be opened", "permissions")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ("an empty file", "profile again")),
        (b"Some notes on a run.\n" * 50, ("a text file", "ncu --import REPORT --page raw --csv")),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", ("a Git LFS pointer", "git lfs pull")),
        (b"\n<!DOCTYPE html><html><body>404</body></html>", ("an HTML page", "download")),
        (b"<!doctype HTML>\n<title>404</title>", ("an HTML page", "download")),
        (b"<html><body>404</body></html>", ("an HTML page", "download")),
        (b"SQLite format 3\0" + bytes(500), ("an SQLite file", "Nsight Compute")),
        (b"PK\x03\x04" + bytes(500), ("a zip archive", "unpack")),
        (bytes(range(256)) * 8, ("a binary file", "ncu -o NAME")),
        (gzip.compress(b""), ("an empty file",)),
        (gzip.compress(b"some text\n" * 9), ("a text file",)),
        (bz2.compress(b"\0\1\2\3" * 100), ("a binary file",)),
        (lzma.compress(b"<html>"), ("an HTML page",)),
        (b"NVR\0", ("cut",)),
        (b"NVR\0\xff\xff\xff\xff", ("cut",)),
    ],
)
def test_a_file_of_another_kind_is_named_with_the_remedy(call, tmp_path, content, words):
    (tmp_path / "run.ncu-rep").write_bytes(content)
    require_one_line(call("analyze", "run.ncu-rep"), 3, "run.ncu-rep: ", *words)


def test_a_report_without_launches(call, tmp_path):
    (tmp_path / "run.ncu-rep").write_bytes(BARE)
    require_one_line(call("analyze", "run.ncu-rep"), 3, "run.ncu-rep: the report holds no launch", "nsightlens profile")


def test_a_report_whose_launches_were_taken_out(call, tmp_path, small):
    """The session and all else of a real report stay, its result blocks go."""
    kept = [block for block in blocks(small) if not walk(block if block.startswith(b"NVR") else HEADER + block).results]
    assert len(kept) > 1
    (tmp_path / "run.ncu-rep").write_bytes(b"".join(kept))
    require_one_line(call("analyze", "run.ncu-rep"), 3, "holds no launch")


HEADER = b"NVR\0" + struct.pack("<I", 0)


# -- damaged reports -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.01, 0.5])
def test_a_truncated_report(call, tmp_path, small, share):
    (tmp_path / "run.ncu-rep").write_bytes(small[: int(share * len(small))])
    require_one_line(call("analyze", "run.ncu-rep"), 3, "run.ncu-rep: the report is damaged or cut", "copy it again")


def test_a_report_that_lacks_its_last_byte(call, tmp_path, many):
    (tmp_path / "run.ncu-rep").write_bytes(many[:-1])
    done = call("analyze", "run.ncu-rep")
    require_one_line(done, 3, "run.ncu-rep: the report is damaged or cut", "--keep-going")


@pytest.fixture(scope="module")
def cut(many):
    """Return a report that ends inside its last block, and how many launches stand before that."""
    end = len(many) - 1000
    whole = walk(many[:end])
    assert 0 < whole.results < walk(many).results
    assert whole.end < end
    return many[:end], whole.results


def test_a_report_cut_inside_a_block_gives_the_launches_before_on_request(call, tmp_path, cut, document_of):
    content, count = cut
    (tmp_path / "run.ncu-rep").write_bytes(content)
    require_one_line(call("analyze", "run.ncu-rep"), 3, f"{count} whole launch", "--keep-going")
    done = call("analyze", "run.ncu-rep", "--keep-going", "--format", "json")
    assert (done.returncode, done.err) == (0, "")
    found = json.loads(done.out)
    assert found["launches"] == document_of("cuda_graph")["launches"][:count]
    (report,) = found["reports"]
    assert report["complete"] is False
    assert any("cut" in note for note in report["notes"])


def test_the_table_of_a_cut_report_says_what_was_lost(call, tmp_path, cut):
    (tmp_path / "run.ncu-rep").write_bytes(cut[0])
    done = call("analyze", "run.ncu-rep", "--keep-going")
    assert done.returncode == 0
    assert "Note: damaged: the block at byte" in done.out


def test_nothing_to_keep_is_an_error_all_the_same(call, tmp_path, small):
    (tmp_path / "run.ncu-rep").write_bytes(small[: len(small) // 2])
    require_one_line(call("analyze", "run.ncu-rep", "--keep-going"), 3, "damaged or cut")


@pytest.mark.parametrize("garbage", [b"x", b"trailing garbage\n" * 3, b"NVR\0"])
def test_garbage_after_a_report_is_damage_that_loses_no_launch(call, tmp_path, many, garbage):
    (tmp_path / "run.ncu-rep").write_bytes(many + garbage)
    require_one_line(call("analyze", "run.ncu-rep"), 3, "damaged", "--keep-going")
    done = call("analyze", "run.ncu-rep", "--keep-going", "--format", "json")
    assert done.returncode == 0
    assert len(json.loads(done.out)["launches"]) == 4


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes_give_one_line_or_a_report(call, tmp_path, many, seed):
    flipped = bytearray(many)
    for number in range(40):
        flipped[1000 + (seed * 7919 + number * 104729) % (len(many) - 1000)] ^= 0xFF
    (tmp_path / "run.ncu-rep").write_bytes(flipped)
    for options in ([], ["--keep-going"]):
        done = call("analyze", "run.ncu-rep", "--format", "json", *options)
        if done.returncode == 0:
            assert 0 < len(json.loads(done.out)["launches"]) <= 4
        else:
            require_one_line(done, 3, "run.ncu-rep: ")


def test_line_ends_converted_by_a_version_control_system(call, tmp_path, small):
    (tmp_path / "run.ncu-rep").write_bytes(small.replace(b"\n", b"\r\n"))
    require_one_line(call("analyze", "run.ncu-rep"), 3, "damaged or cut")


# -- compressed reports ----------------------------------------------------------------------------------------------

PACKERS = {
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
    "xz": lzma.compress,
    "gz": gzip.compress,
    "bz2": bz2.compress,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_reports_are_read_whatever_their_name(call, tmp_path, small, ending, document_of):
    (tmp_path / "run.data").write_bytes(PACKERS[ending](small))
    done = call("analyze", "run.data", "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.out)["launches"] == document_of(SMALL)["launches"]


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_report_cut_half_way(call, tmp_path, small, ending):
    packed = PACKERS[ending](small)
    (tmp_path / f"run.ncu-rep.{ending}").write_bytes(packed[: len(packed) // 2])
    words = (f"run.ncu-rep.{ending}: the compressed file is damaged or cut", "copy it again")
    require_one_line(call("analyze", f"run.ncu-rep.{ending}"), 3, *words)


@pytest.mark.parametrize(("ending", "place"), [("xz", 2000), ("xz", -6), ("gz", -6), ("bz2", -6)])
def test_a_compressed_report_with_a_flipped_byte(call, tmp_path, small, ending, place):
    packed = bytearray(PACKERS[ending](small))
    packed[place] ^= 0xFF
    (tmp_path / "run.ncu-rep").write_bytes(packed)
    require_one_line(call("analyze", "run.ncu-rep"), 3, "run.ncu-rep: ", "damaged")


def test_unpacking_stops_at_the_stated_size(call, tmp_path, small):
    (tmp_path / "run.ncu-rep.xz").write_bytes(lzma.compress(small))
    done = call("analyze", "run.ncu-rep.xz", "--max-size", "100K")
    require_one_line(done, 3, "run.ncu-rep.xz: the report is larger than 102400 bytes when unpacked", "--max-size")
    assert call("analyze", "run.ncu-rep.xz", "--max-size", f"{len(small)}").returncode == 0
    assert call("analyze", "run.ncu-rep.xz", "--max-size", f"{len(small) - 1}").returncode == 3


def test_a_bomb_is_not_unpacked_to_the_end(call, tmp_path):
    """A gigabyte of zeros after the magic; at most the first megabytes are ever written."""
    with gzip.open(tmp_path / "bomb.ncu-rep.gz", "wb", compresslevel=1) as packed:
        packed.write(b"NVR\0")
        for _ in range(64):
            packed.write(bytes(1 << 20))
    require_one_line(call("analyze", "bomb.ncu-rep.gz", "--max-size", "1MiB"), 3, "larger than 1048576 bytes")


MEASURE = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "nsightlens", *sys.argv[1:]], capture_output=True, text=True)
print(json.dumps([done.returncode, done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory in other units")
@pytest.mark.parametrize("start", [b"", b"NVR\0"])
def test_200_mib_of_zeros_in_xz_take_little_memory(tmp_path, start):
    """Beginning with zeros, and like a report. The larger of the two processes stays below half of 300 MB."""
    packer = lzma.LZMACompressor(preset=0)
    packed = [packer.compress(start), *(packer.compress(bytes(1 << 20)) for _ in range(200)), packer.flush()]
    (tmp_path / "zeros.ncu-rep.xz").write_bytes(b"".join(packed))
    command = [sys.executable, "-c", MEASURE, "analyze", "zeros.ncu-rep.xz"]
    code, message, most = json.loads(subprocess.run(command, capture_output=True, cwd=tmp_path, check=True).stdout)
    assert code == 3
    assert message.count("\n") == 1
    assert most * 1024 < 150e6


@pytest.mark.parametrize("size", ["", "many", "-5", "1.5G", "1X", "²", "G"])
def test_a_size_that_is_none_is_a_usage_error(call, size):
    done = call("analyze", "run.ncu-rep", "--max-size", size)
    assert done.returncode == 2
    assert "is no size" in done.err
    assert "Traceback" not in done.err


# -- a whole report that lacks what was to be known --------------------------------------------------------------------


def test_a_report_without_a_needed_counter_is_analysed_and_says_what_is_missing_and_how_to_get_it(run, data):
    done = run("analyze", data / "nested_nvtx.ncu-rep.xz", "--format", "json", "--launch", "0")
    assert (done.returncode, done.err) == (0, "")
    (launch,) = json.loads(done.out)["launches"]
    assert "sm__cycles_elapsed.avg" in launch["missing"]
    assert launch["remedy"].startswith("ncu ")
    assert "sm__cycles_elapsed.avg" in launch["remedy"]
    assert launch["time_s"] > 0
    assert launch["losses"] is None
    table = run("analyze", data / "nested_nvtx.ncu-rep.xz", "--launch", "0")
    assert "missing" in table.out
    assert "nsightlens profile" in table.out


# -- names that hold what a terminal would obey -----------------------------------------------------------------------

HOSTILE = b"bad\xff\x1b[31m\n\r\x07\xe2\x80\xae.ncu-rep"
SAFE = r"bad\udcff\x1b[31m\x0a\x0d\x07\u202e.ncu-rep"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_hostile_file_names_are_shown_safely(call, tmp_path, small):
    absent = call("analyze", os.fsdecode(HOSTILE))
    require_one_line(absent, 2, SAFE, "no such file")
    path = os.fsencode(tmp_path) + b"/" + HOSTILE
    Path(os.fsdecode(path)).write_bytes(b"")
    require_one_line(call("analyze", os.fsdecode(HOSTILE)), 3, SAFE, "an empty file")
    Path(os.fsdecode(path)).write_bytes(small)
    done = call("analyze", os.fsdecode(HOSTILE))
    assert done.returncode == 0
    assert SAFE in done.out.splitlines()[0]
    assert "\x1b" not in done.out
    assert "\x1b" not in done.err
    found = json.loads(call("analyze", os.fsdecode(HOSTILE), "--format", "json").out)
    shown = os.fsdecode(HOSTILE).encode("utf-8", "backslashreplace").decode()  # strict JSON holds no lone surrogate
    assert found["reports"][0]["path"] == shown


@pytest.mark.parametrize(
    "name", ["run.csv", "run", "run.ncu-repz", "with blanks & (brackets).ncu-rep", "ключ_核.ncu-rep"]
)
def test_a_report_is_known_by_its_content_and_not_by_its_name(call, tmp_path, small, name):
    (tmp_path / name).write_bytes(small)
    done = call("analyze", name, "--format", "json")
    assert done.returncode == 0, done.err
    assert len(json.loads(done.out)["launches"]) == 1


def test_a_name_that_looks_like_an_option(call, tmp_path, small):
    (tmp_path / "-x.ncu-rep").write_bytes(small)
    assert call("analyze", "--", "-x.ncu-rep").returncode == 0


# -- options and output ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(data):
    return data / f"{SMALL}.ncu-rep.xz"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kernel", "no such kernel"], ("no launch fits", "kernels: range")),
        (["--launch", "7"], ("no launch fits",)),
        (["--nvtx", "other"], ("no launch fits",)),
        (["--kernel", "("], ("--kernel: not a regular expression", "quote")),
        (["-o", "out.xlsx"], ("out.xlsx: no format is known", ".json", "--format")),
        (["-o", "out"], ("out: no format is known",)),
        (["-o", "absent/out.json"], ("absent/out.json: its folder does not exist", "mkdir -p ")),
        (["-o", "run.txt/out.json"], ("run.txt/out.json: ",)),
        (["-o", "run.txt"], ("run.txt: the file exists", "--force")),
        (["-o", "a" * 300 + ".json"], ("cannot be written: File name too long",)),
        (["-o", "pipe", "--format", "json"], ("pipe: is no ordinary file",)),
        (["-o", "pipe", "--format", "json", "--force"], ("pipe: is no ordinary file",)),
    ],
)
def test_options_that_cannot_be_carried_out(call, tmp_path, report, options, words):
    (tmp_path / "run.txt").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    require_one_line(call("analyze", report, *options), 2, *words)
    assert (tmp_path / "run.txt").read_text() == "mine"
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "run.txt"]


@pytest.mark.parametrize("options", [["-o", "."], ["--launch", "-1"], ["--top", "0"], ["--sort", "size"], ["--what"]])
def test_options_that_click_refuses(call, report, options):
    done = call("analyze", report, *options)
    assert done.returncode == 2
    assert "Traceback" not in done.err


def test_no_report_at_all(call):
    done = call("analyze")
    assert done.returncode == 2
    assert "REPORTS" in done.err


def test_the_output_is_checked_before_a_report_is_read(call, tmp_path):
    (tmp_path / "out.json").write_text("mine")
    (tmp_path / "run.ncu-rep").write_bytes(b"no report")
    require_one_line(call("analyze", "run.ncu-rep", "-o", "out.json"), 2, "the file exists")
    require_one_line(call("analyze", "run.ncu-rep", "-o", "out.xlsx"), 2, "no format is known")


def test_output_goes_to_the_file_in_the_format_of_its_extension(call, tmp_path, report):
    done = call("analyze", report, "-o", "out.json")
    assert (done.returncode, done.out, done.err) == (0, "", "nsightlens: wrote out.json\n")
    assert json.loads((tmp_path / "out.json").read_text())["schema"] == "nsightlens.analysis/1"
    done = call("analyze", report, "-o", "out.json", "--force", "--format", "table")
    assert done.returncode == 0
    assert "where the time went" in (tmp_path / "out.json").read_text().lower()
    assert call("analyze", report, "-o", "out.txt").returncode == 0
    assert (tmp_path / "out.txt").read_bytes() == (tmp_path / "out.json").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "out.txt"]


def test_a_new_file_has_the_permissions_that_the_user_asks_for(run, tmp_path, report):
    done = run("analyze", report, "-o", "out.json", preexec_fn=lambda: os.umask(0o027))
    assert done.returncode == 0
    assert (tmp_path / "out.json").stat().st_mode & 0o777 == 0o640


def test_one_bad_file_among_good_ones_is_named(call, tmp_path, report):
    (tmp_path / "bad.ncu-rep").write_bytes(b"")
    require_one_line(call("analyze", report, "bad.ncu-rep", report), 3, "bad.ncu-rep: ")


def test_one_bad_file_among_good_ones_is_left_out_on_request(call, tmp_path, report):
    (tmp_path / "bad.ncu-rep").write_bytes(b"NVR\0")
    done = call("analyze", report, "bad.ncu-rep", report, "--keep-going", "--format", "json")
    assert done.returncode == 0
    document = json.loads(done.out)
    assert [info["complete"] for info in document["reports"]] == [True, False, True]
    assert document["reports"][1]["notes"][0].startswith("not read: ")
    assert {launch["report"] for launch in document["launches"]} == {0, 2}
    assert "not read: " in call("analyze", report, "bad.ncu-rep", "--keep-going").out
    require_one_line(call("analyze", "bad.ncu-rep", "bad.ncu-rep", "--keep-going"), 3, "bad.ncu-rep")


def test_no_folder_for_temporary_files(call, report, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    require_one_line(call("analyze", report), 2, "no folder for temporary files", "set TMPDIR")


def test_nothing_is_left_behind_in_the_temporary_folder(call, tmp_path, report, small, monkeypatch):
    (tmp_path / "tmp").mkdir()
    (tmp_path / "bad.ncu-rep").write_bytes(small[:-9])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    for arguments in ([report], ["bad.ncu-rep"], [report, "bad.ncu-rep", report], ["bad.ncu-rep", "--keep-going"]):
        call("analyze", *arguments)
        assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_in_a_poor_encoding_is_no_failure(nsightlens, report, encoding):
    done = nsightlens("analyze", report, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert done.returncode == 0
    assert b"range" in done.stdout
    assert done.stderr == b""


# -- the corpus of public reports --------------------------------------------------------------------------------------


def test_every_public_report_is_analysed_with_all_of_its_launches(public):
    assert len(public) > 10
    for name, (row, done) in public.items():
        assert (done.returncode, done.err) == (0, ""), name
        launches = json.loads(done.out)["launches"]
        assert len(launches) == int(row["kernels"]), name
        failed = [launch for launch in launches if launch["status"] == "failed"]
        assert bool(failed) == ("nan" in row["notable"]), name


def test_public_text_files_end_in_one_line_or_an_analysis(corpus, batch):
    paths = sorted([*corpus.glob("*.csv"), *corpus.glob("*.txt"), *(corpus / "excerpts").iterdir()])
    for path, done in batch(paths, "--format", "json").items():
        if done.returncode == 0:
            assert json.loads(done.out)["launches"], path.name
        else:
            require_one_line(done, 3, f"{path}: ")


def whole(content, original):
    """Tell whether these bytes are a whole report: the original, whatever it is called, or packed."""
    with contextlib.suppress(OSError, EOFError):
        content = gzip.decompress(content)
    return content == original


def test_every_damaged_report_ends_in_one_line_or_an_analysis(corpus, batch):
    original = (corpus / "nvtrain__manual_nvtx.ncu-rep").read_bytes()
    analysed = []
    paths = [path for path in sorted((corpus / "damaged").iterdir()) if not path.read_bytes().startswith(b'"ID"')]
    for path, done in batch(paths, "--format", "json").items():
        if done.returncode == 0:
            analysed.append(path.name)
            assert done.err == "", path.name
            assert len(json.loads(done.out)["launches"]) == 3, path.name
            assert whole(path.read_bytes(), original) or path.name.startswith("flip_"), path.name
        else:
            require_one_line(done, 3, f"{path}: ")
            assert not whole(path.read_bytes(), original), path.name
    assert len(analysed) >= 8


KEPT = {
    "abort_fuzz300078.ncu-rep": 2,
    "append_nv.ncu-rep": 3,
    "twice_nv.ncu-rep": 3,
    "trunc_nv_50pct.ncu-rep": 1,
    "trunc_nv_75pct.ncu-rep": 2,
    "trunc_nv_minus1.ncu-rep": 2,
    "hole_nv.ncu-rep": 3,
    "flip_nv_03.ncu-rep": 3,
}
LOST = ("flip_nv_05.ncu-rep", "hdr_zero_12.ncu-rep", "trunc_nv_10pct.ncu-rep", "magic_random_64k.ncu-rep")


def test_what_is_whole_of_a_damaged_report_is_analysed_on_request(corpus, batch):
    paths = [corpus / "damaged" / name for name in (*KEPT, *LOST)]
    for path, done in batch(paths, "--keep-going", "--format", "json").items():
        if path.name in LOST:
            require_one_line(done, 3, path.name)
            continue
        assert (done.returncode, done.err) == (0, ""), path.name
        found = json.loads(done.out)
        assert len(found["launches"]) == KEPT[path.name], path.name
        assert any(launch["status"] == "ok" for launch in found["launches"]), path.name
        assert found["reports"][0]["complete"] is False
        assert found["reports"][0]["notes"], path.name


@pytest.mark.parametrize("name", ["run.ncu-rep", "./run.ncu-rep"])
def test_the_analysis_never_replaces_the_report(call, tmp_path, small, name):
    (tmp_path / "run.ncu-rep").write_bytes(small)
    done = call("analyze", "run.ncu-rep", "--format", "json", "-o", name, "--force")
    require_one_line(done, 2, "run.ncu-rep: would replace the report", "choose another name")
    assert (tmp_path / "run.ncu-rep").read_bytes() == small

"""Following the messages of ncu."""

import pytest

from nsightlens.launch.log import MAX_MESSAGES, Log


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('==PROF== Profiling "scale" - 3: 0%....50%....100% - 17 passes', "scale"),
        ('==PROF== Profiling "scale" - 3 (4/10): 0%....50%....100% - 17 passes', "scale"),
        ('==PROF== Profiling "scale": 0%....50%....100% - 1 pass', "scale"),
        ('==PROF== Profiling "op "" x" - 0: 0%....50%....100% - 8 passes', 'op "" x'),
        ('==PROF== Profiling "a: b - 3: 100%" - 0: 0%....50%....100% - 8 passes', "a: b - 3: 100%"),
        ("==PROF== Profiling range 0: 0%....50%....100% - 8 passes", "range 0"),
    ],
)
def test_a_finished_launch_is_counted_whatever_the_version_of_ncu(tmp_path, line, name):
    log = Log(tmp_path / "log")
    log.path.write_text(f"{line}\n")
    log.read()
    assert (log.launches, log.current, log.messages) == (1, name, [])


def test_a_line_that_grows_is_followed(tmp_path):
    log = Log(tmp_path / "log")
    log.read()
    assert log.current is None
    with log.path.open("w") as file:
        for piece, launches in ((' "sca', 0), ('le" - 0: 0%..', 0), ("..50%....100% - 2 passes\n", 1)):
            file.write(f"==PROF== Profiling{piece}" if launches == 0 and "sca" in piece else piece)
            file.flush()
            log.read()
            assert log.launches == launches
    assert log.current == "scale"


def test_a_failed_launch_is_not_counted_and_its_error_is_kept(tmp_path):
    log = Log(tmp_path / "log")
    log.path.write_text(
        '==PROF== Profiling "k" - 0: 0%\n==ERROR== LaunchFailed\n==PROF== Profiling "k" - 1: 0%..==ERROR== X'
    )
    log.close()
    assert (log.launches, log.messages) == (0, ["==ERROR== LaunchFailed", "==ERROR== X"])


def test_text_that_is_not_utf8_and_split_characters_are_read(tmp_path):
    log = Log(tmp_path / "log")
    data = 'é\n==PROF== Profiling "\u00e9"'.encode() + b"\xff\n"
    for length in range(1, len(data) + 1):
        log.path.write_bytes(data[:length])
        log.read()
    assert log.messages == ["é"]
    assert log.current == "é"


def test_memory_is_bounded(tmp_path):
    log = Log(tmp_path / "log")
    log.path.write_text("x\n" * (MAX_MESSAGES + 5))
    log.close()
    assert len(log.messages) == MAX_MESSAGES

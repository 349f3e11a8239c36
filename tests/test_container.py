"""The walk over the blocks of a report, on reports made here byte by byte."""

import lzma
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsightlens.collectors.container import MAGIC, walk


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(*fields):
    """Write a protobuf message: integers as varints, everything else as bytes."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def block(payload=b"", *fields):
    header = message(*fields, (5, len(payload)))
    return struct.pack("<I", len(header)) + header + payload


def results(count, process_id=None, field=2):
    """Write a block that holds ``count`` results of 12 bytes each."""
    payload = (struct.pack("<I", 8) + b"entry...") * count
    process = () if process_id is None else ((6, message((1, process_id), (2, b"host"), (3, b"program"))),)
    return block(payload, (field, count), *process)


def session(command_line=b"ncu -o out ./app", devices=(b"NVIDIA H200",), facts=((b"CUDA Version", b"13.0"),)):
    parts = [(8, message((1, name), (2, value))) for name, value in facts]
    parts += [(11, command_line)]
    parts += [(6, message((1, 0), (2, name))) for name in devices]
    return block(b"", (3, message(*parts)))


def report(*blocks):
    return MAGIC + struct.pack("<I", 2) + b"\x08\x07" + b"".join(blocks)


WHOLE = report(session(), results(2, 101), results(1, 202), results(1, 202, field=7), results(3, 303, field=9))


def test_whole_report_has_no_damage_and_all_of_its_results():
    found = walk(WHOLE)
    assert found.damage is None
    assert found.end == found.size == len(WHOLE)
    assert found.results == 7


def test_process_ids_stand_once_per_result_in_file_order():
    assert walk(WHOLE).process_ids == [101, 101, 202, 202, 303, 303, 303]


def test_a_block_without_process_leaves_the_ids_of_later_launches_in_place():
    assert walk(report(results(2), results(1, 7))).process_ids == [None, None, 7]


def test_session_facts_devices_and_command_line():
    found = walk(
        report(session(b"ncu --set full ./a \xff\0", (b"A", b"B\0"), ((b"x", b"1"), (b"y", b"2"))), results(1, 5))
    )
    assert found.facts == {"x": "1", "y": "2"}
    assert found.devices == ["A", "B"]
    assert found.command_line == "ncu --set full ./a �"


def test_a_cut_anywhere_is_seen_unless_it_falls_between_two_blocks():
    blocks = [session(), results(2, 101), results(1, 202), results(1, 202, field=7), results(3, 303, field=9)]
    ends = {len(report(*blocks[:count])) for count in range(len(blocks))}
    for cut in range(len(WHOLE)):
        found = walk(WHOLE[:cut])
        assert (found.damage is None) == (cut in ends), cut
        assert found.end <= cut
        assert found.results == len(found.process_ids) <= 7


def test_a_cut_report_keeps_the_results_of_its_whole_blocks():
    first = report(session(), results(2, 101))
    found = walk(WHOLE[: len(first) + 9])
    assert found.damage is not None
    assert found.damage == f"the block at byte {len(first)} is cut"
    assert (found.results, found.end, found.process_ids) == (2, len(first), [101, 101])


@pytest.mark.parametrize("garbage", [b"x", b"garbage", b"\0" * 3, b"\xff" * 64, MAGIC, WHOLE])
def test_garbage_after_the_last_block_is_damage(garbage):
    found = walk(WHOLE + garbage)
    assert found.damage is not None
    assert (found.results, found.end) == (7, len(WHOLE))


def test_a_file_header_longer_than_the_file_is_damage():
    assert walk(MAGIC + struct.pack("<I", 500) + b"\x08\x07").damage is not None


@pytest.mark.parametrize("count", [1 << 20, 1 << 40, (1 << 69) - 1])
def test_a_result_count_that_the_payload_cannot_hold_is_damage_and_takes_no_memory(count):
    found = walk(report(results(1, 5), block(b"1234", (2, count), (6, message((1, 9))))))
    assert found.damage is not None
    assert (found.results, found.process_ids) == (1, [5])


@pytest.mark.parametrize("number", [2, 7, 9])
def test_a_result_count_that_is_no_number_is_damage(number):
    assert walk(report(block(b"1234", (number, b"text")))).damage is not None


def test_a_damaged_block_counts_for_nothing():
    broken = block(b"12345678", (2, 1), (6, b"\xff\xff"))
    found = walk(report(results(1, 5), broken))
    assert found.damage is not None
    assert (found.results, found.process_ids, found.end) == (1, [5], len(report(results(1, 5))))


def test_a_process_id_that_is_no_number_is_unknown():
    assert walk(report(block(b"12345678", (2, 1), (6, message((1, b"text")))))).process_ids == [None]


@given(st.binary(max_size=200))
def test_no_bytes_at_all_raise(data):
    found = walk(MAGIC + data)
    assert 0 <= found.end <= found.size == len(data) + 4
    assert found.results == len(found.process_ids) <= found.size


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_no_flipped_byte_raises(changes):
    data = bytearray(WHOLE)
    for position, value in changes:
        data[position] = value
    found = walk(bytes(data))
    assert found.results == len(found.process_ids) <= found.size
    assert all(number is None or isinstance(number, int) for number in found.process_ids)


def test_recordings_are_whole_and_hold_as_many_results_as_launches(recording, data, report_of):
    found = walk(lzma.decompress((data / f"{recording}.ncu-rep.xz").read_bytes()))
    assert found.damage is None
    assert found.end == found.size
    assert found.results == len(found.process_ids) == len(report_of(recording).launched)

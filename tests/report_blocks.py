"""Takes a report apart into its blocks and makes others of them, without a line of nsightlens."""

import struct
from itertools import cycle, islice


def blocks(report):
    """Cut a report into its file header and its blocks, by the lengths that it states."""
    end = 8 + struct.unpack_from("<I", report, 4)[0]
    parts = [report[:end]]
    while end < len(report):
        start = end
        payload = start + 4 + struct.unpack_from("<I", report, start)[0]
        end = payload + fields(report[start + 4 : payload]).get(5, 0)
        parts.append(report[start:end])
    return parts


def results(block):
    """Return how many results a block says to hold."""
    header = fields(block[4 : 4 + struct.unpack_from("<I", block, 0)[0]])
    return sum(header.get(number, 0) for number in (2, 7, 9))


def fields(header):
    """Return the numbers in a protobuf message, by field."""
    position, found = 0, {}
    while position < len(header):
        key, position = varint(header, position)
        value, position = varint(header, position)
        if key & 7 == 2:
            position += value
        else:
            found[key >> 3] = value
    return found


def varint(data, position):
    end = next(index for index in range(position, len(data)) if data[index] < 128) + 1
    return sum((byte & 127) << 7 * place for place, byte in enumerate(data[position:end])), end


def with_launches(report, count):
    """Return a report of at least ``count`` launches: its own blocks, those of its launches but the first repeated."""
    parts = blocks(report)
    holding = [index for index, part in enumerate(parts) if index and results(part)]
    missing = count - sum(results(parts[index]) for index in holding)
    more = []
    for index in cycle(holding[1:]):
        if missing <= 0:
            break
        more.append(parts[index])
        missing -= results(parts[index])
    return b"".join([*parts[: holding[-1] + 1], *more, *parts[holding[-1] + 1 :]])


def first_launches(report, count):
    """Return a report with the blocks of the first ``count`` launches; each of its blocks must hold one."""
    parts = blocks(report)
    holding = [index for index, part in enumerate(parts) if index and results(part)]
    dropped = set(islice(holding, count, None))
    return b"".join(part for index, part in enumerate(parts) if index not in dropped)

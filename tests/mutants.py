"""Damage for text files: random mutations, and where the launches of an undamaged file end."""

import csv

PIECES = [
    b'"', b'""', b'","', b",", b";", b"\n", b"\r\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"n/a", b"nan", b"1.234",
    b"1,234", b"==ERROR== x\n", b'"ID","Process ID","Kernel Name"', b"Section: x\n", b"    ---- ---- ----\n",
    b"(1, 1, 1)", b"\xe9",
]  # fmt: skip
LAUNCH_COLUMNS = ("ID", "Process ID", "Kernel Name", "Device", "Kernel", "Invocations", "Domain")


def mutated(data, dice):
    """Return the bytes after one to four random changes."""
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(data) + 1)
        length = dice.choice([1, 1, 3, 20, 400])
        kind = dice.randrange(5)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + data[at + length :]
        elif kind == 2:
            data = data[:at] + dice.choice(PIECES) + data[at:]
        elif kind == 3:
            data = data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]
        else:
            data = data[:at] + data[dice.randrange(len(data) + 1) :][:length] + data[at:]
    return data


def narrowed(text, most):
    """Return a raw page with its first ``most`` columns and the time, and its first launches."""
    rows = list(csv.reader(text.splitlines()))[:12]
    time = rows[0].index("gpu__time_duration.sum")
    return "".join('"' + '","'.join([*row[:most], row[time]]) + '"\n' for row in rows)


def launch_ends(text):
    """Return, for each launch of an undamaged file of one table, the position behind its last printed character.

    Written apart from the readers: a launch of a CSV table is a run of lines that name the same launch, one of a text
    page a run of lines from one heading with a block size to the next process, device or heading.
    """
    return _page_ends(text) if "Section: " in text and not text.lstrip("=").startswith('"') else _table_ends(text)


def _table_ends(text):
    ends, position, columns, last = [], 0, None, None
    for line in text.splitlines(keepends=True):
        position += len(line)
        cells = next(csv.reader([line.rstrip("\n")]), [])
        if columns is None:
            columns = cells if len(cells) > 3 and {"Kernel Name", "Kernel", "Name"} & set(cells) else None
            continue
        row = dict(zip(columns, cells, strict=False))
        wide = "Metric Name" not in columns
        if wide and not (row.get("Grid X") or row.get("Kernel Name")):
            continue  # the row of units, and what is no kernel
        key = position if wide else tuple(row.get(column) for column in LAUNCH_COLUMNS)
        if key != last:
            ends.append(position)
        ends[-1], last = position - len(line) + len(line.rstrip("\n,")), key  # ncu ends short rows with a comma
    return ends


def _page_ends(text):
    ends, position, inside = [], 0, False
    for line in text.splitlines(keepends=True):
        position += len(line)
        if ", Invocations " in line or ", Context " in line:
            ends.append(position)
            inside = True
        elif line.startswith(("[", "  Device ")):
            inside = False
        elif inside and line.strip():
            ends[-1] = position - 1
    return ends

"""Damaged text files by the ten thousand: what is read, what is refused, and whether anything else ever happens.

Run as ``python tests/benchmarks/fuzz_text.py``; needs no GPU. Prints the table of docs/measurements/fuzz.md.
"""

import argparse
import lzma
import os
import random
import runpy
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

from nsightlens.collectors.text.reader import detect, read, sniff
from nsightlens.errors import ReportError

TESTS = Path(__file__).parent.parent
HELP = SimpleNamespace(**runpy.run_path(str(TESTS / "mutants.py")))
READERS = {
    "raw CSV": ("ncu-csv-raw",),
    "details CSV": ("ncu-csv-details", "ncu-csv-metrics"),
    "print-summary text": ("ncu-text-summary",),
    "nvprof": ("nvprof-csv-metrics", "nvprof-csv-summary", "nvprof-csv-trace"),
}
LARGEST = 36_000
RAW_COLUMNS = 40
LIMIT_S = 5.0  # of processor time: a busy machine is no fault of the reader
OUTCOMES = ("refused", "right", "last number, said", "boundary, said", "boundary, unseen")


def seeds(folder: Path) -> dict[str, list[bytes]]:
    """Return the undamaged files of each reader: the test data, and the public corpus where it is present."""
    files = [path for path in sorted((TESTS / "data" / "csv").iterdir()) if "instances" not in path.name]
    corpus = Path(os.environ.get("NSIGHTLENS_CORPUS", "absent"))
    files += sorted(
        path for path in corpus.rglob("*") if path.suffix in {".csv", ".txt"} and "damaged" not in path.parts
    )
    found: dict[str, list[bytes]] = {name: [] for name in READERS}
    for path in files:
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        plain = folder / "seed"
        plain.write_bytes(data)
        form = detect(plain)
        if form == "ncu-csv-raw" and len(data) > LARGEST and path.suffix == ".xz":
            data = HELP.narrowed(data.decode(), RAW_COLUMNS).encode()
        for name, forms in READERS.items():
            if form in forms and len(data) <= LARGEST:
                found[name].append(data)
    return found


def attempt(path: Path, data: bytes, *, keep_going: bool) -> tuple[str, int, bool]:
    """Read bytes; return what happened, how many launches came, and whether the file was called complete."""
    path.write_bytes(data)
    begun = time.process_time()
    try:
        sniff(data[: 1 << 16])
        session, *launches, _ = read(path, keep_going=keep_going)
        result = "read", len(launches), session["complete"]
    except ReportError:
        result = "refused", 0, False
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is looked for
        result = f"escaped: {type(error).__name__}: {error}", 0, False
    return ("slow", 0, False) if time.process_time() - begun > LIMIT_S else result


def mutate(name: str, files: list[bytes], inputs: int, path: Path) -> Counter[str]:
    """Read ``inputs`` mutated files and count what happened."""
    dice = random.Random(name)  # noqa: S311
    counts: Counter[str] = Counter()
    for number in range(inputs):
        data = HELP.mutated(files[number % len(files)], dice)
        happened, *_ = attempt(path, data, keep_going=bool(number % 2))
        counts[happened] += 1
        if happened not in {"read", "refused"}:
            keep(happened, data)
    return counts


def cut(files: list[bytes], step: int, path: Path) -> Counter[str]:
    """Cut each file at every ``step``-th byte and compare the launches read with those wholly before the cut.

    Files whose launches the plain reference cannot tell (other encodings, quotes in names, a cut seed) are left out.
    """
    counts: Counter[str] = Counter()
    for data in files:
        ends = HELP.launch_ends(data.decode()) if data.isascii() and b"\r" not in data else []
        if not ends or attempt(path, data, keep_going=False)[1] != len(ends):
            continue
        counts["files"] += 1
        for end in range(0, len(data), step):
            happened = judge(data, end, sum(last <= end for last in ends), path)
            counts[happened] += 1
            if happened not in OUTCOMES:
                keep(happened, data[:end])
    return counts


def judge(data: bytes, end: int, whole: int, path: Path) -> str:
    """Return what became of a file that was cut behind ``end`` bytes and holds ``whole`` whole launches."""
    happened, launches, complete = attempt(path, data[:end], keep_going=False)
    if happened != "read" or launches == whole:
        return "right" if happened == "read" else happened
    rest = data[end:].partition(b"\n")[0]
    if data[:end].endswith(b"\n") or not rest:
        return "boundary, unseen" if complete else "boundary, said"
    return "last number, said" if not complete and not set(b'",;') & set(rest) else "wrong"


def keep(what: str, data: bytes) -> None:
    """Say what went wrong and keep the file."""
    with tempfile.NamedTemporaryFile(prefix="nsightlens-fuzz-", delete=False) as file:
        file.write(data)
    print(f"{what}: {file.name}", file=sys.stderr)


def main() -> None:
    """Print both tables; exit 1 if anything but a result or a refusal occurred."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000, help="mutated inputs of each reader")
    parser.add_argument("--step", type=int, default=1, help="cut at every STEP-th byte")
    parser.add_argument("--reader", action="append", choices=READERS, help="only this reader; repeatable")
    asked = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        found = {name: files for name, files in seeds(Path(folder)).items() if name in (asked.reader or READERS)}
        print("| reader | seeds | mutated | read | refused | escaped | over 5 s |\n|---|---|---|---|---|---|---|")
        for name, files in found.items():
            counts = mutate(name, files, asked.inputs, path)
            escaped = asked.inputs - counts["read"] - counts["refused"] - counts["slow"]
            bad += escaped + counts["slow"]
            cells = (name, len(files), asked.inputs, counts["read"], counts["refused"], escaped, counts["slow"])
            print("|", " | ".join(map(str, cells)), "|", flush=True)
        columns = (*OUTCOMES, "wrong")
        print("\n| reader | files | cuts |", " | ".join(columns), "|\n|---|---|---|" + "---|" * len(columns))
        for name, files in found.items():
            counts = cut(files, asked.step, path)
            cuts = counts.total() - counts["files"]
            bad += cuts - sum(counts[column] for column in columns[:-1])
            print(
                f"| {name} | {counts['files']} | {cuts} |", " | ".join(str(counts[c]) for c in columns), "|", flush=True
            )
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()

"""Write ``docs/corpus.md``: what every public file and recording must give, and what it gives.

Run as ``python tests/benchmarks/corpus_page.py CORPUS``, the folder of public reports, with the recordings beside it.
"""

import csv
import math
import sys
from pathlib import Path

from nsightlens.collectors import read
from nsightlens.errors import ReportError
from nsightlens.text import count

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests" / "data"
PAGE = ROOT / "docs" / "corpus.md"
EXPECTED = DATA / "corpus_expected.tsv"
RECORDINGS = "recordings/"
FACTS = ("launches", "failed", "time_s", "error")
COLUMNS = ("file", "expected", "found", "format", "ncu", "GPU", "note")
PARTS = {
    "": "Public files as their authors published them",
    "excerpts": "Short extracts of public files",
    "derived": "Text files in other encodings, separators and locales, made by script",
    "damaged": "Broken reports, made by script",
    "recordings": "Recordings on an H200",
}
HEAD = """# Every file that the readers are tried on

Made by `python tests/benchmarks/corpus_page.py CORPUS` from
[tests/data/corpus_expected.tsv](../tests/data/corpus_expected.tsv) and from what nsightlens gives;
`tests/test_corpus.py` holds both in place. What is expected was noted before nsightlens read the file: for a
`.ncu-rep` by a plain loop over NVIDIA's
`ncu_report` (launches; those whose time is nan; the sum of `gpu__time_duration.sum`), for text by reading it, for a
broken report by its bytes beside the whole one. Where an expectation was put right later, the note says so.

The public files are not part of this project, so their tests are skipped where the folder that
`NSIGHTLENS_CORPUS` names is absent.
"""


def expectations() -> list[dict[str, str]]:
    """Return one row a file, as it stands in the table of expectations."""
    with EXPECTED.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def place(name: str, corpus: Path) -> Path:
    """Return where a file of the table lies: a recording that the project keeps is taken from there."""
    if not name.startswith(RECORDINGS):
        return corpus / name
    own = name.removeprefix(RECORDINGS)
    kept = (DATA / own, DATA / "csv" / f"{own}.xz")
    return next((path for path in kept if path.is_file()), corpus.parent / name)


def outcome(path: Path) -> dict[str, str]:
    """Read one file with nsightlens and return what came, in the words of the table."""
    try:
        (report,) = read([path])
    except ReportError as error:
        blank = dict.fromkeys((*FACTS, "format", "ncu", "GPU"), "-")
        return {**blank, "error": type(error).__name__, "message": error.message}
    rows = [launch.row for launch in report.launched]
    times = [launch.values["time_s"] for launch in report.launched if not math.isnan(launch.values["time_s"])]
    capabilities = {f"cc {row['compute_capability']}" for row in rows if not math.isnan(row["compute_capability"])}
    return {
        "launches": str(len(rows)),
        "failed": str(sum(row["status"] == "failed" for row in rows)),
        "time_s": f"{math.fsum(times):.12g}" if times else "-",
        "error": "-",
        "message": "-",
        "format": report.format,
        "ncu": report.ncu_version or "-",
        "GPU": ", ".join(report.gpus or sorted(capabilities)) or "-",
    }


def render(rows: list[dict[str, str]], found: dict[str, dict[str, str]]) -> str:
    """Return the page."""
    parts = [HEAD]
    for folder, title in PARTS.items():
        own = [row for row in rows if row["file"].rpartition("/")[0] == folder]
        head = f"\n## {title}\n\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
        parts.append(head + "".join(_line(row, found[row["file"]]) for row in own))
    return "".join(parts)


def expected_cells(row: dict[str, str]) -> str:
    """Return how a line of the page begins: the file and what is expected of it."""
    refusal = f"refused: {row['says']}"
    return f"| `{row['file']}` | {_outcome(row, refusal)} | "


def _line(row: dict[str, str], found: dict[str, str]) -> str:
    cells = [_outcome(found, f"refused: {found['message']}"), found["format"], found["ncu"], found["GPU"], row["note"]]
    return expected_cells(row) + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _outcome(row: dict[str, str], refusal: str) -> str:
    if row["error"] != "-":
        return refusal
    failed = "" if row["failed"] == "0" else f", {row['failed']} failed"
    time = "no time" if row["time_s"] == "-" else f"{float(row['time_s']):.12g} s"
    return f"{count(int(row['launches']), 'launch')}{failed}, {time}"


def main(corpus: Path) -> None:
    """Write the page."""
    rows = expectations()
    found = {row["file"]: outcome(place(row["file"], corpus)) for row in rows}
    PAGE.write_text(render(rows, found), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

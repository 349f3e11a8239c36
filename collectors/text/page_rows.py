"""Rows of the tables on ncu's text pages: columns are where the dashes are."""

import re

_DASHES = re.compile(r"\s*-{4,}(?: -{3,})+\s*")
_SINGLE, _SUMMARY = 3, 5
_HEAD = "Metric Name"
_GAP = re.compile(r"\s{2,}")


class Rows:
    """Follows the tables of a page and takes their rows apart.

    A table is enclosed in dashes, with or without a row of column names and more dashes below it; on the raw page it
    has the names above the dashes and ends with an empty line.
    """

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []
        self._count = 0
        self._named = False

    @property
    def inside(self) -> bool:
        """Whether a table was begun and not ended."""
        return bool(self._spans)

    def close(self) -> None:
        """Forget the table at hand."""
        self._spans, self._count, self._named = [], 0, False

    def feed(self, text: str) -> tuple[str, str, str] | None:
        """Take one line and return label, unit and value if it is a row."""
        if _DASHES.fullmatch(text):
            self._dashes([match.span() for match in re.finditer("-+", text)])
        elif not text.strip():
            self.close()
        elif self._spans:
            if text.lstrip().startswith(_HEAD) and not self._count:
                self._named = True
                return None
            self._count += 1
            return self._row(text)
        return None

    def _dashes(self, spans: list[tuple[int, int]]) -> None:
        if self._spans and (self._count or not self._named):
            self.close()
        elif len(spans) in {_SINGLE, _SUMMARY}:
            self._spans = spans

    def _row(self, text: str) -> tuple[str, str, str]:
        starts = [start for start, _ in self._spans]
        if all(start > len(text) or text[start - 1] == " " for start in starts[1:]):
            cells = [text[a:b].strip() for a, b in zip([0, *starts[1:]], [*starts[1:], None], strict=True)]
            return cells[0], cells[1], cells[-1]
        words = _GAP.split(text.strip())
        words = words if len(words) > 1 else text.split()
        return words[0], words[1] if len(words) >= len(starts) else "", words[-1]

"""Answers of the models as text, Markdown and JSON (``nsightlens.model/1``)."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from nsightlens._version import __version__
from nsightlens.text import printable

if TYPE_CHECKING:
    from nsightlens.answers.answer import Answer, Fact, Listing

SCHEMA = "nsightlens.model/1"
WIDTH = 80
FOLD = 20
_SENTENCES = ("reasoning", "assumptions", "cautions")
_TITLES = {"reasoning": "Why", "assumptions": "Assumed", "cautions": "To note"}


def document(answer: "Answer") -> dict[str, Any]:
    """Return an answer as plain dicts and lists."""
    listings = {
        listing.name: [
            {column.name: value for column, value in zip(listing.columns, row, strict=True)} for row in listing.rows
        ]
        for listing in answer.listings
    }
    return {
        "schema": SCHEMA,
        "tool": {"name": "nsightlens", "version": __version__},
        "model": answer.model,
        "subject": answer.subject,
        "given": {fact.name: fact.value for fact in answer.given},
        "results": {fact.name: fact.value for fact in answer.results} | listings,
        "verdict": answer.verdict or None,
        **{name: list(getattr(answer, name)) for name in _SENTENCES},
    }


def render_json(answer: "Answer") -> str:
    """Return an answer as JSON."""
    return json.dumps(document(answer), indent=1, allow_nan=False) + "\n"


def render_table(answer: "Answer", width: int = WIDTH) -> str:
    """Return an answer as text."""
    blocks = [_wrapped(answer.subject, width)]
    if answer.verdict:
        blocks.append(_wrapped(answer.verdict, width))
    blocks += [_facts(facts, width) for facts in (answer.given, answer.results) if facts]
    blocks += [_listing(listing, width) for listing in answer.listings]
    for name in _SENTENCES:
        if sentences := getattr(answer, name):
            items = [_wrapped(sentence, width, first=" - ") for sentence in sentences]
            blocks.append("\n".join([_TITLES[name], *items]))
    return "\n\n".join(blocks) + "\n"


def render_markdown(answer: "Answer") -> str:
    """Return an answer as Markdown."""
    from nsightlens.report.markdown import escaped  # noqa: PLC0415 - rich comes with it

    blocks = [f"**{escaped(answer.subject)}**"]
    if answer.verdict:
        blocks.append(escaped(answer.verdict))
    blocks += [
        _markdown_table(("", ""), [(fact.label, fact.shown) for fact in facts])
        for facts in (answer.given, answer.results)
        if facts
    ]
    for listing in answer.listings:
        heads = [column.head for column in listing.columns]
        blocks += [f"**{escaped(listing.title)}**", _markdown_table(heads, list(_cells(listing)))]
    for name in _SENTENCES:
        if sentences := getattr(answer, name):
            blocks.append(
                "\n".join([f"**{_TITLES[name]}**", "", *(f"- {escaped(printable(text))}" for text in sentences)])
            )
    return "\n\n".join(blocks) + "\n"


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    from nsightlens.report.markdown import escaped  # noqa: PLC0415 - rich comes with it

    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(escaped(printable(cell)) for cell in line)} |" for line in lines)


def _facts(facts: "Sequence[Fact]", width: int) -> str:
    known = [(fact.label, fact.shown) for fact in facts]
    left = max(len(label) for label, _ in known)
    return "\n".join(_wrapped(value, width, first=f"{label:{left}}  ") for label, value in known)


def _listing(listing: "Listing", width: int) -> str:
    from rich.text import Text  # noqa: PLC0415 - slow

    from nsightlens.report.grid import Column, console, grid, written  # noqa: PLC0415

    numbers = [isinstance(value, int | float) or value is None for value in listing.rows[0]]
    last = len(listing.columns) - 1
    columns = [
        Column(column.head, right=number, fold=FOLD if index == last and not number else None)
        for index, (column, number) in enumerate(zip(listing.columns, numbers, strict=True))
    ]
    rows = [[Text(printable(cell)) for cell in cells] for cells in _cells(listing)]
    out = StringIO()
    console(out, width=width, color=False).print(grid(columns, rows, width))
    return f"{listing.title}\n{written(out)}".rstrip()


def _cells(listing: "Listing") -> Iterator[list[str]]:
    for row in listing.rows:
        yield [column.cell(value) for column, value in zip(listing.columns, row, strict=True)]


def _wrapped(text: str, width: int, first: str = "") -> str:
    return "\n".join(
        textwrap.wrap(
            printable(text),
            width,
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_on_hyphens=False,
        )
        or [first]
    )

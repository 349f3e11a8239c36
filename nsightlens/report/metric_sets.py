"""Metric sets as text, Markdown and JSON."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from nsightlens.data import DEFAULT_SET
from nsightlens.text import count

if TYPE_CHECKING:
    from nsightlens.launch.metric_sets import Counter, MetricSet

SCHEMA = "nsightlens.metrics/1"
WIDTH = 80
UNKNOWN_PASSES = "not measured yet"


def document(sets: Sequence["MetricSet"], ncu_version: str | None) -> dict[str, Any]:
    """Return the sets as plain dicts and lists: ``nsightlens.metrics/1``."""
    return {"schema": SCHEMA, "ncu_version": ncu_version, "sets": [asdict(entry) for entry in sets]}


def overview(sets: Sequence["MetricSet"]) -> str:
    """Return a short list of the sets."""
    lines: list[str] = []
    for entry in sets:
        default = "What profile collects by default. " if entry.name == DEFAULT_SET else ""
        lines += _wrapped(f"{entry.name:10}", default + entry.doc)
        lines += _wrapped(" " * 10, f"{_size(entry)}; passes of a launch: {passes(entry)}")
    return (
        "\n".join([*lines, "", "The counters of one, each with unit and reason: nsightlens metrics --set NAME"]) + "\n"
    )


def detail(entry: "MetricSet", note: str) -> str:
    """Return one set: its counters by reason, how often ncu runs a launch, and the command."""
    lines = [*_wrapped(f"{entry.name}: ", entry.doc, hang=0), f"Passes of a launch: {passes(entry)}."]
    lines += _wrapped("", note)
    for why, group in _groups(entry):
        chips = f" [{group[0].chips}]" if group[0].chips else ""
        lines += ["", *_wrapped("", f"{why} ({group[0].unit}){chips}")]
        lines += [f"  {counter.name}{_mark(counter)}" for counter in group]
    return "\n".join([*lines, "", "Command:", entry.command]) + "\n"


def markdown(entry: "MetricSet", note: str) -> str:
    """Return one set as Markdown."""
    from nsightlens.report.markdown import escaped  # noqa: PLC0415 - rich comes with it

    rows = [
        f"| {escaped(counter.name)}{_mark(counter)} | {escaped(counter.unit)} | {escaped(counter.why)} "
        f"| {escaped(counter.chips or '')} |"
        for counter in entry.counters
    ]
    head = ["| counter | unit | why | chips |", "|---|---|---|---|"]
    text = f"**{entry.name}**: {entry.doc}\n\nPasses of a launch: {passes(entry)}. {escaped(note)}"
    return "\n\n".join((text, "\n".join(head + rows), f"```sh\n{entry.command}\n```")) + "\n"


def passes(entry: "MetricSet") -> str:
    """Return how often ncu runs a launch, for each chip and version it was measured on."""
    return ", ".join(f"{number} ({where})" for where, number in entry.passes.items()) or UNKNOWN_PASSES


def _groups(entry: "MetricSet") -> Iterator[tuple[str, list["Counter"]]]:
    for (why, _), group in groupby(entry.counters, key=lambda counter: (counter.why, counter.unit)):
        yield why, list(group)


def _mark(counter: "Counter") -> str:
    return "  (not on this chip)" if counter.available is False else ""


def _size(entry: "MetricSet") -> str:
    options = f" and {' '.join(entry.options)}" if entry.options else ""
    return f"{count(len(entry.counters), 'name')}{options}"


def _wrapped(first: str, text: str, hang: int | None = None) -> list[str]:
    indent = " " * (len(first) if hang is None else hang)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent)

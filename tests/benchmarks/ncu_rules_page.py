"""The summary of ``ncu_rules.py`` as Markdown."""

import statistics
from typing import Any

Record = dict[str, Any]
MARKS = {"names": "**yes**", "hints": "hint", None: "no"}
NEAR_PCT = 10  # an estimate this near to the truth gives the size


def cell(one: Record | None) -> str:
    """Return a rule and its estimate."""
    if not one:
        return "–"
    kind = "" if one["type"] == "global" else ", local"
    return f"{one['title'] or one['name']} {one['estimate_pct']:.0f}{kind}"


def headings(*groups: tuple[str, ...]) -> list[str]:
    """Return the head of a table."""
    names = [name for group in groups for name in group]
    return [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]


def table(records: list[Record]) -> list[str]:
    """Return one row a variant."""
    lines = headings(
        ("pair", "variant", "planted, % of the time"),
        ("largest, %", "tells it", "largest global, %", "tells it", "off by"),
        ("largest global that tells it, %", "off by", "sum of all, %", "sum of the global, %"),
    )
    for one in records:
        best, whole, telling = one["largest"], one["largest_global"], one["largest_global_telling"]
        cells = [
            one["pair"] + (" (aside)" if one["set_aside"] else ""),
            one["variant"],
            f"{one['cause']} {one['truth_pct']:.0f}",
            *(cell(best), MARKS[best["tells"]]),
            *(cell(whole), MARKS[whole["tells"]], f"{whole['error_pct']:+.0f}"),
            *(cell(telling), f"{telling['error_pct']:+.0f}" if telling else "–"),
            *(f"{one['sum_pct']:.0f}", f"{one['sum_global_pct']:.0f}"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def totals(title: str, records: list[Record]) -> str:
    """Return one row of counts over variants."""
    cells = [title, str(len(records))]
    for key in ("largest", "largest_global"):
        tells = [one[key]["tells"] for one in records]
        cells += [str(tells.count("names")), str(sum(how is not None for how in tells))]
    whole = [one["largest_global"] for one in records]
    cells.append(str(sum(one["tells"] is not None and abs(one["error_pct"]) <= NEAR_PCT for one in whole)))
    cells.append(f"{statistics.mean(abs(one['error_pct']) for one in whole):.0f}")
    telling = [abs(one["largest_global_telling"]["error_pct"]) for one in records if one["largest_global_telling"]]
    cells += [str(len(telling)), str(sum(error <= NEAR_PCT for error in telling))]
    cells += [f"{statistics.median(one[key] for one in records):.0f}" for key in ("sum_pct", "sum_global_pct")]
    return f"| {' | '.join(cells)} |"


def page(records: list[Record]) -> str:
    """Return the tables of totals, of all variants, and of pairs whose planted defect costs nothing."""
    real = [one for one in records if not one["null"]]
    groups = {
        "all": real,
        "tuned": [one for one in real if not one["set_aside"]],
        "set aside": [one for one in real if one["set_aside"]],
        "all, one cause planted": [one for one in real if "+" not in one["variant"]],
    }
    within = f"of these within {NEAR_PCT} points"
    head = headings(
        ("variants", "number", "largest names it", "names or hints"),
        ("largest global names it", "names or hints", within, "mean error of the largest global, points"),
        ("some global one names or hints", within, "median sum of all, %", "median sum of the global, %"),
    )
    lines = [
        *head,
        *(totals(title, group) for title, group in groups.items()),
        *("", *table(real), ""),
        *table([one for one in records if one["null"]]),
    ]
    return "\n".join(lines)

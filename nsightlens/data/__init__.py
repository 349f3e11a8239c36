"""Data as data: counters, metric sets, GPUs, causes and stencils, one TOML file each."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

DEFAULT_SET = "losses"
"""The metric set that ``profile`` collects if not told otherwise."""


@cache
def table(name: str) -> dict[str, Any]:
    """Return the contents of ``data/<name>.toml``."""
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def metric_groups(name: str) -> tuple[dict[str, Any], ...]:
    """Return the groups of counters of a metric set (``names``, ``unit``, ``why``, perhaps ``chips``).

    Raises
    ------
    KeyError
        If there is no such set.
    """
    entry = table("metric_sets")[name]
    inherited = metric_groups(entry["extends"]) if "extends" in entry else ()
    return (*inherited, *entry["counters"])


def metric_set(name: str) -> tuple[str, ...]:
    """Return the counters of a metric set, in the words ``ncu --metrics`` takes.

    Raises
    ------
    KeyError
        If there is no such set.
    """
    return tuple(counter for group in metric_groups(name) for counter in group["names"])


def metric_set_options(name: str) -> tuple[str, ...]:
    """Return the options that ncu needs for a metric set beside ``--metrics``.

    Raises
    ------
    KeyError
        If there is no such set.
    """
    return tuple(table("metric_sets")[name].get("options", ()))

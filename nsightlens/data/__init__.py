"""Data as data: counters, metric sets, GPUs and causes, one TOML file each."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """Return the contents of ``data/<name>.toml``."""
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def metric_set(name: str) -> tuple[str, ...]:
    """Return the counters of a metric set, in the words ``ncu --metrics`` takes.

    Raises
    ------
    KeyError
        If there is no such set.
    """
    entry = table("metric_sets")[name]
    inherited = metric_set(entry["extends"]) if "extends" in entry else ()
    return (*inherited, *entry["metrics"])

"""The shipped kernels by name, and those that other packages add.

A family is a function with typed keyword parameters that returns a ``Workload``. A package adds one by an entry point
of the group ``nsightlens.kernels`` that names a ``Family``.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from nsightlens.errors import UsageError
from nsightlens.kernels.workload import Workload

GROUP = "nsightlens.kernels"
ONE_AND_MORE = frozenset({"blocks", "pieces", "each", "per_sm", "of", "depth", "stride", "rounds", "tiles", "vectors"})
MOST = dict.fromkeys(("published", "phases", "apart", "fma", "mma"), 1) | dict.fromkeys(
    ("blocks", "pieces", "rounds", "tiles"), 2**31 - 1
)
"""Largest value of switches, and of what is the size of a grid or has 32 bits on the device."""
_MODULES = ("vector", "scale_tensor", "ceilings_memory", "ceilings_compute", "co_issue", "overlap")


@dataclass(frozen=True)
class Family:
    """Kernels that differ in their parameters; ``meaning`` says what each is, with its unit."""

    name: str
    doc: str
    make: Callable[..., Workload]
    meaning: Mapping[str, str]

    @property
    def defaults(self) -> dict[str, Any]:
        """Parameters that need not be given, with their values."""
        found = inspect.signature(self.make).parameters.values()
        return {one.name: one.default for one in found if one.default is not inspect.Parameter.empty}

    def refuse(self, given: Mapping[str, Any]) -> None:
        """Raise ``UsageError`` for whole numbers that are none or beyond their range (``ONE_AND_MORE``, ``MOST``)."""
        found = inspect.signature(self.make).parameters
        for name, value in given.items():
            least, most = int(name in ONE_AND_MORE), MOST.get(name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if found[name].annotation is int and not (whole and least <= value <= (value if most is None else most)):
                span = f"from {least}" if most is None else f"from {least} to {most}"
                message = f"{name} must be a whole number {span}, not {value!r}"
                raise UsageError(message, where=self.name, remedy=f"{name}: {self.meaning[name]}")


def family(**meaning: str) -> Callable[[Callable[..., Workload]], Family]:
    """Make a family of a function; its docstring says what it computes, ``meaning`` what its parameters are."""

    def made(make: Callable[..., Workload]) -> Family:
        doc = " ".join((make.__doc__ or "").split())
        return Family(make.__name__, doc, make, meaning)

    return made


@cache
def families() -> Mapping[str, Family]:
    """Return all families by name.

    Raises
    ------
    UsageError
        If an entry point names none.
    """
    modules = [import_module(f"nsightlens.kernels.{name}") for name in _MODULES]
    shipped = [thing for module in modules for thing in vars(module).values() if isinstance(thing, Family)]
    return {one.name: one for one in (*shipped, *map(_loaded, entry_points(group=GROUP)))}


def workload(name: str, **parameters: Any) -> Workload:  # noqa: ANN401
    """Return a workload of a family.

    Raises
    ------
    UsageError
        If there is no such family or parameter, or one that is needed is missing.
    """
    known = families()
    if name not in known:
        raise UsageError("no such kernel", where=name, remedy=f"take one of: {', '.join(known)}")
    one = known[name]
    unknown = [parameter for parameter in parameters if parameter not in one.meaning]
    lacking = [parameter for parameter in one.meaning if parameter not in {**one.defaults, **parameters}]
    if unknown or lacking:
        what = f"no such parameter: {unknown[0]}" if unknown else f"needs the parameter {lacking[0]}"
        raise UsageError(what, where=name, remedy=f"it takes: {', '.join(one.meaning)}")
    one.refuse(parameters)
    return one.make(**parameters)


def _loaded(point: object) -> Family:
    found = point.load()  # type: ignore[attr-defined]
    if not isinstance(found, Family):
        raise UsageError("is no family of kernels", where=f"entry point {point}", remedy="uninstall the package")
    return found

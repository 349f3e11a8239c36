"""Name a piece of a program, so that the analysis can tell its launches apart."""

import functools
import json
import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from nsightlens.plausible import is_amount, is_number
from nsightlens.steps import marked

DOMAIN = "nsightlens"
# What a range declares is the name of a second range around it, in a domain of its own: the name is the one
# part of a range that every version of every tool keeps, and so the range proper has a clean name to filter by.
DECLARED_DOMAIN = "nsightlens.declared"
MAX_DECLARATION = 4096

Number = int | float
Range = tuple[Callable[[], None], Callable[[], None]]
Function = TypeVar("Function", bound=Callable[..., Any])


class annotate(ContextDecorator):  # noqa: N801
    """Mark a range of the program; usable with ``with`` and as a decorator.

    The range appears as ``nsightlens/NAME`` in the analysis, and in every tool that reads NVTX. Without a
    profiler, or without the ``nvtx`` package, it does nothing: a decorated function is returned as it is.

    One object may be entered many times, within itself and from several threads. NVTX keeps the ranges of each
    thread apart. A decorated generator or ``async`` function is a range from each time it runs until it pauses. Do
    not pause inside ``with``: whatever runs meanwhile on the thread would count to the range.

    Parameters
    ----------
    name
        Name of the range; keep it the same for every pass through it.
    flop
        Floating-point operations of the range (a fused multiply-add counts 2), where they are known.
    dram_bytes
        Bytes that the range must move to and from DRAM at least.
    payload
        A number or a word that tells passes apart, such as the problem size.

    Raises
    ------
    ValueError
        If an amount is negative or not finite.

    Examples
    --------
    >>> with annotate("scale", flop=2**27, dram_bytes=16 * 2**27):
    ...     pass
    >>> @annotate("solve")
    ... def solve(): ...
    """

    def __init__(
        self,
        name: str,
        *,
        flop: Number | None = None,
        dram_bytes: Number | None = None,
        payload: Number | str | None = None,
    ) -> None:
        self._ranges = _range(DOMAIN, name)
        if flop is None and dram_bytes is None and payload is None:
            return
        figures = _figures(flop, dram_bytes, payload)
        if self._ranges:
            self._ranges = (*_range(DECLARED_DOMAIN, _text(name, figures)), *self._ranges)

    def __enter__(self) -> Self:
        for push, _ in self._ranges:
            push()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for _, pop in reversed(self._ranges):
            pop()

    def __call__(self, func: Function) -> Function:
        """Return the function with this range around it."""
        if not self._ranges:
            return func
        return cast("Function", marked(func, self)) or super().__call__(func)


def parse_declaration(text: str) -> dict[str, Number | str]:
    """Return what a declaration says: ``range`` (str), ``flop``, ``dram_bytes`` (not negative), ``payload``.

    The text comes from a report, so from strangers: whatever is not a well-formed declaration gives ``{}``.
    """
    try:
        found = json.loads(text) if len(text) <= MAX_DECLARATION else None
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or not isinstance(found.get("range"), str):
        return {}
    return {key: value for key, value in found.items() if key in _VALID and _VALID[key](value)}


def _figures(flop: Any, dram_bytes: Any, payload: Any) -> dict[str, Number | str | None]:  # noqa: ANN401
    if payload is not None and not isinstance(payload, str | int):
        payload = float(payload)
    return {"flop": _amount(flop), "dram_bytes": _amount(dram_bytes), "payload": payload}


def _amount(value: Any) -> Number | None:  # noqa: ANN401
    """Return a plain number for one of any kind, such as NumPy's."""
    if value is None:
        return None
    plain: Number = value if isinstance(value, int) else float(value)
    if not is_amount(plain):
        raise ValueError(f"not an amount of work: {value}")
    return plain


def _text(name: str, figures: dict[str, Number | str | None]) -> str:
    given = {key: value for key, value in figures.items() if value is not None}
    return json.dumps({"range": name, **given}, separators=(",", ":"))


def _is_amount(value: Any) -> bool:  # noqa: ANN401
    return _is_number(value) and is_amount(value)


def _is_number(value: Any) -> bool:  # noqa: ANN401
    return is_number(value) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


_VALID: dict[str, Callable[[Any], bool]] = {
    "range": lambda value: isinstance(value, str),
    "flop": _is_amount,
    "dram_bytes": _is_amount,
    "payload": lambda value: isinstance(value, str) or _is_number(value),
}


def _range(domain_name: str, text: str) -> tuple[Range, ...]:
    domain = _domain(domain_name)
    if domain is None:
        return ()
    attributes = domain.get_event_attributes(message=text)
    return ((functools.partial(domain.push_range, attributes), domain.pop_range),)


@functools.cache
def _domain(name: str) -> Any:  # noqa: ANN401
    """Return the NVTX domain; None without ``nvtx``, and without a tool that listens to it."""
    try:
        import nvtx  # noqa: PLC0415
    except ImportError:
        return None
    domain = nvtx.get_domain(name)
    return None if domain.get_event_attributes(message=name) is None else domain

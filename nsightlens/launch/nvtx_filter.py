"""NVTX ranges as ncu's filter takes them."""

import re

SYNTAX = (
    "--nvtx takes DOMAIN@RANGE (annotate: nsightlens@RANGE), regex:DOMAIN@RANGE, or a path as analyze prints it: "
    "DOMAIN/OUTER/INNER, /OUTER/INNER for the default domain; DOMAIN@regex:RANGE selects nothing"
)
_SPECIAL = re.compile(r"[\\/\[\],@*+]")


def nvtx_filter(expression: str) -> str:
    """Return the argument of ``--nvtx-include`` that selects push/pop ranges.

    Parameters
    ----------
    expression
        A path ``domain/outer/inner`` (``/outer/inner``: the default domain; ``%2F`` for a ``/`` inside a name), the
        name of one range, or ncu's own syntax: ``DOMAIN@RANGE``, ``regex:…``, and what holds a quantifier.
    """
    if not _is_path(expression):
        return _push_pop(expression)
    domain, *ranges = (_quoted(name) for name in expression.rstrip("/").split("/"))
    return (f"{domain}@" if domain else "") + "/".join(ranges) + "/"


def _is_path(expression: str) -> bool:
    """Tell a path from ncu's own syntax, in which ``@`` ends the domain before any ``/``."""
    domain, slash, _ = expression.partition("/")
    names = expression.split("/")
    top_of_stack = names[-1].endswith("]") and "[" not in names[-1]
    own = domain.startswith(("regex:", "[")) or "@" in domain or "," in domain or names[-1] == "" or top_of_stack
    return bool(slash) and not own and not {"*", "+"} & set(names)


def _quoted(name: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", name.replace("%2F", "/"))


def _push_pop(expression: str) -> str:
    """Add the final ``/``, without which ncu expects a start/end range and profiles nothing."""
    positional = "/" if expression.startswith("regex:") else "/[],"
    return expression if any(mark in expression for mark in positional) else f"{expression}/"

"""Formulas over counters: parsed once, with nothing but arithmetic allowed."""

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any


def _min(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


def _max(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": _min, "max": _max, "round": round}
_ARGUMENTS = {"min": 2, "max": 2, "round": 1}
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_NAME = re.compile(r"\w+(\.\w+)*")


@dataclass(frozen=True)
class Formula:
    """One formula: its text, the names it needs, and how to compute it from their values."""

    text: str
    names: tuple[str, ...]
    compute: Callable[[Mapping[str, float]], float]

    @property
    def counters(self) -> tuple[str, ...]:
        """The names that are counters of Nsight Compute, not quantities of the catalogue."""
        return tuple(name for name in self.names if "__" in name)


@cache
def parse(text: str) -> Formula:
    """Parse one formula.

    Raises
    ------
    ValueError
        If it holds anything but numbers, names, ``+ - * /``, ``min``, ``max`` and ``round``.
    """
    names: dict[str, None] = {}
    body = _checked(ast.parse(text, mode="eval").body, names)
    takes = ast.arguments(posonlyargs=[], args=[ast.arg("v")], kwonlyargs=[], kw_defaults=[], defaults=[])
    code = compile(ast.fix_missing_locations(ast.Expression(ast.Lambda(takes, body))), text, "eval")
    compute = eval(code, {"__builtins__": {}, **_FUNCTIONS})  # noqa: S307 - the tree above holds arithmetic only
    return Formula(text, tuple(names), compute)


def _checked(node: ast.expr, names: dict[str, None]) -> ast.expr:
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        return node
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
        return ast.BinOp(_checked(node.left, names), node.op, _checked(node.right, names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if len(node.args) == _ARGUMENTS.get(node.func.id):
            return ast.Call(node.func, [_checked(argument, names) for argument in node.args], [])
    elif isinstance(node, ast.Name | ast.Attribute) and _NAME.fullmatch(name := ast.unparse(node)):
        names[name] = None
        return ast.Subscript(ast.Name("v", ast.Load()), ast.Constant(name), ast.Load())
    raise ValueError(f"not allowed in a formula: {ast.unparse(node)}")

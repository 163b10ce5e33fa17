"""Defaults of a function that a module is written of: what the function has, as text.

    def f(x, w=W)            w=W          where W is what it was when f was defined
    f.__defaults__ = (3.0,)  k=3.0        the text says k=1.0

A default that its text no longer gives is written as a literal, or refused.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import Any, Final

from adjointgen.errors import SourceError
from adjointgen.frontend.source.replaceable_text import defaults_of
from adjointgen.watch import MISSING

_STEADY: Final = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.expr_context),
    *(ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator),
)
"""What gives the same wherever it is evaluated; a call may not."""
_LITERALS: Final = (int, float, complex, str, bytes, bool, type(None))


def literal_default(f: object, name: str, node: ast.expr) -> str:
    """A default as a literal, where that of a live function is none of its text's; else nothing."""
    if not isinstance(f, FunctionType) or _is_kept(f, name, node):
        return ""
    had = defaults_of(f).get(name, MISSING)
    return repr(had) if _is_literal(had) else ""


def keeps_defaults(f: FunctionType, texts: Mapping[str, ast.expr]) -> bool:
    """Whether the defaults of a function are what these texts give.

    Raises SourceError (AG009) for one that is not, and that cannot be written.
    """
    other = [name for name, node in texts.items() if not _is_kept(f, name, node)]
    for name in other:
        if not _is_literal(defaults_of(f).get(name, MISSING)):
            raise SourceError(
                f"the default of {name} is no longer what its text gives",
                code="AG009",
                help=f"give the default of {name} a name of its own that is not bound again",
            )
    return not other


def _is_kept(f: FunctionType, name: str, node: ast.expr) -> bool:
    had = defaults_of(f).get(name, MISSING)
    return had is not MISSING and (not _is_steady(node) or _is_same(_now(f, node), had))


def _is_steady(node: ast.expr) -> bool:
    return all(isinstance(one, _STEADY) for one in ast.walk(node))


def _now(f: FunctionType, node: ast.expr) -> Any:
    """What the text of a default gives today."""
    closure = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=False))
    held = {name: cell.cell_contents for name, cell in closure.items() if _is_full(cell)}
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "<default>", "eval")
    try:
        return eval(code, f.__globals__, held)
    except Exception:
        return MISSING


def _is_full(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _is_same(now: Any, had: Any) -> bool:
    if now is had:
        return True
    return type(now) is type(had) and _is_literal(had) and repr(now) == repr(had)


def _is_literal(value: Any) -> bool:
    """Whether a value is made of literals, which `repr` writes."""
    if isinstance(value, float | complex) and repr(value).strip("-()")[:3] in ("nan", "inf"):
        return False
    if type(value) in (tuple, list):
        return all(map(_is_literal, value))
    if type(value) is dict:
        return all(map(_is_literal, (*value, *value.values())))
    return type(value) in _LITERALS

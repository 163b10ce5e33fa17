"""What the source of a function with a rule says: whether it only computes, and one value.

def f(x): return np.exp(x) * x          computes: called where its value is needed
def f(x): print(x); return x            acts: called once, in its place
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, Final

import numpy as np

_ACTING: Final = (
    *(ast.Global, ast.Nonlocal, ast.With, ast.Yield, ast.YieldFrom, ast.Await, ast.Import),
    *(ast.ImportFrom, ast.Delete, ast.AsyncFunctionDef, ast.ClassDef, ast.Raise, ast.Assert),
)
_COMPUTING: Final = (
    *("abs", "all", "any", "bool", "complex", "divmod", "enumerate", "float", "int"),
    *("isinstance", "len", "list", "max", "min", "pow", "range", "reversed", "round", "sorted"),
    *("sum", "tuple", "zip"),
)
"""Functions of Python's own that do nothing but compute."""
_HOMES: Final = ("numpy", "scipy", "math", "cmath", "operator", "itertools", "functools")
_ACTING_PARTS: Final = ("random", "testing", "io", "ctypeslib", "copyto", "put", "save", "load")


def returns_several(f: Callable[..., Any]) -> bool:
    """Whether a function has a `return` of a tuple, list or dict, as far as its source is found."""
    tree = _tree(f)
    values = (node.value for node in _own_returns(tree)) if tree is not None else ()
    return any(isinstance(value, ast.Tuple | ast.List | ast.Dict) for value in values)


def only_computes(f: Callable[..., Any]) -> bool:
    """Whether a function certainly does nothing but compute its value.

    It calls functions of NumPy, SciPy and Python that compute, methods of arrays, and nothing
    else; it writes to nothing but its own variables.
    """
    tree = _tree(f)
    if tree is None or not isinstance(f, FunctionType):
        return False
    known = vars(builtins) | dict(f.__globals__) | dict(inspect.getclosurevars(f).nonlocals)
    return not any(_acts(node, known) for node in ast.walk(tree))


def _tree(f: Callable[..., Any]) -> ast.AST | None:
    try:
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(f))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return ast.Module(node.body, []) if isinstance(node, ast.FunctionDef) else None


def _own_returns(node: ast.AST) -> Iterator[ast.Return]:
    """The `return` statements of a function, without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, ast.FunctionDef):
            yield from _own_returns(child)


def _acts(node: ast.AST, known: Mapping[str, Any]) -> bool:
    """Whether a part of a function may do more than compute."""
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return True
    if isinstance(node, ast.Call):
        return not _computes(node.func, known)
    return isinstance(node, _ACTING)


def _computes(called: ast.expr, known: Mapping[str, Any]) -> bool:
    path: list[str] = []
    while isinstance(called, ast.Attribute):
        path, called = [called.attr, *path], called.value
    if not isinstance(called, ast.Name) or called.id not in known:
        # A method of one of its own values.
        return len(path) == 1 and hasattr(np.ndarray, path[0]) and path[0] not in _WRITING
    found, path = known[called.id], [called.id, *path]
    for part in path[1:]:
        found = getattr(found, part, None)
    if getattr(builtins, path[-1], None) is found:
        return path[-1] in _COMPUTING
    home = str(getattr(found, "__module__", None) or "")
    if isinstance(found, np.ufunc):
        return True
    acting = any(part in (*path, *home.split(".")) for part in _ACTING_PARTS)
    return callable(found) and home.split(".")[0] in _HOMES and not acting


_WRITING: Final = frozenset(("sort", "fill", "put", "itemset", "resize", "setfield", "partition"))
"""Methods of arrays that write to them."""

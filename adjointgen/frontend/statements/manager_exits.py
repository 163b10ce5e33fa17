"""Whether a manager may take an exception: what `__exit__` gives back, read in its source.

    return True, return self.silent        may take it
    no return, return None, return False   hands it on

Of a generator (`contextlib.contextmanager`) it is a `yield` inside `try` with a handler that goes
on, inside of another such manager, or before a jump in `finally`.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from types import FunctionType

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.abstract_values import Abstract, Named
from adjointgen.frontend.domain.own_managers import takes
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.expressions.instances import find
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.source.source import source_from_function
from adjointgen.frontend.state.context import Context

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_YIELDS = (ast.Yield, ast.YieldFrom)
_JUMPS = (ast.Return, ast.Break, ast.Continue)


def may_take(ctx: Context, made_by: Abstract | None) -> bool | None:
    """Whether what a function or class makes may take an exception; None where it is not known."""
    if not isinstance(made_by, Named) or not isinstance(ctx.frame.source.resolver, LiveResolver):
        return None
    return _of_maker(live(made_by.spelling)[1])


def _of_maker(maker: object) -> bool | None:
    if maker is open:
        return False
    if isinstance(maker, type):
        return takes_itself(maker)
    inner = getattr(maker, "__wrapped__", None)
    if not isinstance(maker, FunctionType) or not isinstance(inner, FunctionType):
        return None
    if maker.__code__.co_filename != contextlib.__file__:
        return None
    node = _node(inner)
    return None if node is None else _within(node.body, inner)


def takes_itself(cls: type) -> bool | None:
    """Whether instances of a class may take an exception; None where it is not known."""
    found = find(cls, "__exit__")
    if found is None or find(cls, "__new__") is not None or type(cls) is not type:
        return None
    node = _node(found[1])
    if node is None:
        return None
    return any(map(takes, _own(node.body)))


def _node(function: object) -> ast.FunctionDef | None:
    """The definition of a function, whose text is noted."""
    if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
        return None
    try:
        node = source_from_function(function).node
    except (AdjointgenError, OSError):
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def _own(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions in it."""
    stack = [*body]
    while stack:
        node = stack.pop()
        if not isinstance(node, _INNER):
            yield node
            stack += ast.iter_child_nodes(node)


def _yields(body: Sequence[ast.AST]) -> bool:
    return any(isinstance(node, _YIELDS) for node in _own(body))


def _within(body: Sequence[ast.stmt], function: FunctionType) -> bool | None:
    """Whether an exception that comes out of a `yield` may end in statements of a generator."""
    answers: list[bool | None] = []
    for node in _own(body):
        match node:
            case ast.YieldFrom():
                answers.append(None)
            case ast.Try(body=tried, handlers=handlers, finalbody=last) if _yields(tried):
                answers.append(any(not isinstance(h.body[-1], ast.Raise) for h in handlers))
                answers.append(any(isinstance(part, _JUMPS) for part in _own([*handlers, *last])))
            case ast.TryStar(body=tried) if _yields(tried):
                answers.append(True)
            case ast.With(items=items, body=inner) if _yields(inner):
                answers += [_of_expression(item.context_expr, function) for item in items]
    return True if True in answers else None if None in answers else False


def _of_expression(node: ast.expr, function: FunctionType) -> bool | None:
    """Whether a manager that a generator enters may take an exception."""
    if not isinstance(node, ast.Call):
        return None
    names, part = [], node.func
    while isinstance(part, ast.Attribute):
        names.append(part.attr)
        part = part.value
    if not isinstance(part, ast.Name) or part.id in function.__code__.co_varnames:
        return None
    found = function.__globals__.get(part.id, open if part.id == "open" else None)
    for name in reversed(names):
        found = getattr(found, name, None)
    return _of_maker(found)

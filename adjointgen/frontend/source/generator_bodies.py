"""The body of a generator function, in which a `yield` is a statement that hands an entry over.

    yield v             Hand(v)
    yield from e        for .item in e: Hand(.item)

What runs over the generator says what is done with an entry (`iteration/generator_loops.py`). A
`yield` that is sent something, or stands in a block that would catch what leaves it, has no such
form.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any, ClassVar

ITEM = ".item"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Hand(ast.stmt):
    """An entry is handed to what runs over the generator, which may `leave` it there."""

    _fields: ClassVar[tuple[str, ...]] = ("value",)

    def __init__(self, value: Any = None, leave: bool = False) -> None:
        # Copying makes a node without its parts first.
        super().__init__()
        self.value, self.leave = value, leave


@lru_cache(maxsize=256)
def handing(node: ast.FunctionDef, leave: bool) -> ast.FunctionDef:
    """The function with statements that hand entries over, of which any may be the last."""
    made = deepcopy(node)
    made.body = [_Handing(leave).visit(stmt) for stmt in made.body]
    return made


class _Handing(ast.NodeTransformer):
    def __init__(self, leave: bool) -> None:
        self.leave = leave

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Yield(value=value):
                nothing = ast.copy_location(ast.Constant(None), node)
                return ast.copy_location(Hand(value or nothing, self.leave), node)
            case ast.YieldFrom(value=value):
                target, item = (ast.Name(ITEM, way()) for way in (ast.Store, ast.Load))
                hand = Hand(ast.copy_location(item, node), self.leave)
                loop = ast.For(ast.copy_location(target, node), value, [hand], [])
                ast.copy_location(hand, node)
                return ast.copy_location(loop, node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node


def inside(stmts: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of statements, without those of functions among them."""
    stack: list[ast.AST] = [*stmts]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def hands(*stmts: ast.stmt) -> bool:
    """Whether statements hand entries over."""
    return any(isinstance(node, Hand) for node in inside([*stmts]))


@lru_cache(maxsize=256)
def unsuited(node: ast.FunctionDef) -> tuple[str, ast.AST] | None:
    """Why entries cannot be handed over by statements, and where; None where they can."""
    for inner in inside(handing(node, False).body):
        match inner:
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                return "the value of a `yield` is used", inner
            case ast.Raise(exc=ast.expr() as raised) if _is_stop(raised):
                return "StopIteration is raised", inner
            case ast.Try(body=body, handlers=[_, *_]) if hands(*body):
                return "a `yield` stands in a `try` that catches exceptions", inner
            case ast.Try(handlers=handlers, finalbody=last) if hands(
                *last, *(stmt for handler in handlers for stmt in handler.body)
            ):
                return "a `yield` stands where an exception is handled", inner
            case ast.With(body=body) if hands(*body):
                return "a `yield` stands in a `with`", inner
    return None


def _is_stop(raised: ast.expr) -> bool:
    """Whether an exception is one that a generator cannot let out."""
    return any(isinstance(n, ast.Name) and n.id == "StopIteration" for n in ast.walk(raised))


@lru_cache(maxsize=256)
def ends_late(node: ast.FunctionDef) -> bool:
    """Whether something is done when a generator is closed that has entries left."""
    tries = (n for n in inside(handing(node, False).body) if isinstance(n, ast.Try))
    return any(hands(inner) for inner in tries)

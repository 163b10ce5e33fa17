"""How much text a function of one expression is where it is written in place of its call.

    def g(x): return x * x            4 operations
    def h(x): return g(x) + g(2 * x)  their number, and twice that of g

What is short stays where it is called. What is longer is a function of the program, so that
functions that call each other twice are as long as their texts, not twice as long with each.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Closure
from adjointgen.frontend.source.source import Source

SHORT = 32
"""The most operations of an expression that is written in place of its call."""

_OPERATIONS = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Call,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Subscript,
    ast.Attribute,
    ast.comprehension,
)


def is_short(source: Source, sizes: dict[ast.AST, int]) -> bool:
    """Whether a function is one short expression, with the functions that it calls written out."""
    return is_expression(source) and _size(source, sizes) <= SHORT


def is_expression(source: Source) -> bool:
    """Whether a function does nothing but return the value of an expression."""
    return len(source.body) == 1 and isinstance(source.body[0], ast.Return)


def _size(source: Source, sizes: dict[ast.AST, int]) -> int:
    """The operations of an expression; `sizes` are those of the functions that have been asked."""
    known = sizes.get(source.node)
    if known is not None:
        return known
    sizes[source.node] = 1
    nodes = [n for stmt in source.body for n in ast.walk(stmt)]
    size = sum(isinstance(n, _OPERATIONS) for n in nodes)
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            size += _called(source, node.func.id, sizes)
    sizes[source.node] = size
    return size


def _called(source: Source, name: str, sizes: dict[ast.AST, int]) -> int:
    """What a call of a function of the module adds; one that is not written out adds nothing."""
    if name in {a.arg for a in ast.walk(source.arguments) if isinstance(a, ast.arg)}:
        return 0
    found = source.resolver.find(name)
    if not isinstance(found, Closure) or not is_short(found.source, sizes):
        return 0
    return _size(found.source, sizes)

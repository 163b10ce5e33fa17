"""Parameters that are numbers for certain: Python itself refuses anything else there.

    math.sin(a * x)     a and x are numbers: functions of `math` take no arrays
    for i in range(n)   n is an integer

Only what runs on every path counts, before anything can return, and only names that the function
does not bind again. What is made entry by entry of several names is a number if all of them are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, Literal

from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.source.source import Source

_NOT_NUMBERS: Final = frozenset({"prod", "fsum", "dist", "sumprod"})
_INTEGERS: Final = frozenset({"gcd", "lcm", "comb", "perm", "factorial", "isqrt"})
Kind = Literal["number", "integer"]


def certain_numbers(source: Source) -> dict[str, Kind]:
    """What is certain of names that the function does not bind itself."""
    names = Names(source.file, source.text)
    found: dict[str, Kind] = {}
    for call in _calls(source.body):
        kind = _kind(call, names)
        for argument in call.args if kind else ():
            for name in _entrywise(argument):
                if kind == "integer" or name not in found:
                    found[name] = kind  # type: ignore[assignment]
    stored = {
        n.id
        for n in ast.walk(source.node)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    return {name: kind for name, kind in found.items() if name not in stored}


def _kind(call: ast.Call, names: Names) -> Kind | None:
    called = names.outside(call.func)
    module, _, function = called.rpartition(".")
    if called == "range" or (module == "math" and function in _INTEGERS):
        return "integer"
    number = called == "float" or (module == "math" and function not in _NOT_NUMBERS)
    return "number" if number else None


def _entrywise(node: ast.expr) -> list[str]:
    """The names that an expression is made of by arithmetic."""
    match node:
        case ast.Name(id=name):
            return [name]
        case ast.BinOp(left=left, right=right, op=op) if not isinstance(op, ast.MatMult):
            return _entrywise(left) + _entrywise(right)
        case ast.UnaryOp(operand=operand):
            return _entrywise(operand)
    return []


def _calls(body: list[ast.stmt]) -> Iterator[ast.Call]:
    """The calls that every run makes, up to where the function may end."""
    for stmt in body:
        for part in _first(stmt):
            yield from _in_expression(part)
        compound = isinstance(stmt, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match)
        if compound and any(isinstance(n, ast.Return | ast.Yield) for n in ast.walk(stmt)):
            return


def _first(stmt: ast.stmt) -> list[ast.expr]:
    """The expressions that a statement begins with."""
    match stmt:
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
            return [value]
        case ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            return [value]
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(iter=iterated):
            return [iterated]
    return []


def _in_expression(node: ast.expr) -> Iterator[ast.Call]:
    match node:
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return
        case ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]) | ast.Compare(left=first):
            yield from _in_expression(first)
            return
        case ast.Call():
            yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _in_expression(child)
        elif isinstance(child, ast.keyword):
            yield from _in_expression(child.value)

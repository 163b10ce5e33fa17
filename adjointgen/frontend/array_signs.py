"""Parameters that show signs of being more than numbers, and where.

    x.max()   x[0]   len(x)   a @ x   np.sum(b * x)   for row in x   p, q = x

Numbers are added, multiplied and compared, and given to functions of numbers. What is used in any
other way, or is part of what is, may be an array. A sign on a name is one on all that the name is
made of entry by entry, and uses in helpers count for what is passed to them. Signs may be missed:
that a parameter without one is a number is assumed, and tested.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.domain.abstract_values import Closure
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.source.source import Source
from adjointgen.records import dataclass, field
from adjointgen.rules.framework.table import TABLE

_OF_NUMBERS: Final = frozenset(
    {"abs", "bool", "complex", "divmod", "float", "int", "isinstance", "max", "min", "pow", "print"}
    | {"range", "repr", "round", "str", "type", "format"}
)
_MAKES_ARRAYS: Final = frozenset(
    {"arange", "empty", "eye", "full", "geomspace", "identity", "linspace", "logspace", "ones"}
    | {"tri", "zeros", "finfo", "iinfo", "errstate"}
)
_OF_ANY: Final = frozenset({"real", "imag", "conjugate", "is_integer"})


@dataclass(frozen=True, slots=True)
class Sign:
    """The place that shows a name to be more than a number, itself or what is made of it."""

    node: ast.AST
    direct: bool = True


Signs = dict[str, Sign]
"""The first sign of each name."""


@dataclass(slots=True)
class _Found:
    """What is known of the names of one function: signs, and what names are made of."""

    signs: Signs = field(default_factory=dict)
    made_of: dict[str, set[str]] = field(default_factory=dict)

    def sign(self, names: list[str], node: ast.AST) -> None:
        for name in names:
            self.signs.setdefault(name, Sign(node))

    def settle(self) -> Signs:
        """The signs of names are those of what they are made of."""
        pending = list(self.signs)
        while pending:
            name = pending.pop()
            for other in self.made_of.get(name, ()):
                if other not in self.signs:
                    self.signs[other] = Sign(self.signs[name].node, direct=False)
                    pending.append(other)
        return self.signs


_Read = dict[tuple[str, str, int], Signs]
"""The signs in functions that have been read, empty while one is being read."""


def array_signs(source: Source, read: _Read | None = None) -> Signs:
    """The names of a function that show signs of being more than numbers."""
    read = {} if read is None else read
    key = source.file, source.qualname, source.first_line
    if key not in read:
        read[key] = {}
        read[key] = _Reader(source, read).signs()
    return read[key]


class _Reader:
    """Reads one function."""

    def __init__(self, source: Source, read: _Read) -> None:
        self.source, self.read = source, read
        self.helpers: dict[str, Source | None] = {}
        self.names = Names(source.file, source.text)
        self.inner = {
            node.name: node
            for node in ast.walk(source.node)
            if isinstance(node, ast.FunctionDef) and node is not source.node
        }
        self.found = _Found()

    def signs(self) -> Signs:
        for node in ast.walk(self.source.node):
            for names, place in self.shown(node):
                self.found.sign(names, place)
            for name, value in _assigned(node):
                self.found.made_of.setdefault(name, set()).update(self.entries(value))
        return self.found.settle()

    def shown(self, node: ast.AST) -> Iterator[tuple[list[str], ast.AST]]:
        """Names that a node shows to be more than numbers, and the place."""
        match node:
            case ast.Attribute(value=value, attr=name) if name not in _OF_ANY:
                yield self.entries(value), node
            case ast.Subscript(value=value) | ast.Starred(value=value):
                yield self.entries(value), node
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                yield self.entries(left) + self.entries(right), node
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                yield self.entries(iterated), iterated
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=ast.Name() as value):
                yield self.entries(value), node
            case ast.Call():
                yield from self.call(node)

    def call(self, node: ast.Call) -> Iterator[tuple[list[str], ast.AST]]:
        """What a function that is no function of numbers is given."""
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        helper = self.helper(node)
        if helper is not None:
            yield from self.passed(helper, node)
            return
        if isinstance(node.func, ast.Name) and node.func.id in self.inner:
            return
        if self.is_of_numbers(node) or self.makes_arrays(node):
            return
        for arg in given:
            yield self.entries(arg), node

    def passed(self, helper: Source, node: ast.Call) -> Iterator[tuple[list[str], ast.AST]]:
        signs = array_signs(helper, self.read)
        own = [parameter.arg for parameter in parameters(helper.arguments)]
        pairs = [*zip(own, node.args, strict=False)]
        pairs += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        for name, arg in pairs:
            if name in signs:
                yield self.entries(arg), node

    def helper(self, node: ast.Call) -> Source | None:
        """The function of the user's that is called."""
        if not isinstance(node.func, ast.Name) or node.func.id in self.inner:
            return None
        name = node.func.id
        if name not in self.helpers:
            found = self.source.resolver.find(name)
            self.helpers[name] = found.source if isinstance(found, Closure) else None
        return self.helpers[name]

    def called(self, node: ast.Call) -> str:
        return self.names.outside(node.func)

    def is_of_numbers(self, node: ast.Call) -> bool:
        """Whether a call does to arrays, entry by entry, what it does to numbers."""
        name = self.called(node)
        if name in ("max", "min"):
            return len(node.args) > 1
        if name in _OF_NUMBERS or name.startswith(("math.", "cmath.")):
            return name.rpartition(".")[2] not in ("prod", "fsum", "dist", "sumprod")
        row = TABLE.find(name) or TABLE.find(f"builtins.{name}")
        return row is not None and (row.kind == "elementwise" or row.loop == "entries")

    def makes_arrays(self, node: ast.Call) -> bool:
        name = self.called(node)
        return name.startswith("numpy.") and name.rpartition(".")[2] in _MAKES_ARRAYS

    def entries(self, node: ast.AST) -> list[str]:
        """The names that an expression is made of, entry by entry."""
        match node:
            case ast.Name(id=name):
                return [name]
            case ast.BinOp(op=ast.MatMult()):
                return []
            case ast.BinOp(left=left, right=right):
                return self.entries(left) + self.entries(right)
            case ast.UnaryOp(operand=one) | ast.NamedExpr(value=one):
                return self.entries(one)
            case ast.IfExp(body=one, orelse=other):
                return self.entries(one) + self.entries(other)
            case ast.Call(args=args):
                inner = isinstance(node.func, ast.Name) and node.func.id in self.inner
                made = inner or self.helper(node) is not None or self.is_of_numbers(node)
                plain = self.called(node).startswith("math.") or self.called(node) == "float"
                return [n for arg in args for n in self.entries(arg)] if made and not plain else []
        return []


def is_of_arrays(sign: ast.AST, names: Names) -> bool:
    """Whether a sign is more likely one of an array than of a number: NumPy's functions, parts."""
    if not isinstance(sign, ast.Call):
        return True
    found = names.outside(sign.func)
    return found.startswith("numpy.") or found in _MEASURES


_MEASURES: Final = frozenset({"len", "sum", "max", "min", "enumerate", "zip", "reversed", "sorted"})


def structure_sign(node: ast.AST, name: str) -> ast.AST | None:
    """Where a name is used as a dict, or as an object with attributes of its own."""
    for part in ast.walk(node):
        match part:
            case ast.Subscript(value=ast.Name(id=own), slice=ast.Constant(value=str())):
                if own == name:
                    return part
            case ast.Attribute(value=ast.Name(id=own), attr=attribute):
                if own == name and not hasattr(np.ndarray, attribute):
                    return part
    return None


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names and what they are bound to."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _bound(target, value)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                yield from _bound(one, other)

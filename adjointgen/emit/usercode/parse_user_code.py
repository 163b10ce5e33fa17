"""The user's expressions as trees, as far as that keeps their text.

    tree(text, values) = the text with `values` in the place of names, or None

Where no name is to be replaced, the text is a leaf. Else the nodes around such names become nodes
of the tree, which is exact if the tree, printed with the names as they were, is the text again.
What is spaced otherwise, and what binds names of its own, is left to `rewrite`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Final, NamedTuple

from adjointgen.emit.syntax.expression_trees import name
from adjointgen.emit.syntax.precedence import INFIX, Level
from adjointgen.emit.syntax.printer import text as printed
from adjointgen.emit.syntax.tree import (
    Attribute,
    Binary,
    Call,
    Code,
    Compare,
    Conditional,
    Dict,
    Entry,
    Expression,
    Item,
    List,
    Name,
    Number,
    Slice,
    Starred,
    Subscript,
    Tuple,
    Unary,
    Word,
)

_HOLE: Final = re.compile(r"\b_\b")
_SYMBOLS: Final[dict[type[ast.AST], str]] = {
    ast.And: "and",
    ast.Or: "or",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.MatMult: "@",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_LEVELS: Final[dict[type[ast.AST], Level]] = {
    ast.Lambda: Level.LAMBDA,
    ast.IfExp: Level.TEST,
    ast.Compare: Level.COMPARISON,
    ast.Await: Level.AWAIT,
    ast.Attribute: Level.PRIMARY,
    ast.Subscript: Level.PRIMARY,
    ast.Call: Level.PRIMARY,
}


class Unlike(Exception):
    """A node around a name has no tree that prints as its text."""


class Excerpt(NamedTuple):
    """An expression of the user's: its text, and what that parses to."""

    text: str
    node: ast.expr


@lru_cache(maxsize=1024)
def excerpt(text: str) -> Excerpt:
    """An expression, in parentheses where its lines break at brackets that are not part of it."""
    text = text.strip()
    try:
        return Excerpt(text, ast.parse(text, mode="eval").body)
    except SyntaxError:
        text = f"({text})"
        return Excerpt(text, ast.parse(text, mode="eval").body)


def variables(node: ast.AST) -> frozenset[str]:
    """The names in a piece of the user's code that stand for variables."""
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def leaf(code: Excerpt) -> Expression:
    """The user's expression, without parentheses around the whole that it can do without."""
    text, node = code
    found = _Reader(text, {}).expression(node)
    if isinstance(found, Code) and "\n" in text and text != found.text:
        return Code(text, Level.ATOM)
    return found if _stands(printed(found)) else Code(text, Level.ATOM)


def _stands(text: str) -> bool:
    """Whether an expression needs no parentheses to go on where its lines break."""
    if "\n" not in text:
        return True
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def tree(code: Excerpt, values: Mapping[str, Expression]) -> Expression | None:
    """The user's expression with values in the place of names; None where only `rewrite` can."""
    text, node = code
    try:
        shown = printed(_Reader(text, {key: Name(key) for key in values}).expression(node))
        if text not in (shown, shown[1:-1], f"({shown})") or not _stands(shown):
            return None
        return _Reader(text, values).expression(node)
    except Unlike:
        return None


def items(pattern: str, operands: Sequence[Expression]) -> tuple[Item, ...]:
    """The items of an index pattern, its holes ``_`` filled in order."""
    values = {f"_{k}_": operand for k, operand in enumerate(operands)}
    text, node = excerpt(_numbered(pattern))
    assert isinstance(node, ast.Subscript)
    return _Reader(text, values).items(node.slice)


@lru_cache(maxsize=1024)
def _numbered(pattern: str) -> str:
    """A subscript of this pattern, its k-th hole under the name ``_k_``."""
    numbers = count()
    return f"owner[{_HOLE.sub(lambda _: f'_{next(numbers)}_', pattern)}]"


class _Reader:
    """Makes trees of the nodes of one text, with values in the place of names."""

    def __init__(self, text: str, values: Mapping[str, Expression]) -> None:
        self._text = text
        self._values = values

    def expression(self, node: ast.expr) -> Expression:
        match node:
            case ast.Name(id=own):
                return self._values.get(own) or name(own)
            case ast.Constant(value=int() | float() | complex() as value):
                return name(str(value)) if isinstance(value, bool) else Number(self._segment(node))
            case ast.Constant(value=None):
                return name("None")
            case ast.Constant():
                return Word(self._segment(node))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as operand):
                return Unary("-", self.expression(operand))
            case ast.Attribute(value=owner, attr=field):
                return Attribute(self.expression(owner), field)
            case ast.Tuple(elts=elts):
                return Tuple(self._entries(elts))
        if variables(node).isdisjoint(self._values):
            return self._code(node)
        return self._operation(node) or self._structure(node)

    def _operation(self, node: ast.expr) -> Expression | None:
        match node:
            case ast.UnaryOp(op=op, operand=operand):
                return Unary(_SYMBOLS[type(op)], self.expression(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return Binary(_SYMBOLS[type(op)], self.expression(left), self.expression(right))
            case ast.BoolOp(op=op, values=[first, *rest]):
                found = self.expression(first)
                for each in rest:
                    found = Binary(_SYMBOLS[type(op)], found, self.expression(each))
                return found
            case ast.Compare(left=left, ops=ops, comparators=others):
                symbols = (_SYMBOLS[type(op)] for op in ops)
                against = zip(symbols, map(self.expression, others), strict=True)
                return Compare(self.expression(left), tuple(against))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return Conditional(*map(self.expression, (body, test, orelse)))
        return None

    def _structure(self, node: ast.expr) -> Expression:
        match node:
            case ast.Call(func=function, args=args, keywords=keywords):
                named = tuple((self._keyword(k), self.expression(k.value)) for k in keywords)
                return Call(self.expression(function), self._entries(args), named)
            case ast.Subscript(value=owner, slice=key):
                return Subscript(self.expression(owner), self.items(key))
            case ast.List(elts=elts):
                return List(self._entries(elts))
            case ast.Dict(keys=keys, values=values):
                pairs = zip(map(self._key, keys), map(self.expression, values), strict=True)
                return Dict(tuple(pairs))
        raise Unlike

    def _key(self, key: ast.expr | None) -> Expression:
        if key is None:
            raise Unlike
        return self.expression(key)

    def _keyword(self, keyword: ast.keyword) -> str:
        if keyword.arg is None:
            raise Unlike
        return keyword.arg

    def _entries(self, nodes: list[ast.expr]) -> tuple[Entry, ...]:
        return tuple(
            Starred(self.expression(n.value)) if isinstance(n, ast.Starred) else self.expression(n)
            for n in nodes
        )

    def items(self, key: ast.expr) -> tuple[Item, ...]:
        """What stands between the brackets of a subscript."""
        match key:
            case ast.Tuple(elts=[_, _, *_] as elts):
                return tuple(map(self._item, elts))
        return (self._item(key),)

    def _item(self, node: ast.expr) -> Item:
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                return Slice(self._bound(lower), self._bound(upper), self._bound(step))
            case ast.Starred():
                raise Unlike
        return self.expression(node)

    def _bound(self, node: ast.expr | None) -> Expression | None:
        return None if node is None else self.expression(node)

    def _code(self, node: ast.expr) -> Code:
        """A node that is kept as it stands."""
        text = self._segment(node)
        match node:
            case ast.GeneratorExp():
                return Code(text, Level.ATOM, "generator")
            case ast.NamedExpr():
                return Code(f"({text})", Level.ATOM, "walrus")
            case ast.Yield() | ast.YieldFrom():
                return Code(f"({text})", Level.ATOM, "yield")
            case ast.BinOp(op=op) | ast.BoolOp(op=op):
                return Code(text, INFIX[_SYMBOLS[type(op)]])
            case ast.UnaryOp(op=op):
                return Code(text, Level.NOT if isinstance(op, ast.Not) else Level.UNARY)
        return Code(text, _LEVELS.get(type(node), Level.ATOM))

    def _segment(self, node: ast.expr) -> str:
        return ast.get_source_segment(self._text, node) or ""

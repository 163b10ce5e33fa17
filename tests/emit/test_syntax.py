"""Printing and parsing are inverse: what is built is what Python reads.

Every random tree is built twice, by the constructors under test and as a Python `ast`.  The printed
text has to parse to that `ast`, and no pair of parentheses may be left out of it without changing
what it parses to.  The exceptions are three habits of black's, each with a test of its own.
"""

import ast
import io
import math
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjointgen.emit.syntax.expression_trees import (
    attribute,
    binary,
    boolean,
    call,
    compare,
    conditional,
    dict_,
    list_,
    literal,
    name,
    slice_,
    subscript,
    tuple_,
    unary,
)
from adjointgen.emit.syntax.printer import text as text_of
from adjointgen.emit.syntax.tree import Expression
from adjointgen.emit.usercode import libcst_rewrite
from adjointgen.emit.usercode.verbatim import expression

a, b, c, d = (name(letter) for letter in "abcd")
two = literal(2)


@dataclass(frozen=True)
class Built:
    """One expression, built both ways."""

    node: Expression
    tree: ast.expr


class _Flat(ast.NodeTransformer):
    """``a and (b and c)`` is ``a and b and c``, which `ast` writes as one operation."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        values = [
            inner
            for value in node.values
            for inner in (
                value.values
                if isinstance(value, ast.BoolOp) and type(value.op) is type(node.op)
                else [value]
            )
        ]
        return ast.BoolOp(node.op, values)


def read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def shape(tree: ast.expr) -> str:
    return ast.dump(_Flat().visit(tree))


def parsed(text: str) -> str | None:
    try:
        return shape(read(text))
    except SyntaxError:
        return None


BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "@": ast.MatMult,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
UNARY: dict[str, type[ast.unaryop]] = {
    "-": ast.USub,
    "+": ast.UAdd,
    "~": ast.Invert,
    "not": ast.Not,
}
COMPARE: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "in": ast.In,
    "not in": ast.NotIn,
    "is": ast.Is,
    "is not": ast.IsNot,
}
BOOLEAN: dict[str, type[ast.boolop]] = {"and": ast.And, "or": ast.Or}

VERBATIM = ["lambda p: p", "(q := 1)", "(yield)", "await z", "u or v", "u if v else w", "u < v < w"]
VERBATIM += [
    "(p for p in q)",
    "not u",
    "(u, v)",
    "[p for p in q]",
    "u.v[1:](w, *z)",
    "-u ** v",
    "u, v",
]
TEMPLATES = ["_x**2 - f(_x, k=_x)", "_x if _x else _x", "not _x and 3 % _x", "_x < _x[_x:, _x]"]
TEMPLATES += ["[*_x, (_x, 1)]", "_x.T @ _x", "lambda m=_x: _x", "{_x: _x, **_x}", "2 ** _x ** 2"]
TEMPLATES += ["[_x for m in _x if _x]", "(n := _x)", "await _x", "(yield _x)", "f(_x for m in n)"]


def constant(value: float | complex | str | None) -> ast.expr:
    if isinstance(value, int | float) and math.copysign(1.0, value) < 0.0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


numbers = st.one_of(st.integers(-99, 99), st.floats(allow_nan=False, allow_infinity=False))
plain_leaves = st.one_of(
    st.sampled_from("abcd").map(lambda x: Built(name(x), ast.Name(x, ast.Load()))),
    numbers.map(lambda x: Built(literal(x), constant(x))),
    st.sampled_from([None, True, "s", ...]).map(lambda x: Built(literal(x), ast.Constant(x))),
)
leaves = plain_leaves | st.sampled_from(VERBATIM).map(lambda x: Built(expression(x, {}), read(x)))


class _Fill(ast.NodeTransformer):
    def __init__(self, value: ast.expr) -> None:
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == "_x" else node


def fill(template: str, x: Built) -> Built:
    """A template that is read where it can be, and rewritten where it cannot."""
    # A name that a template binds stays free of those that the random trees mention.
    return Built(expression(template, {"_x": x.node}), _Fill(x.tree).visit(read(template)))


def refill(template: str, x: Built) -> Built:
    """A template that is rewritten."""
    tree = _Fill(x.tree).visit(read(template))
    return Built(libcst_rewrite.expression(template, {"_x": x.node}), tree)


def operation(operator: str, x: Built, y: Built) -> Built:
    if operator in BINARY:
        tree: ast.expr = ast.BinOp(x.tree, BINARY[operator](), y.tree)
        return Built(binary(operator, x.node, y.node), tree)
    if operator in COMPARE:
        tree = ast.Compare(x.tree, [COMPARE[operator]()], [y.tree])
        return Built(compare(operator, x.node, y.node), tree)
    tree = ast.BoolOp(BOOLEAN[operator](), [x.tree, y.tree])
    return Built(boolean(operator, x.node, y.node), tree)


def negated(operator: str, x: Built) -> Built:
    return Built(unary(operator, x.node), ast.UnaryOp(UNARY[operator](), x.tree))


def chosen(x: Built, y: Built, z: Built) -> Built:
    return Built(conditional(x.node, y.node, z.node), ast.IfExp(x.tree, y.tree, z.tree))


def called(f: Built, arguments: list[Built], keyword: Built) -> Built:
    node = call(f.node, [x.node for x in arguments], {"key": keyword.node})
    keywords = [ast.keyword("key", keyword.tree)]
    return Built(node, ast.Call(f.tree, [x.tree for x in arguments], keywords))


def field(x: Built) -> Built:
    return Built(attribute(x.node, "real"), ast.Attribute(x.tree, "real", ast.Load()))


def indexed(x: Built, items: list[Built], start: Built | None, step: Built | None) -> Built:
    first, third = (None if part is None else part.node for part in (start, step))
    nodes = [*(item.node for item in items), slice_(first, None, third), ..., None]
    lower, stride = (None if part is None else part.tree for part in (start, step))
    trees = [*(item.tree for item in items), ast.Slice(lower, None, stride)]
    key = ast.Tuple([*trees, ast.Constant(...), ast.Constant(None)], ast.Load())
    return Built(subscript(x.node, nodes), ast.Subscript(x.tree, key, ast.Load()))


def looked_up(x: Built, key: Built) -> Built:
    return Built(subscript(x.node, [key.node]), ast.Subscript(x.tree, key.tree, ast.Load()))


def displayed(items: list[Built], kind: str) -> Built:
    nodes, trees = [item.node for item in items], [item.tree for item in items]
    if kind == "tuple":
        return Built(tuple_(nodes), ast.Tuple(trees, ast.Load()))
    if kind == "list":
        return Built(list_(nodes), ast.List(trees, ast.Load()))
    return Built(dict_(zip(nodes, nodes, strict=True)), ast.Dict([*trees], trees))


INFIX = [*BINARY, *COMPARE, *BOOLEAN]
Strategy = st.SearchStrategy[Built]
infixes = st.sampled_from(INFIX)


def larger(inner: Strategy) -> Strategy:
    few = st.lists(inner, max_size=3)
    return st.one_of(
        st.builds(operation, infixes, inner, inner),
        st.builds(operation, infixes, inner, inner),
        st.builds(negated, st.sampled_from([*UNARY]), inner),
        st.builds(chosen, inner, inner, inner),
        st.builds(called, inner, few, inner),
        st.builds(field, inner),
        st.builds(indexed, inner, few, st.none() | inner, st.none() | inner),
        st.builds(looked_up, inner, inner),
        st.builds(displayed, few, st.sampled_from(["tuple", "list", "dict"])),
    )


def larger_or_filled(inner: Strategy) -> Strategy:
    templates = st.sampled_from(TEMPLATES)
    return larger(inner) | st.builds(fill, templates, inner) | st.builds(refill, templates, inner)


p, q, r = (Built(name(letter), read(letter)) for letter in "pqr")
SLOTS: dict[str, Callable[[Built], Built]] = {
    **{f"_ {operator} q": partial(lambda o, x: operation(o, x, q), operator) for operator in INFIX},
    **{f"p {operator} _": partial(lambda o, x: operation(o, p, x), operator) for operator in INFIX},
    **{f"{operator} _": partial(negated, operator) for operator in UNARY},
    "p if _ else q": lambda x: chosen(x, p, q),
    "_ if p else q": lambda x: chosen(p, x, q),
    "p if q else _": lambda x: chosen(p, q, x),
    "_(p)": lambda x: called(x, [p], q),
    "p(_)": lambda x: called(p, [x], q),
    "p(key=_)": lambda x: called(p, [], x),
    "p(sole _)": lambda x: Built(call(p.node, [x.node]), ast.Call(p.tree, [x.tree], [])),
    "_.real": field,
    "_[p]": lambda x: looked_up(x, p),
    "p[_]": lambda x: looked_up(p, x),
    "p[_, q]": lambda x: indexed(p, [x], q, None),
    "p[_:, q]": lambda x: indexed(p, [], x, None),
    "p[::_]": lambda x: indexed(p, [], None, x),
    "(_,)": lambda x: displayed([x], "tuple"),
    "[_]": lambda x: displayed([x], "list"),
    "{_: _}": lambda x: displayed([x], "dict"),
    **{template: partial(fill, template) for template in TEMPLATES},
    **{f"{template} again": partial(refill, template) for template in TEMPLATES},
}
INNER = [
    *(operation(operator, p, q) for operator in INFIX),
    *(negated(operator, p) for operator in UNARY),
    chosen(p, q, r),
    called(p, [q], r),
    field(p),
    looked_up(p, q),
    *(displayed(items, kind) for items in ([], [p], [p, q]) for kind in ("tuple", "list", "dict")),
    *(Built(literal(value), constant(value)) for value in (1, -1, 1.5, -1.5, 1e300, 2j, "s", None)),
    *(Built(expression(text, {}), read(text)) for text in VERBATIM),
]


@pytest.mark.parametrize("slot", SLOTS)
def test_every_kind_of_operand_in_every_slot(slot: str) -> None:
    for inner in INNER:
        assert_inverse(SLOTS[slot](inner))


def assert_inverse(built: Built) -> None:
    text = text_of(built.node)
    assert parsed(text) == shape(built.tree), text


deeper = larger_or_filled(larger_or_filled(leaves | larger(leaves)))


@given(deeper)
@settings(max_examples=200)
def test_what_is_printed_is_what_was_built(built: Built) -> None:
    assert_inverse(built)


def groupings(text: str) -> Iterator[tuple[int, int, str]]:
    """Where the parentheses stand that are not a call's, and the token before each pair."""
    before, open_ = "", []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        column = token.start[1]
        if token.string in ("(", "[", "{"):
            applied = (before.isidentifier() and before not in KEYWORDS) or before in (
                ")",
                "]",
                '"s"',
            )
            open_.append((column, before, applied or token.string != "("))
        elif token.string in (")", "]", "}"):
            start, opener, other = open_.pop()
            if not other:
                yield start, column, opener
        before = token.string


KEYWORDS = {"and", "or", "not", "in", "is", "if", "else", "lambda"}


def habits(text: str, start: int, end: int, before: str) -> bool:
    """Is this one of the pairs that a reader wants and the grammar does not?"""
    inside = text[start + 1 : end]
    of_power = before in ("-", "+", "~") and "**" in inside
    of_number = text[end + 1 : end + 2] == "." and not inside.startswith("-")
    return of_power or of_number or inside.endswith(",") or ":=" in inside


@pytest.mark.parametrize("slot", [s for s in SLOTS if s.removesuffix(" again") not in TEMPLATES])
def test_no_slot_parenthesises_in_vain(slot: str) -> None:
    for inner in INNER:
        assert_frugal(SLOTS[slot](inner))


@given(larger(larger(plain_leaves | larger(plain_leaves))))
@settings(max_examples=200)
def test_no_parentheses_can_be_left_out(built: Built) -> None:
    assert_frugal(built)


def assert_frugal(built: Built) -> None:
    text = text_of(built.node)
    for start, end, before in groupings(text):
        if not habits(text, start, end, before):
            less = f"{text[:start]} {text[start + 1 : end]} {text[end + 1 :]}"
            assert parsed(less) != shape(built.tree), (text, less)

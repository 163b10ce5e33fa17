"""Statements, functions and modules: the text that is meant, and black leaves it alone."""

import ast
import inspect

import black
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjointgen.emit.definitions import Parameter, from_import, function_def, import_, module
from adjointgen.emit.statements import (
    Statement,
    assign,
    augmented,
    break_,
    continue_,
    delete,
    expression_statement,
    for_,
    if_,
    pass_,
    raise_,
    return_,
    while_,
    with_blank_line,
    with_leading_comments,
    with_trailing_comment,
)
from adjointgen.emit.syntax import binary, call, literal, name, subscript, tuple_
from adjointgen.emit.verbatim import parse_expression

a, b, c, i, j = (name(letter) for letter in "abcij")
one = literal(1.0)
a_i = subscript(a, [i])


def assert_stable(text: str) -> None:
    ast.parse(text)
    assert black.format_str(text, mode=black.Mode()) == text


SIMPLE: list[tuple[Statement, str]] = [
    (assign(a, b), "a = b"),
    (assign([a, a_i], b), "a = a[i] = b"),
    (assign(tuple_([a, b]), tuple_([b, a])), "a, b = b, a"),
    (assign(tuple_([a]), b), "(a,) = b"),
    (assign(a, tuple_([b, c])), "a = (b, c)"),
    (assign(a, parse_expression("(x := 1)")), "a = (x := 1)"),
    (assign(a, parse_expression("(yield b)")), "a = yield b"),
    (augmented(a_i, "+", binary("*", b, c)), "a[i] += b * c"),
    (augmented(name("a.x"), "//", one), "a.x //= 1.0"),
    (expression_statement(call(a, [b])), "a(b)"),
    (expression_statement(parse_expression("(x := 1)")), "(x := 1)"),
    (return_(), "return"),
    (return_(binary("+", a, b)), "return a + b"),
    (return_(tuple_([a, b])), "return a, b"),
    (return_(tuple_([a])), "return (a,)"),
    (return_(tuple_([])), "return ()"),
    (raise_(), "raise"),
    (raise_(call(a), b), "raise a() from b"),
    (pass_(), "pass"),
    (break_(), "break"),
    (continue_(), "continue"),
    (delete([a, a_i]), "del a, a[i]"),
    (delete([a_i]), "del a[i]"),
    (with_trailing_comment(assign(a, b), "# model.py:5"), "a = b  # model.py:5"),
    (for_(tuple_([i, j]), a, [pass_()]), "for i, j in a:\n    pass"),
    (for_(i, tuple_([a, b]), [], [break_()]), "for i in a, b:\n    pass\nelse:\n    break"),
    (while_(parse_expression("(x := a())"), [continue_()]), "while x := a():\n    continue"),
    (while_(a, [pass_()], [pass_()]), "while a:\n    pass\nelse:\n    pass"),
    (if_(parse_expression("(x := a())"), [pass_()]), "if x := a():\n    pass"),
    (
        if_(a, [pass_()], [if_(b, [pass_()], [if_(c, [pass_()], [break_()])])]),
        "if a:\n    pass\nelif b:\n    pass\nelif c:\n    pass\nelse:\n    break",
    ),
    (
        if_(a, [pass_()], [if_(b, [pass_()]), pass_()]),
        "if a:\n    pass\nelse:\n    if b:\n        pass\n    pass",
    ),
    (
        if_(a, [pass_()], [with_leading_comments(if_(b, [pass_()]), ["# why"])]),
        "if a:\n    pass\nelse:\n    # why\n    if b:\n        pass",
    ),
    (
        with_trailing_comment(for_(i, a, [pass_()]), "# model.py:5"),
        "for i in a:  # model.py:5\n    pass",
    ),
]


@pytest.mark.parametrize(("statement", "text"), SIMPLE, ids=[text for _, text in SIMPLE])
def test_a_statement_is_written_as_meant(statement: Statement, text: str) -> None:
    assert module([], [statement]).code == text + "\n"
    if "return" not in text:
        assert_stable(text + "\n")


def test_only_places_are_assigned() -> None:
    with pytest.raises(TypeError, match="BinaryOperation"):
        assign(binary("+", a, b), c)


def test_comments_and_blank_lines_stand_above() -> None:
    commented = with_leading_comments(with_leading_comments(pass_(), ["# c"]), ["# a", "# b"], True)
    body = [pass_(), commented, with_blank_line(pass_())]
    text = "while a:\n    pass\n\n    # a\n    # b\n    # c\n    pass\n\n    pass\n"
    assert module([], [while_(a, body)]).code == text


def test_every_kind_of_parameter() -> None:
    parameters = [
        Parameter("p", kind="positional-only"),
        Parameter("x", name("float"), one),
        Parameter("y", None, literal(-1)),
        Parameter("k", kind="keyword-only"),
        Parameter("l", name("int"), kind="keyword-only"),
        Parameter("rest", kind="**"),
    ]
    heading = "def f(p, /, x: float = 1.0, y=-1, *, k, l: int, **rest) -> float:"
    definition = function_def("f", parameters, [], returns=name("float"))
    assert module([], [definition]).code == heading + "\n    pass\n"
    starred = [Parameter("xs", name("int"), kind="*"), Parameter("k", kind="keyword-only")]
    assert module([], [function_def("f", starred, [])]).code == "def f(*xs: int, k):\n    pass\n"


MODULE = '''\
# Code generated.
# source: a.py

"""A module.

With more.
"""

import math
import numpy as np
from .. import c
from .helpers import one, two as three
from os.path import join


@njit(cache=True)
def f(a):
    """One line."""
    import math

    a = b

    def inner():
        """Two.

        lines
        """
        pass

    return a


# About g.
def g():
    pass


a = b
b = a
'''


def test_a_module_has_the_blank_lines_that_black_gives_it() -> None:
    inner = function_def("inner", [], [pass_()], docstring="Two.\n\nlines", depth=1)
    body: list[Statement] = [
        import_("math"),
        import_("numpy", "np"),
        from_import("..", ["c"]),
        from_import(".helpers", ["one", ("two", "three")]),
        from_import("os.path", ["join"]),
        function_def(
            "f",
            [Parameter("a")],
            [import_("math"), assign(a, b), inner, return_(a)],
            docstring="One line.",
            decorators=[parse_expression("njit(cache=True)")],
        ),
        with_leading_comments(function_def("g", [], []), ["# About g."], blank=True),
        assign(a, b),
        assign(b, a),
    ]
    built = module(["# Code generated.", "# source: a.py"], body, "A module.\n\nWith more.\n")
    assert built.code == MODULE
    assert_stable(MODULE)


@pytest.mark.parametrize("docstring", ["", "About."])
def test_a_definition_may_come_first(docstring: str) -> None:
    for header in [], ["# h"]:
        assert_stable(module(header, [function_def("f", [], [])], docstring).code)


@pytest.mark.parametrize("depth", [0, 1])
@given(st.text("ab\"\\\n \t'\r\0é", max_size=12).filter(str.strip))
@example('"quoted"')
@example('three """ quotes')
@example("a backslash \\")
@example("first\n\n    deeper\n  shallow \nend")
def test_a_docstring_keeps_its_text(depth: int, text: str) -> None:
    definition = function_def("f", [], [pass_()], docstring=text, depth=depth)
    for _ in range(depth):
        definition = function_def("outer", [], [definition])
    code = module([], [definition]).code
    inner = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)][-1]
    lines = [line.rstrip() for line in inspect.cleandoc(text).split("\n")]
    found = ast.get_docstring(inner) or ""
    assert found.strip() == inspect.cleandoc("\n".join(lines).strip())
    assert_stable(code)

"""Statements, functions and modules: the text that is meant, and black leaves it alone."""

import ast
import inspect

import black
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjointgen.emit.syntax.definition_trees import from_import, function_def, import_, module
from adjointgen.emit.syntax.expression_trees import binary, call, literal, name, subscript, tuple_
from adjointgen.emit.syntax.printer import PASS
from adjointgen.emit.syntax.statement_trees import (
    assign,
    augmented,
    break_,
    declare,
    expression_statement,
    for_,
    if_,
    return_,
    while_,
    with_blank_line,
    with_leading_comments,
    with_trailing_comment,
)
from adjointgen.emit.syntax.tree import Assign, Lines, Parameter, Simple, Statement
from adjointgen.emit.usercode.verbatim import expression

a, b, c, i, j = (name(letter) for letter in "abcij")
one = literal(1.0)
a_i = subscript(a, [i])


def assert_stable(text: str) -> None:
    ast.parse(text)
    assert black.format_str(text, mode=black.Mode()) == text


SIMPLE: list[tuple[Statement, str]] = [
    (assign(a, b), "a = b"),
    (Assign((a, a_i), b), "a = a[i] = b"),
    (declare(a, b, tuple_([c])), "a: b = (c,)"),
    (assign(tuple_([a, b]), tuple_([b, a])), "a, b = b, a"),
    (assign(tuple_([a]), b), "(a,) = b"),
    (assign(a, tuple_([b, c])), "a = (b, c)"),
    (assign(a, expression("(x := 1)", {})), "a = (x := 1)"),
    (assign(a, expression("(yield b)", {})), "a = yield b"),
    (augmented(a_i, "+", binary("*", b, c)), "a[i] += b * c"),
    (augmented(name("a.x"), "//", one), "a.x //= 1.0"),
    (expression_statement(call(a, [b])), "a(b)"),
    (expression_statement(expression("(x := 1)", {})), "(x := 1)"),
    (return_(binary("+", a, b)), "return a + b"),
    (return_(tuple_([a, b])), "return a, b"),
    (return_(tuple_([a])), "return (a,)"),
    (return_(tuple_([])), "return ()"),
    (Simple("raise", (call(a),)), "raise a()"),
    (Simple("assert", (a, tuple_([b, c]))), "assert a, (b, c)"),
    (PASS, "pass"),
    (break_(), "break"),
    (with_trailing_comment(assign(a, b), "# model.py:5"), "a = b  # model.py:5"),
    (for_(tuple_([i, j]), a, [PASS]), "for i, j in a:\n    pass"),
    (for_(i, tuple_([a, b]), []), "for i in a, b:\n    pass"),
    (while_(expression("(x := a())", {}), [Lines(("continue",))]), "while x := a():\n    continue"),
    (if_(expression("(x := a())", {}), [PASS]), "if x := a():\n    pass"),
    (
        if_(a, [PASS], [if_(b, [break_()], [if_(c, [PASS], [break_()])])]),
        "if a:\n    pass\nelif b:\n    break\nelif c:\n    pass\nelse:\n    break",
    ),
    (
        if_(a, [PASS], [if_(b, [PASS], [if_(c, [PASS], [break_()])])]),
        "if a or b or c:\n    pass\nelse:\n    break",
    ),
    (
        if_(a, [PASS], [if_(b, [PASS]), PASS]),
        "if a:\n    pass\nelse:\n    if b:\n        pass\n    pass",
    ),
    (
        if_(a, [PASS], [with_leading_comments(if_(b, [PASS]), ["# why"])]),
        "if a:\n    pass\nelse:\n    # why\n    if b:\n        pass",
    ),
    (
        with_trailing_comment(for_(i, a, [PASS]), "# model.py:5"),
        "for i in a:  # model.py:5\n    pass",
    ),
]


@pytest.mark.parametrize(("statement", "text"), SIMPLE, ids=[text for _, text in SIMPLE])
def test_a_statement_is_written_as_meant(statement: Statement, text: str) -> None:
    assert module([], [statement]) == text + "\n"
    if "return" not in text:
        assert_stable(text + "\n")


def test_comments_and_blank_lines_stand_above() -> None:
    commented = with_leading_comments(with_leading_comments(PASS, ["# c"]), ["# a", "# b"], True)
    body = [PASS, commented, with_blank_line(PASS)]
    text = "while a:\n    pass\n\n    # a\n    # b\n    # c\n    pass\n\n    pass\n"
    assert module([], [while_(a, body)]) == text


def test_every_kind_of_parameter() -> None:
    parameters = [
        Parameter("k", named=True),
        Parameter("x", name("float"), one),
        Parameter("l", name("int"), literal(-1), named=True),
        Parameter("y", None, literal(-1)),
    ]
    heading = "def f(x: float = 1.0, y=-1, *, k, l: int = -1) -> float:"
    definition = function_def("f", parameters, [], returns=name("float"))
    assert module([], [definition]) == heading + "\n    pass\n"


MODULE = '''\
# Code generated.
# source: a.py

import math
import numpy as np
from .. import c
from .helpers import one, two as three
from os.path import join


def f(a):
    """One line."""
    import math

    a = b

    def inner():
        """Two."""
        pass

    return a


# About g.
def g():
    pass


a = b
b = a
'''


def test_a_module_has_the_blank_lines_that_black_gives_it() -> None:
    inner = function_def("inner", [], [PASS], docstring="Two.")
    body: list[Statement] = [
        import_("math"),
        import_("numpy", "np"),
        from_import("..", [("c", "")]),
        from_import(".helpers", [("one", ""), ("two", "three")]),
        from_import("os.path", [("join", "")]),
        function_def(
            "f",
            [Parameter("a")],
            [import_("math"), assign(a, b), inner, return_(a)],
            docstring="One line.",
        ),
        with_leading_comments(function_def("g", [], []), ["# About g."], blank=True),
        assign(a, b),
        assign(b, a),
    ]
    built = module(["# Code generated.", "# source: a.py"], body)
    assert built == MODULE
    assert_stable(MODULE)


def test_a_definition_may_come_first() -> None:
    for header in [], ["# h"]:
        assert_stable(module(header, [function_def("f", [], [])]))


@given(st.text("ab\"\\\n \t'\r\0é", max_size=12).filter(str.strip))
@example('"quoted"')
@example('three """ quotes')
@example("a backslash \\")
@example("first\n\n    deeper\n  shallow \nend")
def test_a_docstring_keeps_its_text(text: str) -> None:
    code = module([], [function_def("f", [], [PASS], docstring=text)])
    (inner,) = ast.parse(code).body
    assert isinstance(inner, ast.FunctionDef)
    lines = [line.rstrip() for line in inspect.cleandoc(text).split("\n")]
    found = ast.get_docstring(inner) or ""
    assert found.strip() == inspect.cleandoc("\n".join(lines).strip())
    assert_stable(code)

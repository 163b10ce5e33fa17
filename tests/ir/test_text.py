"""Listings: what they look like, and that reading one gives the function back."""

import math
from dataclasses import replace

import pytest

from adjointgen.errors import Span
from adjointgen.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    Function,
    Leaf,
    Literal,
    Node,
    Parameter,
    Value,
)
from adjointgen.ir.text import read, show
from adjointgen.ir.types import BOOL, FLOAT, INT, OBJECT, Dim, Type, array

EVERYTHING = """\
function f(x: float64[x.0], n: int64, k: int64=k) -> (s, y)
  parameters (x, n = "3", * k = "len(\\"#\\")")
  results "dict:s,y"(_, "Point"(_))
  import "import math  # for sqrt"
  y: float64[x.0] = sin(x)
  s: float64 = loop i: int64 from (0, n, 1) carry (s_2: float64 = 0.0) trips m: int64 pair 1:
    t': float64 = load(y, i) [index="_"]
    s_3: float64 = add(s_2, t)
    stop': bool = gt(s_3, 1e+30)
    record y_tape <- t
    yield stop, s_3
  loop j: int64 backwards from (0, n, 2):
    pass
  w: float64, v'q: list float64[?, 3] = while carry (w_2: float64 = s, v_2: list float64[?, 3] = \
undefined) trips m_2'n: int64 breaks pair 2:
    test:
      c': bool = lt(w_2, 3.0)
      yield c
    body:
      w_4: float64 = mul(w_2, 2.0)
      yield True, w_4, v_2
  while trips m_3: int64:
    test:
      yield False
    body:
      pass
  z: float64 = if True pair 3:
    yield w
  else:
    z_2: float64 = replay y_tape
    yield z_2
  p: complex128, o: object = call mod.g(complex(1.0, -0.0), 1.0:float32, None)
  o_2: object = verbatim(o) [code="table[_0_]  # \\"quoted\\"", writes=(0,)]
  statement(o_2) [code="print(_0_)"]
  record "odd slot" <- -3
  return s, y
"""


def test_everything_round_trips() -> None:
    assert show(read(EVERYTHING)) == EVERYTHING
    assert read(show(read(EVERYTHING))) == read(EVERYTHING)


def test_what_a_listing_says() -> None:
    x, y = Value("x", array("float64", "x.0"), "x"), Value("y_2", FLOAT, "y")
    t = Value("t", INT)
    stmts = (
        Apply((t,), "dim", (x,), (("axis", 0),), Span("m.py", 3, 4, 3, 9)),
        Apply((y,), "mul", (Const(1.5, Type("float32")), t)),
    )
    function = Function("f", (Parameter("x"),), Block((x,), stmts, (y,)), Leaf(), ("result",))
    text = """\
function f(x: float64[x.0]) -> (result)
  t': int64 = dim(x) [axis=0]
  y_2: float64 = mul(1.5:float32, t)
  return y_2
"""
    assert show(function) == text
    unplaced = replace(function.body, stmts=(replace(stmts[0], span=None), stmts[1]))
    assert read(text) == replace(function, body=unplaced)
    assert "dim(x) [axis=0]  # m.py:3:5\n" in show(function, spans=True)
    assert read(show(function, spans=True)) == read(text)
    assert show(function.body).startswith("block (x: float64[x.0]):\n  t'")


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (1.0, FLOAT),
        (-1.5e-300, FLOAT),
        (1e300, FLOAT),
        (math.inf, FLOAT),
        (-math.inf, Type("float32")),
        (7, Type("int64", value=Dim("", 7))),
        (7, INT),
        (True, BOOL),
        (1 + 2j, Type("complex128")),
        (complex(math.inf, -0.0), Type("complex64")),
        ('a # "b" \n, c\'', OBJECT),
        ("", OBJECT),
        (None, OBJECT),
        (UNDEFINED, array("float64", None, 3)),
        (UNDEFINED, Type("float64", None, "list")),
    ],
)
def test_constants(value: Literal, type: Type) -> None:
    body = Block((), (), (Const(value, type), Const(1.0, FLOAT)))
    function = Function("f", (), body, Node("tuple", (Leaf(), Leaf())), ("a", "b"))
    assert repr(read(show(function))) == repr(function)


@pytest.mark.parametrize(
    "value",
    ["_, 1:-1", 'a"b', (0, 1), (1,), (), None, True, -2, 1.5, math.inf, 1j, ("a", (None, 2.0))],
)
def test_options(value: object) -> None:
    stmt = Apply((), "op", (), (("first", value), ("second", "x # y")))
    function = Function("f", (), Block((), (stmt,), ()), Node("tuple", ()), ())
    assert repr(read(show(function))) == repr(function)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("function f() -> (y)\n  return z\n", "a definition of 'z' above"),
        ("function f() -> (y)\n  y: floaty = g()\n  return y\n", "unknown dtype 'floaty'"),
        ("function f() -> (y)\n  return 1.0 2.0\n", "the end of the line"),
        ("function f() -> (y)\n  return 1.0\n  y: bool = g()\n", "the block to end after 'return'"),
        ("function f() -> (y)\n  return 1.0\nmore\n", "the end of the function"),
        ("function f() -> (y)\n  if True:\n    pass\n", "another line"),
        ("function f() -> (y)\nreturn 1.0\n", "an indented line"),
        ("procedure f() -> (y)\n  return 1.0\n", "expected function"),
    ],
)
def test_what_is_not_a_listing(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read(text)

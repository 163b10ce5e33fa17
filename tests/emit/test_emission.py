"""The decisions of emission one by one: parallel copies, webs, names, comments, imports, size."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjointgen.emit.decide.webs import meet, united
from adjointgen.emit.write.module import emit, format
from adjointgen.emit.write.parallel_moves import Copy, in_sequence
from adjointgen.errors import Span
from adjointgen.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    Function,
    Leaf,
    Loop,
    Node,
    Origin,
    Parameter,
    Value,
)
from adjointgen.ir.text import read
from adjointgen.ir.types import FLOAT
from adjointgen.rules.all import TABLE
from adjointgen.runtime.broadcast import unbroadcast

NAMES = "abcdef"


LISTS = """
function f(x: list float64[x.0], y: float64[x.0]) -> (a, b, c)
  t': bool[x.0] = eq(x, 2.0)
  a: float64[x.0] = mul(t, y)
  b: float64[x.0] = mul(x, y)
  t_2': float64[x.0] = mul(x, 2.0)
  c: float64[x.0] = add(x, t_2)
  return a, b, c
"""


def test_arithmetic_on_a_list_is_on_its_numbers() -> None:
    environment: dict[str, Any] = {}
    exec(emit([read(LISTS.strip())]), environment)
    found = environment["f"]([0.5, 2.0], np.array([1.0, 3.0]))
    np.testing.assert_array_equal(found, [[0.0, 3.0], [0.5, 6.0], [1.5, 6.0]])


@given(st.dictionaries(st.sampled_from(NAMES), st.sets(st.sampled_from(NAMES)), max_size=6))
def test_copies_in_sequence_read_before_they_write(wanted: dict[str, set[str]]) -> None:
    copies = [
        Copy(name, Value(name, FLOAT), Const(0.0, FLOAT), frozenset(reads))
        for name, reads in wanted.items()
    ]
    written: set[str] = set()
    for group in in_sequence(copies):
        for copy in group:
            assert written.isdisjoint(copy.reads)
        written |= {copy.name for copy in group}
    assert written == set(wanted)


segments = st.lists(st.integers(0, 40), min_size=2, max_size=8, unique=True).map(
    lambda ends: list(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
)


def points(stretches: list[tuple[int, int]]) -> set[int]:
    return {k for low, high in stretches for k in range(low, high)}


@given(segments, segments)
def test_stretches_meet_and_unite_as_sets(
    a: list[tuple[int, int]], b: list[tuple[int, int]]
) -> None:
    assert meet(a, b) == bool(points(a) & points(b))
    both = united(a, b)
    assert points(both) == points(a) | points(b)
    assert all(one[1] < other[0] for one, other in pairwise(both))


def straight(statements: list[Apply], result: Value, x: Value) -> Function:
    body = Block((x,), tuple(statements), (result,))
    return Function("f", (Parameter("x"),), body, Leaf(), ("y",))


def span(line: int) -> Span:
    return Span("lib/model.py", line, 4, line, 9)


def test_the_users_comments_stand_above_their_statements() -> None:
    x, y, z = (Value(name, FLOAT, name) for name in "xyz")
    function = straight(
        [
            Apply((y,), "sin", (x,), (), span(3)),
            Apply((z,), "mul", (y, y), (), span(6)),
        ],
        z,
        x,
    )
    comments = ((2, "# Above."), (3, "# Beside."), (5, "# noqa"), (9, "# Lost."))
    text = emit([replace(function, comments=comments, origin=Origin("lib/model.py"))])
    assert "    # Above.\n    # Beside.\n    y = np.sin(x)\n    z: float = y * y\n" in text


def test_reverse_statements_name_their_source() -> None:
    x, n = Value("x", FLOAT, "x"), Const(3, FLOAT)
    y, p, q, r = (Value(f"y_{k}", FLOAT, "y") for k in range(2, 6))
    step = Apply((q,), "sin", (p,), (), span(5))
    loop = Loop(
        (r,),
        Value("i", FLOAT, "i"),
        (Const(0, FLOAT), n, Const(1, FLOAT)),
        (y,),
        Block((p,), (step,), (q,)),
        span=span(4),
    )
    z = Value("z", FLOAT, "z")
    stmts = (
        _comment("Forward sweep."),
        Apply((z,), "sin", (x,), (), span(7)),
        _comment("Reverse sweep."),
        Apply((y,), "cos", (x,), (), span(7)),
        loop,
    )
    body = Block((x,), stmts, (r, z))
    two = Node("tuple", (Leaf(), Leaf()))
    text = emit([Function("f", (Parameter("x"),), body, two, ("y", "z"))])
    assert "    # Forward sweep.\n    z = np.sin(x)\n" in text
    assert "    # Reverse sweep.\n    y = np.cos(x)  # model.py:7\n" in text
    assert "    for _ in range(3):  # model.py:4\n        y = np.sin(y)\n" in text


def test_the_table_is_filled() -> None:
    """Emission spells operations by their rows."""
    assert TABLE["sin"].spellings


def _comment(title: str) -> Apply:
    which = title.partition(" ")[0].lower()
    return Apply((), "comment", (), (("sweep", which), ("text", title)))


def test_one_section_has_no_title() -> None:
    x, y = Value("x", FLOAT, "x"), Value("y", FLOAT, "y")
    made = Apply((y,), "cos", (x,), (), span(7))
    for titles in (("Forward sweep.", "Reverse sweep."), ("Reverse sweep.",)):
        stmts = (*map(_comment, titles), made)
        text = emit([Function("f", (Parameter("x"),), Block((x,), stmts, (y,)), Leaf(), ("y",))])
        assert "sweep" not in text
        assert "    y: float = np.cos(x)  # model.py:7\n" in text


LISTING = """
function f(x: float64[x.0], np': object) -> (y)
  import "import autograd.numpy as np"
  import "from mine import g, h as k"
  import "import unused"
  t': float64 = verbatim() [code="k(3) + g(np.ones(2))"]
  t_2': float64 = sum(x)
  y: float64 = add(t, t_2)
  return y
"""


def test_imports_are_those_that_are_used() -> None:
    text = format(emit([read(LISTING.replace(", np': object", ""))]))
    head = text.partition("\n\n\n")[0]
    assert head.splitlines() == [
        "import autograd.numpy as np",
        "import numpy",
        "from mine import g, h as k",
        "from numpy.typing import NDArray",
    ]


def test_the_header_comes_first_and_functions_in_order() -> None:
    function = read("function f(x: float64) -> (y)\n  y: float64 = sin(x)\n  return y\n")
    text = emit([function, replace(function, name="g")], header=["source: m.py", "# as it is"])
    assert text.startswith("# source: m.py\n# as it is\n\nimport numpy as np\n\n\ndef f(")
    assert text.index("def f(") < text.index("def g(")


def test_parameters_and_docstring() -> None:
    listing = (
        "function f(x: float64[x.0], n: int64, w: list float64[?]) -> (n, m)\n"
        '  parameters (x, n = "2", named w = "None")\n'
        '  results "list"(_, _)\n'
        "  return n, 3\n"
    )
    function = replace(read(listing), origin=Origin(doc="What it does.\n\nx: an array"))
    text = format(emit([function]))
    assert "x: NDArray[np.float64], n: int = 2, *, w: list[float])" in text
    assert '    """What it does.\n\n    x: an array\n    """\n    return [n, 3]\n' in text
    assert ") -> list[int]:" in text


def test_a_default_of_another_type_is_left_out_where_that_can_be() -> None:
    listing = (
        "function f(n: int64, w: float64, x: float64[x.0]) -> (n)\n"
        '  parameters (n{}, w = "None", x = "0")\n'
        "  return n\n"
    )
    left_out = format(emit([read(listing.format(""))]))
    assert "(n: int, w: float, x: NDArray[np.float64])" in left_out
    kept = format(emit([read(listing.format(' = "2"'))]))
    assert "n: int = 2, w: float | None = None, x: NDArray[np.float64] = 0" in kept


def test_a_value_that_is_not_defined_makes_no_text() -> None:
    x, y, z = (Value(name, FLOAT, name) for name in "xyz")
    undefined = Const(UNDEFINED, FLOAT)
    function = straight([Apply((y,), "sin", (undefined,)), Apply((z,), "cos", (x,))], z, x)
    assert "sin" not in emit([function])


@pytest.mark.parametrize("shape", [(2, 3), (3,), (1, 3), (2, 1), (1, 1), ()])
def test_unbroadcast_is_the_transpose_of_broadcasting(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    like, v = random.uniform(size=shape), random.uniform(size=(2, 3))
    found = unbroadcast(v, like)
    assert np.shape(found) == shape
    assert np.isclose(np.sum(found * like), np.sum(v * np.broadcast_to(like, (2, 3))))


def test_long_programs() -> None:
    """Five thousand statements whose values are all alive at the end, and a long chain."""
    x = Value("x", FLOAT, "x")
    values, statements = [x], []
    for k in range(2500):
        values.append(Value(f"y_{k + 2}", FLOAT, "y"))
        statements.append(Apply((values[-1],), "sin", (values[-2],)))
    total = x
    for k, value in enumerate(values):
        more = Value(f"t_{k + 2}", FLOAT)
        statements.append(Apply((more,), "mul", (total, value)))
        total = more
    text = emit([straight(statements, total, x)])
    environment: dict[str, float] = {}
    exec(text, environment)
    assert text.count("np.sin") == 2500
    assert environment["f"](0.5) == pytest.approx(0.0)  # type: ignore[operator]

"""The words that declare rows, and what importing the table costs."""

import subprocess
import sys
from typing import Any

import numpy as np

from adjointgen.ir.nodes import Apply, Value
from adjointgen.ir.types import FLOAT, array
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Names
from adjointgen.rules.framework.declare import constant, elementwise, general, linear, refuse
from adjointgen.rules.framework.table import parse_signature
from adjointgen.rules.framework.type_rules import same_type


def test_importing_the_table_imports_no_scipy() -> None:
    code = "import adjointgen.rules.all, sys; sys.exit('scipy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_row_is_found_by_every_spelling_and_replaced_by_a_later_one() -> None:
    first = elementwise("twice", "x", ["mine.twice", ".twice"], lambda y, x: 2.0, on=(0, 1))
    assert TABLE.find("mine.twice") is TABLE.find(".twice") is TABLE["twice"] is first
    second = constant("twice", "x", ["mine.twice"], infer=same_type, because="it is")
    assert TABLE.find("mine.twice") is second


def test_one_interval_serves_all_operands() -> None:
    one = elementwise("p", "a, b", [], lambda y, a, b: b, lambda y, a, b: a, on=(0, 1))
    two = elementwise("p", "a, b", [], lambda y, a, b: b, None, on=((0, 1), (2, 3)))
    assert one.domain == ((0, 1), (0, 1))
    assert two.domain == ((0, 1), (2, 3))


def test_options_reach_a_rule_with_their_defaults() -> None:
    seen: list[Any] = []

    def transpose(y_bar: Any, a: Any, axis: Any) -> Any:
        seen.append(axis)
        return y_bar

    row = linear("r", "a, axis=None, keepdims=False", [], {0: transpose}, infer=same_type)
    row.transposes[0]("y_bar", "a")
    row.transposes[0]("y_bar", "a", axis=1, keepdims=True)

    def adjoint(b: Any, y: Any, y_bar: Any, args: Any, options: Any) -> Any:
        seen.append(options)
        return [y_bar]

    g = general("g", "a, axis=None", [], adjoint, adjoint, infer=same_type)
    assert g.adjoint is not None
    g.adjoint(None, None, None, [], {"spelling": "mine.g"})
    assert seen == [None, 1, {"axis": None, "spelling": "mine.g"}]


def test_a_refusal_says_what_to_write() -> None:
    row = refuse("mine.hard", because="write mine.easy")
    assert not row.has_derivative
    assert (row.because, row.spellings) == ("write mine.easy", ("mine.hard",))


def test_signatures() -> None:
    shape, fill, dtype = parse_signature("*shape, fill_value=, dtype=None")
    assert shape.variadic and shape.operand and not shape.separate
    assert fill.operand and not fill.required
    assert not dtype.operand and dtype.default is None
    text, operands = parse_signature("text=('a', 'b'), *operands...")
    assert text.default == ("a", "b")
    assert operands.variadic and operands.separate and operands.name == "operands"


def test_handles_are_numpy_operands() -> None:
    """Operators, ufuncs, functions with options, and sequences of operands."""

    builder = Builder(Names())
    x = builder.handle(Value("x", array("float64", 2, 3)))
    s = builder.handle(Value("s", FLOAT))
    np.concatenate((x, 2.0 - x), axis=1)
    np.einsum("ij,ij->i", x, np.sin(x))
    np.reshape(np.where(x > s, x, -abs(x)), (3, 2))
    np.sum(x, axis=0, keepdims=True)
    assert [(stmt.op, dict(stmt.options)) for stmt in builder.stmts if isinstance(stmt, Apply)] == [
        ("sub", {}),
        ("concatenate", {"axis": 1}),
        ("sin", {}),
        ("einsum", {"subscripts": "ij,ij->i"}),
        ("gt", {}),
        ("abs", {}),
        ("neg", {}),
        ("select", {}),
        ("reshape", {}),
        ("sum", {"axis": 0, "keepdims": True}),
    ]

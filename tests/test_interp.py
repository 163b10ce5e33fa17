"""The interpreter of the tests: each kind of statement on a program whose result is known."""

from typing import Any

import numpy as np
import pytest

from adjointgen.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Leaf,
    Loop,
    Node,
    Operand,
    Parameter,
    Record,
    Replay,
    Stmt,
    Value,
    While,
)
from adjointgen.ir.types import BOOL, FLOAT, OBJECT, array
from adjointgen.opt.interpreter import run
from adjointgen.rules.framework.builder import const

X, Y, Z, K, N, T = (Value(name, FLOAT) for name in "xyzknt")
C, D = Value("c", FLOAT), Value("d", FLOAT)
STOP = Value("stop", BOOL)
A, B = (Value(name, array("float64", "a.0")) for name in "ab")


def apply(result: Value, op: str, *args: Operand, **options: Any) -> Apply:
    return Apply((result,), op, args, tuple(sorted(options.items())))


def program(params: tuple[Value, ...], stmts: list[Stmt], *yields: Operand) -> Function:
    names = tuple(Parameter(p.name) for p in params)
    results = Node("tuple", (Leaf(),) * len(yields)) if len(yields) != 1 else Leaf()
    body = Block(params, tuple(stmts), yields)
    return Function("f", names, body, results, ("y",) * len(yields))


def test_loop_runs_forwards_and_backwards() -> None:
    """c = 10*c + i over range(1, 6, 2)."""
    body = Block((C,), (apply(Y, "mul", C, const(10)), apply(D, "add", Y, K)), (D,))
    bounds = (const(1), const(6), const(2))
    for backwards, expected in ((False, 135), (True, 531)):
        loop = Loop((Z,), K, bounds, (const(0),), body, backwards=backwards)
        assert run(program((), [loop], Z)) == expected


@pytest.mark.parametrize(("n", "expected"), [(0, (0, 0)), (2, (1, 2)), (5, (6, 4)), (9, (6, 4))])
def test_a_loop_that_stops_counts_its_trips(n: int, expected: tuple[int, int]) -> None:
    """c += i until c > 3; the iteration that stops counts."""
    body = Block((C,), (apply(D, "add", C, K), apply(STOP, "gt", D, const(3))), (STOP, D))
    loop = Loop((Z,), K, (const(0), N, const(1)), (const(0),), body, trips=T)
    assert run(program((N,), [loop], Z, T), n) == expected


@pytest.mark.parametrize(("breaks", "expected"), [(False, (16, 4)), (True, (8, 3))])
def test_while(breaks: bool, expected: tuple[int, int]) -> None:
    """c = 2*c while c < 10, stopping after c > 5 where it may break."""
    test = Block((C,), (apply(STOP, "lt", C, const(10)),), (STOP,))
    stmts = (apply(D, "mul", C, const(2)), apply(STOP, "gt", D, const(5)))
    body = Block((C,), stmts, (STOP, D) if breaks else (D,))
    loop = While((Z,), T, (const(1),), test, body, breaks=breaks)
    assert run(program((), [loop], Z, T)) == expected


def test_branch_takes_one_arm() -> None:
    then = Block((), (apply(D, "div", const(1.0), X),), (D,))
    branch = Branch((Z,), X, then, Block((), (), (const(0.0),)))
    f = program((X,), [branch], Z)
    assert (run(f, 4.0), run(f, 0.0)) == (0.25, 0.0)


def test_tapes_are_stacks_of_copies() -> None:
    stmts = [
        Record("a_tape", A),
        Record("a_tape", const(7.0)),
        apply(B, "store", A, const(5.0), index="0"),
        Replay(X, "a_tape"),
        Replay(C, "a_tape"),
    ]
    x, recorded, b = run(program((A,), stmts, X, C, B), np.array([1.0, 2.0]))
    assert x == 7.0 and recorded.tolist() == [1.0, 2.0] and b.tolist() == [5.0, 2.0]


def test_values_never_change() -> None:
    """Stores, accumulations and user code that writes leave their operands as they were."""
    given = np.array([1.0, 2.0])
    code = "_0_.sort() or _0_.fill(9.0)"
    user = Apply((B,), "statement", (A,), (("code", code), ("writes", (0,))))
    summed = apply(D, "accumulate", A, const(1.0), const(0), const(0), index="[_, _]")
    stored = apply(C, "store", A, const(5.0), index="-1")
    b, d, c = run(program((A,), [user, summed, stored], B, D, C), given)
    assert given.tolist() == [1.0, 2.0]
    assert (b.tolist(), d.tolist(), c.tolist()) == ([9.0, 9.0], [3.0, 2.0], [1.0, 5.0])


def test_user_code_sees_its_imports_and_gives_a_value() -> None:
    table = Value("table", OBJECT)
    stmt = Apply((Y, table), "verbatim", (table, X), (("code", "_0_.pop(_1_)"), ("writes", (0,))))
    stmts = [stmt, apply(Z, "verbatim", Y, code="floor(_0_) + shift")]
    f = program((table, X), stmts, Z, table)
    object.__setattr__(f, "imports", ("from math import floor",))
    given = {"k": 2.7, "l": 1.0}
    assert run(f, given, "k", environment={"shift": 10}) == (12, {"l": 1.0})
    assert given == {"k": 2.7, "l": 1.0}


def test_calls_rows_with_several_results_and_undefined() -> None:
    sign = Apply((Y, Z), "slogdet", (A,))
    stmts = [
        sign,
        Call((X, C), "pair", (Z,)),
        Branch((D,), const(False), Block((), (), (X,)), LOST),
    ]
    f = program((A,), stmts, Y, X, C, D)
    matrix = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert run(f, matrix, functions={"pair": lambda v: (v, v + 1)}) == (-1.0, 0.0, 1.0, UNDEFINED)


LOST = Block((), (), (Const(UNDEFINED, OBJECT),))


def test_results_are_packed() -> None:
    f = program((X,), [], X, const(2))
    object.__setattr__(f, "results", Node("list", (Leaf(), Node("tuple", (Leaf(),)))))
    assert run(f, 1.0) == [1.0, (2,)]

"""Liveness: where a value is read for the last time, and what a block reads from outside."""

import pytest

from adjointgen.analysis.values.liveness import free, last_use, reads, uses
from adjointgen.ir.nodes import Branch, Function, Loop
from adjointgen.ir.text import read

PROGRAM = """\
function f(x: float64, a: float64, n: int64) -> (z)
  y: float64 = mul(x, x)
  u: float64 = sin(y)
  s: float64 = loop i: int64 from (0, n, 1) carry (s_2: float64 = y):
    t: float64 = mul(s_2, a)
    v: float64 = add(t, t)
    yield v
  unread: float64 = sin(s)
  z: float64 = if n:
    w: float64 = add(u, s)
    q: float64 = add(w, u)
    yield q
  else:
    yield x
  return z
"""


@pytest.fixture
def function() -> Function:
    return read(PROGRAM)


def shown(sets: list[frozenset[str]]) -> list[str]:
    return [" ".join(sorted(names)) for names in sets]


def test_names_die_at_their_last_use_at_any_depth(function: Function) -> None:
    assert shown(last_use(function.body)) == ["", "", "a y", "", "n s u x"]


def test_what_is_live_outside_does_not_die(function: Function) -> None:
    live = frozenset({"s", "y"})
    assert shown(last_use(function.body, live)) == ["", "", "a", "", "n u x"]


def test_inside_a_loop_only_its_own_values_die(function: Function) -> None:
    loop, branch = function.body.stmts[2], function.body.stmts[4]
    assert isinstance(loop, Loop) and isinstance(branch, Branch)
    assert free(loop.body) == {"a"}
    assert shown(last_use(loop.body, free(loop.body))) == ["s_2", "t"]
    assert free(branch.then) == {"s", "u"}
    assert shown(last_use(branch.then)) == ["s", "u w"]


def test_uses_are_counted_at_any_depth(function: Function) -> None:
    count = uses(function.body)
    assert (count["x"], count["y"], count["u"], count["t"], count["z"]) == (3, 2, 2, 2, 1)
    assert count["unread"] == 0
    assert reads(function.body.stmts[2]) == {"y", "n", "a"}

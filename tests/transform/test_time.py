"""Passes and analyses take time linear in the program: twice the program, about twice the calls."""

import sys
from collections.abc import Callable

import pytest

from adjointgen.analysis.differentiation.activity import activity
from adjointgen.analysis.values.liveness import last_use
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import read
from adjointgen.optimize.scalar.cse import share
from adjointgen.optimize.scalar.dce import dead
from adjointgen.optimize.simplify import simplify
from adjointgen.rules.all import TABLE


def chain(length: int) -> Function:
    """Statements that each read the one before, with dead ones, repeated ones and signs."""
    lines = ["  y0: float64 = neg(x)", "  a0: float64[w.0] = copy(w)"]
    for k in range(length):
        lines += [
            f"  y{k + 1}: float64 = neg(y{k})",
            f"  u{k}: float64 = sin(y{k})",
            f"  v{k}: float64 = sin(y{k})",
            f'  a{k + 1}: float64[w.0] = store(a{k}, u{k}) [index="{k}"]',
            f'  t{k}: float64 = load(a{k + 1}) [index="0"]',
            f'  z{k}: float64[w.0-1] = load(a{k + 1}) [index="1:"]',
        ]
    text = "\n".join(lines)
    header = "function f(x: float64, w: float64[w.0]) -> (y, a)"
    return read(f"{header}\n{text}\n  return y{length}, a{length}\n")


def loops(length: int) -> Function:
    """A row of loops, and in each a branch, that carry one value on and another for nothing."""
    lines = []
    for k in range(length):
        lines += [
            f"  y{k + 1}: float64, z{k + 1}: float64, c{k + 1}: float64 = loop i{k}: int64 "
            f"from (0, n, 1) carry "
            f"(p{k}: float64 = y{k}, q{k}: float64 = z{k}, r{k}: float64 = c{k}):",
            f"    b{k}: float64 = if True:",
            f"      s{k}: float64 = mul(p{k}, 1.0)",
            f"      yield s{k}",
            "    else:",
            f"      yield p{k}",
            f"    o{k}: float64 = mul(q{k}, r{k})",
            f"    yield b{k}, o{k}, r{k}",
        ]
    header = "function f(y0: float64, z0: float64, c0: float64, n: int64) -> (y)"
    text = "\n".join(lines)
    return read(f"{header}\n{text}\n  return y{length}\n")


def nest(depth: int) -> Function:
    """Loops in loops, each of which carries on what the one around it carries."""
    head = [
        f"{'  ' * (k + 1)}y{k}: float64 = loop i{k}: int64 from (0, n, 1) "
        f"carry (p{k}: float64 = {f'p{k - 1}' if k else 'x'}):"
        for k in range(depth)
    ]
    tail = [f"{'  ' * (k + 2)}yield y{k + 1}" for k in reversed(range(depth - 1))]
    inner = "  " * (depth + 1)
    body = [f"{inner}t: float64 = mul(p{depth - 1}, x)", f"{inner}yield t"]
    text = "\n".join([*head, *body, *tail])
    return read(f"function f(x: float64, n: int64) -> (y)\n{text}\n  return y0\n")


RUNS: dict[str, Callable[[Function], object]] = {
    "dead": dead,
    "simplify": simplify,
    "share": share,
    "activity": lambda function: activity(function, function.body.params),
    "last_use": lambda function: last_use(function.body),
}


def calls(run: Callable[[Function], object], function: Function) -> int:
    """How many Python and built-in functions are called."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        run(function)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize(("make", "size"), [(chain, 60), (loops, 30), (nest, 12)])
def test_calls_grow_with_the_program(name: str, make: Callable[[int], Function], size: int) -> None:
    assert TABLE.rows
    once, twice = (calls(RUNS[name], make(n)) for n in (size, 2 * size))
    assert twice < 2.4 * once

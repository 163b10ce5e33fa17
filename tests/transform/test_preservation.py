"""Passes that only tidy give programs that compute the same, on random programs.

The programs have scalars and arrays, stores, sums, loops and branches, with many constants and
signs among the operands, since these are what is rewritten. What is the user's own is drawn too.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjointgen.ir.nodes import (
    Block,
    Branch,
    Const,
    Function,
    Leaf,
    Loop,
    Node,
    Operand,
    Parameter,
    Value,
    defined_in,
)
from adjointgen.ir.text import read, show
from adjointgen.ir.types import FLOAT, INT, Type, array
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run
from adjointgen.optimize.scalar.cse import share
from adjointgen.optimize.scalar.dce import dead
from adjointgen.optimize.simplify import simplify
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Names, const

ARRAY = array("float64", "x.0")
NUMBERS = (0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 0.1, 1, 2)
Pass = Callable[[Function, frozenset[str]], Function]
PASSES: dict[str, Pass] = {
    "simplify": simplify,
    "share": share,
    "dead": lambda function, frozen: dead(function),
    "dead, keeping": dead,
    "all": lambda function, frozen: dead(share(simplify(function, frozen), frozen)),
    "twice": lambda function, frozen: simplify(share(simplify(function))),
}


class Maker:
    """Draws a program. `pool` is what may be read, the latest last."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.builder = Builder(Names())
        self.pool = [
            self.builder.value(n, t) for n, t in (("x", ARRAY), ("w", ARRAY), ("s", FLOAT))
        ]
        self.index = self.builder.value("n", INT)

    def function(self) -> Function:
        params = (*self.pool, self.index)
        self.statements(12, depth=2)
        yields: tuple[Operand, ...] = tuple(self.pool[-3:])
        parameters = tuple(Parameter(p.name) for p in params)
        results = Node("tuple", (Leaf(),) * len(yields))
        body = Block(params, self.builder.stmts, yields)
        return Function("f", parameters, body, results, ("a", "b", "c"))

    def pick(self, type: Type) -> Operand:
        """A value of a type, preferably a recent one; now and then a constant."""
        if type == FLOAT and self.random.random() < 0.4:
            return const(self.random.choice(NUMBERS))
        return self.value(type)

    def value(self, type: Type) -> Value:
        found = [v for v in self.pool if v.type == type]
        return found[-1] if self.random.random() < 0.4 else self.random.choice(found)

    def statements(self, count: int, depth: int) -> None:
        kinds = [self.arithmetic] * 6 + [self.negation, self.function_of] * 2
        kinds += [self.spread, self.part, self.total]
        if depth:
            kinds += [lambda: self.loop(depth), lambda: self.branch(depth)]
        for _ in range(count):
            self.pool.append(self.random.choice(kinds)())

    def arithmetic(self) -> Value:
        op = self.random.choice(["add", "sub", "mul", "mul", "div"])
        types = self.random.choice([(FLOAT, FLOAT), (ARRAY, FLOAT), (FLOAT, ARRAY), (ARRAY, ARRAY)])
        a, b = map(self.pick, types)
        if op == "div":
            b = self.builder.apply("add", self.builder.apply("mul", b, b), const(1.0))
        return self.builder.apply(op, a, b)

    def negation(self) -> Value:
        return self.builder.apply("neg", self.pick(self.random.choice([FLOAT, ARRAY])))

    def function_of(self) -> Value:
        op = self.random.choice(["sin", "copy", "reciprocal"])
        a = self.pick(ARRAY)
        if op != "reciprocal":
            return self.builder.apply(op, a)
        return self.builder.apply("div", const(1.0), self.builder.apply("exp", a))

    def spread(self) -> Value:
        if self.random.random() < 0.3:
            return self.builder.apply("zeros_like", self.pick(ARRAY))
        like = self.pick(ARRAY)
        return self.builder.apply("expand", self.pick(FLOAT), like, axis=None, keepdims=False)

    def part(self) -> Value:
        index = self.random.choice(["0", "-1", "1:", ":", ":-1", "_", "1"])
        places = (const(self.random.randrange(3)),) if index == "_" else ()
        op = self.random.choice(["load", "store", "store", "accumulate"])
        a = self.pick(ARRAY)
        if op == "load":
            index = index if index in ("_", ":") else "0"
            return self.builder.apply("load", a, *places, index=index)
        v = self.pick(ARRAY) if index == ":" else self.pick(FLOAT)
        return self.builder.apply(op, a, v, *places, index=index)

    def total(self) -> Value:
        return self.builder.apply("sum", self.pick(ARRAY))

    def loop(self, depth: int) -> Value:
        inits = (self.value(FLOAT), self.value(ARRAY))
        params = tuple(self.builder.value("p", i.type) for i in inits)
        outer, self.pool = self.pool, [*self.pool, *params]
        with self.builder.block() as stmts:
            self.statements(4, depth - 1)
            yields = (self.value(FLOAT), self.value(ARRAY))
        self.pool = outer
        results = tuple(self.builder.value("r", i.type) for i in inits)
        bounds = (const(0), self.index, const(1))
        index = self.builder.value("i", INT)
        self.builder.add(Loop(results, index, bounds, inits, Block(params, tuple(stmts), yields)))
        self.pool.append(results[0])
        return results[1]

    def branch(self, depth: int) -> Value:
        test: Operand = Const(self.random.random() < 0.5, Type("bool"))
        if self.random.random() < 0.7:
            test = self.builder.apply("lt", self.pick(FLOAT), self.pick(FLOAT))
        arms = []
        outer = list(self.pool)
        for _ in range(2):
            with self.builder.block() as stmts:
                self.statements(2, depth - 1)
                arms.append(Block((), tuple(stmts), (self.pick(ARRAY),)))
            self.pool = list(outer)
        result = self.builder.value("b", ARRAY)
        self.builder.add(Branch((result,), test, arms[0], arms[1]))
        return result


def results_of_run(function: Function, seed: int) -> list[Any]:
    draw = np.random.default_rng(seed)
    args = [draw.uniform(-1, 1, 4), draw.uniform(-1, 1, 4), float(draw.uniform(-1, 1))]
    return list(run(function, *args, seed % 3))


@pytest.mark.parametrize("name", PASSES)
@given(seed=st.integers(0, 10**6), share_of_user=st.sampled_from([0.0, 0.5]))
def test_a_pass_changes_no_number(name: str, seed: int, share_of_user: float) -> None:
    before = Maker(seed).function()
    verify(before, rows=TABLE.rows)
    draw = random.Random(seed)
    names = [v.name for v in defined_in(before.body)]
    frozen = frozenset(n for n in names if draw.random() < share_of_user)
    after = PASSES[name](before, frozen)
    verify(after, rows=TABLE.rows)
    assert read(show(after)) == after
    with np.errstate(all="ignore"):
        pairs = zip(results_of_run(before, seed), results_of_run(after, seed), strict=True)
        for b, a in pairs:
            assert np.shape(b) == np.shape(a)
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)

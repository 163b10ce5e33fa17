"""Random functions in the IR that keep what emission is promised, and nothing more.

Scalars are free: any value in scope may be read anywhere, carried in any order, yielded by any arm.
An array is owned: only its newest version is read, and each store makes the next one. Roots are
drawn at random, so that versions of one variable are often alive at the same time.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
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
from adjointgen.ir.types import BOOL, FLOAT, INT, Type, array

ROOTS: Final = ("x", "y", "z", "", "", "")
ARRAY: Final = array("float64", 4)


@dataclass
class Scope:
    """What a block may read: scalars, integers, and the newest version of each array."""

    scalars: list[Operand]
    integers: list[Operand]
    arrays: list[Value]
    stmts: list[Stmt] = field(default_factory=list)

    def inner(self) -> "Scope":
        return Scope(list(self.scalars), list(self.integers), list(self.arrays))


class Maker:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.count = 0
        self.slots: list[tuple[str, int]] = []

    def value(self, type: Type = FLOAT, root: str | None = None) -> Value:
        self.count += 1
        root = self.rng.choice(ROOTS) if root is None else root
        return Value(f"{root or 't'}_{self.count + 1}", type, root)

    def function(self) -> Function:
        a, b, u = (Value(name, FLOAT, name) for name in ("x", "y", "a"))
        n, w = Value("n", INT, "n"), Value("w", ARRAY, "w")
        params = (a, b, u, n, w)
        scope = Scope([a, b, u], [n], [])
        owned = self.value(ARRAY, "v")
        scope.stmts.append(Apply((owned,), "copy", (w,)))
        scope.arrays.append(owned)
        self.block(scope, 7, 0)
        yields = (*(self.scalar(scope) for _ in range(2)), *scope.arrays)
        names = ("p", "q", "v")
        body = Block(params, tuple(scope.stmts), yields)
        parameters = tuple(Parameter(p.name) for p in params)
        return Function("f", parameters, body, Node("tuple", (Leaf(),) * 3), names)

    def scalar(self, scope: Scope) -> Operand:
        if self.rng.random() < 0.15:
            return Const(self.rng.choice([0.5, 1.0, -2.0]), FLOAT)
        return self.rng.choice(scope.scalars[-6:])

    def block(self, scope: Scope, length: int, depth: int) -> None:
        for _ in range(self.rng.randint(1, length)):
            kinds = [self.apply] * 5 + [self.store] * 2 + [self.load] * 2
            if depth < 3:
                kinds += [self.loop, self.branch, self.branch, self.repeat]
            self.rng.choice(kinds)(scope, depth)

    def apply(self, scope: Scope, depth: int) -> None:
        op = self.rng.choice(["add", "sub", "mul", "neg", "sin", "maximum"])
        count = 1 if op in ("neg", "sin") else 2
        args = tuple(self.scalar(scope) for _ in range(count))
        result = self.value()
        scope.stmts.append(Apply((result,), op, args))
        if op == "mul":
            # Keeps numbers small where loops repeat products.
            bounded = self.value()
            scope.stmts.append(Apply((bounded,), "sin", (result,)))
            result = bounded
        scope.scalars.append(result)

    def load(self, scope: Scope, depth: int) -> None:
        result = self.value()
        index = Const(self.rng.randrange(4), INT)
        scope.stmts.append(Apply((result,), "load", (scope.arrays[-1], index)))
        scope.scalars.append(result)

    def store(self, scope: Scope, depth: int) -> None:
        old = scope.arrays[-1]
        new = self.value(ARRAY, old.root)
        op = self.rng.choice(["store", "accumulate"])
        index = Const(self.rng.randrange(4), INT)
        scope.stmts.append(Apply((new,), op, (old, self.scalar(scope), index)))
        scope.arrays[-1] = new

    def test(self, scope: Scope) -> Operand:
        result = self.value(BOOL, "")
        op = self.rng.choice(["lt", "ge", "ne"])
        scope.stmts.append(Apply((result,), op, (self.scalar(scope), self.scalar(scope))))
        return result

    def arm(self, scope: Scope, depth: int, count: int) -> tuple[Scope, tuple[Operand, ...]]:
        inner = scope.inner()
        if self.rng.random() < 0.8:
            self.block(inner, 3, depth + 1)
        return inner, tuple(self.scalar(inner) for _ in range(count))

    def branch(self, scope: Scope, depth: int) -> None:
        test, count = self.test(scope), self.rng.randint(0, 3)
        then, ends = self.arm(scope, depth, count)
        orelse, others = self.arm(scope, depth, count)
        recorded = self.rng.random() < 0.3
        slots = [f"r_{self.count}_{k}" for k in range(2)] if recorded else []
        for slot, inner in zip(slots, (then, orelse), strict=False):
            inner.stmts.append(Record(slot, self.scalar(inner)))
        results = tuple(self.value() for _ in range(count))
        owned = self.value(ARRAY, scope.arrays[-1].root)
        scope.stmts.append(
            Branch(
                (*results, owned),
                test,
                Block((), tuple(then.stmts), (*ends, then.arrays[-1])),
                Block((), tuple(orelse.stmts), (*others, orelse.arrays[-1])),
            )
        )
        scope.scalars += results
        scope.arrays[-1] = owned
        if recorded:
            self.apply(scope, depth)
            self.recall(scope, test, slots)

    def recall(self, scope: Scope, test: Operand, slots: Sequence[str]) -> None:
        """What the arms of a branch on `test` recorded."""
        arms = []
        for slot in slots:
            value = self.value()
            arms.append(Block((), (Replay(value, slot),), (value,)))
        result = self.value()
        scope.stmts.append(Branch((result,), test, *arms))
        scope.scalars.append(result)

    def carry(self, scope: Scope) -> tuple[tuple[Value, ...], tuple[Operand, ...], Scope]:
        """Parameters and initial values of a loop, and the scope of its body."""
        params = tuple(self.value() for _ in range(self.rng.randint(0, 3)))
        inits = tuple(self.scalar(scope) for _ in params)
        owned = self.value(ARRAY, scope.arrays[-1].root)
        inner = scope.inner()
        inner.scalars += params
        inner.arrays[-1] = owned
        return (*params, owned), (*inits, scope.arrays[-1]), inner

    def ends(self, inner: Scope, params: Sequence[Value]) -> tuple[Operand, ...]:
        return (*(self.scalar(inner) for _ in params[1:]), inner.arrays[-1])

    def leave(self, scope: Scope, params: Sequence[Value]) -> tuple[Value, ...]:
        results = tuple(self.value(p.type, p.root) for p in params)
        scope.scalars += results[:-1]
        scope.arrays[-1] = results[-1]
        return results

    def flag(self, inner: Scope, params: Sequence[Value], depth: int) -> tuple[Operand, ...]:
        """A stop flag and what is carried on, by a branch at the end of the body."""
        test = self.test(inner)
        if self.rng.random() < 0.3:
            return (test, *self.ends(inner, params))
        arms = []
        stops = self.rng.choice([(True, False), (False, True)])
        for stop in stops:
            arm = inner.inner()
            if self.rng.random() < 0.6:
                self.block(arm, 2, depth + 2)
            yields = (Const(stop, BOOL), *self.ends(arm, params))
            arms.append(Block((), tuple(arm.stmts), yields))
        results = (self.value(BOOL, ""), *(self.value(p.type, p.root) for p in params))
        inner.stmts.append(Branch(results, test, *arms))
        return results

    def loop(self, scope: Scope, depth: int) -> None:
        params, inits, inner = self.carry(scope)
        index = self.value(INT, "i")
        slot = f"s_{self.count}" if self.rng.random() < 0.4 else ""
        if slot:
            inner.stmts.append(Record(slot, self.scalar(inner)))
        self.block(inner, 4, depth + 1)
        breaks = self.rng.random() < 0.4
        trips = self.value(INT, "") if breaks else None
        make = self.flag(inner, params, depth) if breaks else self.ends(inner, params)
        bounds = (Const(0, INT), self.rng.choice([Const(3, INT), scope.integers[0]]), Const(1, INT))
        body = Block(params, tuple(inner.stmts), make)
        results = self.leave(scope, params)
        backwards = self.rng.random() < 0.3
        scope.stmts.append(Loop(results, index, bounds, inits, body, backwards, trips))
        if slot:
            self.replay(scope, slot, bounds if trips is None else (bounds[0], trips, bounds[2]))

    def replay(self, scope: Scope, slot: str, bounds: tuple[Operand, Operand, Operand]) -> None:
        """A loop that sums what was recorded, last first."""
        total, item, more = self.value(), self.value(), self.value()
        stmts = (Replay(item, slot), Apply((more,), "sub", (item, total)))
        result = self.value(FLOAT, total.root)
        body = Block((total,), stmts, (more,))
        index = self.value(INT, "i")
        zero = (Const(0.0, FLOAT),)
        scope.stmts.append(Loop((result,), index, bounds, zero, body, True))
        scope.scalars.append(result)

    def repeat(self, scope: Scope, depth: int) -> None:
        """A `while` that counts to a small number, and may leave early."""
        params, inits, inner = self.carry(scope)
        count, more = self.value(FLOAT, ""), self.value(FLOAT, "")
        self.block(inner, 3, depth + 1)
        inner.stmts.append(Apply((more,), "add", (count, Const(1.0, FLOAT))))
        breaks = self.rng.random() < 0.4
        ends = self.flag(inner, params, depth) if breaks else self.ends(inner, params)
        at = 1 if breaks else 0
        ends = (*ends[:at], more, *ends[at:])
        own = tuple(replace(p, name=f"{p.name}_0") for p in (count, *params))
        flag = self.value(BOOL, "")
        test = Block(own, (Apply((flag,), "lt", (own[0], Const(3.0, FLOAT))),), (flag,))
        results = self.leave(scope, params)
        first = self.value(FLOAT, "")
        scope.stmts.append(
            While(
                (first, *results),
                self.value(INT, ""),
                (Const(0.0, FLOAT), *inits),
                test,
                Block((count, *params), tuple(inner.stmts), ends),
                breaks,
            )
        )


def random_function(seed: int) -> Function:
    return Maker(seed).function()

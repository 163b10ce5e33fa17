"""Random kernels: loops over numbers in a few small arrays, as they are written for speed.

`generate(seed)` is a program like those of `generator`, of another kind: several loops over the
same ranges, up, down and from below zero, written entry by entry; arrays that change places, are
made anew or have two names; bounds that a loop changes; entries that an index array names twice.
What makes loops one, turns them and keeps numbers for entries has to see all of that.
"""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from adjointgen.opt.program import FUNCTION, Program
from tests.fuzz.generator import judge
from tests.fuzz.grammar import indent
from tests.fuzz.oracle import Primal

ATTEMPTS: Final = 60
VECTORS: Final = ("a", "b", "c")
MATRICES: Final = ("A", "B")
Lines = list[str]


def generate(seed: int) -> Program:
    """The kernel of a seed."""
    for attempt in range(ATTEMPTS):
        program = _draft(seed, attempt)
        if isinstance(judge(program), Primal):
            return program
    raise RuntimeError(f"seed {seed}: no runnable kernel in {ATTEMPTS} attempts")


@dataclass(slots=True)
class _Kernel:
    """The choices made so far: `indices` are the loop indices in scope, the innermost last."""

    rng: random.Random
    size: int
    indices: list[str] = field(default_factory=list)
    budget: int = 0

    def pick(self, *items: str) -> str:
        return self.rng.choice(items)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def number(self) -> str:
        return repr(round(self.rng.uniform(0.2, 1.4), 2))

    # Places and values.

    def index(self) -> str:
        """A place on an axis; below zero it counts from the end."""
        if not self.indices or self.chance(0.1):
            return self.pick("0", "-1", "1", "n - 1", "n // 2")
        i = self.indices[-1] if self.chance(0.7) else self.rng.choice(self.indices)
        near = f"{i} - 1", f"({i} + 1) % n", f"n - 1 - {i} if {i} >= 0 else {i}", f"k[{i}]"
        return i if self.chance(0.65) else self.rng.choice(near)

    def entry(self) -> str:
        if self.chance(0.3):
            return f"{self.pick(*MATRICES)}[{self.index()}, {self.index()}]"
        return f"{self.pick(*VECTORS, 'v')}[{self.index()}]"

    def factor(self) -> str:
        return self.pick(self.entry(), self.entry(), f"x[{self.index()}]", "s", self.number())

    def value(self) -> str:
        """A number that stays small, whatever it is made of."""
        a, b, c = self.factor(), self.factor(), self.factor()
        return self.pick(
            f"math.sin({a} * {b} + {c})",
            f"0.5 * {a} + 0.4 * {b}",
            f"0.7 * math.cos({a}) * {b}",
            f"{a} / (1.0 + {b} * {b})",
            f"math.tanh({a} + {b} * {c})",
        )

    # Statements.

    def target(self) -> str:
        if self.chance(0.3):
            return f"{self.pick(*MATRICES)}[{self.index()}, {self.index()}]"
        return f"{self.pick(*VECTORS, *VECTORS, 'v')}[{self.index()}]"

    def write(self) -> Lines:
        how = self.pick("=", "=", "=", "+=", "*=")
        return [f"{self.target()} {how} {self.value()}"]

    def summed(self) -> Lines:
        return [self.pick(f"s = 0.5 * s + {self.value()}", f"s += 0.3 * {self.value()}")]

    def exchange(self) -> Lines:
        one, other = self.rng.sample(VECTORS, 2)
        return [
            self.pick(
                f"{one}, {other} = {other}, {one}",
                f"a, b, c = {one}, {other}, {(set(VECTORS) - {one, other}).pop()}",
                f"{one} = {other}.copy()",
                f"{one} = np.zeros(n)",
                f"{one} = 0.5 * {other} + x",
                "A, B = B, A",
                "v = a[1:]",
                f"v = {one}",
            )
        ]

    def whole(self) -> Lines:
        one, other = self.pick(*VECTORS), self.pick(*VECTORS, "x")
        return [
            self.pick(
                f"{one}[1:] += 0.3 * {other}[:-1] * {one}[1:]",
                f"{one}[:-1] = np.sin({one}[1:] * {other}[:-1])",
                f"{one} *= np.cos({other}[::-1])",
                f"A[1:] = 0.5 * A[:-1] + 0.3 * np.outer({one}, {other})[1:]",
                f"A[:, 0] = B[:, -1] * {one}",
                f"B += 0.3 * A.T * {one}",
                f"{one}[k] += 0.2 * {other}",
                f"{one}[{one} > 0.4] *= 0.5",
                f"{one} = 0.4 * (A @ {other})",
                f"s += 0.1 * np.sum({one} * {other})",
            )
        ]

    def counted(self) -> Lines:
        return [self.pick("m = m % n + 1", "m = max(m - 1, 1)", "m = min(m + 1, n)")]

    def leave(self) -> Lines:
        i = self.indices[-1]
        test = self.pick(f"{i} == 2", "s > 0.9", f"{self.entry()} > 0.8", f"{i} > m")
        return [f"if {test}:", f"    {self.pick('break', 'continue', 'continue')}"]

    def branch(self) -> Lines:
        i = self.indices[-1] if self.indices else "m"
        test = self.pick(f"{i} % 2 == 0", f"{self.entry()} > 0.4", f"{i} < m", f"{i} > 1")
        made = [f"if {test}:", *indent(self.statements(2))]
        return [*made, "else:", *indent(self.statements(2))] if self.chance(0.4) else made

    def range(self) -> str:
        ranges = [
            *("range(n)",) * 5,
            *("range(1, n)", "range(n - 1)", "range(0, n, 2)", "range(n - 1, -1, -1)"),
            *("range(-1, n)", "range(-2, n)", "range(n - 1, -3, -1)", "range(m)", "range(m, n)"),
        ]
        if self.indices:
            i = self.indices[-1]
            ranges += [f"range({i})", f"range({i}, n)", f"range({i} + 1, n)", f"range(k[{i}])"]
            ranges += [f"range({i}, -1, -1)", "range(m)"]
        return self.rng.choice(ranges)

    def loop(self) -> Lines:
        index = "ijlpqrtu"[len(self.indices)]
        head = f"for {index} in {self.range()}:"
        self.indices.append(index)
        body = self.statements(3)
        self.indices.pop()
        if len(self.indices) < 1 and self.chance(0.4):
            # A second loop over the same range, which reads what the first has left.
            self.indices.append(index)
            again = self.statements(2)
            self.indices.pop()
            return [head, *indent(body), head, *indent(again)]
        return [head, *indent(body)]

    def search(self) -> Lines:
        return ["m = 1", f"while m < n and {self.entry()} < 0.6:", "    m += 1"]

    def statement(self) -> Lines:
        self.budget -= 1
        rows = [(self.write, 8.0), (self.summed, 2.0), (self.exchange, 1.2), (self.whole, 1.2)]
        rows += [(self.branch, 1.5), (self.counted, 0.5)]
        if len(self.indices) < 2:
            rows.append((self.loop, 3.0 if self.indices else 9.0))
        if self.indices:
            rows.append((self.leave, 0.6))
        else:
            rows.append((self.search, 0.5))
        builds, weights = zip(*rows, strict=True)
        return list(self.rng.choices(builds, weights)[0]())

    def statements(self, most: int) -> Lines:
        lines: Lines = []
        for _ in range(self.rng.randint(1, most)):
            lines += self.statement()
        return lines


def _draft(seed: int, attempt: int) -> Program:
    g = _Kernel(random.Random(f"kernel {seed}:{attempt}"), 0)
    g.size, g.budget = g.rng.randint(3, 6), g.rng.randint(4, 9)
    head = [
        "n = len(x)",
        "m, s = 2, 0.3",
        g.pick("a = x * 1.0", "a = np.zeros(n)", "a = x.copy()"),
        g.pick("b = 0.5 * y", "b = np.ones(n)", "b = y + x"),
        g.pick("c = np.zeros(n)", "c = x * y", "c = b"),
        g.pick("A = np.zeros((n, n))", "A = np.outer(x, y)", "A = 0.5 + np.outer(x, x)"),
        g.pick("B = np.ones((n, n))", "B = np.outer(y, x)", "B = A * 0.5"),
        g.pick("v = b", "v = a[1:]", "v = a[::-1]", "v = A[1]", "v = A[:, 0]", "v = c"),
    ]
    lines: Lines = []
    while g.budget > 0:
        lines += g.statement()
    ends = ["np.sum(a * b) + s", "a * s + c", "c[0] * b", "np.sum(A * B) + s * a[-1]", "A @ a + b"]
    ends += ["(np.sum(a) * s, c, np.sum(A[1] * B[:, 0]))", "v[0] * a + b * c + A[0] + B[:, 1]"]
    body = [*head, *lines, f"return {g.rng.choice(ends)}"]
    names = "x", "y", "k"
    text = "\n".join(
        ["import math", "import numpy as np", f"def {FUNCTION}(x, y, k):", *indent(body)]
    )
    numbers = [[round(g.rng.uniform(-1.2, 1.4), 3) + 0.0007 for _ in range(g.size)] for _ in "xy"]
    at = np.array([g.rng.randrange(g.size) for _ in range(g.size)])
    args = np.array(numbers[0]), np.array(numbers[1]), at
    return Program(
        seed, ast.unparse(ast.parse(text)), names, args, ("x", "y"), ("kernel",), attempt
    )

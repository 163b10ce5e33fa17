"""From an integer, a program over the whole grammar, with arguments that often coincide.

    make()      the arguments: zeros, ones, equal entries; one array twice, views that overlap
    f(...)      the function; its log is `LOG`

`draw(seed)` is a pure function of its seed. Programs whose numbers are not finite or large are
drawn again; those that raise are kept, one in five.
"""

import ast
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from adjointgen.opt.program import Program, load
from tests.fuzz.whole import prelude
from tests.fuzz.whole.grammar import Draw, Scope, by_kind, expressions, statements
from tests.fuzz.whole.outcome import Outcome, call, numbers
from tests.time_limits import Late, within

HERE: Final = Path(__file__).parent
HEAD: Final = f"from {prelude.__name__} import *\nCOUNT = 0"
POINTS: Final = ("0.0", "1.0", "1.0", "2.0", "0.5", "-1.0", "0.7", "-0.3", "1.3")
ATTEMPTS: Final = 30
SECONDS: Final = 5.0
LARGE: Final = 1e4
ROWS: Final = by_kind(
    [
        *expressions((HERE / "expressions.txt").read_text("utf-8")),
        *statements((HERE / "statements.txt").read_text("utf-8")),
    ]
)

PARAMETERS: Final[dict[str, tuple[str, ...]]] = {
    "N": ("@", "@", "np.float64(@)"),
    "A": ("np.array([@, @, @])", "np.ones(3)", "np.zeros(3)", "np.array([@, @, @] * 2)[::2]"),
    "M": ("np.outer([@, @, @], [1.0, @, 1.0])", "np.eye(3)", "np.ones((3, 3), order='F')"),
    "L": ("[@, @, @]", "[1.0, 1.0, 1.0]"),
    "D": ("{'a': @, 'b': @}",),
    "T": ("(@, @, @)",),
    "O": ("Box(@, np.array([@, @, @]))",),
    "P": ("{'p': np.array([@, @, @]), 'q': np.ones(3)}",),
    "Q": ("[np.array([@, @, @]), np.ones(3), np.zeros(3)]",),
    "I": ("0", "1", "2"),
}
ALIASES: Final = (
    ("AA", "v1 = v0"),
    ("AA", "w = np.array([@, @, @, @]); v0 = w[:3]; v1 = w[1:]"),
    ("AA", "v0 = np.array([@, @, @]); v1 = v0[::-1]"),
    ("LL", "v1 = v0"),
    ("AA", "w = np.array([[@, @, @]] * 3); v0 = w[0]; v1 = w[:, 1]"),
    ("DD", "v1 = v0"),
    ("OO", "v1 = v0"),
    ("OO", "v1 = Box(@, v0.v)"),
    ("AO", "v1 = Box(@, v0)"),
    ("AP", "v1 = {'p': v0, 'q': v0[::-1]}"),
    ("PP", "v1 = v0"),
    ("PQ", "v1 = [v0['p'], v0['q'], v0['p']]"),
    ("QM", "v1 = np.array([[@, @, @]] * 3); v0 = [*v1]"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Whole(Program):
    """A program whose arguments come from its own `make`, so that they share what they share."""

    rows: tuple[str, ...] = ()

    def fresh_args(self) -> list[Any]:
        return list(module(self).make())


def module(program: Program) -> Any:
    """A new module of the program."""
    return sys.modules[load(program).__module__]


def draw(seed: int, plain: bool = False) -> Whole:
    """The program of a seed; a `plain` one does not raise and returns one number."""
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{seed} {attempt}")
        try:
            program = _attempt(seed, rng, plain)
            found = outcome(program)
        except (SyntaxError, Late):  # `:=` in a place that Python does not take it in
            continue
        if found.error is not None and (plain or rng.random() > 0.2):
            continue
        if found.error is None and not _sober(found):
            continue
        return program
    raise AssertionError(f"no program for seed {seed}")


def outcome(program: Program) -> Outcome:
    """What Python makes of a program; `Late` where it does not end."""
    made = module(program)
    with within(SECONDS):
        return call(made, made.f, made.make())


def _sober(found: Outcome) -> bool:
    got = numbers(found.result)
    return bool(got.size and np.all(np.isfinite(got)) and np.max(np.abs(got)) < LARGE)


def _attempt(seed: int, rng: random.Random, plain: bool) -> Whole:
    kinds = ["N", *rng.choices("NNAAMLDTOIPQ", k=rng.randint(1, 3))]
    names = [f"v{k}" for k in range(len(kinds))]
    names[0] = "x"
    lines = [f"{n} = {rng.choice(PARAMETERS[k])}" for n, k in zip(names, kinds, strict=True)]
    if rng.random() < 0.15:
        pair, text = rng.choice(ALIASES)
        kinds, names = [*kinds, *pair], [*names, "v8", "v9"]
        lines += [f"v8 = {PARAMETERS[pair[0]][0]}", text.replace("v1", "v9").replace("v0", "v8")]
    make = "\n    ".join(lines)
    while "@" in make:
        make = make.replace("@", rng.choice(POINTS), 1)
    drawn = Draw(rng, ROWS, rng.choice((0.0, 0.1, 0.3)), budget=rng.randint(15, 70))
    scope = Scope(tuple(zip(names, kinds, strict=True)), frozenset(names), frozenset({"def"}))
    body, scope = drawn.statements(scope, 0, rng.randint(1, 6), "    ")
    result = _result(drawn, scope, plain)
    text = (
        f"{HEAD}\n\n\ndef make():\n    {make}\n    return ({', '.join(names)},)\n\n\n"
        f"def f({', '.join(names)}):\n    {body}\n    return {result}\n"
    )
    active = [n for n, k in zip(names, kinds, strict=True) if k in "NAMLDTOPQ"]
    wrt = ("x", *rng.sample(active[1:], rng.randint(0, len(active) - 1)))
    text = ast.unparse(ast.parse(text)) + "\n"
    return Whole(seed, text, tuple(names), (), wrt, rows=tuple(drawn.used))


def _result(drawn: Draw, scope: Scope, plain: bool) -> str:
    kind = "N" if plain or drawn.rng.random() < 0.7 else drawn.rng.choice("NAMLTDPQ")
    if kind == "N" and drawn.rng.random() < 0.7:
        names = [n for n, k in scope.names if k == "N"][-3:]
        return " + ".join([*names, drawn.expression("N", scope, 1)])
    found = [drawn.expression(kind, scope, 1)]
    if not plain and drawn.rng.random() < 0.2:
        found.append(drawn.expression(drawn.rng.choice("NAM"), scope, 2))
    return ", ".join(found)

"""The order of two lines that do not concern each other decides neither acceptance nor numbers.

Where lowering a statement is refused, it is tried in another way. What the refused attempt had
found out must be forgotten: otherwise it depends on the lines before the refused one.
"""

import ast
import copy
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.lower import source_from_function
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.snapshots import KEPT, UNDONE
from adjointgen.opt.program import Program, load
from tests.frontend.test_semantics import executed, leaves, lowered
from tests.fuzz.generator import generate

LINES = (
    "y1 = (a, b)[k]; s = s + np.sum(y1)",
    "p2, q2 = ((a, 2.0), (b, a))[k]; s = s + np.sum(p2) * np.sum(q2)",
    "r3 = [a, b][k][1]; s = s + r3 * r3",
    "n4 = np.array([a, b]); s = s + n4[k, 0]",
    "w5 = None if k == 0 else b; s = s + (1.0 if w5 is None else w5[0])",
    "l6.append(a[k]); s = s + l6[-1]",
    "z7 = a[:1] if k == 0 else 3.0; s = s + np.sum(z7)",
    "v8 = {0: a, 1: b}[k]; s = s + v8[0]",
    "m9 = max([a, b], key=lambda one: one[0]); s = s + m9[1]",
    "t10 = [[a, b], [b, a]][k]; s = s + t10[0][1]",
)
"""Statements for a loop over k: they read a and b, and have names of their own but for the sum."""

WRITES = ("", "a[0] = 2.0 * s", "b += s")
"""Statements after the loop."""

PROGRAM = """import numpy as np
def f(a, b):
    s, l6 = 0.0, []
    for k in range(2):
        {}
        {}
    {}
    return s + np.sum(a) + 3.0 * np.sum(b)
"""


def outcome(f: Any, args: list[Any]) -> Any:
    """What the lowered function gives, or None where it is refused."""
    try:
        made = lowered(source_from_function(f), args)
    except AdjointgenError:
        return None
    return leaves(executed(made, copy.deepcopy(args), f.__globals__))


def same(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    return all(np.allclose(a, b, rtol=1e-12) for a, b in zip(first, second, strict=True))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("pair", combinations(range(len(LINES)), 2), ids=str)
def test_lines_of_a_loop(pair: tuple[int, int], write: str) -> None:
    args = [np.array([1.0, 2.0]), np.array([3.0, 4.5])]
    found = []
    for first, second in (pair, pair[::-1]):
        text = PROGRAM.format(LINES[first], LINES[second], write)
        f = load(Program(0, text, ("a", "b"), tuple(args), ("a",)))
        found.append(outcome(f, copy.deepcopy(args)))
        if found[-1] is not None:
            assert np.allclose(found[-1][0], f(*copy.deepcopy(args)), rtol=1e-12)
    assert same(*found), text


@pytest.mark.parametrize("seed", range(40))
def test_lines_of_a_drawn_program(seed: int) -> None:
    program = generate(seed)
    wanted = outcome(load(program), program.fresh_args())
    for text in swapped(program.source):
        other = Program(
            program.seed, text, program.parameters, program.args, program.wrt, name=program.name
        )
        assert same(wanted, outcome(load(other), other.fresh_args())), text


def swapped(text: str) -> Iterator[str]:
    """The text with two neighbours exchanged that bind names the other does not mention."""
    lines = text.splitlines()
    function = next(n for n in ast.parse(text).body if getattr(n, "name", "") == "f")
    for node in ast.walk(function):
        body = getattr(node, "body", None)
        for one, two in pairwise(body) if isinstance(body, list) else ():
            if independent(one, two) and one.lineno == one.end_lineno == two.lineno - 1:
                k = one.lineno - 1
                yield "\n".join([*lines[:k], lines[k + 1], lines[k], *lines[k + 2 :], ""])


def independent(one: ast.AST, two: ast.AST) -> bool:
    """Whether two lines bind names, of what is computed without calls, and share none of these."""
    bound, read = [], []
    for stmt in (one, two):
        calls = [n.func for n in ast.walk(stmt) if isinstance(n, ast.Call)]
        plain = all(isinstance(f, ast.Attribute) and ast.unparse(f)[:3] == "np." for f in calls)
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not isinstance(target, ast.Name | ast.Tuple) or not plain:
            return False
        names = [n for n in ast.walk(stmt) if isinstance(n, ast.Name)]
        if any(isinstance(n, ast.Subscript) for n in ast.walk(target)):
            return False
        bound.append({n.id for n in names if isinstance(n.ctx, ast.Store)})
        read.append({n.id for n in names})
    return not (bound[0] & read[1] or bound[1] & read[0])


def test_every_field_is_put_back_or_is_known_to_stay() -> None:
    fields = set(Context.__slots__) - {"state", "blocks"}
    assert {*UNDONE} | {*KEPT} == fields
    assert not {*UNDONE} & {*KEPT}

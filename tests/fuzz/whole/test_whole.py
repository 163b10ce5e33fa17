"""Programs over the whole of Python's grammar: none is left out, and nothing is wrong.

A coded refusal is an answer, and where differences settle nothing the value is judged alone. The
runner draws more: `python -m tests.fuzz.whole.runner --count 10000`.
"""

import ast
from importlib import import_module
from typing import Any, Final

import numpy as np
import pytest

from tests.fuzz.whole.asdl import REFUSED, classes, productions, required
from tests.fuzz.whole.draw import HEAD, ROWS, Whole, draw, module, outcome
from tests.fuzz.whole.judge import MODES, judge
from tests.fuzz.whole.outcome import call, differences
from tests.fuzz.whole.ties import orders_equal

SAMPLE: Final = range(0, 40)
CHUNK: Final = 10


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "first" in metafunc.fixturenames:
        count = metafunc.config.getoption("--fuzz-count")
        metafunc.parametrize("first", range(0, count if count > 50 else len(SAMPLE), CHUNK))


@pytest.mark.sampled(2)
@pytest.mark.fuzz
def test_random_programs(first: int) -> None:
    assert not failures(range(first, first + CHUNK))


def failures(seeds: range) -> str:
    """What is wrong with the programs of some seeds; nothing where all are right."""
    engine: Any = import_module("adjointgen")
    found = []
    for seed in seeds:
        program = draw(seed)
        for mode, verdict in judge(program, engine, MODES).items():
            if verdict.sort in ("wrong", "crashed"):
                found.append(f"seed {seed} {mode}: {verdict.detail}\n{program.source}")
    return "\n".join(found)


def body(program: Whole) -> ast.AST:
    """The tree of a program's function."""
    (made,) = (
        node
        for node in ast.parse(program.source).body
        if isinstance(node, ast.FunctionDef) and node.name == "f"
    )
    return made


@pytest.mark.slow
def test_no_production_of_the_grammar_is_missing() -> None:
    missing = required()
    for seed in range(3000):
        missing -= productions(body(draw(seed)))
        if not missing:
            return
    assert not missing


def test_the_grammar_is_read_from_ast() -> None:
    names = {found.__name__ for found in classes()}
    assert {"Return", "BinOp", "MatMult", "MatchStar", "ExceptHandler", "comprehension"} <= names
    assert {"Call.keywords 2", "Slice.step 1", "AugAssign MatMult", "Attribute Store"} <= required()
    assert names >= {*REFUSED} and not {*REFUSED} & required()


@pytest.mark.parametrize(
    "text",
    [
        "async def g():\n        return await h()",
        "async def g():\n        async for i in h():\n            pass",
        "async def g():\n        async with h():\n            pass",
    ],
)
def test_what_is_left_out_is_refused_or_copied(text: str) -> None:
    source = f"def make():\n    return (0.5,)\n\n\ndef f(x):\n    {text}\n    return x * x\n"
    program = Whole(0, f"LOG = []\n{source}", ("x",), (), ("x",))
    engine: Any = import_module("adjointgen")
    (verdict,) = judge(program, engine, ("tangent",)).values()
    assert verdict.sort in ("right", "refused"), verdict


def test_every_row_is_a_program() -> None:
    """Each row is drawn, and none is always given up."""
    used: set[str] = set()
    for seed in range(400):
        used |= {*draw(seed).rows}
    rows = {row.text for table in ROWS.values() for row in table}
    assert len(used & rows) > 0.9 * len(rows), sorted(rows - used)


def test_a_seed_is_one_program() -> None:
    assert draw(3).source == draw(3).source != draw(4).source


def test_programs_say_when_what_is_evaluated() -> None:
    logs = [outcome(draw(seed)).log for seed in range(40)]
    assert sum(map(bool, logs)) > 10


@pytest.mark.parametrize(
    ("text", "tied"),
    [
        ("sorted([x, x * x, x])[1]", True),
        ("max(x, 2.0, x + 0.0)", True),
        ("sorted([x, x + 1.0, 0.0])[1] + min([x, 7.0])", False),
    ],
)
def test_equal_entries_that_are_put_into_order_are_seen(text: str, tied: bool) -> None:
    source = f"LOG = []\n\n\ndef make():\n    return (1.0,)\n\n\ndef f(x):\n    return {text}\n"
    assert orders_equal(Whole(0, source, ("x",), (), ("x",))) is tied


FAULTS: Final = {
    "value": "return x * y",
    "log": "log(1, x)\n    return x * log(1, y)",
    "order": "b = log(2, y)\n    return log(1, x) * b",
    "exception": "raise ValueError",
    "arguments": "v[0] = x\n    return log(1, x) * log(2, y)",
    "aliases": "v[:] = list(v)\n    w[0] = v\n    return log(1, x) * log(2, y)",
}


@pytest.mark.parametrize("name", FAULTS)
def test_outcomes_that_differ_are_told_apart(name: str) -> None:
    head = f"{HEAD}\n\n\ndef make():\n    return (0.5, 2.0, [1.0], [[]])\n"
    text = "\n\ndef f(x, y, v, w):\n    {}\n"
    right, wrong = (
        Whole(k, head + text.format(lines), (), (), ("x",))
        for k, lines in enumerate(("return log(1, x) * log(2, y)", FAULTS[name]))
    )
    assert not list(differences(outcome(right), outcome(right), effects=True))
    assert list(differences(outcome(right), outcome(wrong), effects=True))


def test_views_that_overlap_are_one_storage() -> None:
    source = (
        "from tests.fuzz.whole.prelude import *\n\n\ndef make():\n    a = np.zeros(4)\n"
        "    return (a[:3], a[1:])\n\n\ndef f(a, b):\n    return b[::2]\n"
    )
    made = module(Whole(0, source, ("a", "b"), (), ("a",)))
    found = call(made, made.f, made.make())
    assert ("args[0]", "args[1]") in found.ties and ("args[1]", "result") in found.ties
    assert np.array_equal(found.result, np.zeros(2))

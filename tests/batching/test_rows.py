"""Every row with a batching rule, from the table: all samples at once are the samples one by one.

Each example of a row's domain becomes a program of one statement; each choice of its operands gets
a batch axis, of lengths that are also those of other axes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen.batching.batch import batched
from adjointgen.errors import NotBatched
from adjointgen.ir.nodes import Block, Function, Operand, Value
from adjointgen.ir.packing import plain_parameters, plain_results
from adjointgen.ir.verify import verify
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Names, const
from tests.rules.programs import evaluate
from tests.rules.test_table import EXAMPLES, Example, of_each_operation, results, typed

COUNTS = (2, 3)
WITHOUT = {
    name
    for name, row in TABLE.rows.items()
    if (row.batch is None and row.kind != "elementwise")
    # The interpreter calls these as `math` does, which takes numbers alone.
    or name in ("erf", "erfc")
    # Python's `complex(a, b)` does in any case.
    or name == "complex_of"
}


def program(example: Example) -> Function:
    """The operation as a program of its arrays and of the numbers that vary."""
    builder, args = Builder(Names()), list[Operand]()
    for k, (value, varied) in enumerate(zip(example.values, example.varied, strict=True)):
        type = typed(f"x{k}", value, "symbolic")
        is_value = varied or isinstance(value, np.ndarray)
        args.append(Value(f"x{k}", type, f"x{k}") if is_value else const(value, type))
    made = builder.apply_many(example.op, *args, **dict(example.options))
    params = tuple(a for a in args if isinstance(a, Value))
    body = Block(params, builder.stmts, made)
    names = tuple(f"y{k}" for k in range(len(made)))
    return Function("f", plain_parameters(params), body, plain_results(len(made)), names)


def samples_of(value: Any, count: int) -> list[Any]:
    """Other values of the same kind."""
    if np.asarray(value).dtype.kind not in "fc":
        return [np.roll(value, k) for k in range(count)]
    if np.ndim(value) == 2 and value.shape[0] == value.shape[1]:
        # What is positive definite stays so.
        return [value * (1.0 + 0.1 * k) for k in range(count)]
    rng = np.random.default_rng(5)
    made = [value * rng.uniform(0.9, 1.0, np.shape(value)) for _ in range(count)]
    return [v if np.ndim(v) else float(v) for v in made]


def choices(example: Example) -> Iterator[tuple[int, ...]]:
    """The operands that may have a batch axis, in all combinations."""
    places = [
        k
        for k, (value, varied) in enumerate(zip(example.values, example.varied, strict=True))
        if varied or isinstance(value, np.ndarray)
    ]
    for count in range(1, len(places) + 1):
        yield from itertools.combinations(places, count)


def check(example: Example, places: tuple[int, ...], count: int) -> bool:
    """Compare; False where samples have to be done one by one."""
    function = program(example)
    try:
        made = batched(function, [f"x{k}" for k in places])
    except NotBatched:
        return False
    verify(made, False, TABLE.rows)
    given = {k: samples_of(v, count) for k, v in enumerate(example.values) if k in places}
    values = {f"x{k}": v for k, v in enumerate(example.values)}
    found = evaluate(made.body.stmts, values | {f"x{k}": np.stack(v) for k, v in given.items()})
    rows = []
    for j in range(count):
        own = [given[k][j] if k in given else v for k, v in enumerate(example.values)]
        rows.append(results(example, own))
    for y, wanted in zip(made.body.yields, zip(*rows, strict=True), strict=True):
        got = found[y.name] if isinstance(y, Value) else y.value
        stacked = np.stack([np.asarray(w) for w in wanted])
        assert np.shape(got) == stacked.shape, (np.shape(got), stacked.shape)
        np.testing.assert_allclose(got, stacked, rtol=1e-12, atol=1e-13)
    return True


BATCHED = [e for e in EXAMPLES if e.op not in WITHOUT]


@pytest.mark.sampled(4)
@of_each_operation(BATCHED)
def test_all_samples_are_each_sample(example: Example) -> None:
    if example.op == "empty":
        return
    for places in choices(example):
        for count in COUNTS:
            check(example, places, count)


@pytest.mark.parametrize("op", sorted({e.op for e in BATCHED}))
def test_a_row_with_a_rule_uses_it(op: str) -> None:
    examples = [e for e in BATCHED if e.op == op]
    assert any(check(e, places, 2) for e in examples for places in choices(e))

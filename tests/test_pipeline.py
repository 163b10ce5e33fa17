"""Every pass keeps the invariants of the IR: `verify` after each stage, over many programs."""

from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, tangent
from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.programs.apply_step import apply_step
from adjointgen.api.programs.build_program import Step, names_of
from adjointgen.errors import AdjointgenError
from adjointgen.frontend.lower import lower, source_from_function, type_of
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import read, show
from adjointgen.ir.verify import verify
from adjointgen.opt.program import load
from adjointgen.passes.properties import verifying
from adjointgen.passes.run import watching
from adjointgen.pipeline import finish
from adjointgen.program import primal
from adjointgen.rules.all import TABLE
from tests.fuzz.generator import generate


def observed(stage: str, function: Function) -> None:
    verify(function, open="open" in stage, rows=TABLE.rows)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("first", range(9000, 9080, 20))
@pytest.mark.parametrize("kind", ["tangent", "adjoint"])
def test_every_stage_is_well_formed(first: int, kind: Any) -> None:
    refused = 0
    for program in map(generate, range(first, first + 20)):
        f = load(program)
        binder = Binder(f)
        values = binder.bind(tuple(program.args), {})
        types = {n: type_of(n, v) for n, v in zip(binder.names, values, strict=True)}
        try:
            function = lower(source_from_function(f), types)
            observed("lower", function)
            step = Step(kind, tuple(program.wrt))
            start = primal(function)
            with watching(verifying):
                made = apply_step(start, kind, names_of(function, step), (), observed)
                observed("own", finish(made))
        except AdjointgenError:
            refused += 1
            continue
        text = show(made.function)
        assert show(read(text)) == text
    assert refused < 8


def until(x: Any, a: int, b: int, s: int) -> Any:
    t = 0.0
    for i in reversed(range(a, b, s)):
        t = t * x[i % 5] + np.sin(x[i % 5])
        if t > 1.1:
            break
    return t


@pytest.mark.parametrize(
    ("a", "b", "s"),
    [(0, 5, 1), (0, 5, 2), (4, -1, -1), (4, -1, -2), (1, 5, 3), (3, 3, 1), (5, 2, 1), (0, 9, 4)],
)
def test_a_reversed_loop_that_is_left_early(a: int, b: int, s: int) -> None:
    x, d = np.array([0.3, 0.9, 0.5, 0.7, 1.2]), np.array([0.1, 0.3, -0.2, 0.5, 0.4])
    h = 1e-6
    slope = (until(x + h * d, a, b, s) - until(x - h * d, a, b, s)) / (2 * h)
    _, y_dot = tangent(until, "x")(x, a, b, s, d)
    _, x_bar = adjoint(until, "x")(x, a, b, s, 1.0)
    assert y_dot == pytest.approx(slope, abs=1e-8)
    assert x_bar @ d == pytest.approx(y_dot, abs=1e-13)

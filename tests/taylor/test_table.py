"""Taylor coefficients of every row, against polynomials through values of the function itself.

For each example of a row's domain: along a parabola through the point, the coefficients of degree 1
to 4 agree with those of the polynomial of degree 10 that interpolates what Python gives there.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from adjointgen.analysis.differentiation.activity import activity
from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Block, Function, Leaf, Node, Parameter, Value
from adjointgen.ir.packing import singles
from adjointgen.jets.taylor import taylor
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Names, const
from tests.rules.programs import evaluate, read
from tests.rules.test_table import EXAMPLES, Example, directions, results, typed

DEGREE, POINTS, WIDTH = 4, 11, 0.015
TOLERANCE = np.array([1e-9, 1e-7, 1e-5, 5e-4])
"""By degree: rounding is divided by powers of the width."""


_POWERS = np.array(
    [np.pad(chebyshev.cheb2poly(row), (0, POINTS))[1 : DEGREE + 1] for row in np.eye(POINTS)]
).T
"""From Chebyshev polynomials to powers."""


def program_of(example: Example, knowledge: str = "symbolic") -> Function:
    """The operation as a function of the operands that vary."""
    builder = Builder(Names([f"x{k}" for k in range(len(example.values))]))
    args, params = [], []
    for k, (value, varied) in enumerate(zip(example.values, example.varied, strict=True)):
        type = typed(f"x{k}", value, knowledge)
        if varied or isinstance(value, np.ndarray):
            params.append(Value(f"x{k}", type, f"x{k}"))
            args.append(params[-1])
        else:
            args.append(const(value, type))
    made = builder.apply_many(example.op, *args, **dict(example.options))
    body = Block(tuple(params), builder.stmts, made)
    names = tuple(f"y{k}" for k in range(len(made)))
    tree = Node("tuple", tuple(map(Leaf, names)))
    return Function("f", tuple(Parameter(p.root) for p in params), body, tree, names)


def expanded(function: Function, varied: list[str]) -> Function:
    inputs = [p for p in function.body.params if p.name in varied]
    return taylor(function, singles(inputs), activity(function, inputs))


def coefficients(example: Example) -> list[Any]:
    """Those of our program, for each result."""
    varied = [f"x{k}" for k, one in enumerate(example.varied) if one]
    made = expanded(program_of(example), varied)
    given = {f"x{k}": v for k, v in enumerate(example.values)}
    for k, (first, second) in enumerate(paths(example)):
        if first is not None:
            seed = np.zeros((DEGREE, *np.shape(first)), np.asarray(first).dtype)
            seed[0], seed[1] = first, second
            given[f"x{k}_series"] = seed
    found = evaluate(made.body.stmts, given)
    own = len(made.body.yields) // 2
    return [read(found, y) for y in made.body.yields[own:]]


def paths(example: Example) -> list[Any]:
    return list(zip(directions(example, 1), directions(example, 3), strict=True))


def expected(example: Example) -> list[Any]:
    """Those of the polynomial, for each result."""

    def at(t: float) -> list[Any]:
        moved = [
            v if d is None else v + t * d + t * t * e
            for v, (d, e) in zip(example.values, paths(example), strict=True)
        ]
        return [np.asarray(y) for y in results(example, moved)]

    nodes = WIDTH * chebyshev.chebpts1(POINTS)
    columns = zip(*map(at, nodes), strict=True)
    return [fit(nodes / WIDTH, np.array(c), WIDTH) for c in columns]


def fit(nodes: Any, values: Any, width: float) -> Any:
    """The coefficients of degree 1 to DEGREE of the polynomial through values."""
    flat = values.reshape(len(nodes), -1)
    series = chebyshev.chebfit(nodes, flat, len(nodes) - 1)
    wanted = _POWERS @ series / width ** np.arange(1, DEGREE + 1)[:, None]
    return wanted.reshape(DEGREE, *values.shape[1:])


# Their operands depend on each other: eigenvalues, eigenvectors and what a function is of these.
APART = {"spectral"}
WITHOUT = set((Path(__file__).parent / "without.txt").read_text().split())
REFUSED = "no Taylor coefficients of"


def chosen() -> list[Example]:
    """One example of each row with a derivative; one function makes those of distributions."""
    found: dict[str, Example] = {}
    for example in EXAMPLES:
        row = TABLE[example.op]
        one = any(s.startswith("scipy.stats.") for s in row.spellings)
        if row.has_derivative and any(example.varied) and example.op not in APART and not one:
            found.setdefault(example.op, example)
            if example.place is not None and example.place % 4 == 3:
                found[example.op] = example
    return list(found.values())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("example", chosen(), ids=lambda e: e.op)
def test_row(example: Example) -> None:
    """What is refused says so; everything else is right."""
    try:
        found = coefficients(example)
    except NoRule as error:
        assert error.code == "AG201" and REFUSED in error.message
        assert example.op in WITHOUT
        return
    assert example.op not in WITHOUT
    for got, wanted in zip(found, expected(example), strict=True):
        assert np.shape(got) == wanted.shape or np.ndim(got) == 0
        scale = np.max(np.abs(wanted), axis=tuple(range(1, wanted.ndim)), initial=1.0)
        error = np.max(np.abs(got - wanted), axis=tuple(range(1, wanted.ndim)), initial=0.0)
        assert np.all(error <= TOLERANCE * scale)

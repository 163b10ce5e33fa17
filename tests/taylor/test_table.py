"""Taylor coefficients of every row, against polynomials through values of the function itself.

For each example of a row's domain: along a parabola through the point, the coefficients of degree 1
to 4 agree with those of the polynomial of degree 14 that interpolates what Python gives there.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from adjointgen.analysis.differentiation.activity import activity
from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Apply, Block, Function, Leaf, Node, Parameter, Value
from adjointgen.ir.packing import singles
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.jets.taylor import taylor
from tests.rules.programs import evaluate, read
from tests.rules.test_table import EXAMPLES, Example, directions, results, typed

DEGREE, POINTS, WIDTH = 4, 15, 0.03


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
    """Those of polynomials, with what they are in doubt by: the difference of two of them."""

    def at(t: float) -> list[Any]:
        moved = [
            v if d is None else v + t * d + t * t * e
            for v, (d, e) in zip(example.values, paths(example), strict=True)
        ]
        return [np.asarray(y) for y in results(example, moved)]

    found = []
    for points, width in ((POINTS, WIDTH), (POINTS - 3, WIDTH / 2)):
        nodes = width * chebyshev.chebpts1(points)
        columns = list(zip(*map(at, nodes), strict=True))
        found.append([fit(nodes / width, np.array(c), width) for c in columns])
    return list(zip(*found, strict=True))


def fit(nodes: Any, values: Any, width: float) -> Any:
    """The coefficients of degree 1 to DEGREE of the polynomial through values."""
    flat = values.reshape(len(nodes), -1)
    power = np.zeros((len(nodes), flat.shape[1]), flat.dtype)
    for k, column in enumerate(chebyshev.chebfit(nodes, flat, len(nodes) - 1).T):
        found = chebyshev.cheb2poly(column)
        power[: len(found), k] = found
    wanted = power[1 : DEGREE + 1] / width ** np.arange(1, DEGREE + 1)[:, None]
    return wanted.reshape(DEGREE, *values.shape[1:])

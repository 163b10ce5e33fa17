"""Where derivatives are a matter of choice: kinks, ties, zeros, infinities and empty arrays.

Each line is the gradient of the sum of an expression by `x`, in reverse and forward mode. The
expressions are run by NumPy's own protocol on handles, so they are also examples of how a rule may
be written. Choices: 0 at the kink of `abs` and of norms, shares among ties, 1 inside a closed
interval of `clip`, and infinity rather than an exception where a slope is infinite.
"""

from typing import Any

import numpy as np
import pytest

from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.framework.builder import Builder, Handle, Names, const
from tests.rules.programs import evaluate, pull_back, push_forward, read

INF, NAN = np.inf, np.nan

KINKS = [
    ("np.abs(x)", [-1.0, 0.0, 2.0], [-1.0, 0.0, 1.0]),
    ("np.abs(x) * x", 0.0, 0.0),
    ("np.fabs(x)", 0.0, 0.0),
    ("np.hypot(x, 0.0)", 0.0, 0.0),
    ("np.hypot(x, x)", [0.0, 1.0], [0.0, np.sqrt(2.0)]),
    ("np.linalg.norm(x)", [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    ("np.linalg.norm(x, axis=1)", [[3.0, 4.0], [0.0, 0.0]], [[0.6, 0.8], [0.0, 0.0]]),
    ("np.linalg.norm(x, 1)", [1.0, -2.0, 0.0], [1.0, -1.0, 0.0]),
    ("np.linalg.norm(x, np.inf)", [1.0, -2.0], [0.0, -1.0]),
    ("np.linalg.norm(x, np.inf)", [2.0, -2.0], [0.5, -0.5]),
    ("np.linalg.norm(x, 3)", [0.0, 0.0], [0.0, 0.0]),
    ("np.arctan2(x, 0.0)", 0.0, 0.0),
    ("np.sinc(x)", [0.0, 1.0], [0.0, -1.0]),
    ("np.copysign(x, -1.0)", [2.0, 0.0, -2.0], [-1.0, 0.0, 1.0]),
    ("np.std(x)", [2.0, 2.0], [0.0, 0.0]),
    ("np.var(x)", [2.0], [0.0]),
]
INFINITE = [
    ("np.sqrt(x)", 0.0, INF),
    ("np.sqrt(x) * 0.0", 0.0, NAN),
    ("x**0.5", 0.0, INF),
    ("np.cbrt(x)", 0.0, INF),
    ("np.log(x)", 0.0, INF),
    ("np.log1p(x)", -1.0, INF),
    ("np.arcsin(x)", 1.0, INF),
    ("np.arccos(x)", -1.0, -INF),
    ("np.arccosh(x)", 1.0, INF),
    ("np.arctanh(x)", 1.0, INF),
    ("np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0)", [2.0, 0.0], [0.5, 0.0]),
]
LARGE = [
    ("np.tanh(x)", 800.0, 0.0),
    ("np.logaddexp(x, -np.inf)", -INF, 0.5),
    ("np.logaddexp(x, 1000.0)", 1000.0, 0.5),
    ("np.logaddexp(0.0, x)", 800.0, 1.0),
    ("np.logaddexp2(x, -np.inf)", -INF, 0.5),
    ("np.nan_to_num(x)", [1.0, NAN, INF], [1.0, 0.0, 0.0]),
    ("np.fmax(x, c([nan, 1.0]))", [2.0, NAN], [1.0, 0.0]),
    ("np.nansum(x)", [1.0, NAN], [1.0, 0.0]),
    ("np.nanmean(x)", [1.0, NAN, 3.0], [0.5, 0.0, 0.5]),
]
POWERS = [
    ("x**2", [-3.0, 0.0, 2.0], [-6.0, 0.0, 4.0]),
    ("x**3.0", [-2.0, 0.0], [12.0, 0.0]),
    ("x**1", 0.0, 1.0),
    ("x**0", 0.0, 0.0),
    ("x**c([0.0, 0.0])", [0.0, -1.0], [0.0, 0.0]),
    ("x**c([2, 3])", [0.0, -1.0], [0.0, 3.0]),
    ("x**-1", [2.0, -4.0], [-0.25, -0.0625]),
    ("0.0**x", 2.0, 0.0),
    ("2**x", 3.0, 8.0 * np.log(2.0)),
    ("c([0.0, -2.0])**x", [2.0, 2.0], [0.0, 0.0]),
    ("x**x", [2.0, 0.0], [4.0 * (np.log(2.0) + 1.0), 0.0]),
    ("np.power(x, 3.0)", -2.0, 12.0),
    ("1 / x", -2.0, -0.25),
]
STEPS = [
    ("np.floor(x) + np.sign(x) + np.round(x) + np.trunc(x)", [0.3, -1.2], [0.0, 0.0]),
    ("np.mod(x, 0.7)", [2.0, -2.0], [1.0, 1.0]),
    ("np.mod(5.0, x)", 0.7, -7.0),
    ("np.fmod(-5.0, x)", 0.7, 7.0),
    ("x // 0.3 + x", 1.0, 1.0),
    ("np.heaviside(x, 0.5)", [0.0, 1.0], [0.0, 0.0]),
    ("np.heaviside(c([0.0, 1.0]), x)", [0.3, 0.3], [1.0, 0.0]),
    ("x * (x > 0)", [-1.0, 0.0, 2.0], [0.0, 0.0, 1.0]),
]
TIES = [
    ("np.maximum(x, 1.0)", [0.0, 1.0, 2.0], [0.0, 0.5, 1.0]),
    ("np.maximum(x, x)", 3.0, 1.0),
    ("np.minimum(x, 1.0)", [0.0, 1.0, 2.0], [1.0, 0.5, 0.0]),
    ("np.fmin(x, 1.0)", [1.0, NAN], [0.5, 0.0]),
    ("np.clip(x, 0.0, 1.0)", [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0, 1.0, 1.0, 1.0, 0.0]),
    ("np.clip(x, None, 1.0)", [0.0, 2.0], [1.0, 0.0]),
    ("np.clip(0.5, x, 1.0)", [0.7, 0.2, 2.0], [1.0, 0.0, 0.0]),
    ("np.clip(0.5, 0.7, x)", [0.2, 1.0], [1.0, 0.0]),
    ("np.max(x)", [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    ("np.max(x, axis=1, keepdims=True)", [[1.0, 1.0], [2.0, 5.0]], [[0.5, 0.5], [0.0, 1.0]]),
    ("np.min(x)", [2.0, 2.0, 2.0], [1 / 3, 1 / 3, 1 / 3]),
    ("np.max(x)", [1.0, NAN], [NAN, NAN]),
    ("np.ptp(x)", [1.0, 3.0, 1.0], [-0.5, 1.0, -0.5]),
    ("apply('max', x, 1.0)", 1.0, 0.5),
    ("apply('max', 1.0, x)", 1.0, 0.5),
    ("apply('min', x, 1.0)", 1.0, 0.5),
    ("np.sort(x) * c([1.0, 2.0, 3.0])", [2.0, 1.0, 2.0], [2.0, 1.0, 3.0]),
    (
        "np.sort(x, axis=0) * c([[1.0, 2.0], [3.0, 4.0]])",
        [[2.0, 1.0], [1.0, 5.0]],
        [[3.0, 2.0], [1.0, 4.0]],
    ),
    (
        "np.sort(x, axis=None) * c([1.0, 2.0, 3.0, 4.0])",
        [[4.0, 1.0], [3.0, 2.0]],
        [[4.0, 1.0], [3.0, 2.0]],
    ),
]
ZEROS = [
    ("np.prod(x)", [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
    ("np.prod(x)", [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    ("np.prod(x, axis=1, keepdims=True)", [[0.0, 2.0], [3.0, 4.0]], [[2.0, 0.0], [4.0, 3.0]]),
    ("np.prod(x, axis=(0, 1))", [[1.0, 2.0], [3.0, 4.0]], [[24.0, 12.0], [8.0, 6.0]]),
    ("np.cumprod(x)", [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
    ("np.cumprod(x)", [0.0, 0.0, 3.0], [1.0, 0.0, 0.0]),
    ("np.cumprod(x, axis=0)", [[1.0, 0.0], [2.0, 5.0]], [[3.0, 6.0], [1.0, 0.0]]),
    ("np.cumsum(x, axis=0)", [[1.0, 2.0], [3.0, 4.0]], [[2.0, 2.0], [1.0, 1.0]]),
]
SHAPES = [
    ("np.sum(x * 2)", [], []),
    ("np.max(x, axis=0)", [[], []], [[], []]),
    ("x + c([[1.0, 1.0, 1.0, 1.0]])", [[1.0], [1.0], [1.0]], [[4.0], [4.0], [4.0]]),
    ("x * c([0.0, 1.0, 2.0])", 2.0, 3.0),
    ("x * 3.0", [2.0], [3.0]),
    ("np.where(c([True, False, True]), x, 0.0)", 2.0, 2.0),
    ("np.sum(x, axis=()) * c([1.0, 2.0])", [1.0, 1.0], [1.0, 2.0]),
    ("np.sum(x)", 2.0, 1.0),
    ("np.broadcast_to(x, (4, 3))", [1.0, 2.0, 3.0], [4.0, 4.0, 4.0]),
    ("np.average(x, weights=c([1.0, 3.0]))", [1.0, 2.0], [0.25, 0.75]),
    ("np.diag(x)", [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    ("np.repeat(x, c([2, 0, 1]))", [1.0, 2.0, 3.0], [2.0, 0.0, 1.0]),
    ("np.tile(x, (2, 1, 2))", [[1.0], [1.0]], [[4.0], [4.0]]),
    ("np.concatenate((x, x), axis=None) * c([0.0, 1.0, 2.0, 3.0])", [1.0, 2.0], [2.0, 4.0]),
    ("np.stack([x, 2 * x], axis=-1)", [1.0, 2.0], [3.0, 3.0]),
    ("np.atleast_2d(x) * 2", 3.0, 2.0),
    ("np.outer(x, c([0.0, 1.0, 2.0]))", [[1.0], [1.0]], [[3.0], [3.0]]),
    ("np.einsum('i,i->', x, x)", [1.0, 2.0], [2.0, 4.0]),
    ("x @ x", [1.0, 2.0], [2.0, 4.0]),
]
CASES = [*KINKS, *INFINITE, *LARGE, *POWERS, *STEPS, *TIES, *ZEROS, *SHAPES]


class Built:
    """An expression in `x` as statements, and the values of its constants."""

    def __init__(self, text: str, x: Any) -> None:
        self.builder = Builder(Names())
        self.given: dict[str, Any] = {}
        self.x = self.constant("x", x)
        names = {"np": np, "x": self.x, "nan": NAN, "apply": self.apply}
        result = eval(text, names | {"c": lambda v: self.constant(f"c{len(self.given)}", v)})
        assert isinstance(result, Handle)
        self.stmts = self.builder.stmts
        self.y = result.operand

    def constant(self, name: str, value: Any) -> Handle:
        scalar = np.ndim(value) == 0
        self.given[name] = np.float64(value) if scalar else np.array(value)
        dims = tuple(Dim("", n) for n in np.shape(value))
        dtype = str(np.asarray(value).dtype)
        type = const(value).type if scalar else Type(dtype, dims, "array")
        return self.builder.handle(Value(name, type))

    def apply(self, op: str, *args: Any) -> Handle:
        return self.x.apply(op, *args)


@pytest.mark.parametrize(("text", "x", "expected"), CASES, ids=lambda v: str(v).replace(" ", ""))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_choice(text: str, x: Any, expected: Any) -> None:
    np.testing.assert_allclose(reverse(Built(text, x)), expected, rtol=1e-12)
    np.testing.assert_allclose(forward(Built(text, x)), expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_branch_not_taken_is_nan_in_reverse() -> None:
    """0 times infinity: `np.where` computes both branches, and so does its adjoint."""
    text, x = "np.where(x > 0, np.log(x), 0.0)", [2.0, 0.0]
    np.testing.assert_allclose(reverse(Built(text, x)), [0.5, NAN])
    np.testing.assert_allclose(forward(Built(text, x)), [0.5, 0.0])


def reverse(built: Built) -> Any:
    y_bar = Value("y_bar", built.y.type)
    assert isinstance(built.y, Value)
    bars = pull_back(built.builder, built.stmts, {built.y.name: y_bar})
    y = read(evaluate(built.stmts, built.given), built.y)
    values = evaluate(built.builder.stmts, built.given | {"y_bar": np.ones_like(y)})
    return np.broadcast_to(read(values, bars.get("x")), np.shape(built.given["x"]))


def forward(built: Built) -> Any:
    """One direction per entry."""
    dots: dict[str, Operand] = {"x": Value("x_dot", built.x.type)}
    assert isinstance(built.y, Value)
    y_dot = push_forward(built.builder, built.stmts, dots).get(built.y.name)
    x = built.given["x"]
    slopes = []
    for k in range(np.size(x)):
        direction = np.zeros(np.size(x))
        direction[k] = 1.0
        x_dot = direction.reshape(np.shape(x)) if np.ndim(x) else np.float64(1.0)
        values = evaluate(built.builder.stmts, built.given | {"x_dot": x_dot})
        y = read(values, built.y)
        slopes.append(np.sum(np.broadcast_to(read(values, y_dot), np.shape(y))))
    return np.reshape(slopes, np.shape(x))

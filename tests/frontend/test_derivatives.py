"""Derivatives inside functions: each against differences in both modes, and what is refused."""

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import (
    adjoint,
    check,
    generate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    tangent,
    value_and_grad,
    vjp,
)
from adjointgen.errors import AdjointgenError, NoRule

X = np.array([0.3, 1.2, -0.7])


def energy(q):
    return np.sum(q**3) + q[0] * q[1]


def steps(x, n):
    s = 0.0
    for _ in range(n):
        s = s + math.sin(s + x) * x
    return s


def weigh(d):
    return np.sum(np.sin(d["a"])) * d["b"] + d["c"][0] * d["c"][1]


@grad
def slope(x):
    return x**3


def twice(f):
    return lambda x: 2.0 * f(x)


gradient = grad(energy)
second = grad(lambda y, x: y * y * x, wrt=("x", "y"))


def closure(x):
    return x * grad(lambda y: x * y * y)(2.0)


def of_module(x):
    return np.dot(x, gradient(x)) + slope(x[0]) * x[1]


def several(x):
    by_x, by_y = second(x, 2.0 * x)
    return by_x * by_y


def of_loop(x):
    return grad(steps)(x, 3) * x


def nested(x):
    return grad(grad(steps))(x, 3)


def in_loop(x):
    s = 0.0
    for k in range(3):
        s += grad(lambda y: math.exp(y * k) * s * x)(x)  # noqa: B023
    return s


def structured(x):
    bars = grad(weigh)({"a": x, "b": 2.0, "c": (x[0], x[1])})
    return np.sum(bars["a"] * x) + bars["b"] + bars["c"][0]


def valued(x):
    value, bar = value_and_grad(energy)(x)
    return value * bar


def pushed(x):
    y, y_dot = jvp(energy, (x,), (2.0 * x,))
    return y * y_dot


def pulled(x):
    y, pull = vjp(lambda q: q * q * x[0], x)
    return np.sum(pull(y)[0])


def programs(x):
    _, y_dot = tangent(energy)(x, x * x)
    _, x_bar = adjoint(energy)(x, 2.0)
    return y_dot * x_bar


def energies(q):
    return np.array([np.sum(q**2), q[0] * q[1]])


def jacobians(x):
    made = jacobian(lambda q: np.outer(q, q) * x[0])(x)
    return np.sum(np.sin(made)) + np.sum(jacfwd(lambda q: np.sin(q))(x)) * np.sum(
        jacrev(energies)(x)
    )


def hessians(x):
    return np.sum(hessian(energy)(x) ** 2) + np.sum(hvp(energy, (x,), (x * x,)))


def newton(x, a):
    residual = lambda z: z**3 - a  # noqa: E731
    for _ in range(5):
        x = x - residual(x) / grad(residual)(x)
    return x


def decorated(x):
    @grad
    def inner(y):
        return x * y**3

    @twice
    def other(y):
        return x * y**2

    @functools.lru_cache
    def kept(y):
        return x * y

    return inner(x) * other(x) + kept(x)


CASES = [
    (closure, (1.3,)),
    (of_module, (X,)),
    (several, (0.7,)),
    (of_loop, (0.7,)),
    (nested, (0.7,)),
    (in_loop, (0.4,)),
    (structured, (X,)),
    (valued, (X,)),
    (pushed, (X,)),
    (pulled, (X,)),
    (programs, (X,)),
    (jacobians, (X,)),
    (hessians, (X,)),
    (newton, (1.5, 2.0)),
    (decorated, (1.1,)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_a_derivative_inside_is_differentiated(f, args):
    check(f, args).raise_on_failure()


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_the_value_is_that_of_the_call(f, args):
    program = tangent(f)
    assert np.allclose(program(*args, *(np.ones_like(a) for a in args))[0], f(*args), rtol=1e-13)


def writes(x):
    kept = np.zeros(2)

    def f(y):
        kept[0] = y
        return y * y

    return grad(f)(x) + kept[0]


def of_integer(x):
    return grad(lambda n: n * x)(2)


def of_two(x):
    return np.sum(grad(lambda q: q * 2.0)(x))


def seeded(x):
    return vjp(lambda q: q * q, x)[1](1.0, 2.0)[0]


def misfit(x):
    return np.sum(jvp(energy, (x,), (1.0,))[1])


def absent(x):
    return grad(energy, wrt=1)(x)


@pytest.mark.parametrize(
    ("f", "x", "code"),
    [
        (writes, 1.0, "AG102"),
        (of_integer, 1.0, "AG403"),
        (of_two, X, "AG404"),
        (seeded, 1.0, "AG405"),
        (misfit, X, "AG405"),
        (absent, X, "AG402"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_what_is_no_derivative_is_refused(f, x, code):
    with pytest.raises(AdjointgenError) as caught:
        grad(f)(x)
    assert caught.value.code == code


MODULE = """
import adjointgen as ag
from adjointgen import grad

def twice(f):
    return lambda x: 2.0 * f(x)

def same(f):
    def g(*args, **kwargs):
        return f(*args, **kwargs)
    return g

@grad
def slope(x):
    return x**3

@ag.grad(wrt="y")
def other(x, y):
    return x * y**2

@same
def plain(x):
    return x**3

@twice
def doubled(x):
    return x**3

def f(x):
    return slope(x) * other(x, x) + plain(x) * ag.grad(lambda y: x * y**2)(x)

def g(x):
    return doubled(x) * x
"""


def test_text_is_read_with_its_decorators(tmp_path: Path):
    path = tmp_path / "model.py"
    path.write_text(MODULE, "utf-8")
    names: dict[str, object] = {}
    exec(generate(f"{path}::f", types={"x": "float64"}, modes=("adjoint",)).source, names)
    # 3x² · 2x² + x³ · 2x²
    value, x_bar = names["f_adjoint"](1.5)  # type: ignore[operator]
    assert value == pytest.approx(6 * 1.5**4 + 2 * 1.5**5)
    assert x_bar == pytest.approx(24 * 1.5**3 + 10 * 1.5**4)


def test_a_decorator_that_changes_numbers_is_refused_in_text(tmp_path: Path):
    path = tmp_path / "model.py"
    path.write_text(MODULE, "utf-8")
    with pytest.raises(AdjointgenError) as caught:
        generate(f"{path}::g", types={"x": "float64"}, modes=("adjoint",))
    assert caught.value.code == "AG201"


class Gauge:
    """Of what its method gives nothing is known."""

    def read(self) -> object:
        return vars(self).get("value", 2.0)


GAUGE = Gauge()


def test_an_operand_of_no_known_kind_is_named() -> None:
    def unnamed(x: float) -> Any:
        return x * GAUGE.read()

    def named(x: float) -> Any:
        factor = GAUGE.read()
        return x * factor

    for f, what in ((unnamed, "one operand"), (named, "factor")):
        with pytest.raises(NoRule, match=rf"nothing is known of {what}") as caught:
            grad(f)(1.0)
        assert "..." not in caught.value.message and "float(...)" in str(caught.value)


def test_an_operand_that_is_converted_is_a_number() -> None:
    def converted(x: float) -> float:
        return x * float(GAUGE.read())  # type: ignore[arg-type]

    assert grad(converted)(3.0) == 2.0

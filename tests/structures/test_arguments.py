"""Tuples, lists, dicts, named tuples and dataclasses as arguments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import adjoint, check, grad, jvp, tangent, value_and_grad, vjp
from tests.structures.oracle import derivatives_agree, flat

X = np.array([0.3, -0.7, 1.1])
W = np.array([[0.5, -0.2, 0.1], [0.3, 0.8, -0.6]])


def of_dict(p: dict[str, Any], x: Any) -> Any:
    h = np.tanh(p["w"] @ x + p["b"])
    return np.sum(h * h) * p["scale"]


def of_tuple(p: Any, x: Any) -> Any:
    w, (b, c) = p
    return np.sum(w * x) * b + c**2


def of_list(p: Any, x: Any) -> Any:
    h = x
    for w, b in p:
        h = np.tanh(w @ h + b)
    return np.sum(h**2)


def nested(p: Any, x: Any) -> Any:
    total = 0.0
    for name, layer in p["layers"].items():
        total += np.sum(np.tanh(layer["w"] * x)) * (2.0 if name == "first" else layer["k"])
    return total * p["rates"][1] + p["rates"][0]


class Pair(NamedTuple):
    w: Any
    b: float = 0.5


def of_named(p: Pair, x: Any) -> Any:
    w, b = p
    return np.sum(p.w * x) * np.sum(w * x) * b + p[1] + p._replace(b=2.0).b


@dataclass
class Model:
    w: Any
    b: float
    name: str = "m"
    order: int = 2
    inner: Any = field(default_factory=dict)

    def predict(self, x: Any) -> Any:
        return self.w * x**self.order + self.b

    @property
    def norm(self) -> Any:
        return np.sum(self.w**2)


def of_dataclass(m: Model, x: Any) -> Any:
    return np.sum(m.predict(x) ** 2) + m.norm * m.inner["k"]


@dataclass(frozen=True)
class Frozen:
    k: float
    m: float = 2.0


def of_frozen(p: Frozen, x: Any) -> Any:
    return p.k**2 * np.sum(x) + p.m


def reassigned(p: Any, x: Any) -> Any:
    p = p["w"]
    p = p[0]
    x = x[0]
    return p * x * x + p**2


def kept(p: Any) -> Any:
    p = p[0]
    return p * p


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (of_dict, ({"w": W, "b": np.array([0.1, -0.3]), "scale": 1.5}, X)),
    (of_tuple, ((X * 2, (0.5, 1.25)), X)),
    (of_list, ([(W, np.array([0.1, 0.2])), (W.T, X)], X)),
    (
        nested,
        (
            {
                "layers": {"first": {"w": X, "k": 1.0}, "second": {"w": X * 2, "k": 0.3}},
                "rates": [0.5, 1.5],
            },
            X,
        ),
    ),
    (of_named, (Pair(X * 0.5, 0.7), X)),
    (of_dataclass, (Model(X * 0.5, 0.7, inner={"k": 0.4}), X)),
    (of_frozen, (Frozen(0.7), X)),
    (reassigned, ({"w": [0.3, 0.4]}, X)),
    (reassigned, ({"w": (0.3, 0.4)}, X)),
    (reassigned, ({"w": X}, X)),
    (kept, ((0.3, X),)),
    (kept, ([0.3, 0.4],)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_gradients_come_in_the_structure_of_the_argument(
    f: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    derivatives_agree(f, *args)
    if len(args) > 1:
        derivatives_agree(f, *args, wrt=1)


@pytest.mark.parametrize(("f", "args"), CASES[:6], ids=lambda c: getattr(c, "__name__", ""))
def test_check_takes_structures(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert check(f, args).ok


def test_what_has_no_derivative_is_zero_or_none() -> None:
    def f(p: Any) -> Any:
        return p["w"] ** p["n"] if p["how"] == "power" else p["w"]

    assert grad(f)({"w": 3.0, "n": 2, "how": "power"}) == {"w": 6.0, "n": 0, "how": None}
    assert grad(f)({"w": 3.0, "n": 2, "how": "plain"}) == {"w": 1.0, "n": 0, "how": None}


def test_other_numbers_need_no_other_program_and_other_keys_do() -> None:
    made = grad(of_dict)
    p = {"w": W, "b": np.zeros(2), "scale": 1.0}
    made(p, X)
    first = made.source
    made(p | {"scale": 3.0}, X)
    assert made.source is not None and made.source == first
    assert made(p | {"scale": 3.0}, X)["scale"] == pytest.approx(made(p, X)["scale"])
    assert len(made.specialisations) == 1
    made(p | {"more": 1.0}, X)
    assert len(made.specialisations) == 2


def test_parts_of_a_structure_are_named() -> None:
    p = {"w": X, "rates": [0.5, 1.5]}

    def f(p: Any, x: Any) -> Any:
        return np.sum(p["w"] * x) * p["rates"][1]

    np.testing.assert_allclose(grad(f, wrt="p['w']")(p, X), X * 1.5)
    np.testing.assert_allclose(grad(f, wrt='p["w"]')(p, X), X * 1.5)
    both = grad(f, wrt=("x", 'p["rates"]'))(p, X)
    np.testing.assert_allclose(both[0], X * 1.5)
    np.testing.assert_allclose(both[1], [0.0, X @ X])


def test_results_come_in_the_order_of_wrt() -> None:
    def f(x: float, y: float) -> float:
        return x * x * y

    assert grad(f, wrt="y, x")(2.0, 3.0) == (4.0, 12.0)
    assert grad(f, wrt=(1, 0))(2.0, 3.0) == (4.0, 12.0)


def test_a_dict_is_a_seed_of_its_own() -> None:
    p, d = {"a": 2.0, "b": 3.0}, {"a": 0.5, "b": -1.0}

    def f(p: Any) -> Any:
        return p["a"] ** 2 * p["b"]

    assert tangent(f)(p, d) == (12.0, pytest.approx(2 * 2 * 3 * 0.5 - 4.0))
    assert adjoint(f)(p, 2.0) == (12.0, {"a": 24.0, "b": 8.0})
    assert value_and_grad(f)(p) == (12.0, {"a": 12.0, "b": 4.0})
    assert vjp(f, p)[1](1.0) == ({"a": 12.0, "b": 4.0},)


class Result(NamedTuple):
    loss: Any
    parts: Any


@dataclass
class Fit:
    loss: Any
    slope: Any
    steps: int = 3


def gives_dict(x: Any) -> Any:
    return {"loss": np.sum(x * x), "inner": {"first": x[0] ** 3, "n": 3}}


def gives_named(x: Any) -> Any:
    return Result(np.sum(x * x), (x[0], x * 2.0))


def gives_dataclass(x: Any) -> Any:
    fit = Fit(np.sum(x * x), x[0])
    fit.slope = fit.slope * x[1]
    return fit


def gives_list_of_dicts(x: Any) -> Any:
    return [{"v": v * v} for v in (x[0], x[1])]


@pytest.mark.parametrize("f", [gives_dict, gives_named, gives_dataclass, gives_list_of_dicts])
def test_results_keep_their_structure(f: Callable[..., Any]) -> None:
    d = np.array([0.2, -0.5, 0.7])
    y, y_dot = jvp(f, (X,), (d,))
    expected = f(X)
    assert type(y) is type(expected)
    np.testing.assert_allclose(flat(y, expected), flat(expected, expected), rtol=1e-13)
    step = 1e-6
    high, low = flat(f(X + step * d), expected), flat(f(X - step * d), expected)
    np.testing.assert_allclose(flat(y_dot, expected), (high - low) / (2 * step), rtol=1e-6)
    value, back = vjp(f, X)
    (x_bar,) = back(y_dot)
    dots = flat(y_dot, expected)
    np.testing.assert_allclose(x_bar @ d, dots @ dots, rtol=1e-12)
    assert type(value) is type(expected)
    assert check(f, (X,)).ok


def of_any_number(x: Any, *args: Any, power: float = 2.0, **options: Any) -> Any:
    total = np.sum(x**power)
    for k, arg in enumerate(args):
        total += (k + 1) * np.sum(arg * x)
    return total * options.get("scale", 1.0) + sum(options.values())


def test_any_number_of_arguments() -> None:
    def with_args(x: Any, a: Any, b: Any, scale: Any) -> Any:
        return of_any_number(x, a, b, scale=scale, shift=0.5, power=3.0)

    for wrt in range(4):
        derivatives_agree(with_args, X, 2.0, X * 3.0, 0.7, wrt=wrt)
    np.testing.assert_allclose(grad(of_any_number)(X), 2 * X)
    np.testing.assert_allclose(grad(of_any_number)(X, 2.0, scale=3.0), 3.0 * (2 * X + 2.0))
    bar = grad(of_any_number, wrt=("args", "options"))(X, 2.0, X, scale=3.0, power=3.0)
    np.testing.assert_allclose(bar[0][0], 3.0 * np.sum(X))
    np.testing.assert_allclose(bar[0][1], 6.0 * X)
    value = np.sum(X**3) + 2.0 * np.sum(X) + 2.0 * X @ X
    assert bar[1] == {"scale": pytest.approx(value + 1.0)}
    assert grad(of_any_number, wrt="args[0]")(X, 2.0) == pytest.approx(np.sum(X))
    assert check(of_any_number, {"x": X}, wrt="x").ok
    dots = jvp(of_any_number, (X, 2.0), (X, None))
    assert dots[1] == pytest.approx(2 * X @ X + 2 * np.sum(X))

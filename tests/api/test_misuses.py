"""Calls from Python that hold it wrong: each is refused with a code, and none ends in anything raw.

What Python says itself of a call that lacks an argument, or has one too many, stays as it is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import adjointgen
from adjointgen import AdjointgenError, rules
from adjointgen.errors import Misuse

X = np.array([1.0, 2.0, 3.0])


def square(x: Any) -> Any:
    return x * x


def total(x: Any) -> Any:
    return np.sum(x * x)


def two(x: Any, a: float = 2.0) -> Any:
    return np.sum(x) * a


def pair(x: Any) -> Any:
    return np.sum(x), x * 2


def none(x: Any) -> None:
    pass


def text(x: Any) -> str:
    return "a"


def flag(x: Any) -> Any:
    return x > 0


def integer(n: int) -> int:
    return n * 2


def tree(p: Any) -> Any:
    return p["w"] * p["b"]


def star(*xs: Any) -> Any:
    return sum(xs)


def kwonly(x: Any, *, k: float = 1.0) -> Any:
    return x * k


async def later(x: Any) -> Any:
    return x


def gen(x: Any) -> Any:
    yield x


class C:
    """A class with members of several kinds."""

    def m(self, x: Any) -> Any:
        return x * x

    @property
    def p(self) -> float:
        return 1.0


@dataclass
class P:
    """A structure."""

    w: float
    b: float


def at(p: P) -> float:
    return p.w * p.b


MISUSES = """
grad(3)
grad("model.py")
grad([square])
grad(square, wrt="y")(2.0)
grad(square, wrt=1)(2.0)
grad(square, wrt=-2)(2.0)
grad(square, wrt=1.5)(2.0)
grad(square, wrt=())(2.0)
grad(two, wrt=("x","x"))(X)
grad(two, wrt=["x", 7])(X)
grad(square, wrt="x.w")(2.0)
grad(square, wrt="x[")(2.0)
grad(square, wrt="")(2.0)
grad(square, wrt=None)(2.0)
grad(square, wrt={"x"})(2.0)
grad(square, disable=("nosuch",))(2.0)
grad(square, disable="nosuch")(2.0)
grad(square, compile="c")(2.0)
grad(square, compile=True)(2.0)
grad(square)(X)
grad(square)("2")
grad(square)(None)
grad(square)([])
grad(square)({})
grad(square)(object())
grad(square)(2)
grad(square)(True)
grad(square)(X > 0)
grad(square)(np.array(["a"]))
grad(square)(np.array([object()]))
grad(square)(np.array(["2020-01-01"], "M8[D]"))
grad(pair)(X)
grad(none)(2.0)
grad(text)(2.0)
grad(flag)(2.0)
grad(integer)(3)
grad(later)(2.0)
grad(gen)(2.0)
grad(C)(2.0)
grad(C.p)(2.0)
grad(print)(2.0)
grad(np.linalg)(X)
grad(tree)({"w": 1.0})
grad(tree)({"w": "a", "b": 1.0})
grad(tree)({1: 1.0})
grad(tree, wrt="p.w")(P(1.0, 2.0))
grad(at, wrt="p.nosuch")(P(1.0, 2.0))
grad(total)(X, X)
grad(total, has_aux=True)(X)
grad(total, has_aux="yes")(X)
value_and_grad(square)(X)
value_and_grad(7)
jvp(square, 2.0, 1.0)
jvp(square, (2.0,), 1.0)
jvp(square, (2.0,), (1.0, 1.0))
jvp(square, (2.0,), (None,))
jvp(square, (2.0,), ("a",))
jvp(square, (X,), (np.ones(2),))
jvp(square, (X,), (np.ones((3, 1)),))
jvp(square, (), ())
jvp(square, None, None)
jvp(7, (1.0,), (1.0,))
vjp(7, 1.0)
vjp(square, X)[1](np.ones(2))
vjp(square, X)[1]("a")
vjp(square, X)[1](1.0, 2.0)
vjp(total, X, has_aux=True)
vjp(tree, {"w": 1.0, "b": 2.0})[1]({"w": 1.0})
hvp(total, X, X)
hvp(total, (X,), (np.ones(2),))
hvp(total, (X,), ())
hvp(square, (X,), (X,))
hessian(square)(X)
hessian(total, wrt="q")(X)
jacobian(none)(2.0)
jacobian(text)(2.0)
jacobian(square, wrt="q")(X)
jacfwd(7)
jacrev(square, compile="c")(X)
adjoint(square)(X, np.ones(4))
adjoint(square)(X, X, X)
adjoint(square)(X, z_bar=1.0)
adjoint(square, directions=2)(X)
tangent(square)(X, np.ones(4))
tangent(square, wrt="q")(X)
tangent(square, directions=-1, compile="numba")(X)
forward(7)
reverse(square)(None, X)
reverse(square)(forward(total)(X)[1], 1.0)
reverse(square)(forward(square)(X)[1], np.ones(5))
generate(7)
generate("nosuch.py::f")
generate("model")
generate(square, wrt="q", types={"x": "float"})
generate(square, types={"q": "float"})
generate(square, types={"x": "floaty"})
generate(square, types={"x": 3})
generate(square, modes="forwards", types={"x": "float"})
generate(square, modes=(), types={"x": "float"})
generate(square, example=3)
generate(square, example=(1.0, 2.0))
generate(square, example=((), {"q": 1.0}))
generate(square, constants={"q": 1})
generate(square, types={"x": "float"}, disable=("x",))
generate(square, types={"x": "float"}, compile="c")
generate(square, types={"x": "float"}).write("/nosuch/folder/f.py")
check(square, ("a",))
check(square, (X,), wrt="q")
check(7, (1.0,))
inspect(7)
custom()(square)
custom(tangent=1)(square)
custom(adjoint=lambda: 0)(square)
custom(residual=3)(square)
custom(tangent=square, residual=square)(square)
rules.elementwise("", square)
rules.elementwise("a.b")
rules.elementwise(7, square)
grad(lambda x: nosuch(x))(2.0)
grad(lambda x: x.nosuch)(2.0)
grad(lambda x: x[0])(2.0)
grad(lambda x: x["a"])(X)
grad(lambda x: x @ x)(2.0)
grad(lambda x: np.nosuch(x))(2.0)
grad(lambda x: np.sin())(2.0)
grad(lambda x: np.sin(x, x, x, x))(2.0)
grad(lambda x: np.reshape(x, (2, 2)))(X)
grad(lambda x: x + np.ones(4))(X)
grad(lambda x: open("/nosuch").read())(2.0)
grad(kwonly)(2.0, 3.0)
grad(star)(1.0, "a")
"""


@pytest.mark.parametrize("call", MISUSES.strip().splitlines())
def test_every_misuse_has_a_code(call: str) -> None:
    names = {name: getattr(adjointgen, name) for name in adjointgen.__all__}
    # The text of a lambda is in this file, as that of a user's would be in hers.
    with pytest.raises(AdjointgenError) as raised:
        eval(call, {**names, **globals(), "rules": rules})
    assert raised.value.code.startswith("AG")
    assert raised.value.message


def test_a_misuse_is_a_type_and_a_value_error() -> None:
    for kind in (TypeError, ValueError, Misuse):
        with pytest.raises(kind, match="AG415"):
            adjointgen.grad(square, compile="c")  # type: ignore[call-overload]

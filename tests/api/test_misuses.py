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
grad(grad)(2.0)
grad(grad(square))(X)
grad(grad(total))(X)
grad(vjp)(square, 2.0)
grad(C().m)("a")
grad(P)(1.0, 2.0)
grad(property(square))(2.0)
grad(staticmethod(7))(2.0)
grad(np.float64)(2.0)
grad(dict)(a=1.0)
grad(X)(2.0)
grad(...)
grad("square")
grad(b"square")
grad(2.0)
grad((square, total))
grad({"f": square})
grad(type)(2.0)
grad(int)(2.0)
grad(sum)(7)
grad(square, wrt=[])(2.0)
grad(square, wrt=[None])(2.0)
grad(square, wrt=[["x"]])(2.0)
grad(square, wrt="x, y")(2.0)
grad(square, wrt="x y")(2.0)
grad(square, wrt="1x")(2.0)
grad(square, wrt="x.")(2.0)
grad(square, wrt="x[0]")(2.0)
grad(square, wrt=b"x")(2.0)
grad(square, wrt=True)(2.0)
grad(square, wrt=np.array([0.5]))(2.0)
grad(tree, wrt="p.q")({"w": 1.0, "b": 2.0})
grad(tree, wrt="p['q']")({"w": 1.0, "b": 2.0})
grad(tree, wrt="p[0]")({"w": 1.0, "b": 2.0})
grad(tree, wrt="q.w")({"w": 1.0, "b": 2.0})
grad(square, disable=3)(2.0)
grad(square, disable=("cse", 3))(2.0)
grad(square, compile=None)(2.0)
grad(square, compile="NUMBA")(2.0)
grad(square)(float)
grad(square)(square)
grad(square)(...)
grad(square)(b"2")
grad(square)({2.0})
grad(square)(range(3))
grad(square)(iter([2.0]))
grad(square)(np.datetime64("2020-01-01"))
grad(square)(np.zeros(0))
grad(square)(np.array([1j]))
grad(square)(P(1.0, 2.0))
grad(square)(10**400)
grad(at)(7)
grad(at)({"w": 1.0, "b": 2.0})
grad(at)(P("a", 1.0))
grad(star)()
grad(pair, has_aux=True)(2)
grad(square, has_aux=1)(2.0)
value_and_grad(square, wrt="q")(2.0)
value_and_grad(none)(2.0)
value_and_grad(C)(2.0)
jvp(square, (2.0,), ())
jvp(square, 2.0, 2.0)
jvp(square, (2.0,), ([1.0],))
jvp(square, (2.0,), (1j,))
jvp(square, (X,), (1.0,))
jvp(tree, ({"w": 1.0, "b": 2.0},), ({"w": 1.0},))
jvp(tree, ({"w": 1.0, "b": 2.0},), (1.0,))
jvp(later, (2.0,), (1.0,))
vjp(square, 2.0)[1](1j)
vjp(square, 2.0)[1]([1.0])
vjp(square, 2.0)[1](np.ones(2))
vjp(pair, X)[1](1.0)
vjp(pair, X)[1]((1.0,))
vjp(pair, X)[1]((1.0, 1.0))
vjp(pair, X)[1]({"a": 1.0})
vjp(gen, 2.0)
hvp(total, (X,), (None,))
hvp(total, (X,), ("a",))
hvp(pair, (X,), (X,))
hvp(7, (X,), (X,))
hessian(pair)(X)
hessian(7)
hessian(total, wrt=5)(X)
jacobian(7)
jacobian(gen)(X)
jacobian(later)(X)
jacobian(square, wrt=())(X)
jacfwd(square, wrt="q")(X)
jacrev(square, wrt=[3])(X)
jacrev(text)(2.0)
adjoint(square)(2.0, "a")
adjoint(pair)(X, 1.0, 1.0)
adjoint(pair)(X, x_bar=1.0)
adjoint(square, wrt=3)(X, X)
tangent(square)(2.0, "a")
tangent(square)(X, 1.0)
tangent(tree)({"w": 1.0, "b": 2.0}, {"w": 1.0})
forward(gen)(2.0)
reverse(square)(7, 1.0)
reverse(square)((), 1.0)
reverse("a")
generate(None)
generate([])
generate([square, 7], types={"x": "float"})
generate([square, square], types={"x": "float"})
generate(C, types={"x": "float"})
generate(gen, types={"x": "float"})
generate(later, types={"x": "float"})
generate(print)
generate(np.sin)
generate("::f")
generate("model.py::")
generate("a.py::b.py::c")
generate("nosuch.module:f")
generate("math:sin")
generate(square, wrt="x.w", types={"x": "float"})
generate(square, wrt=7, types={"x": "float"})
generate(square, types="float")
generate(square, types=["float"])
generate(square, types={3: "float"})
generate(square, types={"x": "float64[:, "})
generate(square, types={"x": "float64[-1]"})
generate(square, types={"x": "float64[n, n, m"})
generate(square, modes=3, types={"x": "float"})
generate(square, modes=("adjoint", 3), types={"x": "float"})
generate(square, modes="adjoint,nosuch", types={"x": "float"})
generate(square, example=())
generate(square, example=None)
generate(square, example={"x": 1.0})
generate(square, example=lambda: 3)
generate(square, example=lambda: 1 / 0)
generate(square, example=lambda q: (1.0,))
generate(square, example="nosuch.py::args")
generate(square, example=((1.0,), {"x": 1.0}))
generate(square, example=((1.0,), 3))
generate(square, constants=3, types={"x": "float"})
generate(square, types={"x": "float"}, compile=3)
generate(square, types={"x": "float"}, disable=3)
generate(square, types={"x": "float"}).write("")
generate(square, types={"x": "float"}).write("/")
generate(square, types={"x": "float"}).write(3)
check(square, (2.0,), rtol="a")
check(square, (2.0,), rtol=-1.0)
check(square, (2.0,), seed="a")
check(gen, (2.0,))
inspect("a")
inspect(gen, 2.0)
inspect(square, 2.0, wrt="q")
custom(adjoint=3)(square)
custom(tangent=lambda: 1)(square)
grad(lambda x: grad(x)(x))(2.0)
grad(lambda x: x.T.nosuch)(X)
grad(lambda x: np.linalg.inv(x))(2.0)
grad(lambda x: np.linalg.solve(x, x))(X)
grad(lambda x: np.concatenate(x, x))(X)
grad(lambda x: x[0, 0])(X)
grad(lambda x: x.reshape(7))(X)
grad(lambda x: eval("x"))(2.0)
grad(lambda x: exec("x"))(2.0)
grad(lambda x: (yield x))(2.0)
grad(lambda x: [x][3])(2.0)
grad(lambda x: {"a": x}["b"])(2.0)
grad(lambda x: str(x))(2.0)
grad(lambda x: None)(2.0)
grad(lambda: 1.0)()
grad(lambda x: x, compile="numba")("a")
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

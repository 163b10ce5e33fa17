"""Calls from Python that hold it wrong: each is refused with a code, and none ends in anything raw.

What Python says itself of a call that lacks an argument, or has one too many, stays as it is.
"""

from dataclasses import dataclass
from pathlib import Path
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


LAMBDAS = """
custom(adjoint=lambda: 0)(square)
grad(lambda x: np.linalg.nosuch(x))(2.0)
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
generate(square, example=lambda: 3)
generate(square, example=lambda: 1 / 0)
generate(square, example=lambda q: (1.0,))
custom(tangent=lambda: 1)(square)
rules.opaque(square, "x", result="x", tangent=lambda y, x, d: d, adjoint=lambda y, x, b: b)
grad(lambda x: grad(x)(x))(2.0)
grad(lambda x: x.T.nosuch)(X)
grad(lambda x: np.linalg.inv(x))(2.0)
grad(lambda x: np.linalg.solve(x, x))(X)
grad(lambda x: np.concatenate(x, x))(X)
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
MISUSES = Path(__file__).with_name("misuses.txt").read_text("utf-8") + LAMBDAS


@pytest.mark.parametrize("call", [line for line in MISUSES.splitlines() if line])
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

"""Engines for testing the tests.

`Fake` differentiates one known program, rightly or with a planted fault:

    f(x, a) = a Σ x²,   ẏ = ȧ Σ x² + 2a x·ẋ,   x̄ = 2a x ȳ,   ā = ȳ Σ x²

`Differences` differentiates any program, by differences.
"""

import inspect
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from adjointgen.opt.program import Program, Vector, flatten, refill
from tests.fuzz.oracle import ridders

SOURCE: Final = """import numpy as np

def f(x, a):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return a * s
"""
PROGRAM: Final = Program(0, SOURCE, ("x", "a"), (np.array([0.5, -1.25, 0.75]), 1.5), ("x", "a"))


@dataclass(slots=True)
class Made:
    """A derivative program: a function that carries a source."""

    run: Callable[..., Any]
    source: str

    def __call__(self, *args: Any) -> Any:
        return self.run(*args)


class Refusal(Exception):
    code = "AG101"


@dataclass(slots=True)
class Fake:
    """`fault` names what is wrong, `""` for nothing."""

    fault: str = ""
    generated: int = 0

    def tangent(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ()) -> Made:
        if self.fault == "refused":
            raise Refusal("not supported")
        if self.fault == "crashed":
            raise KeyError("y_2")
        return Made(self._tangent, self._text(disable))

    def adjoint(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ()) -> Made:
        wrong = self.fault == "transpose" or (self.fault == "pass" and disable != ())
        return Made(lambda *args: self._adjoint(1.25 if wrong else 1.0, *args), self._text(disable))

    def forward(self, f: Any, wrt: Any = ...) -> Any:
        keep = (lambda x: x) if self.fault == "tape of the caller's" else deepcopy
        return lambda x, a: (a * np.sum(x * x), [keep(x), a])

    def reverse(self, f: Any, wrt: Any = ...) -> Any:
        def run(tape: list[Any], y_bar: float) -> Any:
            made = self._adjoint(1.0, *tape, y_bar)[1:]
            if self.fault == "tape used up":
                tape[1] = 0.0
            return made

        return run

    def hvp(self, f: Any, primals: Any, vectors: Any) -> Any:
        (x, a), (v, b) = primals, vectors
        weight = f(np.array([1.0]), 1.0) * (0.5 if self.fault == "second" else 1.0)
        return weight * (2 * a * v + 2 * b * x), weight * 2 * np.sum(x * v)

    def _text(self, disable: tuple[str, ...]) -> str:
        self.generated += 1
        return f"# {self.generated}" if self.fault == "text" else f"# without {disable}"

    def _tangent(self, x: Vector, a: float, x_dot: Vector, a_dot: float) -> Any:
        y_dot = a_dot * np.sum(x * x) + 2 * a * np.sum(x * x_dot)
        value = a * np.sum(x * x)
        match self.fault:
            case "tangent":
                y_dot *= 1.001
            case "value":
                value += 1e-6
            case "structure":
                return value
            case "arguments":
                x[0] = 0.0
            case "seeds":
                x_dot[0] = 0.0
        return value, y_dot

    def _adjoint(self, factor: float, x: Vector, a: float, y_bar: float) -> Any:
        return a * np.sum(x * x), factor * 2 * a * x * y_bar, np.sum(x * x) * y_bar


@dataclass(frozen=True, slots=True)
class Differences:
    """An engine for any program: ẏ = Jẋ and x̄ = Jᵀȳ with one Jacobian J, found by differences.

    Slow, and blind to `stop_gradient`, but the identities between its results are exact; so the
    checks must find it right wherever the oracle has an opinion.
    """

    def tangent(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ()) -> Made:
        return Made(lambda *args: self._seeded(f, wrt, args, transpose=False), "")

    def adjoint(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ()) -> Made:
        return Made(lambda *args: self._seeded(f, wrt, args, transpose=True), "")

    def forward(self, f: Any, wrt: Any = ...) -> Any:
        return lambda *args: (f(*deepcopy(args)), deepcopy(args))

    def reverse(self, f: Any, wrt: Any = ...) -> Any:
        return lambda tape, *seeds: self._seeded(f, wrt, (*tape, *seeds), transpose=True)[1]

    def hvp(self, f: Any, primals: Any, vectors: Any) -> Any:
        every = tuple(range(len(primals)))

        def gradient(t: float) -> Vector:
            moved = [
                refill(p, flatten(p) + t * flatten(v))
                for p, v in zip(primals, vectors, strict=True)
            ]
            return _jacobian(f, moved, every).reshape(-1)

        return ridders(gradient, 5e-4, 4).value

    def _seeded(self, f: Any, wrt: Any, args: tuple[Any, ...], transpose: bool) -> Any:
        names = list(inspect.signature(f).parameters)
        given, seed = list(args[: len(names)]), flatten(list(args[len(names) :]))
        value = flatten(f(*deepcopy(given)))
        jacobian = _jacobian(f, given, tuple(map(names.index, wrt)))
        return value, (jacobian.T if transpose else jacobian) @ seed


def _jacobian(f: Callable[..., Any], args: list[Any], active: tuple[int, ...]) -> Vector:
    """∂f/∂args, flattened: one column per differentiated number."""
    start = flatten([args[k] for k in active])

    def along(column: int, t: float) -> Vector:
        point = start.copy()
        point[column] += t
        moved = deepcopy(args)
        parts = refill([args[k] for k in active], point)
        for position, part in zip(active, parts, strict=True):
            moved[position] = part
        return flatten(f(*moved))

    columns = [ridders(partial(along, k), 2e-3, 6).value for k in range(start.size)]
    return np.stack(columns, axis=1)

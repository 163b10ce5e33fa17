"""Choosing a path: `match`, conditions as values, tests of kinds, defaults that are None."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple, cast

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, -0.4])


@at(1.3, "a")
@at(1.3, "c")
@at(1.3, "other")
def match_strings(x: float, kind: str) -> float:
    match kind:
        case "a":
            return x * x
        case "b" | "c":
            return math.sin(x)
        case _:
            return x**3


@at(1.3, 2)
@at(1.3, 7)
def match_numbers(x: float, n: int) -> float:
    match n:
        case 0:
            y = x
        case 1 | 2:
            y = x**3
        case _:
            y = x * math.exp(x)
    return y


@at(V)
def match_sequence(x: Any) -> Any:
    match (x[0], x[1], x[2]):
        case (a, b):
            return a * b
        case [first, *rest]:
            return first * rest[0] * sum(rest)


@at(1.2, 3.0)
@at(3.0, 1.2)
def match_guards(x: float, y: float) -> float:
    match (x, y):
        case (a, b) if a > b:
            x = a * a * b
        case (a, b):
            x = a * b**3
    return x * y


@at(1.2)
@at(1.2, 3.0)
@at(1.2, "auto")
def match_kinds(x: float, s: Any = None) -> float:
    match s:
        case None:
            return x**2
        case float(scale):
            return x * x * scale
        case str() as name:
            return x ** len(name)
    return 0.0


@at(1.2)
def match_nested(x: float) -> float:
    shape = ("box", (x, 2.0 * x))
    match shape:
        case ("ball", radius):
            return radius
        case ("box" | "brick", (width, _)) | ("bar", [width]):
            return width**3
    return 0.0


@at(1.3)
@at(0.2)
def match_of_values(x: float) -> float:
    total = 0.0
    for k in range(4):
        match k:
            case 0:
                continue
            case 1 if x > 1.0:
                total += x * x
            case 1:
                total -= x**3
            case n:
                total += n * math.sin(x)
    return total


@at(V)
def walrus(x: Any) -> Any:
    if (s := np.sum(x * x)) > 1.0:
        return s * x[0]
    return s


@at(0.5)
@at(2.5)
def chained(x: float) -> float:
    return x * x if 0.0 < x < 1.0 <= 2 * x + 1 else x**3


@at(0.5, 0.25)
@at(-0.5, 0.25)
def values_of_or_and(x: float, y: float) -> float:
    z = (x > 0.0 and x) or y
    w = x and y
    return z * z * w


@at(0.5)
@at(0.5, 2.5)
def defaults(x: float, scale: float | None = None, power: Any = None) -> float:
    scale = 2.0 if scale is None else scale
    power = power or 3
    return scale * x**power


@at(V)
def short_circuit(x: Any) -> Any:
    i = 3
    if i < len(x) and x[i] > 0:
        return x[i]
    return x[0] ** 2


@at(1.2)
@at(1.2, "linear")
def string_switch(x: float, method: str = "cubic", *, mode: str = "A") -> float:
    if mode.lower() not in ("a", "b"):
        raise ValueError(f"no mode {mode}")
    if method == "linear":
        return x
    elif method.startswith("cub"):
        return x**3
    raise ValueError(method)


@at(1.2)
@at(V)
def kinds(x: Any) -> Any:
    if isinstance(x, int | float):
        return x * x
    if type(x) is np.ndarray and hasattr(x, "shape") and not callable(x):
        return np.sum(x**3)
    return 0.0


def _is_symbolic(value: Any) -> bool:
    kind = type(value)
    if kind == Pair or kind == Corner:  # noqa: SIM109
        return True
    if issubclass(kind, list | tuple) or issubclass(kind, dict):
        return any(_is_symbolic(part) for part in value)
    return False


@at(1.2)
@at(V)
def kinds_of_kinds(x: Any) -> Any:
    if _is_symbolic([x, 2.0]):
        return 0.0 * np.sum(x)
    return np.sum(x**3) if not issubclass(type(x), np.ndarray) else np.sum(np.sin(x))


@at(1.2)
@at(V)
def said_to_be(x: Any) -> Any:
    y = cast(np.ndarray, x) * 2.0
    return np.sum(cast("float", y * y))


@at(1.2)
@at(V)
def attributes_by_name(x: Any, name: str = "sin") -> Any:
    shape = getattr(x, "shape", ())
    y = getattr(np, name)(x) * getattr(math, "pi")  # noqa: B009
    return np.sum(y) if len(shape) else y


@at(1.2)
def scalar_or_array(x: Any) -> Any:
    scalar = np.isscalar(x)
    x = np.atleast_1d(x)
    y = x * x * x
    return y[0] if scalar else y


@at(2.7)
@at(-1.3)
def integers_between(x: float) -> float:
    i = int(math.floor(x))  # noqa: RUF046
    return x * int(x) + x * x * round(x) + x // 1 + (x % 1.0) ** 2 + (x > 1) * x * i


@dataclasses.dataclass
class Pair:
    left: float
    right: float = 1.0


class Corner(NamedTuple):
    a: float
    b: float


def _of_mapping(x: float, kind: str) -> float:
    match {"kind": kind, "x": x, "y": x * x}:
        case {"kind": "power", "x": p}:
            return p**2
        case {"kind": _, "x": p, **rest}:
            return p * rest["y"] + len(rest)
    return 0.0


def _of_structure(value: Any) -> float:
    match value:
        case Pair(left=p, right=q):
            return p * q
        case Corner(p, q):
            return p * q**2
        case (p, q):
            return 3.0 * p * q
        case float():
            return 5.0 * value
        case [p, *_]:
            return p**3
        case {"a": p}:
            return p**2
    return 100.0


@at(0.7)
def match_structures(x: float) -> float:
    values = (Pair(x), Corner(x, x * x), (x, 2.0), x, [x, x, x], {"a": x}, {"b": x})
    total = _of_mapping(x, "power") * _of_mapping(x, "plain")
    for value in values:
        total += _of_structure(value)
    p, q = Corner(x, 2.0)
    return total + p * q

"""Constructs that sweeps over packages met: what stands in published code, in small."""

from __future__ import annotations

import inspect
from collections import UserDict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, astuple, dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at


@at(0.7)
def numbers_with_new_axes(x: float) -> Any:
    """Entries of an array are numbers, which may be given axes again."""
    rows = np.array([x, 2.0 * x, x * x])
    stacked = np.concatenate([row[..., np.newaxis] for row in rows], axis=-1)
    return np.sum(stacked[1:] ** 2) + stacked[0] * rows[None, :, None][0, 2, 0]


class Settings(dict[str, Any]):
    """Entries that are read as attributes, by code of its own."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class Model:
    """A plain object of the module."""

    def __init__(self) -> None:
        self.scale = 2.5
        self.weights = np.array([0.5, -1.5])
        self.inner = Settings(rate=1.5)
        self.shape = _square


def _square(x: Any) -> Any:
    return x * x


def _cube(x: Any) -> Any:
    return x * x * x


SETTINGS = Settings(gain=2.0, rows=[1.0, 2.0])
MODEL = Model()
METHODS = UserDict({"Square Law": _square, "cubic": _cube, "offset": 3.0, "pair": (0.5, 1.5)})
CURVES = UserDict({800: {"a": 0.25}, 1600: {"a": 0.75}})


def _given(value: Any, default: Any) -> Any:
    if value is None:
        return default
    return value


@at(1.3)
def objects_of_the_module(x: float, settings: Any = None) -> float:
    """What attributes and entries are is known from the objects, which the program reads."""
    settings = _given(settings, SETTINGS)
    low, high = METHODS["pair"]
    inner = MODEL.inner
    total = x * settings.gain + MODEL.shape(x) * MODEL.scale
    total += np.sum(MODEL.weights * x) * METHODS["offset"] + low * high * x
    return total * inner.rate * CURVES[800]["a"]


def _validated(method: str, valid: Any, keep: bool = False) -> str:
    known = tuple([str(one) for one in valid])
    if method.lower() not in [one.lower() for one in known]:
        raise ValueError(f"{method} is none of {known}")
    return method if keep else method.lower()


@at(1.3, "CUBIC")
@at(1.3, "Square Law")
def functions_by_a_validated_name(x: float, how: str) -> float:
    """Strings that are known are what chooses the function."""
    name = _validated(how, tuple(METHODS))
    label = f"{name}: {len(name)}"
    chosen = METHODS["Square Law" if name.startswith("square") else name]
    return chosen(x) * len(label.split(" "))


KEY = ["a"]
MATRICES = {"a": np.array([[2.0, 1.0], [0.5, 3.0]])}


@at(np.array([0.5, 1.5]))
def products_with_what_is_found_at_run_time(x: Array) -> Any:
    """A product of an array and an object of unknown kind is an array that depends on both."""
    matrix = UserDict(MATRICES)[KEY[0]]
    scaled = np.eye(2) * np.expand_dims(x, -2)
    return np.sum(np.maximum(matrix, scaled * scaled)[0] * x)


def _filtered(function: Any, **kwargs: Any) -> dict[str, Any]:
    kwargs = copy(kwargs)
    try:
        taken = list(inspect.signature(function).parameters.keys())
    except ValueError:
        return {}
    for key in set(kwargs.keys()) - set(taken):
        kwargs.pop(key)
    return kwargs


def _scaled(x: Any, scale: float = 2.0) -> Any:
    return x * x * scale


TAKERS = {"plain": _square, "scaled": _scaled}


@at(1.3, "plain")
@at(1.3, "scaled")
def arguments_that_a_function_takes(x: float, how: str) -> float:
    """What is passed on are the parameters that the signature has."""
    return TAKERS[how](x, **_filtered(TAKERS[how], scale=0.5 * x, other=x))


@dataclass
class Pair:
    """Fields that are asked for by name."""

    low: float
    high: float

    def total(self) -> float:
        return sum(getattr(self, field.name) ** 2 for field in fields(self))


@at(1.3)
def fields_of_a_data_class(x: float) -> float:
    first = Pair(x, 2.0 * x)
    second = replace(first, high=x * x) if is_dataclass(first) else first
    return second.total() * asdict(second)["high"] + astuple(first)[1]


@at(0.7)
@at(1.3)
def arrays_without_axes_are_written(x: float) -> Any:
    """What NumPy's functions give for numbers has no axes, and can be written to."""
    chosen = np.where(x > 0.0, x * x - 1.0, x)
    chosen[np.asarray(chosen < 0)] += 1.0
    chosen[()] *= x
    other = np.select([x > 1.0, x > 0.5], [x, x * x * x])
    other[other < 0.5] = x * 2.0
    return chosen * other


@at(1.3, np.array([0.5, 1.5]))
def kinds_that_are_asked_for(x: float, v: Array) -> float:
    """Classes are asked about, also abstract ones and those of the module."""
    total = x * (2.0 if isinstance([x], Sequence) else 3.0)
    total *= 5.0 if isinstance(v, Iterable) and not isinstance(v, Sequence) else 7.0
    total *= 11.0 if isinstance(SETTINGS, Model | Mapping) else 13.0
    total *= 17.0 if isinstance(x, (Model, str)) else 19.0
    return total * total * (2.0 if _square in (_cube, _square) else 3.0)


@at(np.array([0.5, 1.5, -0.7, 0.9]), np.array([[2.0, 0.3], [0.1, 1.5]]))
def functions_of_numpy_by_others(x: Array, a: Array) -> Any:
    """What has no rule of its own is lowered as if it had been written here."""
    powers = np.vander(x, 3) @ np.polyder(x)[:3] + np.polyval(x, 0.5 * x[1])
    spread = np.resize(x, (2, 3)) * np.kron(x[:2], x[1:3]).reshape((2, 2))[:, :1]
    both = np.sum(np.convolve(x, x[:2], "same")) + np.correlate(x, x[:2])[0]
    slopes = np.gradient(x * x, 0.1) + np.unwrap(7.0 * x) * np.quantile(x, 0.3)
    chosen = np.piecewise(x, [x < 0.0, x >= 1.0], [lambda v: v * v, lambda v: 2.0 * v, 1.5])
    grid = np.meshgrid(x, x[:2])[0] * np.meshgrid(x, x[:2])[1]
    products = np.linalg.multi_dot([a, a, a]) + np.linalg.matrix_power(a, -2)
    return (
        np.sum(powers * slopes * chosen)
        + np.sum(spread) * both
        + np.sum(grid**2)
        + np.sum(products * np.geomspace(x[0], 2.0, 2))
        + np.divmod(x[0] * 7.0, 1.3)[1] * np.modf(x[1] * 3.3)[0]
    )


KNOTS = [1, 2, 4.0]
HEIGHTS = [0.5, 1.0, 3]
CURVE = {"a": [1.0, 2.0, 3.0]}


def _between(x: Any, knots: Any, heights: Any) -> Any:
    k = 0
    while k < len(knots) - 2 and knots[k + 1] < x:
        k += 1
    slope = (heights[k + 1] - heights[k]) / (knots[k + 1] - knots[k])
    return heights[k] + slope * (x - knots[k])


@at(3.0)
def tables_that_are_passed_on(x: float, angle: float = 2.5, mode: Any = None) -> float:
    """What is in a table is known to the function that is given it."""
    if x < 10.0 and mode is not None and angle > 1.0:
        return "nothing"  # type: ignore[return-value]
    return (x * x + _between(angle, KNOTS, HEIGHTS)) * _between(x, KNOTS, CURVE["a"])


def _weighted(rows: Any, x: Array) -> float:
    total = 0.0
    for i in range(len(x)):
        row = rows[i]
        for j in range(len(x)):
            total += row[j] * rows[j][i] * x[i] * x[j]
    return total


@at(np.array([0.5, 1.5]), [[1.0, 2.0], [3.0, 0.5]])
def rows_chosen_at_run_time(x: Array, rows: list[list[float]]) -> float:
    """Rows of a list of lists are those of a matrix, as long as nothing is written."""
    own = [x * x, 2.0 * x]
    k = int(x[0])
    return _weighted(rows, x) + own[k][1] * own[k][0]


SPLINE = ([0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0], [0.5, 1.5, -0.5, 2.0, 0.0, 0.0, 0.0, 0.0], 3)
SURFACE = [
    [0.0, 0.0, 1.0, 2.0, 2.0],
    [0.0, 0.0, 0.0, 2.0, 2.0, 2.0],
    [0.5, 1.5, -0.5, 2.0, 1.0, 0.3, -1.0, 0.7, 0.2],
    1,
    2,
]


@at(0.7, 1.2)
def splines_of_scipy(x: float, y: float) -> Any:
    """Imported where they are called, with knots of the module."""
    from scipy.interpolate import bisplev, splev

    return splev(x * y, SPLINE) * bisplev(x, y, SURFACE) + float(splev(y, SPLINE, 1))


def _names(x: float, extra: Any = None) -> list[str]:
    names = []
    if x < 1.0:
        if extra is not None:
            names.append("never")
        names.append("low")
    if x >= 0.5:
        names.append("high")
        names.append("higher")
    return names


@at(0.2)
@at(0.7)
@at(1.5)
def names_that_are_collected(x: float, method: Any = None) -> float:
    """Which names are in a list is known when the program runs."""
    method = _names(x)[0] if method is None else method
    if method == "low":
        return x * x
    return x**3 * len(_names(x)) if method == "high" else x


LIMITS = [1.0, 2.0, 3.0]
ROWS = [[0.5, 1.0], [1.5, 2.0], [2.5, 3.0]]


@at(1.2)
def a_row_that_a_search_leaves(x: float, angle: float = 1.5, length: Any = None) -> float:
    """Tables are known after the loop that found them; a path that fails is no hindrance."""
    for i in range(len(LIMITS)):
        if angle <= LIMITS[i]:
            row = ROWS[i]
            break
        elif i == len(LIMITS) - 1:
            row = ROWS[-1]
    if x > 100.0:
        return x * row[0] / length
    if x > 200.0:
        for factor in angle:  # type: ignore[attr-defined]
            x *= factor
    return x * x * row[1]

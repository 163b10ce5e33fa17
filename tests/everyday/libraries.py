"""Functions as libraries of formulas write them: module constants, tables, defaults, options."""

from __future__ import annotations

import math
import operator
from collections.abc import KeysView, ValuesView
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at
g = 9.80665
R = 8.314


@at(2.0, 0.5)
def default_of_its_own_name(v: float, d: float, g: float = g) -> float:
    return v / math.sqrt(g * d)


@at(2.0, 0.5)
def default_of_a_helper(v: float, d: float) -> float:
    g = 2.0
    return g * default_of_its_own_name(v, d) + default_of_its_own_name(v, d, g=g)


def _made_with(R: float = R) -> float:
    return R


R = 100.0


@at(2.0)
def default_from_before(x: float) -> float:
    """A default was evaluated when the function was defined; the module went on."""
    return x * x * _made_with() + R * x


@at(2.0)
def default_expression(x: float, scale: float = 2.0 * math.pi + g) -> float:
    return x * x * scale


TABLE = [1.5, 2.5, -0.5]
ROWS = [[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]]
NAMED = {"air": (1.2, -0.4), "water": (0.5, 2.0)}
DEEP = {"a": {"k": 2.0, "v": [0.5, 1.5]}, "b": {"k": 3.0, "v": [2.5, 3.5]}}
SERIES = [(1, 0.5, 2.0), (2, 0.25, 1.0), (3, 0.125, 0.5)]
MIXED = {"name": "air", "mass": 28.97}


def horner(coeffs: list[float], x: float) -> float:
    total = 0.0
    for c in coeffs:
        total = total * x + c
    return total


@at(0.7)
def table_of_numbers(x: float) -> float:
    return horner(TABLE, x) + TABLE[0] * x


@at(0.7, 1)
def table_at_a_place(x: float, row: int) -> float:
    return horner(ROWS[row], x) + ROWS[1][row] * x * len(ROWS)


@at(0.7, "water")
def table_by_name(x: float, name: str) -> float:
    a, b = NAMED[name]
    return a * x**b


@at(0.7, "b")
def table_in_a_table(x: float, name: str) -> float:
    k, v = DEEP[name]["k"], DEEP[name]["v"]
    return k * x * x + v[1] * x


@at(0.7)
def table_of_rows(x: float) -> float:
    total = 0.0
    for n, a, w in SERIES:
        total += a * math.cos(w * x) ** n
    for i in range(len(SERIES)):
        total *= SERIES[i][1] + x
    return total


@at(0.7)
def table_by_size(x: float) -> float:
    """The table is chosen by an active value."""
    coeffs = TABLE if x < 0.5 else ROWS[0]
    row = NAMED["air"] if x > 0.6 else NAMED["water"]
    low, high = row
    return horner(coeffs, x) + row[0] * x + high * x * x + low


@at(1.3)
def table_as_array(x: float) -> float:
    return float(np.sum(np.array(ROWS) * x * x) + np.dot(TABLE, np.array([x, x * x, 1.0])))


@at(1.3)
def table_of_several_kinds(x: float) -> float:
    return float(MIXED["mass"]) * x * x


@at(0.4)
def table_looked_up(x: float) -> float:
    j = 0
    while j < len(TABLE) and TABLE[j] > x:
        j += 1
    return (TABLE[j] - TABLE[j - 1]) / (j + 0.5) * (x - TABLE[j - 1]) ** 2


@at(np.array([0.7, 1.3, -0.4]))
def one_or_many(x: Array) -> float:
    """A length that is not 1 is not the scalar's case, which gives something else."""
    y = x[0] if isinstance(x, np.ndarray) and x.size == 1 and x.ndim != 0 else x * x
    if len(x) != 1:
        y = y + x
    return np.sum(y) if len(y) == len(x) else y


@at(np.array([0.7, 1.3]), 3)
def shapes_are_compared(x: Array, n: int) -> float:
    y = x if x.shape == () else x * 2.0
    if x.shape == (3,) or x.shape != x.shape:
        y = y * y
    if (n, 1) == (3, 1) and (n, 2) < (3, 4) and not (n, 2) > (3, 4) and (n,) < (n, 1):
        y = y * x
    if [n, 2] == [3, 2] and [1] <= [1]:
        y = y * x
    return np.sum(y)


@at(np.array([0.7, 1.3]), np.array([[0.3]]), 0.4)
def numbers_of_numpy(x: Array, single: Array, y: float) -> float:
    """NumPy's types convert arrays, too."""
    return np.sum(np.float64(x) * x) * np.sum(np.float64(single)) * np.float64(y)


@at(np.array([0.7, 1.3]))
def kinds_of_objects(x: Array) -> float:
    keys = MIXED.keys()
    if isinstance(keys, (list, KeysView)) and not isinstance(x, (KeysView, ValuesView)):
        return np.sum(x * x)
    return np.sum(x)


@at(np.array([0.7, 1.3, -0.4]))
def lists_beside_arrays(x: Array) -> float:
    a, c = [3, 5, 2], [1, 2, 5]
    a[0] = 4
    return np.sum(c * np.exp(-((x[0] - a) ** 2) / 9.0) * x) + np.sum([0.5, 1.5, 2.5] * x)


@at(np.array([0.7, 1.3]))
def shape_of_an_object(x: Array) -> float:
    """What is compared with a tuple is not known."""
    shape = np.shape(MIXED["mass"])
    y = x[0] if shape == () else x[1]
    return y * y * np.sum(x)


@at(np.array([0.7, 1.3]), np.array([0.4, -0.2, 1.1]))
def sum_of_arrays_from_a_number(x: Array, weights: Array) -> float:
    total = 0.0
    for w in weights:
        total += w / (1.0 + w * x)
    product = 1.0
    for w in weights:
        product = product * x * w
    return np.sum(total * total) + np.sum(product)


def _as_number(a: Any) -> Any:
    a = np.asarray(a)
    return np.float64(a) if a.ndim == 0 else a


@at(0.7, np.array([[0.3]]))
def arrays_without_axes(x: float, single: Array) -> float:
    """They are numbers once they have been converted, also where a branch chooses them."""
    y = _as_number(x) if x > 0.5 else -_as_number(x * x)
    return float(y) * y + float(np.reshape(single, ())) * y


def _axis_like(value: Any) -> int:
    if isinstance(value, int):
        return int(value)
    raise TypeError("an axis is an integer")


@at(np.array([[0.7, 1.3], [0.2, 0.5]]), 1)
def axis_through_a_helper(x: Array, axis: int) -> float:
    """An integer that decides is asked of the call, also where it went through functions."""
    k = _axis_like(axis)
    return float(np.sum(np.sort(x, axis=k)[0] * np.mean(x, axis=operator.index(axis))))


@at(0.7)
def dict_with_one_of_the_module(x: float) -> float:
    made = {**NAMED, "steam": (x, x * x)}
    more = dict(DEEP["a"])
    more["k"] = more["k"] * x
    return sum(a * x + b for a, b in made.values()) + more["k"]

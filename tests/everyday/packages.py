"""Constructs that sweeps over packages met: what stands in published code, in small."""

from __future__ import annotations

from collections import UserDict
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

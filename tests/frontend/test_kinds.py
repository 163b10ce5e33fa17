"""What is asked of classes, and what cannot be set, is known when the program is made."""

import collections.abc
import contextlib
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.agree import agrees


class Base:
    def __init__(self, value: Any) -> None:
        self.value = value


class Heir(Base):
    pass


def classes(x: Any) -> Any:
    if isinstance(x, (Base, str | Base)):
        return x.value
    y = x * x if isinstance(x, numbers.Real) else np.sum(x * x)
    held = Heir(y)
    if isinstance(held, Base) and not isinstance(held, numbers.Real):
        y = 2.0 * held.value
    if isinstance({}, dict) and not isinstance((), dict | Base):
        y = 3.0 * y
    return y * 5.0 if isinstance(x, collections.abc.Iterable) else y


def labelled(x: Any) -> Any:
    with contextlib.suppress(AttributeError):
        x.name = "x"
    return x * x * x


def cleared(x: Any) -> Any:
    try:
        x[abs(x) < 1e-3] = 0.0
    except TypeError:
        if abs(x) < 1e-3:
            x = 0.0
    return x * x


@pytest.mark.parametrize("x", [2.0, np.array([0.5, 1.5])], ids=["number", "array"])
@pytest.mark.parametrize("f", [classes, labelled, cleared], ids=lambda f: f.__name__)
def test_kinds(f: Callable[[Any], Any], x: Any) -> None:
    agrees(f, x)

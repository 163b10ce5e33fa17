"""Lists and tuples of what is differentiated as attributes of objects of the module.

The oracle is Python: the value, the object afterwards, and differences.
"""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from adjointgen.errors import AdjointgenError


class Engine:
    def __init__(self) -> None:
        self.scale = 3.0
        self.extent: Any = [0.0, 0.0]
        self.other: Any = None

    def bounds(self, x: Any) -> Any:
        self.extent = [min(x), max(x)]
        return self.scale * x

    def changed(self, x: float) -> Any:
        self.extent = [x, 2.0 * x]
        self.extent[0] = 5.0 * x
        return self.scale * self.extent[0] * x

    def in_a_loop(self, x: float) -> Any:
        for k in range(3):
            self.extent = (x * k, k)
        return self.extent[0] * x

    def by_its_name(self, x: float) -> Any:
        pair = [x, x]
        self.extent = pair
        pair[1] = 7.0 * x
        return self.extent[1]

    def one_for_two(self, x: float) -> Any:
        self.other = self.extent = [x, x]
        return self.extent[0]

    def on_a_path(self, x: float) -> Any:
        if x > 1.0:
            self.extent = [x, x]
        return self.scale * x

    def an_array_in_it(self, x: float) -> Any:
        row = np.array([x, 2.0])
        self.extent = [row, 1]
        return self.extent[0].sum()


ENGINE = Engine()


def bounds(x: float) -> Any:
    return np.sum(ENGINE.bounds(np.array([x, 2.0])))


def changed(x: float) -> Any:
    return ENGINE.changed(x)


def in_a_loop(x: float) -> Any:
    return ENGINE.in_a_loop(x)


def by_its_name(x: float) -> Any:
    return ENGINE.by_its_name(x)


def one_for_two(x: float) -> Any:
    return ENGINE.one_for_two(x)


def on_a_path(x: float) -> Any:
    return ENGINE.on_a_path(x)


def an_array_in_it(x: float) -> Any:
    return ENGINE.an_array_in_it(x)


def after(f: Any, x: float) -> tuple[Any, str]:
    ENGINE.__init__()  # type: ignore[misc]
    value = f(x)
    return value, repr(vars(ENGINE))


@pytest.mark.parametrize("f", [bounds, changed, in_a_loop, by_its_name])
def test_the_object_is_as_python_leaves_it(f: Any) -> None:
    x, h = 1.5, 1e-6
    _, known = after(f, x)
    slope = (after(f, x + h)[0] - after(f, x - h)[0]) / (2 * h)
    found, state = after(grad(f), x)
    assert found == pytest.approx(slope, rel=1e-8)
    assert state == known


@pytest.mark.parametrize("f", [one_for_two, on_a_path, an_array_in_it])
def test_right_or_refused(f: Any) -> None:
    """What two attributes share, and what is a list on one path alone, would be another object."""
    x, h = 1.5, 1e-6
    _, known = after(f, x)
    slope = (after(f, x + h)[0] - after(f, x - h)[0]) / (2 * h)
    try:
        found, state = after(grad(f), x)
    except AdjointgenError as error:
        assert error.code in ("AG112", "AG201")
        assert repr(vars(ENGINE)) == repr(vars(Engine()))
    else:
        assert found == pytest.approx(slope, rel=1e-8)
        assert state == known
        assert ENGINE.other is not ENGINE.extent

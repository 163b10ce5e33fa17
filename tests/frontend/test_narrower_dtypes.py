"""Numbers that are integers on some paths: NumPy makes arrays of integers of them.

What such an array holds is not what an array of floats does, once something is written into it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import jvp
from adjointgen.errors import AdjointgenError

X = np.array([-1.0, 2.3, 0.7])


def branch(x: Any) -> Any:
    t = 0 if x[0] < 0 else x[1]
    y = np.full(3, t)
    y[1] = x[1] * x[1]
    return np.sum(y)


def statement(x: Any) -> Any:
    t = x[1]
    if x[0] < 0:
        t = 1
    y = np.array([t, 2, 3]) * 2
    y[0] = x[2]
    return np.sum(y)


def like(x: Any) -> Any:
    t = 0 if x[0] < 0 else x[1]
    y = np.zeros_like([t, t])
    y += x[:2]
    return np.sum(y)


def asked(x: Any) -> Any:
    t = 0 if x[0] < 0 else x[1]
    y = np.zeros(3, dtype=np.asarray(t).dtype)
    y[2] = x[1]
    return np.sum(y)


def carried(x: Any) -> Any:
    t = 0
    for k in range(len(x)):
        y = np.full(3, t)
        y[0] = x[k] * x[1]
        t = t + y[0] + x[k]
    return t


def called(x: Any) -> Any:
    def filled(t: Any) -> Any:
        y = np.full(3, t)
        y[0] = x[1]
        return y

    return np.sum(filled(0 if x[0] < 0 else x[1]) * x)


def out(x: Any) -> Any:
    y = np.full(3, 0 if x[0] < 0 else x[1])
    np.multiply(x, x, out=y)
    return np.sum(y)


def may_not_run(x: Any) -> Any:
    t = 1
    for k in range(int(x[1] - x[1])):
        t = t * x[k]
    y = np.array([t, t])
    y[0] = x[1]
    return np.sum(y)


def several(x: Any) -> Any:
    t = 0.0 if x[0] < 0 else x[1] * 1j
    y = np.full(3, t)
    y[0] = x[1] * 1j
    return np.sum(np.abs(y))


def picked(x: Any) -> Any:
    y = np.full(3, (x[1], 0)[int(x[0] < 0)])
    y[1] = x[1]
    return np.sum(y)


def appended(x: Any) -> Any:
    entries = []
    for v in x:
        entries.append(0 if v > -5 else v)
    y = np.array(entries)
    y[1] = x[1]
    return np.sum(y)


def comprehended(x: Any) -> Any:
    y = np.array([0 if v > -5 else v for v in x])
    y[1] = x[1]
    return np.sum(y)


def replaced(x: Any) -> Any:
    entries = [0, 0]
    for v in x:
        if v > 5.0:
            entries[0] += v
    y = np.array(entries)
    y[1] = x[1]
    return np.sum(y)


WRONG = (
    *(branch, statement, like, asked, carried, called, out, may_not_run, several, picked),
    *(appended, comprehended, replaced),
)


@pytest.mark.parametrize("f", WRONG, ids=lambda f: f.__name__)
def test_what_depends_on_the_path_is_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(AdjointgenError, match=r"AG106.*may be of"):
        jvp(f, (X,), (X,))


@pytest.mark.parametrize("f", WRONG, ids=lambda f: f.__name__)
def test_where_the_path_is_observed_it_is_what_numpy_does(
    f: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJOINTGEN_OBSERVE", "on")
    try:
        wanted = f(X.copy())
    except TypeError as error:
        with pytest.raises((type(error), AdjointgenError)):
            jvp(f, (X,), (X,))
        return
    try:
        value, _ = jvp(f, (X,), (X,))
    except AdjointgenError as error:
        assert error.code == "AG106"
        return
    assert value == wanted


def floats(x: Any) -> Any:
    t = 0
    for k in range(3):
        t = t + x[k]
    y = np.array([t, t / 2])
    y[0] *= x[1]
    return np.sum(y)


def divided(x: Any) -> Any:
    t = 0 if x[0] < 0 else x[1]
    y = np.full(3, t / 2)
    y[0] = x[1]
    return np.sum(y) * t


def beside_floats(x: Any) -> Any:
    t = 0 if x[0] < 0 else x[1]
    y = np.array([t, x[1], 0]) + t
    y[0] = x[2]
    return np.sum(y)


def read_only(x: Any) -> Any:
    t = 1 if x[0] < 0 else x[1]
    return np.sum(np.full(3, t) * x + np.array([t, 2, t]))


def stated(x: Any) -> Any:
    t = 1 if x[0] < 0 else x[1]
    y = np.full(3, t, dtype=float)
    y[0] = x[1] * t
    return np.sum(y)


def collected(x: Any) -> Any:
    entries = []
    for v in x:
        if v > 0:
            entries.append(v * v)
        else:
            entries.append(0)
    entries.append(x[0])
    y = np.array(entries)
    y[1] = x[1]
    return np.sum(y)


ACCEPTED = (floats, divided, beside_floats, read_only, stated, collected)


@pytest.mark.parametrize("f", ACCEPTED)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_the_same_either_way_is_accepted(f: Callable[[Any], Any], sign: float) -> None:
    x = sign * X
    value, slope = jvp(f, (x,), (X,))
    assert value == f(x)
    assert slope == pytest.approx((f(x + 1e-6 * X) - f(x - 1e-6 * X)) / 2e-6, rel=1e-7)

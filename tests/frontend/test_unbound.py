"""Names that a path has not bound: every program raises UnboundLocalError where Python does."""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from adjointgen import adjoint, generate, grad, jvp

GIVEN = (0.6, 1.2, 2.1, 6.0, 7.0)
COUNTS = (0, 1, 2, 3)


def one_of_three(x: float, k: int) -> float:
    if k == 0:
        y = x * x
    elif k == 1:
        y = 1.5 * x
    return y


def above(x: float, k: int) -> float:
    if x > 5.0:
        y = x
    return y * x + k


def in_a_loop(x: float, k: int) -> float:
    for i in range(k):
        y = x * (i + 1)
    return y * y


def the_index(x: float, k: int) -> float:
    for i in range(k):  # noqa: B007 - it is read after the loop
        x *= 1.5
    return x * i


def in_a_while(x: float, k: int) -> float:
    while k > 1:
        y = x * k
        k -= 1
    return math.sin(y)


def left_early(x: float, k: int) -> float:
    for i in range(3):
        if i == k:
            y = x * i
            break
    return y * x


def behind_and(x: float, k: int) -> float:
    if k > 0:
        y = x * x
    if k > 0 and y > 1.0:
        return y
    return x


def behind_or(x: float, k: int) -> float:
    if k > 1:
        y = x * x
    return x if k == 0 or y > 1.0 else 2.0 * x


def in_an_expression(x: float, k: int) -> float:
    if k == 2:
        y = x * x
    return y * x if k > 1 else 3.0 * x


def updated(x: float, k: int) -> float:
    if k != 1:
        total = x
    total += x * k
    return total


def by_the_next_turn(x: float, k: int) -> float:
    s = 0.0
    for i in range(3):
        if i >= k:
            s += last * x  # noqa: F821 - an earlier iteration binds it
        if i != 0:
            last = x * i  # noqa: F841
    return s


def caught(x: float, k: int) -> float:
    try:
        y = x / k
    except ZeroDivisionError:
        x = 2.0 * x
    return y * x


def helper(x: float, k: int) -> float:
    if k > 1:
        y = x * x
    return y


def in_a_helper(x: float, k: int) -> float:
    return helper(x, k) + helper(2.0 * x, k + 1)


def by_a_walrus(x: float, k: int) -> float:
    if k > 0 and (y := x * k) > 1.0:
        return y
    return y + x


def matched(x: float, k: int) -> float:
    match k:
        case 0:
            y = x
        case 1 | 2:
            y = x * x
    return y * 2.0


PROGRAMS = (
    one_of_three,
    above,
    in_a_loop,
    the_index,
    in_a_while,
    left_early,
    behind_and,
    behind_or,
    in_an_expression,
    updated,
    by_the_next_turn,
    caught,
    in_a_helper,
    by_a_walrus,
    matched,
)


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """The value of a call, or what it raises."""
    try:
        return f(*args)
    except UnboundLocalError as error:
        return str(error)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_unbound_names_raise_as_in_python(f: Callable[..., float]) -> None:
    made: dict[str, Any] = {}
    types = {"x": "float", "k": "int"}
    exec(generate(f, modes=("primal",), types=types).source, made)
    primal, raised = made[f"{f.__name__}_primal"], 0
    for x in GIVEN:
        for k in COUNTS:
            wanted = outcome(f, x, k)
            raised += isinstance(wanted, str)
            assert outcome(primal, x, k) == wanted
            forward = outcome(jvp, f, (x, k), (1.0, None))
            reverse = outcome(adjoint(f), x, k, 1.0)
            slope = outcome(grad(f), x, k)
            if isinstance(wanted, str):
                assert forward == reverse == slope == wanted
                continue
            h, around = 1e-6, math.nan
            with suppress(UnboundLocalError):
                around = (f(x + h, k) - f(x - h, k)) / (2.0 * h)
            assert reverse[0] == pytest.approx(wanted)
            assert slope == pytest.approx(forward[1])
            if not math.isnan(around):
                assert slope == pytest.approx(around, rel=1e-6, abs=1e-6)
    assert raised or f in (behind_and,)


def always_bound(x: float, k: int) -> float:
    while True:
        y = x * k
        if k > 2:
            break
        k += 1
    for i in range(3):
        z = y * i
    try:
        w = z / x
    except ZeroDivisionError:
        w = 1.0
    finally:
        v = x
    if k > 5:
        raise ValueError(k)
    elif k > 3:
        u = w
    else:
        u = v
    return u + z


def test_names_that_every_path_binds_have_no_check() -> None:
    derivative = grad(always_bound)
    assert derivative(2.0, 3) == pytest.approx(7.0)
    assert "Unbound" not in derivative.source

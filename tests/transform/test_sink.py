"""What a path adds nothing to is added to on the other path alone."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent

X = np.array([0.7, -1.2, 0.4, 1.9])


def shortest(a: Any) -> Any:
    for k in range(len(a)):
        for i in range(len(a)):
            through = a[k] * a[i] + a[0]
            if through < a[i]:
                a[i] = through
    return np.sum(a)


def products(x: Any) -> Any:
    total = 0.0
    for i in range(1, len(x)):
        y = x[i] * x[i - 1]
        if y > 0.1:
            y = y * y * x[0]
        total += y * x[2]
        if total > x[1]:
            total = -total / x[3]
        else:
            x[i] = total
    return total + x[0]


@pytest.mark.parametrize("f", [shortest, products])
@pytest.mark.parametrize("disable", [(), ("branch-sinking",)], ids=["on", "off"])
def test_the_numbers_are_those_of_differences(f: Any, disable: tuple[str, ...]) -> None:
    d = np.array([0.3, -0.8, 0.5, 1.1])
    slope = (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6
    assert grad(f, disable=disable)(X.copy()) @ d == pytest.approx(slope, rel=1e-7)
    assert tangent(f, disable=disable)(X.copy(), d)[1] == pytest.approx(slope, rel=1e-7)


def test_a_path_without_derivative_adds_nothing() -> None:
    gradient, plain = grad(shortest), grad(shortest, disable=["branch-sinking"])
    gradient(X.copy()), plain(X.copy())
    reverse = gradient.source.partition("# Reverse sweep.")[2]
    assert "else" not in reverse and "0.0\n            else" not in reverse
    assert "else" in plain.source.partition("# Reverse sweep.")[2]

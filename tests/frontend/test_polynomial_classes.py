"""Polynomials of NumPy that a function makes, or that the module holds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.polynomial import chebyshev as ch
from numpy.polynomial import legendre as le

from adjointgen import AdjointgenError, grad, value_and_grad

TERMS = (1.1, -3.2, 3.3, 4.5)
RISING, FALLING = Polynomial([1.0, 2.0, -3.0]), np.poly1d([2.0, 1.0, -1.0])
MAPPED = Polynomial([1.0, 2.0], domain=[0, 2])
TABLE = np.array([[1.0, 2.0], [3.0, 4.0]])


class Model:
    def __init__(self) -> None:
        self.p = np.poly1d([1.0, 2.0, 3.0])

    def at(self, x: Any) -> Any:
        return self.p(x)


MODEL = Model()


def of_a_tuple(x: Any) -> Any:
    return Polynomial(TERMS)(x)


def derivatives_and_integrals(x: Any) -> Any:
    p = np.polynomial.Polynomial([1.0, 2.0, 3.0])
    return p(x) + p.deriv()(x) * p.integ()(x) + p.deriv(2)(x) + len(p) * p.degree()


def of_what_is_differentiated(x: Any) -> Any:
    return np.poly1d([x, 2.0, x * x])(0.5) + Polynomial([x, 1.0]).coef[0] * x


def arithmetic(x: Any) -> Any:
    p, q = np.poly1d([x, 1.0]), np.poly1d([1.0, x, 3.0])
    r = p * q + p - 2 * q - q / 4.0 + (3.0 - p)
    return r(x) + r.deriv()(x) * q.integ()(x)


def arithmetic_of_rising_powers(x: Any) -> Any:
    p, q = Polynomial([x, 1.0]), Polynomial([1.0, x, 3.0])
    r = p * q + p - 2 * q - q / 4.0 + (3.0 - p)
    return r(x) + r.deriv()(x)


def constant(x: Any) -> Any:
    return np.poly1d([3.0]).deriv()(x) + Polynomial([x]).deriv()(x) + x


def of_the_module(x: Any) -> Any:
    return RISING(x) * FALLING(x) + RISING.deriv()(x) + FALLING.deriv(2)(x) + FALLING.integ()(x)


def of_the_module_times_a_number(x: Any) -> Any:
    return (RISING * x)(2.0) + np.sum(FALLING(np.array([x, 2.0 * x])))


def of_an_object(x: Any) -> Any:
    return MODEL.at(x) + Model().at(2.0 * x)


def series(x: Any) -> Any:
    c = np.array([1.0, x, x * x, 0.5])
    y = ch.chebval(x, [1.0, 2.0, 3.0, 0.5]) + le.legval(x, c) + ch.chebval(0.3, c)
    return y + np.polynomial.polynomial.polyval(x, c) + le.legval(x, [2.0]) + ch.chebval(x, [1.0])


PROGRAMS = (
    *(of_a_tuple, derivatives_and_integrals, of_what_is_differentiated, arithmetic, constant),
    *(arithmetic_of_rising_powers, of_the_module, of_the_module_times_a_number, of_an_object),
    series,
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.7, 0.0, 1.0, -2.5])
def test_value_and_slope(f: Callable[[Any], Any], x: float) -> None:
    value, slope = value_and_grad(f)(x)
    h = 1e-6
    assert value == pytest.approx(f(x), rel=1e-13, abs=1e-14)
    assert slope == pytest.approx((f(x + h) - f(x - h)) / (2.0 * h), rel=1e-7, abs=1e-7)


def mapped(x: Any) -> Any:
    return MAPPED(x)


def of_a_table(x: Any) -> Any:
    return np.sum(np.polynomial.polynomial.polyval(x, TABLE))


def leading(x: Any) -> Any:
    return np.poly1d([x, 2.0]).coeffs[0]


def class_of(x: Any) -> Any:
    return isinstance(RISING, Polynomial) * x


def made_class(x: Any) -> Any:
    return (type(np.poly1d([x])) is np.poly1d) * x


def has_roots(x: Any) -> Any:
    return hasattr(RISING, "roots") * x


def itself(x: Any) -> Any:
    return (RISING is RISING) * x


def equal(x: Any) -> Any:
    return (Polynomial([1.0, 2.0, -3.0]) == RISING) * x


def coefficients_are_set(x: Any) -> Any:
    RISING.coef = np.array([x, 2.0])
    return RISING(2.0)


def domain_is_set(x: Any) -> Any:
    RISING.domain = np.array([0.0, 1.0])
    return RISING(x)


def times_a_list(x: Any) -> Any:
    return (RISING * [x, 1.0, 2.0])(x)


def times_an_array(x: Any) -> Any:
    return (FALLING * np.array([x, 1.0, 2.0]))(x)


def times_a_complex_number(x: Any) -> Any:
    return (RISING * 1j)(x).imag


def constants_of_integration(x: Any) -> Any:
    return FALLING.integ(2, k=[1.0, 2.0])(x)


def complex_coefficients(x: Any) -> Any:
    return Polynomial([x, 1j])(x).imag


def vanished(x: Any) -> Any:
    return (RISING - Polynomial([0.0, 0.0, -3.0])).degree() * x


def vanished_factor(x: Any) -> Any:
    return len(RISING * x) * x


def last(x: Any) -> Any:
    return (RISING * x).coef[-1]


def entry(x: Any) -> Any:
    return np.poly1d([x, 2.0, 1.0])[0]


ASKED = (
    *(class_of, made_class, has_roots, itself, equal, times_a_list, times_an_array),
    *(times_a_complex_number, constants_of_integration, vanished, vanished_factor, last, entry),
)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        *((f, "AG201") for f in (mapped, of_a_table, complex_coefficients)),
        *((f, "AG101") for f in (coefficients_are_set, domain_is_set)),
        *((f, "AG102") for f in (leading, *ASKED)),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_what_is_not_simple_is_refused(f: Callable[[Any], Any], code: str) -> None:
    with pytest.raises(AdjointgenError) as caught:
        grad(f)(0.7)
    assert caught.value.code == code


def whole(x: Any) -> Any:
    return TERMS[np.poly1d([1, 2])(1)] * x


def test_polynomials_of_integers_give_integers() -> None:
    assert grad(whole)(0.7) == TERMS[3]


@pytest.mark.parametrize("f", [lambda x: RISING.deriv(-1)(x), lambda x: FALLING.integ(-1)(x)])
def test_orders_are_no_negative_numbers(f: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="order"):
        grad(f)(0.7)


def test_a_polynomial_is_divided_by_zero_as_numpys() -> None:
    with pytest.raises(ZeroDivisionError):
        grad(lambda x: (RISING / x)(2.0))(0.0)


def test_coefficients_are_those_of_the_call() -> None:
    model = Model()

    def f(x: Any) -> Any:
        return model.at(x)

    slope = grad(f)
    assert slope(3.0) == 8.0
    model.p = np.poly1d([1.0, 1.0, 5.0, 1.0])
    assert slope(3.0) == 38.0
    model.p = Polynomial([1.0, 2.0])  # type: ignore[assignment]
    assert slope(3.0) == 2.0
    model.p = Polynomial([1.0, 2.0], domain=[0, 2])  # type: ignore[assignment]
    with pytest.raises(AdjointgenError):
        slope(3.0)

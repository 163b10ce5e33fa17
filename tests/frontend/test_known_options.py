"""What is known when a program is made: lists of the module, defaults, getters, index tricks."""

import operator

import numpy as np
import pytest

from adjointgen import adjoint, check, grad, jacobian
from adjointgen.errors import AdjointgenError

X = np.array([0.3, 1.2, -0.7])
A = np.arange(12.0).reshape(3, 4) + 0.5
LENGTHS, AXES = [5, 3], [0, 1]


def transformed(a):
    return np.sum(np.abs(np.fft.fft2(a, s=LENGTHS, axes=AXES)) ** 2)


def getters(x):
    pairs = sorted({"b": x[0], "a": x[1] * x[2]}.items(), key=operator.itemgetter(0))
    first = operator.itemgetter(1, 0)([x[1], x[2] ** 2])
    return sum(value * (k + 1.0) for k, (_, value) in enumerate(pairs)) * first[0]


def side_by_side(x):
    return np.sum(np.r_[x, X, 1:4] ** 2) * np.sum(np.c_[x, 2.0 * x])


def parts(x):
    return np.sum(np.real(x) ** 2) if np.iscomplexobj(x) else np.sum(x**3)


def scaled(how):
    def inner(x, reduce=how):
        return reduce(x * x)

    return lambda x: inner(x) * x[0]


def contracted(a):
    return np.sum(np.einsum(a, (Ellipsis, 0, 1), a, (Ellipsis, 2, 1), (Ellipsis, 0, 2)) ** 2)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (transformed, A),
        (getters, X),
        (side_by_side, X),
        (parts, X),
        (scaled(np.sum), X),
        (scaled(np.prod), X),
        (contracted, A),
    ],
)
def test_both_modes(f, x):
    check(f, (x,)).raise_on_failure()


def test_complex_numbers_are_told_apart():
    assert np.allclose(grad(parts)(X + 1j), 2.0 * X)


def test_another_list_is_another_program():
    slope = grad(transformed)
    before = slope(A)
    LENGTHS[0] = 2
    try:
        cut = slope(A)
        assert np.allclose(cut, grad(lambda a: np.sum(np.abs(np.fft.fft2(a[:2, :3])) ** 2))(A))
    finally:
        LENGTHS[0] = 5
    assert np.array_equal(slope(A), before)


def test_functions_with_other_defaults_are_other_programs():
    by_sum, by_product = (grad(scaled(how))(X) for how in (np.sum, np.prod))
    assert np.allclose(by_sum, 2.0 * X * X[0] + np.array([X @ X, 0.0, 0.0]))
    product = np.prod(X * X)
    assert np.allclose(by_product, 2.0 * product / X * X[0] + np.array([product, 0.0, 0.0]))


def chosen(conditions, choices):
    return np.select(conditions, choices, default=0.5)


def test_choices_in_a_list():
    choices = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    conditions = [np.array([True, False]), np.array([True, True])]
    _, first, second = (np.asarray(r) for r in flattened(adjoint(chosen, 1), conditions, choices))
    assert first.tolist() == [1.0, 0.0] and second.tolist() == [0.0, 2.0]


def flattened(program, conditions, choices):
    y, (first, second) = program(conditions, choices, np.array([1.0, 2.0]))
    return y, first, second


def test_jacobians_of_any_number_of_arguments():
    assert np.allclose(jacobian(lambda *args: args[0] * args[1], 1)(X, 2.0 * X), np.diag(X))


def test_a_list_of_floats_is_no_option():
    cuts = [0.5]
    with pytest.raises(AdjointgenError) as caught:
        grad(lambda x: np.sum(np.sum(x, axis=cuts)))(X)
    assert caught.value.code == "AG104"

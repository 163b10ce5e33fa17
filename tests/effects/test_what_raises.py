"""What raises, and what is caught of it, is decided once, where the function decides it."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, jacobian, jvp, value_and_grad, vjp
from adjointgen.errors import AdjointgenError


def bare(x):
    row = x * np.ones(3)
    row[1, 2]
    return x


def bare_part(x):
    row = x * np.ones(3)
    row[:, 1]
    return x


def of_zeros(x):
    np.zeros(3)[0, 0]
    return x


def subject(x):
    match np.arange(3.0)[1, 2]:
        case ["a", int()]:
            return x
        case _:
            return x * x


@pytest.mark.parametrize("f", [bare, bare_part, of_zeros, subject])
def test_too_many_indices_raise_though_nothing_reads_the_element(f: Any) -> None:
    with pytest.raises(IndexError, match="too many indices"):
        value_and_grad(f)(0.7)


def of_two_axes(x):
    (x * np.ones((3, 3)))[2, -4]
    return x


def of_a_tuple(x):
    match ("ab", 1, np.zeros((3, 3))[3, 0]):
        case ["a", int(), p]:
            return x * p
        case _:
            return x * x


@pytest.mark.parametrize("f", [of_two_axes, of_a_tuple])
def test_a_place_that_is_not_there_raises_though_nothing_reads_it(f: Any) -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        value_and_grad(f)(0.7)


def overflow(x):
    with np.errstate(over="raise"):
        try:
            y = x * x
        except FloatingPointError:
            y = x * 4
    return y


def of_a_pole(x):
    with np.errstate(divide="raise"):
        try:
            y = 1.0 / (x - 1.0)
        except FloatingPointError:
            y = x * 4.0
        except ValueError:
            y = x
    return y


def by_a_named_state(x):
    state = np.errstate(divide="raise")
    with state:
        try:
            y = 1.0 / (x - 1.0)
        except FloatingPointError:
            y = x * 4.0
    return y


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (overflow, [1e200, 1.0], [4.0, 4.0]),
        (of_a_pole, [1.0, 2.0], [4.0, 4.0]),
        (by_a_named_state, [1.0, 2.0], [4.0, 4.0]),
    ],
)
def test_what_was_caught_is_not_tried_again_in_the_reverse_sweep(
    f: Any, x: Any, expected: Any
) -> None:
    x = np.array(x)
    value, pullback = vjp(f, x)
    assert np.array_equal(value, f(x))
    assert np.array_equal(pullback(np.ones(2))[0], expected)
    assert np.array_equal(jacobian(f)(x), np.diag(expected))


def of_a_number(x):
    y = np.broadcast_to(x[0] * 2.0, (3,))
    y[1] = 5.0
    return np.sum(y)


def of_a_number_caught(x):
    y = np.broadcast_to(x[0], (3,))
    try:
        y[0] = 3.0
    except ValueError:
        return np.sum(y) * 2.0
    return np.sum(y)


@pytest.mark.parametrize("f", [of_a_number, of_a_number_caught])
def test_what_is_broadcast_from_a_number_is_not_written(f: Any) -> None:
    with pytest.raises(AdjointgenError, match="does not let be written"):
        grad(f)(np.array([1.0, 2.0, 3.0]))


def test_what_is_broadcast_from_a_number_is_read() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.broadcast_to(x[0] * 2.0, (3,)) * x)

    assert np.array_equal(grad(f)(np.array([1.0, 2.0, 3.0])), [14.0, 2.0, 2.0])


class Levels:
    low = 1


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def matched(x, k):
    with Manager():
        match k:
            case Levels.low:
                x = x * 3.0
    return x


def matched_parts(x, k):
    with Manager():
        match ("ab", "abc"[k], x):
            case ["k1", int(), _]:
                pass
            case [str() as s, 0 | 1 as j, p]:
                x = x * 2.0 * p * j * len(s)
            case _:
                x = x * x
    return x


@pytest.mark.parametrize("f", [matched, matched_parts])
@pytest.mark.parametrize("k", [1, 2])
def test_patterns_inside_with_are_compared_or_refused(f: Any, k: int) -> None:
    try:
        value, bar = value_and_grad(f, wrt="x")(0.7, k)
    except AdjointgenError as error:
        assert error.code in ("AG101", "AG411")
        return
    assert value == f(0.7, k)
    assert bar == pytest.approx((f(0.7 + 1e-6, k) - f(0.7 - 1e-6, k)) / 2e-6)


def chain(x):
    return x * x if (np.zeros(3)[0] < 1.0 <= 1.0) is True else x


def ended_by_true(x):
    return x * x if ((x > np.zeros(1)[0]) and True) is True else x


def ended_early(x):
    return x * x if (x < np.zeros(1)[0] < 1.0 <= 2.0) is False else x


def case_true(x):
    match np.zeros(3)[0] < (w := 1.0) <= w:
        case True:
            return x * x
        case _:
            return x


@pytest.mark.parametrize("f", [chain, ended_by_true, ended_early, case_true])
def test_a_chain_that_ends_in_truth_of_python_is_that(f: Any) -> None:
    value, bar = value_and_grad(f)(0.7)
    assert value == f(0.7)
    assert bar == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6)


def by_a_flag(x):
    x.flags.writeable = False
    try:
        x[0] = 3.0
    except ValueError:
        return np.sum(x) * 2.0
    return np.sum(x)


def by_the_flags(x):
    y = x * 1.0
    flags = y.flags
    flags["WRITEABLE"] = False
    y[0] = 3.0
    return np.sum(y)


@pytest.mark.parametrize("f", [by_a_flag, by_the_flags])
def test_flags_of_arrays_are_not_set(f: Any) -> None:
    with pytest.raises(AdjointgenError, match="sets a flag of an array"):
        grad(f)(np.array([1.0, 2.0, 3.0]))


def test_flags_of_arrays_are_read() -> None:
    def f(x: Any) -> Any:
        y = x * 2.0
        return np.sum(y * y) if y.flags.c_contiguous else np.sum(y)

    assert np.array_equal(grad(f)(np.array([1.0, 2.0])), [8.0, 16.0])


def beside_unknown_calls(x, calls):
    class Own:
        factor = 2.0

        def times(self, p):
            return p * self.factor

    for call in calls:
        call(3)
    return Own().times(x)


def test_a_class_of_the_function_is_not_asked_by_its_name() -> None:
    """What is not known may write to other classes, and not to this one."""
    called = list[int]()
    found = value_and_grad(beside_unknown_calls, wrt="x")(0.7, [called.append])
    assert found == (1.4, 2.0) and called == [3]


LOG = []


def noted(k, value):
    LOG.append(k)
    return value


def sums_up(x, v):
    v[noted(1, len(LOG)) - 9] += noted(2, x) * next(iter(v))
    return x


def test_an_entry_is_looked_up_before_a_value_that_acts() -> None:
    LOG.clear()
    with pytest.raises(IndexError):
        sums_up(0.7, [0.5, 1.0, 2.0])
    with pytest.raises(IndexError):
        jvp(sums_up, (0.7, [0.5, 1.0, 2.0]), (1.0, None))
    assert LOG == [1, 1]

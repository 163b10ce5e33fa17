"""Lists of the caller's that are empty: what they get is known in the function."""

import numpy as np
import pytest

import adjointgen as ag


def put_together(k, rows):
    rows += [k, k * 2.0]
    return sum(rows)


def inserted(k, rows):
    rows.insert(0, k)
    rows.extend([k * k])
    return rows[0] * rows[1]


def in_a_loop(k, rows):
    for i in range(3):
        rows.append(k * i)
    return sum(rows)


def as_often_as_asked(k, rows):
    for _ in range(int(k * 10.0)):
        rows.append(k)
    return sum(rows)


def while_short(k, rows):
    while len(rows) < 3:
        rows.append(k * len(rows))
    return rows[-1] ** 2


def on_either_path(k, rows):
    if k > 0.1:
        rows.append(k)
    else:
        rows.append(1.0)
    return rows[0] * k


def second_name(k, rows):
    other = rows
    other.append(k)
    return rows[0] * k


def as_an_array(k, rows):
    found = np.array(rows)
    return k * found.size + k * k + np.sum(found)


def of_lists(k, rows):
    rows.append([k, k * k])
    rows.append([1.0, k])
    return sum(row[1] for row in rows)


FUNCTIONS = [
    *(put_together, inserted, in_a_loop, as_often_as_asked, while_short, on_either_path),
    *(second_name, as_an_array, of_lists),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_gradient_is_that_of_differences(f):  # type: ignore[no-untyped-def]
    h = 1e-6
    wanted = (f(0.37 + h, []) - f(0.37 - h, [])) / (2.0 * h)
    rows = []
    assert ag.value_and_grad(f)(0.37, rows) == pytest.approx((f(0.37, []), wanted), rel=1e-7)
    assert rows == []
    # A list that is no longer empty has another program.
    if f is not of_lists:
        wanted = (f(0.37 + h, [0.5]) - f(0.37 - h, [0.5])) / (2.0 * h)
        assert ag.grad(f)(0.37, [0.5]) == pytest.approx(wanted, rel=1e-7)

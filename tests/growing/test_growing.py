"""Lists whose length is known at run time only: both modes, second order, against differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import check, grad, jvp, tangent
from adjointgen.errors import NoRule, Unsupported


def stepped(y, k, tol):
    """Adaptive steps: how many there are depends on the values."""
    t, h = 0.0, 0.1
    ys = [y]
    while t < 1.0:
        h = min(h, 1.0 - t)
        full = y - h * k * y * y
        half = y - 0.5 * h * k * y * y
        two = half - 0.5 * h * k * half * half
        if abs(two - full) < tol:
            t += h
            y = two
            ys.append(y)
            h *= 1.5
        else:
            h *= 0.5
    return ys[-1] + 0.1 * sum(ys) + ys[len(ys) // 2] ** 2


def sums_of_arrays(x, n):
    """A list of arrays has no shape to ask for, and more axes than its length."""
    items = [k * x * x[1] for k in range(n)]
    blocks = [np.outer(x, x) * k for k in range(n)]
    total = sum(items) * np.mean(items, axis=1)[1] + np.var(blocks, axis=0)[0]
    return total + np.sum(items) * np.mean(blocks, axis=(0, 2))[1]


def on_both_paths(coefficients, x):
    out = []
    for i, c in enumerate(coefficients):
        if i % 2 == 0:
            out.append(c * x**i)
        else:
            out.append(-c * math.cos(x) * i)
    return sum(out) / max(len(out), 1) + max(out) * min(out)


def chosen(values, x):
    """Only some entries are kept."""
    kept = []
    for v in values:
        if v * x > 1.0:
            kept.append(v * v * x)
    total = 0.0
    for k, v in enumerate(kept):
        total += v / (k + 1.0)
    return total + np.prod(np.array(kept))


def several_at_once(x, n):
    found = [x]
    for k in range(n):
        found += [x * k, x * x]
        found.extend((math.sin(x), 1.0))
    return found[-2] * found[-3] + sum(found)


def as_a_stack(x, n):
    """Pushed and popped: what is read is what was pushed last."""
    stack = [x, 2.0 * x]
    total = 0.0
    for k in range(n):
        if k % 3 == 2:
            total += stack.pop() ** 2
        else:
            stack.append(x * stack[-1] + k)
    return total + stack[-1] * stack[0]


def overwritten(x, n):
    values = [x]
    for k in range(n):
        if k % 2:
            values.append(values[-1] * x)
        values[0] = values[0] + values[-1] ** 2
    return values[0] * values[-1]


def of_arrays(x, n):
    """A trajectory: every state is a new array."""
    states = []
    u = x
    for k in range(n):
        u = u + 0.1 * np.sin(u)
        if k % 2 == 0:
            states.append(u * u)
    return np.sum(np.array(states)) + states[-1][0]


def copies(x, n):
    states = []
    u = x.copy()
    for _ in range(n):
        u[1:] = u[1:] + 0.3 * u[:-1] ** 2
        states.append(u.copy())
    return np.sum(np.array(states) ** 2)


def in_a_branch(x, y):
    terms = [x * y]
    if x > y:
        terms.append(x**3)
        terms.append(y)
    return sum(terms) * terms[-1]


def new_in_every_iteration(x, n):
    total = 0.0
    for k in range(n):
        row = []
        while len(row) < k:
            row.append(x * (len(row) + 1.0))
        total += sum(row) ** 2
    return total


def an_empty_list(x, n):
    nothing = []
    while len(nothing) < n:
        nothing.append(x)
    return x * x + sum(nothing)


def lengthened(xs, y):
    """Joined and repeated, which is no arithmetic."""
    head = [y * y, 1.0]
    longer = head + xs + [y]
    longer += xs
    twice = xs * 2 + [y] * len(xs)
    return sum(v * k for k, v in enumerate(longer)) * sum(twice) + len(twice) * y


def by_methods(xs, y):
    values = xs.copy()
    values.reverse()
    values.insert(1, y)
    values.insert(0, y * y)
    first, last = values.pop(0), values.pop(-2)
    values.sort()
    values.extend(xs)
    values += [y]
    emptied = xs[1:]
    emptied.clear()
    emptied.append(y)
    total = sum(v * v * k for k, v in enumerate(values))
    return first * 3.0 + last * last + values[0] * values[1] + total * emptied[0]


def parted(xs, y):
    """Comprehensions whose conditions depend on values."""
    above = [v * y for v in xs if v > y]
    below = [v for v in xs if v <= y]
    pairs = [v * w for v in above for w in below if v > w]
    return max(above) - min(below) + sum(pairs) / len(pairs) + len(above) * y


def parted_where_known(x, y):
    kept = [v for v in (x, y, x * y) if v > 0.5]
    return kept[0] * sum(kept)


def while_it_may_fail(x, y, n):
    """What is appended is tried before, not the appending."""
    logs = []
    for k in range(n):
        try:
            logs.append(x * k)
            logs.append(math.log(y - 0.4 * k))
        except ValueError:
            logs.append(y**2)
    return sum(logs) * logs[-1]


def as_arrays(x, n):
    """What arrays have methods for, asked of a list."""
    items = [k * x for k in range(n) if k * x[0] < 4.0]
    turned = np.transpose(items) * x[0]
    flat = np.reshape(items, (-1,))
    return np.sum(turned[1] ** 2) + np.sum(np.cumsum(flat)) + np.max(np.ravel(items))


COEFFICIENTS = [1.0, 2.0, 3.0, 0.5]
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = {
    "stepped": (stepped, (1.3, 0.7, 1e-4), (0, 1)),
    "on both paths": (on_both_paths, (COEFFICIENTS, 0.7), (0, 1)),
    "chosen": (chosen, ([0.5, 1.5, 2.5, 0.1], 1.2), (0, 1)),
    "several at once": (several_at_once, (1.3, 20), (0,)),
    "as a stack": (as_a_stack, (1.1, 20), (0,)),
    "overwritten": (overwritten, (0.3, 20), (0,)),
    "of arrays": (of_arrays, (np.array([0.3, 0.8]), 19), (0,)),
    "sums of arrays": (sums_of_arrays, (np.array([0.3, 0.8]), 3), (0,)),
    "copies": (copies, (np.array([0.3, 0.8, 0.1]), 17), (0,)),
    "in a branch": (in_a_branch, (1.5, 0.4), (0, 1)),
    "in a branch, not taken": (in_a_branch, (0.3, 0.4), (0, 1)),
    "new in every iteration": (new_in_every_iteration, (0.4, 20), (0,)),
    "lengthened": (lengthened, ([1.0, 2.0, 3.0], 0.5), (0, 1)),
    "by methods": (by_methods, ([1.0, 3.0, 2.0], 0.5), (0, 1)),
    "parted": (parted, ([1.0, -2.0, 3.0, 0.2], 0.5), (0, 1)),
    "parted where known": (parted_where_known, (0.9, 0.7), (0, 1)),
    "while it may fail": (while_it_may_fail, (0.3, 0.7, 4), (0, 1)),
    "as arrays": (as_arrays, (np.array([0.9, 0.3]), 20), (0,)),
    "an empty list": (an_empty_list, (0.4, 0), (0,)),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CASES)
def test_both_modes(name: str) -> None:
    function, arguments, wrt = CASES[name]
    check(function, arguments, wrt=wrt).raise_on_failure()


ALONE: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "stepped": (lambda y: stepped(y, 0.7, 1e-4), 1.3),
    "on both paths": (lambda x: on_both_paths(COEFFICIENTS, x), 0.7),
    "chosen": (lambda values: chosen(values, 1.2), np.array([0.5, 1.5, 2.5, 0.1])),
    "several at once": (lambda x: several_at_once(x, 20), 1.3),
    "as a stack": (lambda x: as_a_stack(x, 20), 1.1),
    "overwritten": (lambda x: overwritten(x, 20), 0.3),
    "of arrays": (lambda x: of_arrays(x, 19), np.array([0.3, 0.8])),
    "copies": (lambda x: copies(x, 17), np.array([0.3, 0.8, 0.1])),
    "in a branch": (lambda x: in_a_branch(x, 0.4), 1.5),
    "new in every iteration": (lambda x: new_in_every_iteration(x, 20), 0.4),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ALONE)
def test_second_order(name: str) -> None:
    """The tangent of the gradient against differences of it."""
    function, x = ALONE[name]
    slope, step, along = grad(function), 1e-5, np.ones_like(x)[()]
    expected = (slope(x + step * along) - slope(x - step * along)) / (2.0 * step)
    _, found = jvp(slope, (x,), (along,))
    assert np.asarray(found) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_an_array_that_has_another_name_is_not_held() -> None:
    def held(x, n):
        states = []
        u = x.copy()
        for k in range(n):
            if k % 2:
                states.append(u)
            u[0] = u[0] ** 2
        return np.sum(np.array(states))

    # Up to 32 iterations the entries are known one by one.
    assert grad(held)(np.array([0.5, 0.2]), 4) == pytest.approx([0.5**10 * 1.0, 2.0])
    with pytest.raises(Unsupported, match="AG106"):
        grad(held)(np.array([0.5, 0.2]), 40)


ENTRIES: list[Callable[[Any, int], Any]] = [
    lambda x, k: x[0] * k + k,
    lambda x, k: x * k + k,
    lambda x, k: np.outer(x, x[:2]) * k + k,
    lambda x, k: np.outer(x, x[:2])[:, :, None] * x * k,
]
JOINS: dict[str, Callable[[Any], Any]] = {
    "vstack": np.vstack,
    "hstack": np.hstack,
    "column_stack": np.column_stack,
    "dstack": np.dstack,
    "stack": lambda rows: np.stack(rows),
    "stack last": lambda rows: np.stack(rows, axis=-1),
    "concatenate": lambda rows: np.concatenate(rows),
    "concatenate last": lambda rows: np.concatenate(rows, axis=-1),
    "concatenate all": lambda rows: np.concatenate(rows, axis=None),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("listed", [True, False], ids=["list", "array"])
@pytest.mark.parametrize("rank", range(4))
@pytest.mark.parametrize("name", JOINS)
def test_joined_as_one_value(name: str, rank: int, listed: bool) -> None:
    """What is joined are the entries of the list, or the rows of the array, not itself alone."""
    join, entry, x = JOINS[name], ENTRIES[rank], np.array([0.3, 0.7, 1.1])

    def joined(x, n):
        rows = [entry(x, k) for k in range(n)]
        return join(rows) if listed else join(np.array(rows))

    if rank == 0 and name in ("concatenate", "concatenate last"):
        with pytest.raises(NoRule, match="AG201"):
            tangent(joined, ("x",))(x, 4, x)
        return
    value, _ = tangent(joined, ("x",))(x, 4, x)
    np.testing.assert_array_equal(value, joined(x, 4), strict=True)
    check(joined, (x, 4), wrt=(0,)).raise_on_failure()


def read_later(x, n):
    rows = [x * k for k in range(n) if k % 2]
    last = rows[-1]
    rows.append(x * 7.0)
    return np.sum(last * x)


def replaced(x, n):
    rows = [x * k for k in range(n) if k % 2]
    first = rows[0]
    rows[0] = x * 5.0
    return np.sum(first) + np.sum(rows[0])


def swapped(x, n):
    rows = [x * k for k in range(n) if k % 2]
    rows[0], rows[-1] = rows[-1], rows[0]
    return np.sum(rows[0] * 2.0 + rows[-1])


def put_in_with_a_name(x, n):
    rows = [x * k for k in range(n) if k % 2]
    row = x * 3.0
    rows[0] = row
    row[0] = x[1]
    return np.sum(rows[0])


def written_in_two_lists(x, n):
    rows = [x * k for k in range(n) if k % 2]
    others = rows[1:]
    others[0][0] = x[1]
    return np.sum(rows[1])


def popped_and_written(x, n):
    rows = [x * k for k in range(n) if k % 2]
    others = rows[1:]
    last = rows.pop()
    last[0] = x[1]
    return np.sum(others[-1])


def popped_on_trial(x, n):
    values = [x[0] * k for k in range(n) if k % 2]
    total = 0.0
    for _ in range(n):
        try:
            total += values.pop() * x[1]
        except IndexError:
            total += x[1]
    return total


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (read_later, "AG112"),
        (replaced, "AG112"),
        (swapped, "AG106"),
        (put_in_with_a_name, "AG106"),
        (written_in_two_lists, "AG111"),
        (popped_and_written, "AG112"),
        (popped_on_trial, "AG101"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_arrays_that_two_names_hold(function: Callable[..., Any], code: str) -> None:
    with pytest.raises(Unsupported, match=code):
        grad(function)(np.array([0.5, 0.2]), 41)

"""Lists of tuples of which it is not known how many there are: one program for any number."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent, value_and_grad
from adjointgen.errors import AdjointgenError


def appended(x, n):
    points = []
    for k in range(n):
        points.append((x * k, x**2 + k))
    total = 0.0
    for p, q in points:
        total += p * q
    return total


def steps(x, n):
    path = [(0.0, x)]
    while path[-1][0] < n:
        t, y = path[-1]
        path.append((t + 1.0, y * 1.1))
    return path[-1][1] * len(path)


def stack(x, n):
    waiting = [(x, 0)]
    total = 0.0
    while waiting:
        y, level = waiting.pop()
        total += y * y
        if level < n:
            waiting.append((y * 0.5, level + 1))
            if level % 2:
                waiting.append((y * 0.3, level + 2))
    return total


def of_a_comprehension(x, n):
    points = [(k * x, math.sin(x * k)) for k in range(n)]
    return sum(p * q for p, q in points)


def some(x, n):
    found = [(k, x * k) for k in range(n) if x * k > 1.0]
    return sum(k * v for k, v in found) + len(found)


def on_one_path(x, n):
    kept = []
    if n > 2:
        kept.append((x, x * x))
    for k in range(n):
        if k % 2:
            kept.append((x * k, 1.0 * k))
    return sum(a * b for a, b in kept)


def two_names(x, n):
    points = []
    other = points
    for k in range(n):
        points.append((x, k * x))
        other.append((x * x, 1.0))
    return sum(a * b for a, b in points) * len(other)


def begun_again(x, n):
    total, group = 0.0, []
    for k in range(n):
        group.append((x * k, k))
        if len(group) == 3:
            for a, b in group:
                total += a * a * b
            group = []
    return total + sum(a for a, _ in group)


def written(x, n):
    points = []
    for k in range(n):
        points.append((k * 1.0, x))
    for k in range(1, n):
        points[k] = (points[k - 1][0] + points[k][1], points[k][1] * x)
    return sum(a * b for a, b in points)


def beside_itself(x, n):
    points = []
    for k in range(n):
        points.append((k * x, x**k))
    length = 0.0
    for (a, b), (c, d) in zip(points, points[1:], strict=False):  # noqa: RUF007
        length += math.hypot(c - a, d - b)
    return length


def counted(x, n):
    points = []
    for k in range(n):
        points.append((k * x,))
    return sum(k * p[0] for k, p in enumerate(points))


def from_the_end(x, n):
    points = []
    for k in range(n):
        points.append((k, x * k))
    total = 1.0
    for k, v in reversed(points):
        total = total * 0.5 + k * v
    return total


def from_the_front(x, n):
    waiting = []
    for k in range(n):
        waiting.append((k, x + k))
    total = 1.0
    while len(waiting) > 0:
        k, y = waiting.pop(0)
        total += k * y * total
    return total * 1e-3


def extended(x, n):
    points, more = [], []
    for k in range(n):
        points.append((x, k * x))
        more.append((k, x * x))
    points.extend(more)
    points.extend([(1.0, x), (x, x)])
    points.insert(0, (x * x, 2.0))
    points.reverse()
    total = 0.0
    for a, b in points:
        total = total * 0.9 + a * b
    return total


def copied(x, n):
    points = []
    for k in range(n):
        points.append((x, k * x))
    kept = points.copy()
    points.clear()
    return sum(a * b for a, b in kept) + len(points)


def by_a_helper(x, n):
    points = []
    for k in range(n):
        put(points, x, k)
    return measured(points)


def put(points, x, k):
    points.append((k * x, x * x))


def measured(points):
    if not points:
        return 0.0
    return sum(a * b for a, b in points) + points[0][1] + points[-1][0]


def in_a_loop(x, n):
    total = 0.0
    for i in range(n):
        row = []
        for j in range(i):
            row.append((x * j, i))
        for a, b in row:
            total += a * a * b
    return total


def while_it_runs(x, n):
    points = [(x, 0)]
    for y, level in points:
        if level < n:
            points.append((y * 0.9, level + 1))
    return sum(y * level for y, level in points)


def whole(x, n):
    points = []
    for k in range(n):
        points.append((k, x * k))
    listed = list(points)
    points.append((1, x))
    return sum(a * b for a, b in listed) + len(listed)


def ends(x, n):
    points = []
    for k in range(n + 2):
        points.append((x * k, x + k))
    inner = points[1:-1]
    inner.append((x, x))
    (a, b), (c, d) = points[0], points[-1]
    return a * d + b * c + sum(p * q for p, q in inner) + len(points)


def grown_by_sums(x, n):
    points = []
    for k in range(n):
        points += [(x * k, x)]
        points = points + [(1.0, x * x)]  # noqa: RUF005
    return sum(a * b for a, b in points)


def least(x, n):
    points = []
    for k in range(n + 1):
        points.append((math.sin(k * x), x * k))
    best = min(points, key=lambda p: p[0])
    points.sort()
    return best[1] + points[-1][1] + min(points)[0]


def compared(x, n):
    points, others = [], []
    for k in range(n):
        points.append((k, x * k))
        others.append((k, x * k))
    if points == others and points is not others and (0, 0.0) in points:
        return x * x
    return x


def as_an_array(x, n):
    points = []
    for k in range(n + 1):
        points.append((k, x * k))
    table = np.array(points)
    return np.sum(table[:, 0] * table[:, 1])


def of_its_kind(x, n):
    points = []
    for k in range(n):
        points.append((k, x))
    if isinstance(points, list) and type(points) is list and not isinstance(points, tuple):
        return x * x * len(points)
    return x


def of_other_entries(x, n):
    points = []
    for k in range(n):
        if k % 2:
            points.append((k, x * k))
        else:
            points.append((k, x, x * k))
    return sum(p[-1] for p in points)


def said(x, n):
    points = []
    for k in range(n):
        points.append((f"{k}", x * k))
    return sum(v * len(name) for name, v in points)


def given_back(x, n):
    points = []
    for k in range(n):
        points.append((k, x * k))
    return points


def whole_numbers(x, n):
    points = []
    for k in range(n):
        points.append((k, x))
    points.append((0.5, x * x))
    return sum(v * (k // 2) + (isinstance(k, int) and v) for k, v in points)


def caught(x, n):
    points = []
    for k in range(n):
        if k == 8:
            break
        try:
            points.append((k, math.sqrt(x * k - 0.5)))
        except ValueError:
            points.append((k, x))
    return sum(a * b for a, b in points)


def heap(x, n):
    tree = []
    for k in range(n):
        tree.append((x * (k * 7 % 5), k))
        i = len(tree) - 1
        while i > 0 and tree[i][0] < tree[(i - 1) // 2][0]:
            tree[i], tree[(i - 1) // 2] = tree[(i - 1) // 2], tree[i]
            i = (i - 1) // 2
    return sum(v * v * k for v, k in tree) + len(tree)


class Record:
    def __init__(self):
        self.history = []
        self.count = 0

    def put(self, t, y):
        self.history.append((t, y))
        self.count += 1


def in_an_object(x, n):
    record = Record()
    for k in range(n):
        record.put(k * 1.0, x * k)
    return sum(a * b for a, b in record.history) * record.count


PROGRAMS = [
    *(appended, steps, stack, of_a_comprehension, some, on_one_path, two_names, begun_again),
    *(written, beside_itself, counted, from_the_end, from_the_front, extended, copied),
    *(by_a_helper, in_a_loop, ends, caught, heap, in_an_object),
    whole,
]
OTHERS = [
    *(grown_by_sums, least, compared, as_an_array, of_its_kind, of_other_entries, said),
    *(whole_numbers, while_it_runs),
]


def slope(f: Callable[[float], float], x: float, h: float = 1e-3) -> float:
    """Differences of sixth order."""
    near, middle, far = ((f(x + k * h) - f(x - k * h)) / (2 * k * h) for k in (1, 2, 3))
    return (15 * near - 6 * middle + far) / 10


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_one_program_for_any_number(f: Any) -> None:
    reverse = value_and_grad(f, wrt="x")
    texts = set()
    for x, n in ((0.7, 5), (0.7, 0 if f is not written else 1), (1.3, 6), (0.7, 12)):
        value, bar = reverse(x, n)
        texts.add(reverse.source)
        assert value == f(x, n)
        expected = slope(lambda y, n=n: f(y, n), x)
        assert bar == pytest.approx(expected, rel=1e-7, abs=1e-7)
        dot = tangent(f, "x")(x, n, 1.0)[1]
        assert dot == pytest.approx(expected, rel=1e-7, abs=1e-7)
        second = slope(lambda y, n=n: grad(f, "x")(y, n), x)
        product = tangent(grad(f, "x"), "x")(x, n, 1.0)[1]
        assert np.ravel(product)[-1] == pytest.approx(second, rel=1e-6, abs=1e-6)
    assert len(texts) == 1


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_what_is_asked_of_a_list_is_right_or_refused(f: Any) -> None:
    """A refusal of many entries is one alone; for a few the entries are known one by one."""
    for n in (3, 400):
        try:
            value, bar = value_and_grad(f, wrt="x")(0.7, n)
        except AdjointgenError as error:
            assert error.code in ("AG102", "AG106", "AG107"), error
            continue
        assert value == f(0.7, n)
        assert bar == pytest.approx(slope(lambda y, n=n: f(y, n), 0.7), rel=1e-6, abs=1e-6)


def test_it_is_given_back_as_a_list() -> None:
    try:
        value, dot = tangent(given_back, "x")(0.7, 4, 1.0)
    except AdjointgenError as error:
        assert error.code in ("AG102", "AG106")
        return
    assert value == given_back(0.7, 4) and [d[1] for d in dot] == [0.0, 1.0, 2.0, 3.0]

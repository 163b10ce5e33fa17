"""Modules with Jacobians and many directions, of lists of numbers and of structures.

Every case is a function, an example, and other arguments, of other lengths where it takes them. A
Jacobian is held to differences of the function, number by number; its form is that of the result,
with that of the argument in the place of every number and array.
"""

from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import check, generate
from adjointgen.errors import AdjointgenError


def module_of(source: str, path: Path | None = None) -> ModuleType:
    made = ModuleType("made")
    # Numba has no place to keep what it compiles of a text.
    source = source.replace("cache=True, ", "")
    if path is not None:
        made.__file__ = str(path / "made.py")
        Path(made.__file__).write_text(source)
    exec(compile(source, "made.py", "exec"), vars(made))
    return made


@dataclass
class Layer:
    weights: np.ndarray
    bias: float
    name: str = "layer"


Pair = namedtuple("Pair", "left right")


def grown(x, a):
    out = []
    for i in range(len(x)):
        out.append(a * x[i] ** 2)
    return out


def listed(x, a):
    return [a * v**2 for v in x]


def filled(x, a):
    y = [0.0] * len(x)
    for i in range(len(x)):
        y[i] = a * x[i] * x[i - 1]
    return y


def beside(x, a):
    """A list beside an array and a number."""
    return [np.sin(v) * a for v in x], (x * a, np.sum(x))


def dense_row(x, a):
    """Of a sparse Jacobian the rows are followed."""
    out = [0.0] * len(x)
    for i in range(len(x)):
        out[i] = x[i] ** 3 + a
    out[0] = np.sum(x**2)
    return out


def fixed(x, a):
    return [a * x[0] ** 2, np.sin(x[1])]


def nested(x, a):
    return [[x[0], x[1] * a], [a, x[0] * x[1]]]


def in_dict(p, a):
    """Keys that are not in the order of their names."""
    return np.sum(p["w"] * a) * p["b"]


def in_class(p, a):
    return p.weights * a * p.bias


def in_pair(p, a):
    return {"z": p.left * p.right, "a": np.sum(p.left) * a}


def mixed(state, a):
    layer = state["layer"]
    return [layer.bias * v + a for v in layer.weights], state["rest"][0] ** 2


W, LONG = np.array([0.3, 0.7]), np.array([0.3, -0.7, 1.1, 0.2])
CASES = [
    (grown, (W, 0.5), (LONG, 0.8)),
    (listed, (W, 0.5), (LONG, 0.8)),
    (filled, (W, 0.5), (LONG, 0.8)),
    (dense_row, (LONG, 0.5), (W, 0.8)),
    (beside, (W, 0.5), (LONG, 0.8)),
    (fixed, (W, 0.5), (LONG, 0.8)),
    (nested, (W, 0.5), (LONG, 0.8)),
    (in_dict, ({"w": W, "b": 0.3}, 0.5), ({"w": LONG, "b": 0.9}, 0.8)),
    (in_class, (Layer(W, 0.4), 0.5), (Layer(LONG, 0.9), 0.8)),
    (in_pair, (Pair(W, 0.4), 0.5), (Pair(LONG, 0.9), 0.8)),
    (
        mixed,
        ({"layer": Layer(W, 0.2), "rest": (W, 0.1)}, 0.5),
        ({"layer": Layer(LONG, 0.2), "rest": (LONG, 0.1)}, 0.9),
    ),
]


def parts(tree: Any) -> Iterator[Any]:
    """The numbers and arrays of a structure, in its own order."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, Layer):
        tree = [tree.weights, tree.bias]
    if isinstance(tree, tuple | list):
        for part in tree:
            yield from parts(part)
    elif isinstance(tree, float | np.ndarray):
        yield tree


def flat(tree: Any) -> Any:
    found = [np.ravel(part) for part in parts(tree)]
    return np.concatenate(found) if found else np.zeros(0)


def filled_with(tree: Any, numbers: Iterator[Any], axis: int = 0) -> Any:
    """The structure with other numbers; arrays of `axis` axes more for each number."""
    match tree:
        case dict():
            return {key: filled_with(part, numbers, axis) for key, part in tree.items()}
        case Layer():
            two = (filled_with(part, numbers, axis) for part in (tree.weights, tree.bias))
            return Layer(*two, name=tree.name)
        case Pair():
            return Pair(*(filled_with(part, numbers, axis) for part in tree))
        case tuple() | list():
            return type(tree)(filled_with(part, numbers, axis) for part in tree)
        case np.ndarray():
            own = [next(numbers) for _ in range(tree.size)]
            return np.reshape(own, (*tree.shape, *np.shape(own[0])))
        case float():
            return next(numbers)
    return tree


def differences(f: Any, args: tuple[Any, ...]) -> Any:
    """The Jacobian, a row for each number of the result and a column for each of the arguments."""
    start, step, columns = flat(args), 1e-6, []
    for k in range(len(start)):
        ends = []
        for sign in (1.0, -1.0):
            moved = start.copy()
            moved[k] += sign * step
            ends.append(flat(f(*filled_with(args, iter(map(float, moved))))))
        columns.append((ends[0] - ends[1]) / (2.0 * step))
    return np.stack(columns, axis=-1)


def ids(one: Any) -> str:
    return getattr(one, "__name__", "")


COMPILED = [case for case in CASES if case[0] in (grown, beside, in_class, mixed)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "f, example, other, compile",
    [(*case, target) for target, own in (("python", CASES), ("numba", COMPILED)) for case in own],
    ids=ids,
)
def test_jacobians(f: Any, example: Any, other: Any, compile: str) -> None:
    how = {"modes": "jacobian", "example": example, "compile": compile}
    both = module_of(generate(f, **how).source)
    first = next(iter(f.__code__.co_varnames))
    alone = module_of(generate(f, wrt=first, **how).source)
    for args in (example, other):
        expected, y = differences(f, args), f(*args)
        for made, given in ((both, args), (alone, args[:1])):
            got = getattr(made, f"{f.__name__}_jacobian")(*args)
            require_nested(got, y, given if made is both else args[0], expected)
            named = {} if made is both else {"wrt": first}
            assert check(f, args, module=made, **named).ok


def require_nested(got: Any, y: Any, x: Any, rows: Any) -> None:
    """Results outside, arguments inside, and in each place the block of the matrix."""
    outer, inner = list(blocks(got, y)), [*parts(x)]
    ends = [*ends_of(got, y)]
    assert len(outer) == len(ends)
    first = 0
    for own, end in zip(outer, ends, strict=True):
        require_form(own, x)
        column = 0
        for block, part in zip(parts_of_blocks(own, x), inner, strict=True):
            assert np.shape(block) == np.shape(end) + np.shape(part)
            expected = rows[first : first + np.size(end), column : column + np.size(part)]
            np.testing.assert_allclose(np.reshape(block, expected.shape), expected, 1e-7, 1e-8)
            column += np.size(part)
        first += np.size(end)


def is_one(got: Any, y: Any) -> bool:
    """Whether a list is told by one block with an axis more, as an array is."""
    return isinstance(y, list) and not isinstance(got, list)


def blocks(got: Any, y: Any) -> Iterator[Any]:
    """What stands in the place of each number and array of a result."""
    if isinstance(y, dict):
        assert [*got] == [*y]
        for key in y:
            yield from blocks(got[key], y[key])
    elif isinstance(y, tuple | list) and not is_one(got, y):
        assert type(got) is type(y) and len(got) == len(y)
        for own, part in zip(got, y, strict=True):
            yield from blocks(own, part)
    else:
        yield got


def ends_of(got: Any, y: Any) -> Iterator[Any]:
    if isinstance(y, dict):
        for key in y:
            yield from ends_of(got[key], y[key])
    elif isinstance(y, tuple | list) and not is_one(got, y):
        for own, part in zip(got, y, strict=True):
            yield from ends_of(own, part)
    else:
        yield np.array(y)


def require_form(got: Any, x: Any) -> None:
    if isinstance(x, dict | Layer | Pair):
        assert type(got) is type(x)


def parts_of_blocks(own: Any, x: Any) -> Iterator[Any]:
    if isinstance(x, dict):
        for key in x:
            yield from parts_of_blocks(own[key], x[key])
    elif isinstance(x, Layer):
        yield from (own.weights, own.bias)
    elif isinstance(x, tuple):
        for a, b in zip(own, x, strict=True):
            yield from parts_of_blocks(a, b)
    else:
        yield own


@pytest.mark.parametrize("f, example, other", CASES, ids=ids)
def test_directions(f: Any, example: Any, other: Any, tmp_path: Path) -> None:
    given = {"example": example, "directions": 3}
    made = module_of(generate(f, modes="tangent, adjoint", **given).source, tmp_path)
    rng = np.random.default_rng(0)
    for args in (example, other):
        matrix, y = differences(f, args), f(*args)
        dots = rng.normal(size=(matrix.shape[1], 3))
        value, y_dot = getattr(made, f"{f.__name__}_tangent")(*args, *filled_with(args, iter(dots)))
        np.testing.assert_allclose(flat(value), flat(y), 1e-14)
        np.testing.assert_allclose(flat(y_dot).reshape(-1, 3), matrix @ dots, 1e-7, 1e-8)
        bars = rng.normal(size=(matrix.shape[0], 3))
        seeds = filled_with(y, iter(bars))
        several = seeds if isinstance(seeds, tuple) else (seeds,)
        if isinstance(y, dict) or f in (fixed, nested):
            several = tuple(parts(seeds))
        if f is beside:
            several = seeds[0], *seeds[1]
        value, *x_bars = getattr(made, f"{f.__name__}_adjoint")(*args, *several)
        np.testing.assert_allclose(flat(value), flat(y), 1e-14)
        np.testing.assert_allclose(flat(x_bars).reshape(-1, 3), matrix.T @ bars, 1e-7, 1e-8)
        assert check(f, args, module=made).ok


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f, example, other", CASES, ids=ids)
def test_sparse(f: Any, example: Any, other: Any) -> None:
    for args in (example, other):
        made = module_of(generate(f, modes="jacobian-sparse", example=args).source)
        got = getattr(made, f"{f.__name__}_jacobian_sparse")(*args)
        np.testing.assert_allclose(got.toarray(), differences(f, args), 1e-7, 1e-8)
        assert check(f, args, module=made).ok


@pytest.mark.parametrize("f, example, other", CASES, ids=ids)
def test_adjoints_are_verified(f: Any, example: Any, other: Any) -> None:
    """A list of numbers has one seed, or one for each number."""
    # A reverse sweep has no argument whose class its adjoints could have.
    modes = "tangent, adjoint" if f in (in_class, in_pair, mixed) else "tangent, adjoint, split"
    made = module_of(generate(f, modes=modes, example=example).source)
    assert check(f, example, module=made).ok
    assert check(f, other, module=made).ok


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_lists_along_directions_are_not_compiled(mode: str) -> None:
    (example,) = (example for f, example, _ in CASES if f is mixed)
    with pytest.raises(AdjointgenError) as caught:
        generate(mixed, modes=mode, example=example, directions=3, compile="numba")
    assert caught.value.code in ("AG140", "AG143")


def test_lists_of_numbers_as_arguments() -> None:
    """They have many directions, and sparse Jacobians."""

    def f(xs, a):
        return [a * v**2 for v in xs]

    args = [0.3, 0.8, -0.2], 0.5
    made = module_of(generate(f, modes="tangent, adjoint", example=args, directions=2).source)
    dots = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    _, y_dot = made.f_tangent(*args, [*dots], np.array([0.0, 1.0]))
    squares, slopes = np.array([0.09, 0.64, 0.04]), np.array([0.3, 0.8, -0.2])
    np.testing.assert_allclose(y_dot, dots * slopes[:, None] + np.outer(squares, [0.0, 1.0]))
    _, x_bars, a_bar = made.f_adjoint(*args, [*dots])
    np.testing.assert_allclose(x_bars, dots * slopes[:, None])
    np.testing.assert_allclose(a_bar, squares @ dots)
    sparse = module_of(generate(f, modes="jacobian-sparse", example=args).source).f_jacobian_sparse
    np.testing.assert_allclose(sparse(*args).toarray(), np.column_stack((np.diag(slopes), squares)))
    with pytest.raises(ValueError, match=r"is for xs of shape \(3,\)"):
        sparse([0.1, 0.2], 0.5)

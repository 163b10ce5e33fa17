"""Several lists of indices, side by side, are one axis of the part that they name."""

from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad, hvp, value_and_grad

pytest.importorskip("numba", reason="the compiled target needs Numba")
RNG = np.random.default_rng(3)
SCORES, LABELS = RNG.uniform(0.5, 1.0, (5, 3)), np.array([0, 2, 1, -1, 0])
BLOCK = RNG.normal(size=(3, 4, 2))
ROWS, COLUMNS = np.array([0, 2, 0, -1, 0]), np.array([1, 3, 1, 0, 1])


def likelihood(scores: Any, labels: Any) -> Any:
    return np.sum(np.log(scores[np.arange(len(labels)), labels]))


def last_write_stands(a: Any, rows: Any, columns: Any) -> Any:
    part = a[rows, columns] * np.arange(5.0)[:, None]
    out = np.zeros((3, 4, 2))
    out[rows, columns] = np.sin(part)
    return np.sum(out * out)


def added(a: Any, rows: Any, columns: Any) -> Any:
    out = np.ones((3, 4, 2))
    np.add.at(out, (rows, columns), a[rows, columns] ** 2)
    return np.sum(out**3)


def behind(a: Any, rows: Any) -> Any:
    return np.sum(a[:, rows, np.abs(rows) - 1] ** 3)


def picked(a: Any, rows: Any, columns: Any) -> Any:
    return np.sum(a[rows, columns] ** 2)


CASES = [
    (likelihood, (SCORES, LABELS)),
    (added, (BLOCK, ROWS, COLUMNS)),
    (behind, (RNG.normal(size=(2, 3, 3)), np.array([1, 2, 2]))),
    (picked, (BLOCK, ROWS, COLUMNS)),
    (picked, (BLOCK, ROWS[:0], COLUMNS[:0])),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f, args", CASES)
def test_several_lists(f: Any, args: tuple[Any, ...]) -> None:
    compiled = value_and_grad(f, compile="numba")
    for found, wanted in zip(compiled(*args), value_and_grad(f)(*args), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert not any(line.strip().startswith("np.add.at(") for line in compiled.source.splitlines())
    # Complex steps and differences have no part in rules.
    moved, v = args[0].copy(), RNG.normal(size=args[0].shape)
    slope = (f(moved + 1e-6 * v, *args[1:]) - f(moved - 1e-6 * v, *args[1:])) / 2e-6
    np.testing.assert_allclose(np.sum(compiled(*args)[1] * v), slope, rtol=1e-6, atol=1e-8)


def test_the_last_of_several_writes_stands() -> None:
    args = (BLOCK, ROWS, COLUMNS)
    value = value_and_grad(last_write_stands, compile="numba")(*args)[0]
    np.testing.assert_allclose(value, last_write_stands(*args), rtol=1e-14)


def test_second_order() -> None:
    v = RNG.normal(size=SCORES.shape)
    product = hvp(likelihood, (SCORES, LABELS), (v, None))
    gradient = grad(likelihood, compile="numba")
    ahead, back = (gradient(SCORES + h * v, LABELS) for h in (1e-6, -1e-6))
    np.testing.assert_allclose((ahead - back) / 2e-6, product, rtol=1e-6, atol=1e-8)


def test_lists_of_other_lengths_are_an_error() -> None:
    text = generate(picked, wrt=0, example=(BLOCK, ROWS, COLUMNS), compile="numba").source
    space: dict[str, Any] = {}
    exec(text.replace("cache=True, ", ""), space)
    with pytest.raises(ValueError, match="differentiated for"):
        space["picked_adjoint"](BLOCK, ROWS[:3], COLUMNS)

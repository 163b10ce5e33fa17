"""`np.apply_along_axis` for every number of axes of the array and of what the function gives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import jacobian, jvp
from adjointgen.errors import AdjointgenError

X = np.linspace(0.5, 1.7, 12)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "number": np.sum,
    "vector": lambda row: np.cumsum(row * row),
    "shorter": lambda row: row[:1] * row[-1],
    "matrix": lambda row: np.outer(row, row),
}
PLACES = [((12,), 0), ((12,), -1), ((3, 4), 0), ((3, 4), 1), ((3, 4), -2), ((1, 12), 0)]
PLACES += [((2, 3, 2), 0), ((2, 3, 2), 1), ((2, 3, 2), -1)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("shape", "axis"), PLACES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_jacobians(name: str, shape: tuple[int, ...], axis: int) -> None:
    func1d = FUNCTIONS[name]

    def f(x: Any) -> Any:
        return np.apply_along_axis(func1d, axis, x.reshape(shape))

    value, tangent = jvp(f, (X,), (X,))
    np.testing.assert_allclose(value, f(X), rtol=1e-15)
    assert np.shape(value) == np.shape(f(X)) and value.dtype == f(X).dtype
    # What is quadratic has exact central differences.
    columns = [(f(X + 0.25 * e) - f(X - 0.25 * e)) / 0.5 for e in np.eye(12)]
    wanted = np.stack(columns, axis=-1)
    np.testing.assert_allclose(tangent, wanted @ X, atol=1e-12)
    np.testing.assert_allclose(jacobian(f)(X), wanted, atol=1e-12)


def test_what_may_give_an_integer_first_is_refused() -> None:
    def f(x: Any) -> Any:
        return np.apply_along_axis(lambda row: 0 if row[0] > 0 else row[0], 0, x)

    with pytest.raises(AdjointgenError, match="AG106"):
        jvp(f, (X,), (X,))


def test_further_arguments_go_to_the_function() -> None:
    def f(x: Any) -> Any:
        made = np.apply_along_axis(
            lambda row, k, shift=0.0: row[k] * row - shift, 0, x, 1, shift=2.0
        )
        return made + np.apply_along_axis(np.multiply, 1, x, x[0])

    x = X.reshape(3, 4)
    value, tangent = jvp(f, (x,), (x,))
    np.testing.assert_allclose(value, f(x), rtol=1e-15)
    np.testing.assert_allclose(tangent, (f(1.25 * x) - f(0.75 * x)) / 0.5, atol=1e-12)

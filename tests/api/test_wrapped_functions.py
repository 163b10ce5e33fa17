"""Functions of SciPy beneath their decorators, which have the names that these gave away."""

import inspect
from typing import Any

import numpy as np
import pytest
import scipy.stats

from adjointgen import generate, grad
from adjointgen.frontend.domain.qualified_names import spelling_of

X = np.array([0.3, 0.5, 1.2])
original = scipy.stats.gmean.__wrapped__


def test_an_integer_that_a_function_asks_for_inside_is_known_by_example() -> None:
    namespace: dict[str, Any] = {}
    exec(generate(original, wrt="a", example=(X,)).source, namespace)
    value, a_bar = namespace["gmean_adjoint"](X)
    mean = scipy.stats.gmean(X)
    assert value == pytest.approx(mean)
    assert a_bar == pytest.approx(mean / (len(X) * X))
    with pytest.raises(ValueError, match="axis=0"):
        namespace["gmean_adjoint"](X, axis=1)


def test_the_name_of_what_a_decorator_made_is_not_that_of_the_function() -> None:
    assert str(spelling_of(scipy.stats.gmean)).endswith(".gmean")
    assert spelling_of(original) is None


def product(x: Any, y: Any, *rest: Any, k: Any = 2.0) -> Any:
    return x * y * k


def asking(x: Any) -> Any:
    given = inspect.getfullargspec(product)
    count = len(given.args) + len(given.kwonlyargs)
    return product(x, x) * count if given.varargs and not given.varkw else x


def test_what_a_function_says_of_its_parameters_is_known() -> None:
    assert grad(asking)(1.5) == pytest.approx(12.0 * 1.5)

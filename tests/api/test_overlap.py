"""Arguments that share memory with one that the function writes to: right, or refused (AG113).

What is right is what the function itself computes on the same arguments.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, adjoint, grad, tangent, value_and_grad
from adjointgen.errors import Unsupported

BASE = np.array([0.7, 1.3, 2.1, 0.4])
WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0])


def part(x: Any, y: Any) -> Any:
    x[0] = 2.0 * y[1]
    return np.sum(x * y)


def whole(x: Any, y: Any) -> Any:
    x *= 2.0
    return np.sum(x * y)


def replaced(x: Any, y: Any) -> Any:
    x[:] = y * y
    return np.sum(x * y)


def through_a_view(x: Any, y: Any) -> Any:
    x.reshape(2, -1)[0] = 3.0
    return np.sum(x * y)


def through_asarray(x: Any, y: Any) -> Any:
    u = np.asarray(x, dtype=float)
    u += 1.0
    return np.sum(u * y)


def if_contiguous(x: Any, y: Any) -> Any:
    u = np.ascontiguousarray(x)
    u[0] = 3.0
    return np.sum(u * y)


def helper(a: Any) -> None:
    a[1:] *= 3.0


def in_a_helper(x: Any, y: Any) -> Any:
    helper(x)
    return np.sum(x * y)


def in_a_branch(x: Any, y: Any) -> Any:
    if y[0] > 0.0:
        x[0] = 5.0
    return np.sum(x * y)


def in_a_loop(x: Any, y: Any) -> Any:
    for i in range(len(x)):
        x[i] = y[i] * 0.5
    return np.sum(x * y)


def sorted_first(x: Any, y: Any) -> Any:
    x.sort()
    return np.sum(x * y)


def reads(x: Any, y: Any) -> Any:
    return np.sum(x * y)


def rebinds(x: Any, y: Any) -> Any:
    x = x * 2.0
    x[0] = 1.0
    return np.sum(x * y)


WRITING = (part, whole, replaced, through_a_view, through_asarray, if_contiguous)
WRITING += (in_a_helper, in_a_branch, in_a_loop, sorted_first)


def held_in_a_list(x: Any, y: Any) -> Any:
    x[0] = 3.0
    return np.sum(x * y[0]) + y[1]


def held_in_a_dict(x: Any, y: Any) -> Any:
    x += 3.0
    return np.sum(x * y["w"])


def written_in_the_list(x: Any, y: Any) -> Any:
    y[0][1] = 7.0
    return np.sum(x * y[0]) + y[1]


def beside_the_module(x: Any) -> Any:
    x[0] = 3.0
    return np.sum(x * WEIGHTS)


class Held:
    def __init__(self, w: Any) -> None:
        self.w = w


def held_in_an_object(x: Any, y: Any) -> Any:
    x *= 3.0
    return np.sum(x * y.w)


def refused_or_right(f: Callable[..., Any], args: Callable[[], tuple[Any, ...]]) -> str:
    expected = float(f(*args()))
    try:
        value, _ = value_and_grad(f)(*args())
    except Unsupported as error:
        return error.code
    assert value == pytest.approx(expected, rel=1e-12)
    return "right"


def same() -> tuple[Any, ...]:
    x = BASE.copy()
    return x, x


def views() -> tuple[Any, ...]:
    x = np.concatenate((BASE, BASE))
    return x[:4], x[2:6]


def backwards() -> tuple[Any, ...]:
    x = BASE.copy()
    return x, x[::-1]


@pytest.mark.parametrize("args", [same, views, backwards], ids=lambda a: a.__name__)
@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_a_write_is_refused(f: Callable[..., Any], args: Callable[[], tuple[Any, ...]]) -> None:
    assert refused_or_right(f, args) == "AG113"


@pytest.mark.parametrize("f", [reads, rebinds], ids=lambda f: f.__name__)
def test_without_a_write_it_is_right(f: Callable[..., Any]) -> None:
    assert all(refused_or_right(f, args) == "right" for args in (same, views, backwards))


def interleaved() -> tuple[Any, ...]:
    x = np.concatenate((BASE, BASE))
    return x[::2], x[1::2]


def disjoint() -> tuple[Any, ...]:
    x = np.concatenate((BASE, BASE))
    return x[:4], x[4:]


@pytest.mark.parametrize("args", [interleaved, disjoint], ids=lambda a: a.__name__)
@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_one_memory_without_a_shared_entry_is_right(
    f: Callable[..., Any], args: Callable[[], tuple[Any, ...]]
) -> None:
    assert refused_or_right(f, args) == "right"


@pytest.mark.parametrize("f", [held_in_a_list, written_in_the_list], ids=lambda f: f.__name__)
def test_beside_a_list(f: Callable[..., Any]) -> None:
    x = BASE.copy()
    assert refused_or_right(f, lambda: copy.deepcopy((x, [x, 2.0]))) == "AG113"
    assert refused_or_right(f, lambda: (x.copy(), [x.copy(), 2.0])) == "right"


def test_beside_a_dict_and_an_object() -> None:
    x = BASE.copy()
    assert refused_or_right(held_in_a_dict, lambda: copy.deepcopy((x, {"w": x}))) == "AG113"
    assert refused_or_right(held_in_a_dict, lambda: (x.copy(), {"w": x.copy()})) == "right"
    assert refused_or_right(held_in_an_object, lambda: copy.deepcopy((x, Held(x)))) == "AG113"
    assert refused_or_right(held_in_an_object, lambda: (x.copy(), Held(x.copy()))) == "right"


def test_an_array_of_the_module() -> None:
    kept = WEIGHTS.copy()
    with pytest.raises(Unsupported) as error:
        value_and_grad(beside_the_module)(WEIGHTS)
    assert error.value.code == "AG113"
    assert "WEIGHTS" in str(error.value)
    np.testing.assert_array_equal(WEIGHTS, kept)
    assert refused_or_right(beside_the_module, lambda: (BASE.copy(),)) == "right"


def test_without_axes() -> None:
    def f(x: Any, y: Any) -> Any:
        x -= 0.5
        return x * y

    one = np.array(0.7)
    with pytest.raises(Unsupported) as error:
        value_and_grad(f)(one, one)
    assert error.value.code == "AG113"


def test_gradients_of_what_only_reads_or_has_no_entry_in_common() -> None:
    m = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(grad(part)(m[0], m[1]), [0.0, 4.0, 5.0])
    assert np.array_equal(grad(part)(m[:, 0].copy(), m[:, 1]), [0.0, 4.0])
    assert np.array_equal(grad(reads)(BASE, BASE), BASE)


def product(p: Any, q: Any) -> Any:
    return p["w"][0] * q["w"][1]


def test_one_object_is_the_variable_that_is_named_first() -> None:
    one = {"w": np.array([2.0, 3.0])}
    assert np.array_equal(grad(product, wrt="p")(one, one)["w"], [3.0, 2.0])
    with pytest.raises(Unsupported) as error:
        grad(product, wrt="q")(one, one)
    assert error.value.code == "AG113"
    other = {"w": np.array([2.0, 3.0])}
    assert np.array_equal(grad(product, wrt="q")(one, other)["w"], [0.0, 2.0])


def test_one_object_has_one_gradient() -> None:
    one = {"w": np.array([2.0, 3.0])}
    for wrt in (..., ("p", "q")):
        with pytest.raises(Unsupported) as error:
            grad(product, wrt=wrt)(one, one)
        assert error.value.code == "AG113"
        p_bar, q_bar = grad(product, wrt=wrt)(one, copy.deepcopy(one))
        assert np.array_equal(p_bar["w"], [3.0, 0.0])
        assert np.array_equal(q_bar["w"], [0.0, 2.0])


def test_one_object_inside_another_argument() -> None:
    one = {"w": np.array([2.0, 3.0])}

    def f(p: Any, q: Any) -> Any:
        return p["w"][0] * q["in"]["w"][1]

    with pytest.raises(Unsupported) as error:
        grad(f, wrt="q")(one, {"in": one})
    assert error.value.code == "AG113"


def test_one_list_in_two_places_is_no_two_variables() -> None:
    """Lists that are taken apart for their lengths are one object as well."""

    def f(x: float, v: list[float], w: list[float]) -> float:
        return next(iter(w)) * x

    one = [1.0, 2.0, 3.0]
    with pytest.raises(AdjointgenError) as error:
        adjoint(f, wrt=("w",))(0.5, one, one, 1.0)
    assert error.value.code == "AG113"
    assert adjoint(f, wrt=("v",))(0.5, one, one, 1.0)[1] == [0.5, 0.0, 0.0]


def test_a_number_is_no_array_under_two_names() -> None:
    """What is summed down to a number is not updated in place under its other names."""

    def f(x: float) -> float:
        return x + [0.5, 1.0]["abc".index("a")] + np.logaddexp(x, 1.0)

    second = adjoint(tangent(f))(2.0, 1.0, 0.0, 1.0)[1]
    s = 1.0 / (1.0 + np.exp(-1.0))
    assert np.isclose(second, s * (1.0 - s))


def test_one_list_as_two_values_is_refused() -> None:
    """A program that has each as a value would differentiate by a part of its uses."""

    def f(v: list[float], w: list[float]) -> float:
        return v[0] * w[1]

    def g(p: dict[str, list[float]], w: list[float]) -> float:
        return p["v"][0] * w[1]

    one, other = [2.0, 3.0], [2.0, 3.0]
    for wrt in ("v", "w", ...):
        derivative = grad(f, wrt=wrt)
        made = derivative(one, other)
        with pytest.raises(Unsupported) as error:
            derivative(one, one)
        assert error.value.code == "AG113"
        assert derivative(one, other) == made
    with pytest.raises(Unsupported) as error:
        grad(g, wrt="w")({"v": one}, one)
    assert error.value.code == "AG113"
    assert grad(g, wrt="w")({"v": one}, other) == [0.0, 2.0]


def into_the_second(x: Any, y: Any) -> Any:
    y[0] = 2.0 * x[0]
    return y[0] * x[1]


def into_the_second_only(x: Any, y: Any) -> Any:
    return y[0] * x[1]


def test_a_read_only_argument_that_is_written() -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.ones(3)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        into_the_second(x, y)
    for derivative in (grad(into_the_second), value_and_grad(into_the_second, wrt="x")):
        with pytest.raises(Unsupported) as error:
            derivative(x, y)
        assert error.value.code == "AG114"
        derivative(x, y.copy())
    assert grad(into_the_second_only)(x, y).tolist() == [0.0, 1.0, 0.0]
    x.flags.writeable = False
    assert grad(into_the_second)(x, y.copy()).tolist() == [4.0, 2.0, 0.0]

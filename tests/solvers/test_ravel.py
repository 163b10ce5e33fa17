"""Structures as vectors: they come back as they were, and are differentiated on the way.

The oracles are NumPy, differences, and the same sums of arrays that are written out.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import check, grad, hessian, hvp, jacobian, ravel, value_and_grad
from adjointgen.errors import AdjointgenError, TypeMismatch


class Pair(NamedTuple):
    u: Any
    v: Any


@dataclass(frozen=True)
class Layer:
    weights: Any
    bias: Any = 0.5
    name: str = "layer"


@dataclass
class Doubled:
    u: float

    def __post_init__(self) -> None:
        self.u = 2.0 * self.u


@dataclass
class Derived:
    u: float
    twice: float = field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2.0 * self.u


class Colour(Enum):
    RED = 1.0


def same(value: Any, other: Any) -> bool:
    """Whether two structures are of the same classes, kinds and shapes, and hold the same."""
    if type(value) is not type(other):
        return False
    if isinstance(value, dict):
        return list(value) == list(other) and all(same(value[k], other[k]) for k in value)
    if isinstance(value, list | tuple):
        return len(value) == len(other) and all(map(same, value, other))
    if isinstance(value, Layer | Derived):
        return same(vars(value), vars(other))
    if isinstance(value, np.ndarray | np.generic):
        alike = (value.dtype, value.shape) == (other.dtype, other.shape)
        return alike and np.array_equal(value, other, equal_nan=True)
    return bool(value == other or value != value)


GRID = np.arange(6.0).reshape(2, 3)
STRUCTURES: dict[str, Any] = {
    "a number": 1.5,
    "not a number": float("nan"),
    "a complex number": 1.5 - 2.0j,
    "an array": GRID,
    "an array by columns": np.asfortranarray(GRID),
    "every second": np.arange(10.0)[::2],
    "no axes": np.array(2.5),
    "nothing": {},
    "no tuple": (),
    "no numbers": {"a": np.zeros((0, 3)), "b": [None, "text", True]},
    "a tuple": (1.0, GRID),
    "one": (1.0,),
    "nested": [{"a": (1.0, [2.0, GRID])}, None, {"b": {}, 3: np.ones(2), True: 4.0}],
    "named": Pair(1.0, Pair(GRID, [2.0])),
    "data": Layer(GRID, name="first"),
    "data of data": {"layers": [Layer(GRID), Layer(Layer(np.ones(2)), 2.0)], "rate": 0.1},
    "derived": Derived(1.5),
    "long axes": np.ones((1, 2, 1, 3)),
    "mixed": {"half": np.ones(2, np.float16), "single": np.float32(0.1), "double": 1.0 / 3.0},
    "complex among real": [1.0, GRID, np.array([1j, 2.0]), np.complex64(1 + 2j)],
}
KINDS = (np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128)


@pytest.mark.parametrize("name", STRUCTURES)
def test_structures_come_back(name: str) -> None:
    tree = STRUCTURES[name]
    vector, unravel = ravel(tree)
    assert vector.ndim == 1 and vector.dtype.kind in "fc"
    assert same(unravel(vector), tree)
    again, _ = ravel(unravel(vector))
    assert again.dtype == vector.dtype and np.array_equal(again, vector, equal_nan=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3)])
def test_kinds_and_shapes_are_kept(kind: Any, shape: Any) -> None:
    tree = {"a": np.ones(shape, kind), "b": kind(2)}
    vector, unravel = ravel(tree)
    assert vector.dtype == kind and len(vector) == np.prod(shape, dtype=int) + 1
    assert same(unravel(vector), tree)
    wide = unravel(vector.astype(np.complex128 if vector.dtype.kind == "c" else np.float64))
    assert same(wide, tree)


def test_the_order_is_that_of_the_structure() -> None:
    vector, _ = ravel({"b": [1.0, GRID], "a": Pair(7.0, np.array([8.0, 9.0]))})
    assert vector.tolist() == [1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0]


def test_nothing_shares_memory() -> None:
    x = np.ones(3)
    vector, unravel = ravel(x)
    made = unravel(vector)
    vector[0] = made[1] = 5.0
    assert x.tolist() == [1.0, 1.0, 1.0] and vector.tolist() == [5.0, 1.0, 1.0]
    assert made.tolist() == [1.0, 5.0, 1.0]


@pytest.mark.parametrize(
    "tree",
    [
        1,
        {"n": 2},
        np.arange(3),
        [np.int32(1)],
        np.array([True]),
        np.bool_(True),
        np.array([1.0, "a"], object),
        {"a": {1.0}},
        {(1, 2): 1.0},
        {np.str_("a"): 1.0},
        OrderedDict(a=1.0),
        np.ma.masked_array([1.0, 2.0], [True, False]),
        Layer,
        Colour.RED,
        lambda x: x,
        object(),
        Doubled(1.0),
        np.array(["2020-01-01"], "datetime64[D]"),
    ],
)
def test_what_is_no_float_is_refused(tree: Any) -> None:
    with pytest.raises(TypeMismatch, match="AG403") as caught:
        ravel([tree])
    assert "structure" in str(caught.value)


def test_the_place_is_named() -> None:
    with pytest.raises(TypeMismatch, match=r"the structure\['a'\]\[1\]\.weights is 3"):
        ravel({"a": [1.0, Layer(3)]})


@pytest.mark.parametrize("vector", [np.ones(6), np.ones(8), np.ones(0)])
def test_vectors_of_another_length_are_refused(vector: Any) -> None:
    _, unravel = ravel({"a": GRID, "b": 1.0})
    with pytest.raises(ValueError, match="reshape"):
        unravel(vector)
    with pytest.raises(ValueError, match="reshape"):
        grad(lambda x: np.sum(unravel(x)["a"]))(vector)


def test_complex_vectors_are_not_cut_off() -> None:
    vector, unravel = ravel({"a": GRID})
    with pytest.raises(TypeError, match="complex"):
        unravel(vector * 1j)


def energy(tree: Any, scale: float = 1.0) -> Any:
    first = tree["layer"]
    part = np.sum(np.sin(first.weights) ** 2) * first.bias
    return scale * part + tree["pair"].u ** 3 * np.sum(tree["pair"].v[0]) + tree["b"][0]


TREE = {"layer": Layer(GRID, 0.7), "pair": Pair(1.1, [np.array([0.5, 2.0])]), "b": (3.0,)}


def test_a_structure_in_a_function_that_is_differentiated() -> None:
    vector, unravel = ravel(TREE)

    def flat(x: Any, scale: float = 1.0) -> Any:
        return energy(unravel(x), scale)

    value, slope = value_and_grad(flat)(vector, 2.0)
    steps = 1e-6 * np.eye(len(vector))
    wanted = [(flat(vector + h, 2.0) - flat(vector - h, 2.0)) / 2e-6 for h in steps]
    assert value == energy(TREE, 2.0)
    np.testing.assert_allclose(slope, wanted, rtol=1e-7, atol=1e-8)
    of_tree = grad(energy)(TREE, 2.0)
    entries = (of_tree["layer"].weights.ravel(), of_tree["layer"].bias, of_tree["pair"].u)
    last = (of_tree["pair"].v[0], of_tree["b"][0])
    np.testing.assert_allclose(slope, np.hstack([*entries, *last]), rtol=1e-14)
    curvature = hessian(flat)(vector)
    np.testing.assert_allclose(hvp(flat, (vector,), (slope,)), curvature @ slope, rtol=1e-12)
    by_columns = hessian(flat, sparse=True)(vector).toarray()
    np.testing.assert_allclose(by_columns, curvature, rtol=1e-12, atol=1e-12)
    assert check(flat, (vector,)).ok


def test_the_way_back_is_a_linear_map() -> None:
    vector, unravel = ravel({"z": np.array([1j, 2.0]), "x": np.array([0.5])})

    def parts(x: Any) -> Any:
        tree = unravel(x)
        return np.sum(np.abs(tree["z"]) ** 2) + 3.0 * tree["x"][0]

    np.testing.assert_allclose(grad(parts)(vector), [-2j, 4.0, 3.0])


def test_narrow_kinds_are_differentiated() -> None:
    vector, unravel = ravel({"a": np.ones(2, np.float32), "b": np.float64(2.0)})
    slope = jacobian(lambda x: unravel(x)["a"] * unravel(x)["b"])(vector)
    np.testing.assert_allclose(slope, [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]])


def test_classes_of_one_name() -> None:
    one, other = type("Two", (Pair,), {}), type("Two", (Pair,), {})
    tree = [one(1.0, 2.0), other(3.0, 4.0)]
    vector, unravel = ravel(tree)
    assert [type(part) for part in unravel(vector)] == [one, other]


def test_errors_are_of_the_package() -> None:
    with pytest.raises(AdjointgenError):
        ravel(b"text")

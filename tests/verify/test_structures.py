"""Trees become vectors and come back, in one order, with types and passive parts intact."""

import dataclasses
import math
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjointgen.verify.structures import (
    StructureMismatch,
    axpy,
    changes,
    dot,
    flatten,
    fresh,
    misfit,
    norm,
    place,
    precision,
    random_like,
    sizes,
    spread,
    unflatten,
    widen,
)

Pair = namedtuple("Pair", "first second")


@dataclasses.dataclass(frozen=True, slots=True)
class Model:
    weights: Any
    name: str
    rate: float = 0.5


@dataclasses.dataclass
class Counted:
    value: float
    double: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.double = 2.0 * self.value


TREE = (
    1.5,
    [np.array([[1.0, 2.0], [3.0, 4.0]]), 7, "text"],
    {"b": np.float32(2.0), "a": 3 + 4j},
    Pair(np.array([1 + 2j]), None),
    Model(np.arange(2.0), "net"),
    np.array([1, 2]),
    True,
)
VECTOR = [1.5, 1, 2, 3, 4, 3, 4, 2, 1, 2, 0, 1, 0.5]


def test_the_order_is_that_of_the_tree() -> None:
    assert flatten(TREE).tolist() == VECTOR
    assert sizes(TREE) == (1, 4, 2, 1, 2, 2, 1)


def test_a_tree_comes_back_with_types_and_passive_parts() -> None:
    made = unflatten(TREE, 2.0 * flatten(TREE))
    assert made[0] == 3.0 and type(made[0]) is float
    assert made[1][0].tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert made[1][1:] == [7, "text"]
    assert list(made[2]) == ["b", "a"] and type(made[2]["b"]) is np.float32
    assert made[2]["a"] == 6 + 8j and type(made[2]["a"]) is complex
    assert type(made[3]) is Pair and made[3].first[0] == 2 + 4j and made[3].second is None
    assert made[4].name == "net" and made[4].rate == 1.0
    assert made[5] is TREE[5] and made[6] is True
    assert flatten(TREE).tolist() == VECTOR, "the template was written to"


def test_dataclasses_are_rebuilt_without_their_constructors() -> None:
    made = unflatten(Counted(1.0), np.array([5.0, 7.0]))
    assert (made.value, made.double) == (5.0, 7.0)


def test_equal_dicts_give_equal_vectors() -> None:
    one = {"x": 1.0, 10: 2.0, 9: 3.0}
    other = OrderedDict([(9, 3.0), ("x", 1.0), (10, 2.0)])
    assert flatten(one).tolist() == flatten(other).tolist()
    assert type(unflatten(other, flatten(other))) is OrderedDict


def test_layout_and_dtype_survive() -> None:
    array = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    made = unflatten(array, flatten(array) + 1.0)
    assert made.flags.f_contiguous and made.dtype == np.float32
    assert (made == array + 1).all()
    strided = np.arange(10.0)[::3]
    assert flatten(strided).tolist() == [0, 3, 6, 9]
    assert unflatten(np.array(2.0), np.array([3.0])).shape == ()


def test_complex_coordinates_lift_real_leaves() -> None:
    made = unflatten((1.0, np.zeros(2), np.float64(1.0)), np.array([1j, 2j, 3j, 4j]))
    assert made[0] == 1j and made[1].tolist() == [2j, 3j] and type(made[2]) is np.complex128
    with pytest.raises(StructureMismatch):
        unflatten(1 + 1j, np.array([1j, 2j]))


@pytest.mark.parametrize("size", [0, 2, 5])
def test_a_vector_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(StructureMismatch):
        unflatten((1.0, np.zeros(2)), np.zeros(size))


def test_only_the_floats_of_the_model_count() -> None:
    model = (2.0, 3, {"k": np.zeros(2)})
    assert flatten((1, 99.0, {"k": np.ones(2)}), like=model).tolist() == [1, 1, 1]
    assert flatten((1.0, None, {"k": [1.0]}), like=(2.0, 3, {"k": 4})).tolist() == [1.0]
    assert flatten(2.0, like=1 + 1j).tolist() == [2.0, 0.0]


@pytest.mark.parametrize(
    ("model", "tree", "text"),
    [
        ((1.0, 2.0), (1.0,), "the whole: tuple of 1 where tuple of 2 is expected"),
        ([np.zeros(3)], [np.zeros((3, 1))], "[0]: float64 array of shape (3, 1) where float64"),
        ({"a": 1.0}, {"b": 1.0}, "the whole"),
        ((1.0, [2.0]), (1.0, None), "[1]: NoneType where list of 1 is expected"),
        (1.0, 1j, "complex where float"),
        (1.0, "x", "str where float"),
        (1.0, True, "bool where float"),
        (np.zeros(2), [1.0, 2.0], "list of 2 where float64 array"),
    ],
)
def test_a_misfit_is_refused_by_place(model: Any, tree: Any, text: str) -> None:
    with pytest.raises(StructureMismatch, match="where") as caught:
        flatten(tree, like=model)
    assert text in str(caught.value) and text in misfit(model, tree)


def test_a_misfit_in_dtype_is_told_but_flattens() -> None:
    single, double = np.zeros(2, np.float32), np.zeros(2)
    assert flatten(single, like=double).dtype == np.float64
    assert misfit((double,), (single,)) == (
        "[0]: float32 array of shape (2,) where float64 array of shape (2,) is expected"
    )
    assert misfit((double, 1.0), (double, np.float64(2.0))) == ""


def test_a_misfit_in_container_is_told_but_flattens() -> None:
    assert flatten([1.0], like=(2.0,)).tolist() == [1.0]
    assert misfit((2.0,), [1.0]) == "the whole: list of 1 where tuple of 1 is expected"
    assert misfit({"a": 2.0}, OrderedDict(a=1.0)) == ""


@pytest.mark.parametrize(
    ("position", "path"),
    [
        (0, "y[0]"),
        (3, "y[1][0][1, 0]"),
        (6, "y[2]['a'].imag"),
        (7, "y[2]['b']"),
        (8, "y[3].first[0]"),
        (9, "y[3].first[0].imag"),
        (12, "y[4].rate"),
    ],
)
def test_places_read_like_an_index(position: int, path: str) -> None:
    assert place(TREE, position, "y") == path


def test_there_is_no_place_beyond_the_tree() -> None:
    with pytest.raises(IndexError):
        place(TREE, 13)


def test_the_inner_product_is_the_real_one() -> None:
    a, b = np.array([1 + 2j, 3 - 1j]), np.array([-2 + 1j, 0.5 + 4j])
    assert dot(a, b) == pytest.approx(np.vdot(a, b).real)
    assert dot(a, 1j * a) == 0.0
    assert norm(a) == pytest.approx(np.linalg.norm(a))
    assert dot((2.0, 5, [np.ones(3)]), (3.0, 7, [np.full(3, 2.0)])) == 12.0


def test_axpy_keeps_the_structure_of_what_is_added_to() -> None:
    made = axpy(2.0, (1, [np.ones(2)]), (np.float32(3.0), [np.zeros(2)]))
    assert type(made[0]) is np.float32 and made[0] == 5.0
    assert made[1][0].tolist() == [2.0, 2.0]


def test_random_coordinates_never_come_near_zero() -> None:
    drawn = random_like(TREE, np.random.default_rng(3))
    vector = flatten(drawn)
    assert np.all((np.abs(vector) >= 0.5) & (np.abs(vector) <= 1.5)) and len({*vector}) == 13
    assert misfit(TREE, drawn) == "" and drawn[1][1:] == [7, "text"]
    assert np.any(vector > 0) and np.any(vector < 0)
    assert not [*changes(drawn, random_like(TREE, np.random.default_rng(3)))]


def test_spread_and_precision_belong_to_leaves() -> None:
    tree = (np.array([3.0, 4.0]), np.float32(2.0), np.array([np.nan, 1.0]), 0.0)
    top = math.sqrt(12.5)
    assert spread(tree, flatten(tree)) == pytest.approx([top, top, 2.0, 1.0, 1.0, 0.0])
    assert spread(np.zeros(2), np.array([1e200, 1e200])) == pytest.approx([1e200, 1e200])
    assert precision(tree).tolist() == [2.0**-52] * 2 + [2.0**-23] + [2.0**-52] * 3


def test_widening_leaves_doubles_alone() -> None:
    wide = widen((np.float32(1.0), np.zeros(2, np.complex64), 1.0, np.array([1, 2])))
    assert type(wide[0]) is np.float64 and wide[1].dtype == np.complex128
    assert wide[2] == 1.0 and wide[3].dtype.kind == "i"


def test_a_fresh_copy_shares_nothing() -> None:
    array = np.zeros(2)
    tree = (array, [array, np.array([1, 2])], math, {"k": array})
    copy = fresh(tree)
    copy[0][0] = copy[1][0][0] = copy[1][1][0] = 9
    assert not array.any() and tree[1][1].tolist() == [1, 2] and copy[2] is math
    assert copy[3]["k"][0] == 0, "two leaves of the copy share storage"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda t: t[0].__setitem__(0, -0.0), "[0]"),
        (lambda t: t[1].append(1), "[1]"),
        (lambda t: t[1].__setitem__(0, 2), "[1][0]"),
        (lambda t: t[2].__setitem__("k", 1.0), "[2]['k']"),
        (lambda t: t[2].pop("k"), "[2]"),
        (lambda t: t[3].__setitem__(1, 5), "[3]"),
    ],
)
def test_every_changed_bit_is_found(change: Any, path: str) -> None:
    tree = (np.array([0.0, np.nan]), [1, "a"], {"k": math.nan}, np.array([1, 2]), object())
    after = fresh(tree)
    assert not [*changes(tree, after)]
    change(after)
    assert [*changes(tree, after)] == [path]


def test_changes_can_leave_out_floats() -> None:
    before, after = (1.0, 2, np.zeros(2), "a"), (3.0, 4, np.ones(2), "a")
    assert [*changes(before, after, floats=False)] == ["[1]"]


LEAVES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.complex_numbers(allow_nan=False, allow_infinity=False, max_magnitude=1e6),
    st.integers(),
    st.text(max_size=3),
    st.lists(st.floats(-9, 9), max_size=3).map(np.array),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.tuples(inner, inner).map(lambda pair: Pair(*pair)),
    ),
    max_leaves=8,
)


@given(TREES)
def test_flatten_and_unflatten_are_inverse(tree: Any) -> None:
    vector = flatten(tree)
    made = unflatten(tree, vector)
    assert not [*changes(tree, made)]
    assert vector.size == sum(sizes(tree)) == len({place(tree, i) for i in range(vector.size)})
    other = np.arange(float(vector.size))
    assert flatten(unflatten(tree, other), like=tree).tolist() == other.tolist()

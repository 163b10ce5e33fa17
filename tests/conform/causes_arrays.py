"""Small functions of arrays, each with what was once different, from tests of others."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy.interpolate import CubicSpline


class Held:
    """Has an array."""

    v = np.array([1.0, 2.0, 3.0])


def an_empty_list_is_no_array() -> object:
    return np.ix_([])[0].dtype, np.bincount([], minlength=0).dtype


def an_array_lies_in_memory() -> object:
    return np.array([[1, 2], [3, 4]], order="F").flags.f_contiguous


def results_are_real_or_complex() -> object:
    x = np.array([[2.0, 1.0], [1.0, 2.0]])
    return np.linalg.eigvals(x).dtype, np.linalg.svd(x).S.dtype


def a_dtype_has_metadata() -> object:
    return np.dtype("f8", metadata={"a": 1}).metadata


def lists_and_texts_are_no_arrays() -> object:
    named = np.array([(1, "a")], dtype="i,U1")
    return np.insert(named, 0, np.array((4, "d"), dtype=named.dtype)), np.array(["a", 1.0])


def texts_are_placed() -> object:
    a = np.array(["12", "34"])
    np.place(a, [0, 1], "9")
    return a


def arrays_of_objects(given: Any) -> object:
    a = np.array([given["n"], given["m"]])
    return float(a[0]), a.dtype, np.array([None, 1.0]).dtype


def one_operand_among_several() -> object:
    return np.ix_([1, 2]), np.meshgrid([1, 2]), np.einsum("i->", [1, 2]), np.ix_(range(3))


def lists_are_spread() -> object:
    return np.broadcast_arrays([1, 2]), np.broadcast_arrays([1, 2], 1.0)


def parts_of_tuples(x: Any, k: int) -> object:
    return x.shape[k:] + x.shape[:k], [1.0, 2.0, 3.0][k:] + [1.0, 2.0][:k]


def drawn_once() -> object:
    draws = np.random.RandomState(0)
    return np.r_[np.array(["a"]), draws.rand(1)], draws.rand()


def a_comparison_gives_an_array(held: Any) -> object:
    test = 1 - np.tri(2, 2) == 0
    return np.where(test, 2.0, 1.0), (held.v > 1.0).sum(), np.ones(3)[held.v > 1.0]


def an_array_is_overwritten() -> object:
    a = np.arange(9.0).reshape(3, 3)
    return scipy.linalg.det(a, overwrite_a=True), (a == np.arange(9.0).reshape(3, 3)).all()


def weights_have_a_type() -> object:
    a = np.arange(4) + 0.5
    return [np.histogram(a, 2, weights=w)[0] for w in (np.ones(4, int), np.array([1j, 2, 3, 4]))]


def types_of_vectorized_functions(x: Any) -> object:
    return TRUNCATED(x), np.vectorize(lambda t: t > 2.0)(x), np.vectorize(lambda t: 2 * t)([1, 2])


def a_vectorized_function_of_vectors(x: Any) -> object:
    return SUMMED(x)


TRUNCATED = np.vectorize(lambda t: 1.5 * t, otypes=[int])


SUMMED = np.vectorize(lambda row: row.sum(), signature="(n)->()")


def an_entry_of_a_table() -> object:
    return np.zeros(2).astype(KINDS[1]).dtype, KINDS[2](3)


KINDS = [np.float64, np.longdouble, np.int32]


def a_dtype_by_position() -> object:
    draw = np.random.RandomState(0).random_sample
    return draw(3).astype(np.longdouble).dtype


def a_list_is_asked_for_in_a_call() -> object:
    a = [0, 1, 2]
    b = np.diff(a)
    np.testing.assert_(np.diff(a, n=0) is a)
    return b


def a_spline_through_three_points() -> object:
    spline = CubicSpline([1.0, 2.75, 3.0], [1.0, 15.0, 1.0], bc_type="periodic")
    return spline([1.5, 2.9])


def attributes_of_classes_alone(a: Any, n: int) -> object:
    names = ("__name__", "__call__", "__module__", "mro", "__qualname__", "__or__")
    values = [[hasattr(v, name) for v in (a, a[0], a[0] * 2.0, n, [n])] for name in names]
    return values, hasattr(a, "__bases__"), hasattr(a, "__len__"), hasattr(n, "real")


OF_ARRAYS: dict[Any, tuple[Any, ...]] = {
    a_dtype_by_position: (),
    a_spline_through_three_points: (),
    a_list_is_asked_for_in_a_call: (),
    lists_and_texts_are_no_arrays: (),
    texts_are_placed: (),
    arrays_of_objects: ({"n": 3, "m": 4},),
    one_operand_among_several: (),
    lists_are_spread: (),
    parts_of_tuples: (np.zeros((2, 3)), 1),
    drawn_once: (),
    a_comparison_gives_an_array: (Held(),),
    an_array_is_overwritten: (),
    weights_have_a_type: (),
    types_of_vectorized_functions: (np.array([1.0, 2.0, 3.5]),),
    a_vectorized_function_of_vectors: (np.array([1.0, 2.0, 3.5]),),
    an_entry_of_a_table: (),
    an_empty_list_is_no_array: (),
    an_array_lies_in_memory: (),
    results_are_real_or_complex: (),
    a_dtype_has_metadata: (),
    attributes_of_classes_alone: (np.array([1.0, 2.0]), 3),
}
"""The functions, with their arguments."""

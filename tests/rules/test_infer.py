"""Inferred types against NumPy: dtypes over all pairs, lengths of slices over all small arrays."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen.ir.types import INT, Dim, Type, array, as_dim, parse_type
from adjointgen.opt.interpreter_rows import key_of, perform
from adjointgen.rules.all import TABLE
from adjointgen.rules.arrays.indexing import part_shape

DTYPES = ("bool", "int8", "int64", "uint8", "float16", "float32", "float64", "complex64")
BINARY = ("add", "div", "arctan2", "pow", "lt", "hypot")


def combinations() -> Iterator[tuple[str, str, str]]:
    """All that NumPy defines, without the powers of truth values, which are int8."""
    for op, a, b in itertools.product(BINARY, DTYPES, DTYPES):
        real_only = op in ("arctan2", "hypot") and "complex64" in (a, b)
        if not real_only and not (op == "pow" and a == b == "bool"):
            yield op, a, b


def infer(op: str, *types: Type, **options: Any) -> Type:
    (result,) = TABLE[op].infer(types, options)
    return result


def typed(text: str) -> Type:
    return parse_type(text)


@pytest.mark.parametrize(("op", "a", "b"), list(combinations()))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_dtypes_of_arrays(op: str, a: str, b: str) -> None:
    value = perform(op, [np.ones(2, a), np.ones(2, b)], {})
    assert infer(op, array(a, 2), array(b, 2)) == array(str(value.dtype), 2)


@pytest.mark.parametrize("op", ["add", "div", "pow"])
@pytest.mark.parametrize("scalar", [True, 2, 2.0, 2j], ids=str)
@pytest.mark.parametrize("dtype", DTYPES[1:])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_python_scalars_are_weak(op: str, scalar: Any, dtype: str) -> None:
    kinds = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
    value = perform(op, [np.ones(2, dtype), scalar], {})
    assert infer(op, array(dtype, 2), Type(kinds[type(scalar)])).dtype == str(value.dtype)


@pytest.mark.parametrize("op", ["sin", "sum", "mean", "cumsum", "amax", "var", "argmax", "any"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "float32", "float64"])
def test_dtypes_of_functions(op: str, dtype: str) -> None:
    value = perform(op, [np.ones(2, dtype)], {})
    assert infer(op, array(dtype, 2)).dtype == str(value.dtype)


def test_python_arithmetic() -> None:
    assert infer("div", INT, INT) == Type("float64")
    assert infer("pow", INT, Type("int64", value=Dim("", -1))) == Type("float64")
    assert infer("pow", INT, Type("int64", value=Dim("", 2))) == INT
    assert infer("add", INT, Type("float64")) == Type("float64")


VALUES = [
    ("add", "n", "2", "n+2"),
    ("add", "1", "n-1", "n"),
    ("sub", "n", "1", "n-1"),
    ("sub", "n+3", "n", "3"),
    ("mul", "n", "1", "n"),
    ("mul", "4", "3", "12"),
    ("floordiv", "7", "2", "3"),
    ("mod", "7", "4", "3"),
    ("add", "n", "m", None),
    ("sub", "2", "n", None),
    ("mul", "n", "2", None),
    ("floordiv", "n", "2", None),
]


@pytest.mark.parametrize(("op", "a", "b", "expected"), VALUES)
def test_what_integers_are_known_to_be(op: str, a: str, b: str, expected: str | None) -> None:
    operands = (Type("int64", value=as_dim(a)), Type("int64", value=as_dim(b)))
    assert infer(op, *operands) == Type("int64", value=as_dim(expected))


BOUNDS = ["", "0", "1", "2", "4", "-1", "-2", "-3", "_"]


def test_lengths_of_slices_are_exact() -> None:
    """For every slice whose length is stated, it is that of NumPy for every length of the array.

    The operand `_` is `n-k`. A known length of 1 is no symbol, so n is never 1.
    """
    stated = 0
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, ["", "1", "2", "-1"]):
        pattern = f"{start}:{stop}:{step}"
        for k in range(-1, 5):
            operand = Type("int64", value=Dim("u.0", -k))
            operands = [operand] * pattern.count("_")
            shape = part_shape((Dim("u.0"),), pattern, operands)
            assert shape is not None
            if shape[0] is None or shape[0].symbol.startswith("<"):
                # A clamped length is a symbol of its own, of which nothing is stated.
                continue
            stated += 1
            for n in (0, 2, 3, 4, 5, 6, 7, 8):
                found = len(np.zeros(n)[key_of(pattern, [n - k] * len(operands))])
                offset = shape[0].offset
                expected = max(0, n + offset) if shape[0].symbol else offset
                assert found == expected, (pattern, k, n, str(shape[0]))
    assert stated > 100


def test_lengths_of_slices_of_known_axes() -> None:
    for start, stop, step in itertools.product(BOUNDS[:-1], BOUNDS[:-1], ["", "2", "-1", "-2"]):
        pattern = f"{start}:{stop}:{step}"
        for n in range(6):
            found = len(np.zeros(n)[key_of(pattern, [])])
            assert part_shape((Dim("", n),), pattern, []) == (Dim("", found),), (pattern, n)


def test_slices_are_stated_where_users_write_them() -> None:
    axis = (Dim("u.0"),)
    lengths = {"1:-1": -2, "2:": -2, ":-2": -2, ":": 0, "::-1": 0, "1:-2": -3}
    for pattern, offset in lengths.items():
        assert part_shape(axis, pattern, []) == (Dim("u.0", offset),)
    last = Type("int64", value=Dim("u.0", -1))
    assert part_shape(axis, "1:_", [last]) == (Dim("u.0", -2),)


INDICES: list[tuple[str, list[Any]]] = [
    ("1", []),
    ("_, 1", [2]),
    ("_, ..., 1:", [2]),
    ("None, ..., 0", []),
    (":, None, _", [1]),
    ("_", [np.array([0, 1, 1])]),
    ("_", [np.zeros((2, 2), int)]),
    (":, _", [np.array([0, 1, 1])]),
    ("_, :, _", [np.array([0, 1]), np.array([1, 0])]),
    (":, _, _", [np.array([0, 1]), np.array([1, 0])]),
    ("_, :, 1", [np.array([0, 1])]),
    ("[0, 2], 1", []),
    ("_, _, 0", [np.array([[0], [1]]), np.array([0, 1])]),
    ("_, None, _", [np.array([0, 1]), np.array([1, 0])]),
]


@pytest.mark.parametrize(("pattern", "operands"), INDICES, ids=str)
def test_shapes_of_parts(pattern: str, operands: list[Any]) -> None:
    a = np.zeros((5, 3, 4))
    found = a[key_of(pattern, operands)]
    types = [INT if np.ndim(o) == 0 else array("int64", *o.shape) for o in operands]
    assert part_shape(array("float64", *a.shape).shape, pattern, types) == tuple(
        Dim("", n) for n in found.shape
    )


def test_what_a_mask_selects_is_not_known() -> None:
    shape = array("float64", 5, 3).shape
    assert part_shape(shape, "_", [array("bool", 5)]) == (None, Dim("", 3))
    assert part_shape(shape, "_", [array("bool", 5, 3)]) == (None,)


NUMPY_SHAPES = [
    ("reshape", "float64[2,3]", [Type("int64", value=Dim("", n)) for n in (3, -1)], "float64[3,2]"),
    ("reshape", "float64[x.0]", [Type("int64", value=Dim("", -1)), INT], "float64[?,?]"),
    ("zeros", "int64=n", [], "float64[n]"),
    ("arange", "int64=1", [Type("int64", value=Dim("n"))], "int64[n-1]"),
    ("concatenate", "float64[x.0]", [typed("float64[2]")], "float64[x.0+2]"),
    ("concatenate", "float64[x.0-2]", [typed("float64[2]")], "float64[?]"),
    ("concatenate", "float64[x.0]", [typed("float64[y.0]")], "float64[?]"),
    ("squeeze", "float64[1,x.0]", [], "float64[x.0]"),
    ("squeeze", "float64[1,n]", [], "float64[...]"),
    ("matmul", "float64[a.0,a.1]", [typed("float64[b.0]")], "float64[a.0]"),
    ("matmul", "float64[...]", [typed("float64[b.0]")], "float64[...]"),
    ("select", "bool[3]", [Type("float64"), typed("float32[3]")], "float32[3]"),
]


@pytest.mark.parametrize(("op", "first", "rest", "expected"), NUMPY_SHAPES)
def test_shapes_with_symbols(op: str, first: str, rest: list[Type], expected: str) -> None:
    assert str(infer(op, typed(first), *rest)).replace(" ", "") == expected


def test_reductions_to_rank_zero_are_scalars() -> None:
    assert infer("sum", typed("float64[x.0,x.1]")) == Type("float64")
    assert infer("sum", typed("float64[...]")) == Type("float64")
    assert infer("sum", typed("float64[x.0,x.1]"), axis=0) == typed("float64[x.1]")
    assert infer("sum", typed("float64[x.0,3]"), axis=-1, keepdims=True) == typed("float64[x.0,1]")
    assert infer("sum", typed("float64[...]"), axis=0).shape is None

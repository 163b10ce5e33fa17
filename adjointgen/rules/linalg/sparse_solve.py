"""Linear systems with a sparse matrix, which is given by its entries, their rows and columns.

For `A x = b`, `A x_dot = b_dot - A_dot x`; and with `A^T b_bar = x_bar`, `a_bar = -b_bar_i x_j` for
the entry a in row i and column j, so that no entry is made that was not there. A matrix that is one
object is a constant, and its products and systems are linear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general, linear
from adjointgen.rules.framework.shape_helpers import zero_like
from adjointgen.rules.framework.type_rules import float_dtype, fresh, result_dtype

Args = Sequence[Any]
Options = Mapping[str, Any]
Types = tuple[Type, ...]


def _type(types: Types, options: Options) -> Types:
    dtype = float_dtype(result_dtype((types[0], types[3])))
    return (fresh(dtype, types[3].shape),)


def _at(a: Any, places: Any) -> Any:
    return a.apply("load", a, places, index="_")


def _tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    data, row, col, right = args
    change = dots[3]
    if dots[0] is not None:
        zeros = zero_like(right)
        product = zeros.apply("accumulate", zeros, dots[0] * _at(y, col), row, index="_")
        change = -product if change is None else change - product
    return data.apply("spsolve", data, row, col, change)


def _adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    data, row, col, _ = args
    right_bar = data.apply("spsolve", data, col, row, y_bar)
    return [-_at(right_bar, row) * _at(y, col), None, None, right_bar]


_MATRIX = "scipy.sparse.csc_array((_0_, (_1_, _2_)), shape=(len(_3_), len(_3_)))"
general(
    "spsolve",
    "data, row, col, b",
    [],
    _tangent,
    _adjoint,
    infer=_type,
    code=f"scipy.sparse.linalg.spsolve({_MATRIX}, _3_)",
    domain=[([2.0, 1.5, -0.5, 3.0, 0.25], (0, 1, 0, 2, 0), (0, 1, 2, 2, 0), "float64[3]")],
    cost=300,
)


class Given:
    """A matrix as one object, for the tests of the rows."""

    __array_ufunc__ = None

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    @property
    def T(self) -> Given:
        return Given([list(column) for column in zip(*self.rows, strict=True)])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.rows, dtype)

    def __matmul__(self, x: Any) -> Any:
        return np.array(self.rows) @ x

    def __rmatmul__(self, x: Any) -> Any:
        return x @ np.array(self.rows)

    def __repr__(self) -> str:
        return "matrix"


def _stated(types: Types, options: Options) -> Types:
    return (options["type"],)


def _product(name: str, transposed: str, place: int, code: str) -> None:
    """A product with a matrix, of which only the type of the result is stated."""

    def transpose(y_bar: Any, a: Any, b: Any) -> Any:
        operands = (y_bar, b) if place == 0 else (a, y_bar)
        type = (a, b)[place].type
        dtype = result_dtype((type, y_bar.type))
        return y_bar.apply(transposed, *operands, type=type.with_dtype(dtype))

    example = ["float64[2]", "float64[2]"]
    example[1 - place] = Given([[1.0, 2.0], [-0.5, 3.0]])  # type: ignore[call-overload]
    linear(
        name,
        "a, b, type=None",
        [],
        {place: transpose},
        infer=_stated,
        code=code,
        domain=[(*example, {"type": Type("float64", (None,), "array")})],
    )


_product("sparse_times", "sparse_T_times", 1, "_0_ @ _1_")
_product("sparse_T_times", "sparse_times", 1, "_0_.T @ _1_")
_product("times_sparse", "times_sparse_T", 0, "_0_ @ _1_")
_product("times_sparse_T", "times_sparse", 0, "_0_ @ _1_.T")
_product("sparse_solve", "sparse_T_solve", 1, "scipy.sparse.linalg.spsolve(_0_, _1_)")
_product("sparse_T_solve", "sparse_solve", 1, "scipy.sparse.linalg.spsolve(_0_.T, _1_)")

"""Linear systems with a sparse matrix, which is given by its entries, their rows and columns.

For `A x = b`, `A x_dot = b_dot - A_dot x`; and with `A^T b_bar = x_bar`, `a_bar = -b_bar_i x_j` for
the entry a in row i and column j, so that no entry is made that was not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.ir.types import Type
from adjointgen.rules.build import Builder
from adjointgen.rules.declare import general
from adjointgen.rules.forms import zero_like
from adjointgen.rules.infer import float_dtype, fresh, result_dtype

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

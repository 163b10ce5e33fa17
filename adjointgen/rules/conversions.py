"""What becomes of an operand when it is made an array: the same entries, at least of some rank."""

from __future__ import annotations

from typing import Any

from adjointgen.ir.types import Dim, Type
from adjointgen.rules.declare import linear
from adjointgen.rules.forms import reshape_like
from adjointgen.rules.infer import Options, Types, as_array, dtype_named, fresh

_ONE = Dim("", 1)


def _at_least(rank: int) -> Any:
    def infer(types: Types, options: Options) -> Types:
        a = as_array(types[0])
        if a.shape is None or len(a.shape) >= rank:
            return (a,)
        shape = (_ONE,) * (rank - len(a.shape)) + a.shape
        # A vector becomes the middle axis of three.
        return (fresh(a.dtype, (_ONE, *a.shape, _ONE) if rank == 3 and a.rank == 1 else shape),)

    return infer


for _rank in (1, 2):
    linear(
        f"atleast_{_rank}d",
        "a",
        [f"numpy.atleast_{_rank}d"],
        {0: lambda y_bar, a: reshape_like(y_bar, a)},
        infer=_at_least(_rank),
        alias=(0,),
        cost=0,
        domain=[("float64",), ("float64[3]",), ("float64[2,3]",)],
    )


def _array_type(types: Types, options: Options) -> Types:
    a = as_array(types[0])
    if a.kind == "object":
        return (Type(dtype_named(options.get("dtype"), "float64"), None, "array"),)
    return (fresh(dtype_named(options.get("dtype"), a.dtype), a.shape),)


for _name, _alias in (("asarray", (0,)), ("ascontiguousarray", (0,)), ("array", ())):
    linear(
        _name,
        "a, dtype=None",
        [f"numpy.{_name}"],
        {0: lambda y_bar, a: reshape_like(y_bar, a)},
        infer=_array_type,
        alias=_alias,
        domain=[("float64[3]",), ("float64[2,3]",)],
    )

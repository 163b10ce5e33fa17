"""What becomes of an operand when it is made an array: the same entries, at least of some rank."""

from __future__ import annotations

from typing import Any

from adjointgen.ir.types import BOOL, FLOAT, INT, Dim, Type
from adjointgen.rules.framework.batching import at_least, itself, unchanged
from adjointgen.rules.framework.declare import constant, elementwise, linear
from adjointgen.rules.framework.shape_helpers import reshape_like
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    always,
    as_array,
    dtype_named,
    floating_type,
    fresh,
)

_ONE = Dim("", 1)


def _at_least(rank: int) -> Any:
    def infer(types: Types, options: Options) -> Types:
        a = as_array(types[0])
        if a.shape is None or len(a.shape) >= rank:
            return (a,)
        missing = rank - len(a.shape)
        # A vector becomes the middle axis of three, a matrix the first two.
        after = (0, 1, 1)[len(a.shape)] if rank == 3 else 0
        return (fresh(a.dtype, (*(_ONE,) * (missing - after), *a.shape, *(_ONE,) * after)),)

    return infer


for _rank in (1, 2, 3):
    linear(
        f"atleast_{_rank}d",
        "a",
        [f"numpy.atleast_{_rank}d"],
        {0: lambda y_bar, a: reshape_like(y_bar, a)},
        infer=_at_least(_rank),
        view="whole",
        batch=at_least,
        cost=0,
        noun="same",
        domain=[("float64",), ("float64[3]",), ("float64[2,3]",)],
    )


def _array_type(types: Types, options: Options) -> Types:
    a = as_array(types[0])
    if a.kind == "object":
        return (Type(dtype_named(options.get("dtype"), "float64"), None, "array"),)
    return (fresh(dtype_named(options.get("dtype"), a.dtype), a.shape),)


def _with_axis(types: Types, options: Options) -> Types:
    """A number becomes an array of one."""
    (found,) = _array_type(types, options)
    return (fresh(found.dtype, (Dim("", 1),)),) if found.shape == () else (found,)


for _name, _view in (("asarray", "layout"), ("ascontiguousarray", "layout"), ("array", "")):
    linear(
        _name,
        "a, dtype=None",
        [f"numpy.{_name}"],
        {0: lambda y_bar, a: reshape_like(y_bar, a)},
        infer=_with_axis if _name == "ascontiguousarray" else _array_type,
        view=_view,
        domain=[("float64[3]",), ("float64[2,3]",)],
        entries="" if _view else "assembled",
        batch=None if _name == "ascontiguousarray" else unchanged,
        noun="same",
    )


linear(
    "as_numpy",
    "a",
    ["numpy.float64"],
    {0: lambda y_bar, a: y_bar},
    infer=always(FLOAT),
    domain=[("float64",)],
    cost=0,
    noun="same",
    batch=itself,
)
for _name, _of in (("int64", INT), ("bool_", BOOL)):
    constant(
        f"as_numpy_{_name}",
        "a",
        [f"numpy.{_name}"],
        infer=always(_of),
        cost=0,
        noun="same",
        batch=itself,
        because="integers and truth values do not vary",
    )
linear(
    "divisor",
    "a",
    [],
    {0: lambda y_bar, a: y_bar},
    infer=always(FLOAT),
    code="_0_ or np.float64(0.0)",
    noun="same",
    domain=[("float64",)],
    cost=0,
    batch=itself,
)


def _list_type(types: Types, options: Options) -> Types:
    a = types[0]
    return (Type(a.dtype, a.shape, "scalar" if a.shape == () else "list"),)


linear(
    "tolist",
    "a",
    [".tolist"],
    {0: lambda y_bar, a: y_bar},
    infer=_list_type,
    domain=[("float64[3]",)],
)
linear(
    "number",
    "a",
    [],
    {0: lambda y_bar, a: y_bar},
    infer=always(FLOAT),
    code="float(_0_)",
    domain=[("float64",)],
    batch=itself,
)
linear(
    "rows",
    "a",
    [],
    {0: lambda y_bar, a: y_bar},
    infer=_list_type,
    code="list(_0_)",
    domain=[("float64[2,3]",)],
)
constant(
    "zeros_list",
    "a",
    [],
    infer=lambda types, options: (types[0],),
    code="[0.0 * _ for _ in _0_]",
    because="a new list does not depend on the values of its arguments",
)
elementwise(
    "nextafter",
    "a, b",
    ["numpy.nextafter"],
    lambda y, a, b: 1.0,
    None,
    on=(-3, 3),
    infer=floating_type,
    because="only on which side it is counts; pass it through stop_gradient",
)

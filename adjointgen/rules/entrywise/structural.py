"""Operations that move values without computing: copies, casts, choices, constructors, user code.

Transposes (`expand`, `unbroadcast`) are here too: they are what the reverse of a reduction and of
broadcasting is made of, and they are each other's transposes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.ir.types import OBJECT, Type, promote
from adjointgen.rules.framework.batching import (
    chosen,
    filled,
    filled_like,
    measured,
    spread,
    unchanged,
)
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import constant, general, linear, structural
from adjointgen.rules.framework.shape_helpers import reduce_sum
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    as_array,
    dtype_named,
    entrywise,
    fresh,
    result_dtype,
    shape_from,
    shaped,
)

_NEW = "a new array does not depend on the values of its arguments"
Handles = Sequence[Any]
Dots = Sequence[Any]


def _same(types: Types, options: Options) -> Types:
    return (types[0],)


def _dim_type(types: Types, options: Options) -> Types:
    shape, axis = types[0].shape, options.get("axis", 0)
    known = shape is not None and -len(shape) <= axis < len(shape)
    return (Type("int64", value=shape[axis] if shape is not None and known else None),)


def _cast_type(types: Types, options: Options) -> Types:
    (a,) = types
    dtype = dtype_named(options.get("dtype"), "float64")
    if a.kind == "object":
        return (Type(dtype),)
    return (Type(dtype, a.shape, a.kind, a.value if dtype == "int64" else None),)


def _select_type(types: Types, options: Options) -> Types:
    _, a, b = types
    if "object" in (a.kind, b.kind):
        return (a if a == b else OBJECT,)
    if all(t.is_scalar for t in types):
        return (a if a == b else Type(promote(a.dtype, b.dtype)),)
    return (entrywise(types, result_dtype((a, b))),)


structural(
    "copy",
    "a",
    ["numpy.copy", ".copy"],
    {0: lambda y_bar, a: y_bar},
    infer=_same,
    reverse=lambda sweep, stmt, bar: sweep.hand(stmt.args[0], bar),
    domain=[("float64[3]",), ("float64",)],
    loop="same",
    noun="same",
    keeps_zero=True,
    shape_of=0,
    fresh=True,
    batch=unchanged,
)
linear(
    "cast",
    "a, dtype='float64'",
    [".astype"],
    {0: lambda y_bar, a: y_bar},
    infer=_cast_type,
    domain=[("float64[3]", {"dtype": "float64"}), ("float64", {"dtype": "float64"})],
    loop="entries",
    keeps_zero=True,
    shape_of=0,
    noun="same",
    checked="plain",
    truth="own",
    batch=unchanged,
)
linear(
    # A number of a narrower dtype than another path has: the program leaves it as it is.
    "counted_as",
    "a, dtype='float64'",
    [],
    {0: lambda y_bar, a: y_bar},
    infer=_cast_type,
    code="_0_",
    view="same",
    cost=0,
    domain=[("float64",)],
)
structural(
    "select",
    "test, a, b",
    ["numpy.where"],
    {
        1: lambda y_bar, test, a, b: y_bar.apply("select", test, y_bar, 0.0),
        2: lambda y_bar, test, a, b: y_bar.apply("select", test, 0.0, y_bar),
    },
    infer=_select_type,
    domain=[
        (True, "float64", "float64"),
        ([True, False, True], "float64[3]", "float64[3]"),
        ([True, False, True], "float64[2,3]", "float64"),
        ([[True], [False]], "float64", "float64[3]"),
    ],
    loop="entries",
    entries="chosen",
    noun="choice",
    batch=chosen,
)
constant(
    "dim",
    "a, axis=0",
    [],
    infer=_dim_type,
    because="the length of an axis is an integer",
    cost=0,
    noun="len",
    measures=True,
    checked="plain",
    batch=measured,
)
constant(
    "same",
    "n, m",
    [],
    infer=lambda types, options: (types[0],),
    because="it compares lengths",
    effect=True,
    runtime="lengths.py",
)
for _name, _signature in (("plus", "a, b"), ("vector_exp", "x"), ("vector_tanh", "x")):
    constant(
        _name,
        _signature,
        [],
        infer=lambda types, options: (types[0],),
        because="it stands in loops made for a compiler, which are not differentiated again",
        runtime="vectors.py",
    )
constant(
    "stop_gradient",
    "a",
    ["adjointgen.stop_gradient"],
    infer=_same,
    because="stop_gradient asks for it",
    code="_0_",
    view="same",
    cost=0,
    loop="same",
    batch=chosen,
)


def _zeros_type(types: Types, options: Options) -> Types:
    return (fresh(dtype_named(options.get("dtype"), "float64"), shape_from(types)),)


def _like_type(types: Types, options: Options) -> Types:
    a = as_array(types[0])
    return (fresh(dtype_named(options.get("dtype"), a.dtype), a.shape),)


for _name in ("zeros", "ones", "empty"):
    _fields: dict[str, Any] = {
        "because": _NEW,
        "fresh": True,
        "gives_zero": _name == "zeros",
        "loop": "" if _name == "empty" else "filled",
    }
    constant(
        _name, "*shape, dtype=None", [f"numpy.{_name}"], infer=_zeros_type, sized=True, **_fields
    )
    constant(
        f"{_name}_like",
        "a, dtype=None",
        [f"numpy.{_name}_like"],
        infer=_like_type,
        shape_of=0,
        shape_only=True,
        batch=unchanged,
        **_fields,
    )


def _full_type(types: Types, options: Options) -> Types:
    *shape, value = types
    return (fresh(dtype_named(options.get("dtype"), value.dtype), shape_from(shape)),)


def _full_tangent(b: Builder, y: Any, args: Handles, dots: Dots, options: Mapping[str, Any]) -> Any:
    dot = dots[-1]
    return None if dot is None else dot.apply("full", *args[:-1], dot)


def _full_adjoint(
    b: Builder, y: Any, y_bar: Any, args: Handles, options: Mapping[str, Any]
) -> Dots:
    return [*(None for _ in args[:-1]), y_bar]


general(
    "full",
    "*shape, fill_value, dtype=None",
    ["numpy.full"],
    _full_tangent,
    _full_adjoint,
    infer=_full_type,
    domain=[(3, "float64"), (2, 3, "float64"), (2, 3, "float64[3]")],
    loop="filled",
    entries="assembled",
    sized=True,
    fresh=True,
    batch=filled,
)
linear(
    "full_like",
    "a, fill_value, dtype=None",
    ["numpy.full_like"],
    {1: lambda y_bar, a, fill_value: y_bar},
    infer=_like_type,
    domain=[("float64[2,3]", "float64"), ("float64[2,3]", "float64[3]")],
    loop="filled",
    shape_of=0,
    shape_only=True,
    fresh=True,
    casts=0,
    batch=filled_like,
)


def _eye_type(types: Types, options: Options) -> Types:
    rows = types[0].value
    columns = types[1].value if len(types) > 1 and types[1].kind != "object" else rows
    return (fresh(dtype_named(options.get("dtype"), "float64"), (rows, columns)),)


constant("eye", "n, m=, k=0, dtype=None", ["numpy.eye"], infer=_eye_type, because=_NEW, fresh=True)
constant("identity", "n, dtype=None", ["numpy.identity"], infer=_eye_type, because=_NEW, fresh=True)


def _expand_type(types: Types, options: Options) -> Types:
    y, like = types
    return (shaped(y.dtype, like.shape),)


def _expand_transpose(y_bar: Any, y: Any, like: Any, axis: Any, keepdims: bool) -> Any:
    """Summed over `axis`; where `y` only broadcasts, the transform sums it down."""
    return y_bar if axis is None or keepdims else reduce_sum(y_bar, axis)


linear(
    "expand",
    "y, like, axis=None, keepdims=False",
    [],
    {0: _expand_transpose},
    infer=_expand_type,
    domain=[
        ("float64", "float64[2,3]"),
        ("float64[2]", "float64[2,3]", {"axis": 1}),
        ("float64[2,1]", "float64[2,3]", {"axis": 1, "keepdims": True}),
    ],
    loop="same",
    shape_of=1,
    shape_only=True,
    fresh=True,
    batch=spread,
)


def _unbroadcast_type(types: Types, options: Options) -> Types:
    v, like = types
    return (shaped(v.dtype, like.shape),)


linear(
    "unbroadcast",
    "v, like",
    [],
    {0: lambda y_bar, v, like: y_bar.apply("expand", y_bar, v, axis=None, keepdims=False)},
    infer=_unbroadcast_type,
    view="layout",
    domain=[("float64[2,3]", "float64[3]"), ("float64[2,3]", "float64[2,1]")],
    loop="same",
    shape_of=1,
    shape_only=True,
    runtime="broadcast.py",
)

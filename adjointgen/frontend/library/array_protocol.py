"""What NumPy takes an object for: the array that it says it is, or the list of its entries.

    np.vstack((p, q))        p and q have `__array__`        np.vstack((p.__array__(), ...))
    np.asarray(p, dtype=d)                                   np.asarray(p.__array__(d), d)
    np.array(p)              it has a parameter `copy`       np.asarray(p.__array__(copy=True))
    np.dot(v, w)             v has `__len__`, `__iter__`     np.dot([*v], w)

What a method that is asked for a copy gives is not copied again, even if it is none. A function for
which the object has a method of its own is left alone, since NumPy calls that: `np.sum(obj)` is
`obj.sum()`. So is an object that takes part in NumPy's dispatch (`__array_ufunc__`,
`__array_function__`). (NumPy's reference, `interoperability with NumPy`.)
"""

from __future__ import annotations

import ast
from typing import Final

import numpy as np

from adjointgen.frontend.domain.abstract_values import Abstract, Named, Seq, Struct
from adjointgen.frontend.domain.module_tables import values_of
from adjointgen.frontend.expressions.instances import find
from adjointgen.frontend.expressions.special_methods import class_held, special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import held_in
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.rules.framework.builder import const

_DISPATCHED: Final = (
    *("__array_ufunc__", "__array_function__", "__array_interface__", "__array_struct__"),
    *("__buffer__", "__getattr__", "__getattribute__"),
)
_CONVERSIONS: Final = frozenset(
    {"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require"}
)
"""Functions that ask for a dtype or a copy: `converted` is for these."""
_AS_IT_IS: Final = frozenset(
    {"isscalar", "iterable", "vectorize", "copy", "nan_to_num", "unwrap", "astype"} | _CONVERSIONS
)
"""Functions that ask what an object is, or copy what it gives."""
_METHODS: Final = {"amax": "max", "amin": "min", "around": "round"}
"""Names of methods that functions of other names ask for."""


def as_numpy_takes(ctx: Context, function: Named, value: Abstract, node: ast.AST) -> Abstract:
    """An argument of a function of NumPy: an instance as the array or list that it is taken for."""
    home, _, name = function.spelling.rpartition(".")
    if home.partition(".")[0] != "numpy" or name in _AS_IT_IS:
        return value
    return _taken(ctx, value, node, _METHODS.get(name, name))


def converted(
    ctx: Context, value: Abstract, dtype: Abstract | None, copy: bool | None, node: ast.AST
) -> tuple[Abstract, bool | None]:
    """What `np.array` and its kin make an array of, and whether they copy that."""
    method = special(ctx, value, "__array__") if _is_asked(ctx, value, "") else None
    if method is None:
        return _taken(ctx, value, node, ""), copy
    names = [p.arg for p in (*method.source.arguments.args, *method.source.arguments.kwonlyargs)]
    told = copy is not None and "copy" in names and not np.__version__.startswith("1.")
    given = [value] if dtype in (None, const(None)) else [value, dtype]
    made = inline(ctx, method, given, {"copy": const(copy)} if told else {}, node)
    return _array(ctx, made), None if told else copy


def _taken(ctx: Context, value: Abstract, node: ast.AST, name: str) -> Abstract:
    known = content(ctx, value)
    if isinstance(known, Seq) and known.kind in ("list", "tuple"):
        items = tuple(_taken(ctx, item, node, "") for item in known.items)
        same = all(a is b for a, b in zip(items, known.items, strict=True))
        return value if same else Seq(items, known.kind)
    if not _is_asked(ctx, value, name):
        return value
    if (method := special(ctx, value, "__array__")) is not None:
        return _array(ctx, inline(ctx, method, [value], {}, node))
    return _listed(ctx, value, node)


def _is_asked(ctx: Context, value: Abstract, name: str) -> bool:
    """Whether this is an instance that NumPy asks for an array, and for no method of the name."""
    cls = class_held(ctx, value)
    if cls is None or issubclass(cls, tuple) or held_in(ctx, value) is not None:
        return False
    known, own = content(ctx, value), living(ctx, content(ctx, value))
    held = own is not None and name in values_of(own.value)
    held = held or (isinstance(known, Struct) and known.get(name) is not None)
    return not held and all(find(cls, one) is None for one in (*_DISPATCHED, name))


def _array(ctx: Context, made: Abstract) -> Abstract:
    if read(ctx, made).type.kind != "array":
        ctx.refuse("AG102", "__array__ gives no array here", "return np.asarray(...) of it")
    return made


def _listed(ctx: Context, value: Abstract, node: ast.AST) -> Abstract:
    """A sequence as the list of its entries, which NumPy takes one by one."""
    if any(special(ctx, value, name) is None for name in ("__len__", "__getitem__", "__iter__")):
        return value
    items = entries(ctx, value)
    return value if items is None else Seq(tuple(_taken(ctx, i, node, "") for i in items), "list")

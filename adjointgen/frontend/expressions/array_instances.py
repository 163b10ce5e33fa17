"""Instances of classes derived from NumPy's array, which a program makes.

    np.asarray(x).view(C)     o = C without attributes, which holds the array; then
                              C.__array_finalize__(o, x), where the class has that
    o + 1, np.sqrt(o), o[1:]  the operation on the arrays, and an instance of C around the result
                              wherever NumPy makes one (`subclass_probes.py`)

The array is in the instance under the name of `HELD`, as the list is in one of a class below
`list`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Method,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.domain.structures import HELD
from adjointgen.frontend.domain.subclass_probes import Like, Made, asked
from adjointgen.frontend.expressions.instances import call_method, find, refuse
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import array_in
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, read
from adjointgen.ir.nodes import Const, Dtype, Value
from adjointgen.ir.types import Dim

OWN_WAYS = (
    *("__array_ufunc__", "__array_function__", "__array_wrap__", "__array_prepare__"),
    *("__array__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
)
"""By which a class says itself what NumPy's functions and comparisons make of its arrays."""

Compute = Callable[[list[Abstract], dict[str, Abstract]], Abstract]


def viewed(ctx: Context, cls: Class, base: Abstract, origin: Abstract, node: ast.AST) -> Ref:
    """An instance around an array, as `origin.view(cls)` makes it."""
    own = next((name for name in OWN_WAYS if find(cls.type, name) is not None), None)
    if own is not None:
        refuse(ctx, f"{cls.type.__name__} has {own}", node)
    held = hold(ctx, base, "")
    return finalized(ctx, new_cell(ctx, Struct(cls, (HELD,), (held,)), ""), origin, node)


def finalized(ctx: Context, made: Ref, origin: Abstract, node: ast.AST) -> Ref:
    """A new instance, of which its class is told what it was made from."""
    known = content(ctx, made)
    assert isinstance(known, Struct) and isinstance(known.kind, Class)
    finalize = find(known.kind.type, "__array_finalize__")
    if finalize is not None:
        call_method(ctx, *finalize, [made, origin], {}, node)
    return made


def classes_of(
    ctx: Context, values: Sequence[Abstract], inside: frozenset[int] = frozenset()
) -> dict[type, Class]:
    """The classes derived from NumPy's array of which there are instances among values.

    A list may be an entry of itself; `inside` are the cells that are looked into already.
    """
    found: dict[type, Class] = {}
    for value in values:
        known = content(ctx, value)
        if isinstance(known, Seq):
            cell = value.cell if isinstance(value, Ref) else -1
            if cell not in inside:
                found |= classes_of(ctx, known.items, inside if cell < 0 else inside | {cell})
        elif array_in(ctx, value) is not None:
            assert isinstance(known, Struct) and isinstance(known.kind, Class)
            found[known.kind.type] = known.kind
    return found


def plain(ctx: Context, value: Abstract) -> Abstract:
    """The array of an instance; other values as they are."""
    inner = array_in(ctx, value)
    if inner is not None:
        return inner
    known = content(ctx, value)
    if isinstance(known, Seq) and classes_of(ctx, [value]):
        return known.of([plain(ctx, item) for item in known.items])
    return value


def computed(
    ctx: Context,
    function: Any,
    args: Sequence[Abstract],
    compute: Compute,
    keywords: Mapping[str, Abstract] | None = None,
) -> Abstract | None:
    """What a function of NumPy makes of instances; None where there is none among its arguments."""
    node, keywords = ctx.node or ast.Pass(), keywords or {}
    classes = classes_of(ctx, [*args, *keywords.values()])
    if not classes:
        return None
    named = {name: _likeness(ctx, value, node) for name, value in keywords.items()}
    known = callable(function) and "out" not in named
    found = known and asked(function, [_likeness(ctx, value, node) for value in args], named)
    if found is True or not known:
        refuse(ctx, f"what this makes of a {next(iter(classes)).__name__} is not known", node)
    inner = {name: plain(ctx, value) for name, value in keywords.items()}
    result = compute([plain(ctx, value) for value in args], inner)
    if not isinstance(found, Made):
        return result
    array = hold(ctx, result, "")
    origin = array if found.origin is None else args[found.origin]
    for cls in found.between:
        made = new_cell(ctx, Struct(classes[cls], (), ()), "")
        origin = finalized(ctx, made, origin, node)
    return viewed(ctx, classes[found.cls], array, origin, node)


def attribute(
    ctx: Context, owner: Abstract, known: Struct, name: str, text: str
) -> Abstract | None:
    """`owner.name`, of what NumPy's array alone has under the name."""
    array = array_in(ctx, owner)
    assert isinstance(known.kind, Class)
    if array is None or not hasattr(np.ndarray, name) or known.get(name) is not None:
        return None
    if find(known.kind.type, name) is not None:
        return None
    found = ctx.actions.attribute(ctx, array, name, text)
    if isinstance(found, Method):
        return Method(owner, name, text)
    if name not in ("T", "mT", "real", "imag", "flat"):
        return found
    made = computed(ctx, attrgetter(name), [owner], lambda *_: found)
    return found if made is None else made


def part_of(ctx: Context, base: Abstract, made: Abstract, node: ast.AST) -> Abstract:
    """What was taken out of an instance: a number, or an array of its class."""
    cls = next(iter(classes_of(ctx, [base]).values()), None)
    if cls is None or isinstance(made, Const) or (isinstance(made, Value) and made.type.is_scalar):
        return made
    operand = read(ctx, made)
    if operand.type.is_scalar:
        return made
    if operand.type.kind != "array" or operand.type.rank is None:
        refuse(ctx, f"what this part of a {cls.type.__name__} is, is not known", node)
    return viewed(ctx, cls, made, base, node)


def _likeness(ctx: Context, value: Abstract, node: ast.AST) -> Any:
    """What stands for an argument where NumPy is asked."""
    inner = array_in(ctx, value)
    cls = next(iter(classes_of(ctx, [value])), None)
    known = content(ctx, value if inner is None else inner)
    match known:
        case Seq(items=items, kind=kind) if kind in ("list", "tuple"):
            parts = [_likeness(ctx, item, node) for item in items]
            return parts if kind == "list" else tuple(parts)
        case Const(value=Dtype(name=name)):
            return np.dtype(name)
        case Const(value=constant):
            return constant if inner is None else Like((), known.type.dtype, cls)
        case Named(spelling=spelling):
            return live(spelling)[1]
        case Value() | Ref() | Outside():
            type = read(ctx, value if inner is None else inner).type
            if type.is_scalar or (type.kind == "array" and type.rank is not None):
                shape = () if type.is_scalar else tuple(map(_length, type.shape or ()))
                shape = shape if len(shape) == (type.rank or 0) else (None,) * (type.rank or 0)
                return Like(shape, type.dtype, cls)
    return refuse(
        ctx, "what NumPy makes of this beside an array of another class is not known", node
    )


def _length(dim: Dim | None) -> int | None:
    return None if dim is None else dim.known

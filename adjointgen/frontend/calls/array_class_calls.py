"""Calls that make instances of classes derived from NumPy's array, or are given some.

a.view(C)                   an instance of C around the array a
v.sum(), np.sqrt(v)         the call on the array, and an instance around it where NumPy makes one
np.ndarray.__new__(C, 3)    an instance around a new array
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Method, Named, Ref, Seq
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.domain.structures import base_of
from adjointgen.frontend.expressions.array_instances import classes_of, computed, viewed
from adjointgen.frontend.expressions.instances import refuse
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import array_in
from adjointgen.frontend.state.static_options import dtype_of
from adjointgen.frontend.state.storage_cells import content, lies_in_order, shown_type
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE, Row

APART = (
    "isinstance",
    "type",
    "id",
    "print",
    "repr",
    "str",
    "hasattr",
    "getattr",
    "setattr",
    "super",
)
"""Built-in functions that are asked of the instance itself."""


def is_of_array_class(ctx: Context, node: ast.Call, method: Method) -> bool:
    """Whether a method is one of an instance, or makes one."""
    if array_in(ctx, method.owner) is not None:
        return True
    match node:
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Call() as arg], keywords=[]):
            if method.name == "view" and shown_type(ctx, ctx.state, method.owner).kind == "array":
                return _is_array_class(ctx, arg)
    return False


def _is_array_class(ctx: Context, arg: ast.expr) -> bool:
    """Whether an argument is NumPy's array or a class below: by its name, or `type(self)`."""
    match arg:
        case ast.Call(func=ast.Name(id="type"), args=[ast.Name()]) | ast.Name() | ast.Attribute():
            found = ctx.expression(arg)
            below = isinstance(found, Class) and base_of(found.type) is np.ndarray
            return below or (isinstance(found, Named) and found.spelling == "numpy.ndarray")
    return False


def method_call(
    ctx: Context,
    node: ast.Call,
    method: Method,
    apply_row: Callable[[Call, Row, str], Abstract],
) -> Abstract:
    """A method that NumPy's array has, of an instance; or the view that makes one."""
    args, keywords = arguments(ctx, node)
    ctx.node = node
    owner, name = method.owner, method.name
    own = array_in(ctx, owner)
    match args:
        case [Class() as cls] if name == "view" and base_of(cls.type) is np.ndarray:
            return viewed(ctx, cls, owner if own is None else own, owner, node)
        case [Named(spelling="numpy.ndarray")] if name == "view":
            return owner if own is None else own

    def compute(plain: list[Abstract], named: dict[str, Abstract]) -> Abstract:
        one = Call(ctx, node, Method(plain[0], name, method.text), [*plain], {**named})
        special: Special | None = ctx.actions.special("." + name)
        found = special(one) if special is not None else None
        row = TABLE.find("." + name)
        if found is not None:
            return found
        if row is None:
            refuse(ctx, f"{name} of an array of a class of its own", node)
        return apply_row(one, row, "." + name)

    def asked(first: object, *rest: object, **named: object) -> object:
        return getattr(first, name)(*rest, **named)

    made = computed(ctx, asked, [owner, *args], compute, keywords)
    return compute([owner, *args], {**keywords}) if made is None else made


def named_call(
    ctx: Context,
    node: ast.Call,
    function: Named,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
) -> Abstract | None:
    """A function of NumPy, `math` or Python that is given an instance; None for other calls."""
    home, _, name = function.spelling.rpartition(".")
    if home == "builtins" and name in APART:
        return None
    if not classes_of(ctx, [*args, *keywords.values()]):
        return None

    def compute(plain: list[Abstract], named: dict[str, Abstract]) -> Abstract:
        return ctx.actions.applied(ctx, function, plain, named, node)

    return computed(ctx, live(function.spelling)[1], args, compute, keywords)


def array_new(call: Call) -> Abstract | None:
    """`np.ndarray.__new__(C, shape, dtype)`, whose entries are set afterwards, or are those of a
    third argument."""
    ctx = call.ctx
    match call.args:
        case [Class() as cls, shape, dtype, buffer] if base_of(cls.type) is np.ndarray:
            fits = not call.keywords and _is_whole(ctx, shape, dtype, buffer)
            return viewed(ctx, cls, buffer, const(None), call.node) if fits else None
        case [Class() as cls, *args] if base_of(cls.type) is np.ndarray:
            if len(args) > 2:
                return None
            empty = Named("numpy.empty", "np.empty", "import numpy as np")
            made = ctx.actions.applied(ctx, empty, args, call.keywords, call.node)
            return viewed(ctx, cls, made, const(None), call.node)
    return None


def _is_whole(ctx: Context, shape: Abstract, dtype: Abstract, buffer: Abstract) -> bool:
    """Whether an array of a shape and dtype in the memory of another is all of that."""
    known, like = content(ctx, shape), shown_type(ctx, ctx.state, buffer)
    if not isinstance(buffer, Ref) or not isinstance(known, Seq) or like.shape is None:
        return False
    asked = [item.value if isinstance(item, Const) else None for item in known.items]
    there = [dim.offset if dim is not None and not dim.symbol else -1 for dim in like.shape]
    same = like.kind == "array" and asked == there and dtype_of(ctx, dtype) == like.dtype
    return same and lies_in_order(ctx, buffer)


def array_finalized(call: Call) -> Abstract | None:
    """`super().__array_finalize__(obj)`: NumPy's own does nothing."""
    return const(None) if call.args and array_in(call.ctx, call.args[0]) is not None else None


SPECIAL: dict[str, Special] = {
    "numpy.ndarray.__new__": array_new,
    "numpy.ndarray.__array_finalize__": array_finalized,
}

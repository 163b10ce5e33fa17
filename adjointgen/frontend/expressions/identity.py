"""`a is b`: whether two names stand for one object.

Lists, dicts and arrays are one object where they have one storage cell. A tuple has none, and two
equal ones may be one object or two.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.module_tables import Table
from adjointgen.frontend.domain.named_types import type_named
from adjointgen.frontend.domain.qualified_names import meant
from adjointgen.frontend.domain.structures import HELD
from adjointgen.frontend.expressions.instances import find, is_instance
from adjointgen.frontend.functions.cached_results import is_kept
from adjointgen.frontend.source.numpy_polynomials import POLYNOMIALS
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.kept_views import has_views
from adjointgen.frontend.state.module_objects import layout, living
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content
from adjointgen.frontend.state.truth_values import origin
from adjointgen.ir.nodes import Const, Dtype, Value
from adjointgen.ir.types import BOOL
from adjointgen.rules.framework.builder import const


def identity(
    ctx: Context, kind: type[ast.cmpop], left: Abstract, right: Abstract
) -> Abstract | None:
    """`left is right` or `left is not right`; None where it is asked of values as they are."""
    if all(_is_polynomial(content(ctx, value)) for value in (left, right)):
        ctx.refuse("AG102", "whether this is the same polynomial is not known", "compare numbers")
    same = identical(ctx, left, right)
    if not same and is_kept(ctx, left) and is_kept(ctx, right):
        what = "whether a function with a cache has returned the same object is not known"
        ctx.refuse("AG102", what, "compare numbers")
    if same is not None:
        return const(same == (kind is ast.Is))
    if (found := _singleton(ctx, kind, left, right)) is not None:
        return found
    held = content(ctx, left), content(ctx, right)
    if not any(isinstance(value, Seq | Struct) for value in held):
        return None
    if any(isinstance(value, Seq) and value.kind == "tuple" for value in held):
        ctx.refuse("AG102", "whether this is the same tuple is not known", "compare it with `==`")
    if any(isinstance(value, Struct) and isinstance(value.kind, Class) for value in held):
        # Loops over objects are known iteration by iteration.
        what = "whether this is the same object depends on the path"
        ctx.unlike("AG102", what, "give each object a number, and compare these")
    # What may be a list that is known is an object from now on, with a name.
    holes = Holes(ctx, writes=True)
    symbol = "is" if kind is ast.Is else "is not"
    code = f"{holes.fill(left)} {symbol} {holes.fill(right)}"
    return verbatim(ctx, code, holes.operands, BOOL)


def _is_polynomial(value: Abstract) -> bool:
    """Whether this stands for a polynomial of NumPy's, each time for another."""
    kind = value.kind if isinstance(value, Struct) else None
    return isinstance(kind, Class) and issubclass(kind.type, POLYNOMIALS)


def _singleton(
    ctx: Context, kind: type[ast.cmpop], left: Abstract, right: Abstract
) -> Abstract | None:
    """`r is True` of a truth value: whether it holds, if it is Python's own."""
    match left, right:
        case (Value() as value, Const(value=bool() as single)) | (
            Const(value=bool() as single),
            Value() as value,
        ) if (
            value.type == BOOL
        ):
            whose = origin(ctx, value)
        case _:
            return None
    if whose == "unknown":
        what = "whether this truth value is Python's or NumPy's is not known"
        ctx.refuse("AG102", what, "ask `if r`, or compare with `==`")
    if whose == "as it stands":
        return None
    return value if single == (kind is ast.Is) else ctx.apply("not", value)


def identical(ctx: Context, a: Abstract, b: Abstract) -> bool | None:
    """`a is b` where it is known: `None` is no number and no array."""
    if isinstance(a, Const) and isinstance(b, Const):
        return a.value is b.value or (isinstance(a.value, Dtype) and a.value == b.value)
    if isinstance(a, Named) and isinstance(b, Named):
        return meant(a.spelling) is meant(b.spelling)
    if (alike := same_class(a, b)) is not None:
        return alike
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const) and one.value is None:
            if isinstance(other, Value) and other.type.kind == "object":
                known = living(ctx, other) is not None or isinstance(layout(ctx, other), Table)
                return False if known else None
            named = isinstance(other, Outside) and living(ctx, other) is None
            return None if named else False
    if isinstance(a, Ref) and isinstance(b, Ref) and not (a.steps or b.steps) and a.cell == b.cell:
        return _refuse_views(ctx) if has_views(ctx, a) else True
    if isinstance(a, Ref) and isinstance(b, Ref) and (a.steps or b.steps):
        return _same_view(ctx, a, b)
    kinds = {_kind(ctx, a), _kind(ctx, b)}
    if kinds == {"tuple"}:
        return _same_tuple(a, b)
    return None if not kinds & {"tuple", "known"} or "object" in kinds else False


def _same_view(ctx: Context, a: Ref, b: Ref) -> bool | None:
    """Whether two parts of arrays are one object: each time one is made it is another."""
    if a is b:
        return True
    tangled = any(ref.cell in ctx.state.tangled for ref in (a, b))
    new = any(ref.steps and ref.steps[-1].op in _NEW for ref in (a, b))
    if a == b and new:
        _refuse_views(ctx)
    # Other functions may give what they are given.
    return False if new and not tangled else None


def _refuse_views(ctx: Context) -> NoReturn:
    what = "whether this is an array or a view of all of it is not known"
    ctx.refuse("AG102", what, "compare shapes or entries")


_NEW = ("load", "transpose")
"""Operations that make a view that is another object each time."""


def _kind(ctx: Context, value: Abstract) -> str:
    """What kind of object a value is, as far as another can be the same.

    The entries of what is `known` are; it has a cell of its own, or is new.
    """
    match content(ctx, value):
        case Seq(kind="tuple"):
            return "tuple"
        case Struct(kind=Class(type=cls)) if issubclass(cls, tuple):
            return "object"
        case Seq() | Struct():
            tangled = isinstance(value, Ref) and value.cell in ctx.state.tangled
            return "object" if tangled else "known"
        case Value(type=type) | Const(type=type):
            return type.kind
        case Ref(cell=cell, steps=()) if cell not in ctx.state.tangled:
            held = ctx.state.cells[cell]
            return held.type.kind if isinstance(held, Value | Const) else "object"
    return "object"


def _same_tuple(a: Abstract, b: Abstract) -> bool | None:
    """Whether two tuples are one: what has one name, and the empty one, is."""
    assert isinstance(a, Seq) and isinstance(b, Seq)
    if a is b or not (a.items or b.items):
        return True
    return False if len(a.items) != len(b.items) else None


def same_class(a: Abstract, b: Abstract) -> bool | None:
    """Whether a class of the user's is the one that another name stands for."""
    if not (isinstance(a, Class) or isinstance(b, Class)):
        return None
    found = [type_named(v) for v in (a, b)]
    return None if None in found else found[0] is found[1]


def equals_itself(ctx: Context, value: Abstract) -> bool:
    """Whether this equals itself alone: None, or an instance whose class says nothing of `==`."""
    if value == const(None):
        return True
    known = content(ctx, value)
    if not is_instance(ctx, value) or not isinstance(known, Struct) or known.get(HELD) is not None:
        return False
    if not isinstance(known.kind, Class) or find(known.kind.type, "__eq__") is not None:
        return False
    equals: object = known.kind.type.__eq__
    # A class of the front end's own stands for another one.
    own = known.kind.type.__module__.startswith("adjointgen.")
    return equals is object.__eq__ and not own

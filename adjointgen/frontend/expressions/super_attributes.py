"""Attributes of `super()`: those of the next class that has them, at last of Python's own."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Named,
    Partial,
    Seq,
    Struct,
    Super,
)
from adjointgen.frontend.domain.structures import base_of, sets_fields
from adjointgen.frontend.expressions.construction import is_generated
from adjointgen.frontend.expressions.instances import (
    SETS_FIELDS,
    above,
    call_method,
    find,
    function_of,
    member_of_class,
    refuse,
)
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import array_in, held_in
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.storage_cells import content


def class_of_super(ctx: Context, owner: Super) -> Class | None:
    """The class whose order `super()` follows, where it is known."""
    known = content(ctx, owner.owner)
    if (own := living(ctx, known)) is not None:
        return Class(type(own.value), f"{own.text}.__class__", own.line)
    cls = known.kind if isinstance(known, Struct) else known
    return cls if isinstance(cls, Class) else None


def found_above(cls: Class, owner: Super, name: str) -> tuple[type, Any] | None:
    """The next class that has an attribute, and what it has."""
    # In a method of a class of classes, or in `__new__`, the first argument is a class.
    kind = cls.type if owner.home in cls.type.__mro__ else type(cls.type)
    return find(kind, name, owner.home)


def super_attribute(ctx: Context, owner: Super, name: str, node: ast.AST) -> Abstract:
    """`super().name`: the next class that has it."""
    cls = class_of_super(ctx, owner)
    if cls is None:
        refuse(ctx, f"super() of what nothing is known of has {name}", node)
    found = found_above(cls, owner, name)
    if found is None:
        return _of_python(ctx, owner, name, node)
    if isinstance(found[1], property):
        return call_method(ctx, found[0], found[1].fget, [owner.owner], {}, node)
    if name == "__init__" and sets_fields(found[0]):
        return Partial(SETS_FIELDS, (above(cls, found[0]), owner.owner), ())
    if name == "__new__" and is_generated(found[1]):
        return _NAMED_TUPLE
    if name == "__new__":
        return function_of(ctx, found[0], getattr(found[1], "__func__", found[1]), node)
    return member_of_class(ctx, owner.owner, cls, found, name, node)


def _of_python(ctx: Context, owner: Super, name: str, node: ast.AST) -> Abstract:
    """What `object`, `type` or the class of a number or list takes, after the user's classes."""
    held = held_in(ctx, owner.owner)
    if name == "__init__" and held is None:
        return Bound(Closure(ctx.frame.source.nested(_NOTHING)), owner.owner)
    if name == "__new__":
        maker = "numpy.ndarray" if _is_array_class(ctx, owner) else "builtins.object"
        return Named(f"{maker}.__new__", "object.__new__")
    if name == "__array_finalize__" and array_in(ctx, owner.owner) is not None:
        return Partial(Named(f"numpy.ndarray.{name}", f"super().{name}"), (owner.owner,), ())
    base = "list" if held is None or isinstance(content(ctx, held), Seq) else "dict"
    homes = {"__call__": "type", "__setattr__": "object", "__init__": base}
    if base == "dict":
        homes |= dict.fromkeys(("__getitem__", "__setitem__", "__contains__"), base)
    home = homes.get(name)
    if home is not None:
        return Partial(Named(f"builtins.{home}.{name}", f"{home}.{name}"), (owner.owner,), ())
    if held is not None:
        return ctx.actions.attribute(ctx, held, name, f"super().{name}")
    return refuse(ctx, f"no class above {owner.home.__name__} has {name}", node)


def _is_array_class(ctx: Context, owner: Super) -> bool:
    known = content(ctx, owner.owner)
    return isinstance(known, Class) and base_of(known.type) is np.ndarray


_NAMED_TUPLE = Named("collections.namedtuple.__new__", "__new__")
"""The `__new__` that was made for a named tuple: of the class, and the fields."""
_NOTHING = ast.Lambda(
    ast.arguments([], [ast.arg("self", lineno=1, col_offset=0)], None, [], [], None, []),
    ast.Constant(None, lineno=1, col_offset=0),
    lineno=1,
    col_offset=0,
)
"""`object.__init__`."""

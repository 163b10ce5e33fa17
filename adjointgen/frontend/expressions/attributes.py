"""`owner.name`, not called: of a module, a class, an instance or an array."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

import numpy as np

from adjointgen.frontend.calls.running_function import own_name
from adjointgen.frontend.control.row_lists import is_rows
from adjointgen.frontend.domain import numpy_namespace
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Method,
    Module,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
    Super,
)
from adjointgen.frontend.domain.array_classes import array_has
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.domain.instance_attributes import instances_have
from adjointgen.frontend.domain.qualified_names import enum_member, live
from adjointgen.frontend.domain.structures import is_followed
from adjointgen.frontend.expressions import array_instances
from adjointgen.frontend.expressions.cached_properties import note_read
from adjointgen.frontend.expressions.instances import attribute as instance_attribute
from adjointgen.frontend.expressions.instances import class_attribute, find
from adjointgen.frontend.expressions.live_attributes import attribute as live_attribute
from adjointgen.frontend.expressions.live_attributes import closure_of
from adjointgen.frontend.expressions.sparse_calls import matrix_of
from adjointgen.frontend.expressions.super_attributes import super_attribute
from adjointgen.frontend.functions.inlining import inline, parameters
from adjointgen.frontend.state import module_objects
from adjointgen.frontend.state.context import Context, Frame
from adjointgen.frontend.state.copied_text import expression
from adjointgen.frontend.state.scope_lookup import mangled
from adjointgen.frontend.state.storage_cells import content, outside, read, shown_type
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import const
from adjointgen.watch import MISSING, Attributes, Held, look

OF_TUPLES: Final = frozenset(
    {*dir(tuple), "_asdict", "_fields", "_field_defaults", "_make", "_replace"}
)
"""What every named tuple has."""


def attribute(ctx: Context, node: ast.Attribute) -> Abstract:
    """`owner.name`, not called: a member of a module, or a fact or view of an array."""
    if (name := own_name(ctx, node)) is not None:
        return name
    found = named(ctx, node)
    if _is_missing(ctx, found):
        # It fails where it is read, whether its value is used or not.
        return expression(ctx, node)
    return held(ctx, found)


_PLAIN: Final = {"list": list, "tuple": tuple, "dict": dict, "set": set, "frozenset": frozenset}
_HAVING: Final = {"scalar": (float, np.float64), "list": (list,)}


def _is_missing(ctx: Context, found: Abstract) -> bool:
    """Whether there is certainly no such attribute: of a class, or of a number, array or list."""
    if isinstance(found, Named):
        owner, value = live(found.spelling)
        return (
            isinstance(owner, type)
            and value is None
            and not hasattr(owner, found.spelling.rpartition(".")[2])
        )
    if not isinstance(found, Method):
        return False
    match content(ctx, found.owner):
        case Const(value=value):
            return not hasattr(value, found.name)
        case Seq(kind=kind) | Struct(kind=str() as kind) if kind in _PLAIN:
            return not hasattr(_PLAIN[kind], found.name)
        case Struct() | Seq():
            return False
    if not isinstance(found.owner, Value | Ref):
        return False
    kind = shown_type(ctx, ctx.state, found.owner).kind
    if kind == "array":
        return array_has(found.name) is False
    kinds = _HAVING.get(kind, ())
    return bool(kinds) and not any(instances_have(kind, found.name) for kind in kinds)


def callee(ctx: Context, node: ast.expr) -> Abstract:
    """What a call calls: an attribute of an object is not read before its arguments are."""
    return named(ctx, node) if isinstance(node, ast.Attribute) else ctx.expression(node)


def named(ctx: Context, node: ast.Attribute) -> Abstract:
    """`owner.name`, of which an attribute that only the run knows is not read yet."""
    owner = ctx.expression(node.value)
    ctx.node = node
    return member(ctx, owner, mangled(ctx, node.attr), ctx.text(node))


def held(ctx: Context, found: Abstract) -> Abstract:
    """An attribute of an object that nothing is known of, as it is now.

    It may be computed, and the object may change before the value is used.
    """
    if not isinstance(found, Method) or matrix_of(ctx, found) is not None:
        return found
    owner = found.owner
    if isinstance(owner, Ref) and not isinstance(content(ctx, owner), Ref):
        return found
    known = owner.type if isinstance(owner, Outside) else shown_type(ctx, ctx.state, owner)
    opaque = isinstance(owner, Value | Ref | Outside) and known.kind == "object"
    return read(ctx, found) if opaque else found


def member(ctx: Context, owner: Abstract, name: str, text: str) -> Abstract:
    """What a value has under a name."""
    node = ctx.node or ast.Pass()
    match owner:
        case Module():
            return _of_module(ctx, owner, name)
        case Named() if (known := _constant_of(owner, name)) is not None:
            ctx.folded[f"{owner.text}.{name}"] = str(known)
            return known
        case Named() if (method := _method_of_entry(ctx, owner, name, node)) is not None:
            return method
        case Named():
            return _below(ctx, owner, name)
        case Class():
            return class_attribute(ctx, owner, name, node)
        case Closure() | Bound() if (title := _title(owner, name)) is not None:
            return title
        case Super():
            return super_attribute(ctx, owner, name, node)
    known = content(ctx, owner)
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        if is_rows(known) or (issubclass(known.kind.type, tuple) and name in OF_TUPLES):
            return Method(owner, name, text)
        note_read(ctx, known, name, text)
        found_there = array_instances.attribute(ctx, owner, known, name, text)
        return found_there or instance_attribute(ctx, owner, known, name, node)
    return _fact(ctx, owner, known, name, text) or Method(owner, name, text)


def _fact(ctx: Context, owner: Abstract, known: Abstract, name: str, text: str) -> Abstract | None:
    """What is known of an attribute of an array, or of an object of the module."""
    fact = ctx.actions.dtype_attribute(known, name)
    if fact is None:
        fact = ctx.actions.array_attribute(ctx, owner, name)
    if fact is None and (own := module_objects.living(ctx, known)) is not None:
        fact = live_attribute(ctx, owner, own, name, text)
    return fact


def _below(ctx: Context, owner: Named, name: str) -> Abstract:
    """What a library has under a longer name."""
    found = Named(f"{owner.spelling}.{name}", f"{owner.text}.{name}", owner.line)
    return _number(ctx, found) or found


def _title(function: Closure | Bound, name: str) -> Abstract | None:
    """What a function is called; one with a decorator may have the name of another."""
    if isinstance(function, Bound):
        inner = function.function
        return _title(inner, name) if isinstance(inner, Closure) else None
    source = function.source
    lives = source.resolver.identity
    if isinstance(lives, FunctionType) and lives.__code__.co_name == source.name:
        known = name in ("__name__", "__qualname__")
        return constant(look(Held(lives, attrgetter(name)), name)) if known else None
    plain = name == "__name__" and not getattr(source.node, "decorator_list", ())
    return const(source.name) if plain else None


def _method_of_entry(ctx: Context, owner: Named, name: str, node: ast.AST) -> Abstract | None:
    """A method or property of an entry of an enumeration."""
    entry = enum_member(owner.spelling)
    found = None if entry is None else find(type(entry), name)
    if found is None or not is_followed(found[0]) or name in vars(entry):
        return None
    held = found[1].fget if isinstance(found[1], property) else found[1]
    made = closure_of(ctx, found[0], held)
    if made is None:
        return None
    return inline(ctx, made, [owner], {}, node) if held is not found[1] else Bound(made, owner)


def _constant_of(owner: Named, name: str) -> Abstract | None:
    """A constant that a class holds, or the value of an entry of an enumeration."""
    found = live(owner.spelling)[1]
    if isinstance(found, Enum):
        return constant(getattr(found, name)) if name in ("name", "value") else None
    if isinstance(found, _FUNCTIONS):
        value = getattr(found, name, MISSING)
        return constant(value) if value is None or isinstance(value, str | int) else None
    value = look(Attributes(found), name) if isinstance(found, type) else MISSING
    return None if value is MISSING else constant(value)


_FUNCTIONS: Final = (np.ufunc, BuiltinFunctionType)
"""Functions in C, whose attributes do not change: `np.add.nin`."""


def _of_module(ctx: Context, owner: Module, name: str) -> Abstract:
    owner = numpy_namespace.home_of(owner, name)
    if (own := numpy_namespace.own_function(owner, name)) is not None:
        return own
    found = ctx.frame.source.resolver.member(owner, name)
    spelling = f"{owner.name}.{name}"
    if isinstance(found, Const) and spelling in CONSTANTS:
        found = Named(spelling, f"{owner.text}.{name}", owner.line)
    if isinstance(found, Const):
        ctx.folded[f"{owner.text}.{name}"] = found.value
    return (_number(ctx, found) if isinstance(found, Named) else None) or found


def _number(ctx: Context, found: Named) -> Abstract | None:
    """A number of a library, read where the program runs."""
    home, _, name = found.spelling.rpartition(".")
    physical = home == "scipy.constants" and name not in NO_NUMBERS
    dtype = "float64" if physical else CONSTANTS.get(found.spelling)
    if dtype is None:
        return None
    ctx.imports[found.line] = None
    return outside(ctx, Outside(found.text, Type(dtype), found.line))


NO_NUMBERS = frozenset(
    {"value", "unit", "precision", "find", "convert_temperature", "lambda2nu", "nu2lambda"}
    | {"physical_constants", "ConstantWarning", "codata", "constants", "test"}
)
"""What `scipy.constants` holds besides numbers."""

CONSTANTS = {
    f"{module}.{name}": "float64"
    for module in ("numpy", "math")
    for name in ("pi", "e", "inf", "nan", "tau", "euler_gamma")
} | {
    # Libraries of MPI have others.
    f"mpi4py.MPI.{name}": "int64"
    for name in ("PROC_NULL", "ANY_SOURCE", "ANY_TAG", "ROOT", "UNDEFINED")
}


def super_of(ctx: Context, node: ast.Call) -> Abstract:
    """`super()`: of the class that the method is written in, and its first argument."""
    if len(node.args) == 2 and not node.keywords:
        home, owner = (ctx.expression(arg) for arg in node.args)
        if isinstance(home, Class):
            return Super(home.type, owner)
    if node.args:
        ctx.refuse("AG101", "super() of what is no class", "write super()", node=node)
    frame: Frame | None = ctx.frame
    while frame is not None and frame.home is None:
        frame = ctx.frames.get(frame.outer)
    if frame is None or frame.home is None:
        ctx.refuse("AG101", "super() outside of a method", "name the class", node=node)
    first = parameters(frame.source.arguments)[0].arg
    return Super(frame.home, ctx.state.names[frame.number, first])


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {ast.Attribute: attribute}

"""Parameters: arguments are flattened into values of the IR, and bound to their names.

A number or array is a parameter of the program. A structure is one as well, as an object, and so
are its leaves, after it; its name stands for the structure of these (`ir/packing.py`). One mutable
object in two places is one cell.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NoReturn

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.annotations.type_expressions import states_communicator
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Fixed,
    Function,
    Module,
    Named,
    Outside,
    Parts,
    Place,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.domain.module_tables import (
    Communicator,
    Matrix,
    Tabled,
    interpolant_of,
    layout_of,
)
from adjointgen.frontend.domain.random_sources import is_frozen, is_source
from adjointgen.frontend.domain.structures import Argument, name_in_module, part_name
from adjointgen.frontend.functions.inlining import default_of, defaults, parameters
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state import promoted_attributes
from adjointgen.frontend.state.context import CALLER, Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.shared_defaults import mark
from adjointgen.frontend.state.static_options import number_class
from adjointgen.frontend.state.storage_cells import hold, is_mutable, new_cell
from adjointgen.ir.nodes import Const, Leaf, Node, Packed, Tree, Value
from adjointgen.ir.packing import CLASSES, SHARED, ZERO
from adjointgen.ir.types import OBJECT, Dim, Type
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE

CLOSED = "%"
"""Begins the names under which the caller's instances are kept to the end."""


def bind(ctx: Context, source: Source, arguments: Mapping[str, Argument | Tabled]) -> Bindings:
    """The parameters as values and structures, and the names bound to them.

    Attributes of the module's objects that are variables are bound here as well.
    """
    known = defaults(source.arguments)
    made = Bindings(ctx, {a.arg for a in parameters(source.arguments)})
    for arg in parameters(source.arguments):
        name = arg.arg
        given = arguments.get(name)
        default = known.get(name) if given is None else None
        if default is not None:
            given = _default(ctx, source, name, default)
        if given is None:
            _unknown(ctx, source, arg)
        value = made.parameter(name, given)
        if default is not None:
            value = hold(ctx, value, name)
            mark(ctx, value, name, default)
        ctx.set(name, value)
        if states_communicator(arg.annotation, Names(source.file, source.text)):
            ctx.tables.setdefault(made.params[-1].name, Communicator())
    promoted_attributes.begin(ctx)
    return made


def _unknown(ctx: Context, source: Source, arg: ast.arg) -> NoReturn:
    name = arg.arg
    if arg in (source.arguments.vararg, source.arguments.kwarg):
        ctx.refuse("AG103", f"how many arguments {name} is, is not known", "name them", node=arg)
    live = f"differentiate the method of an object: grad(obj.{source.name})"
    given = f"annotate it, or give one: --type {name}=float64[:]"
    ctx.refuse(
        "AG410",
        f"the type of {name} is not known",
        live if name == "self" else given,
        node=arg,
        kind=TypeMismatch,
    )


class Bindings:
    """The parameters as they are made."""

    def __init__(self, ctx: Context, taken: set[str]) -> None:
        self.ctx, self.taken = ctx, taken
        self.params: list[Value] = []
        self.packed: list[Packed] = []
        self.shared: dict[int, Abstract] = {}

    def parameter(self, name: str, given: Argument | Tabled) -> Abstract:
        """What a parameter stands for."""
        if isinstance(given, Type):
            return self.value(name, given)
        if isinstance(given, Tabled):
            self.value(name, OBJECT)
            self.ctx.tables[self.params[-1].name] = given.table
            return self.params[-1]
        self.params.append(self.ctx.value(name, OBJECT))
        if isinstance(given, Fixed):
            return _fixed(self.ctx, given.value, self.params[-1])
        whole, tree = self.structure((name,), name, given, self.params[-1])
        self.packed.append(Packed(name, tree))
        return whole

    def value(self, name: str, type: Type) -> Abstract:
        """A number or array."""
        self.params.append(self.ctx.value(name, _symbolic(name, type)))
        self.ctx.memo["given", self.params[-1].name] = True
        if type.kind not in ("array", "list"):
            return self.params[-1]
        ref = new_cell(self.ctx, self.params[-1], name)
        self.ctx.state.names[CALLER, name] = ref
        return ref

    def structure(
        self, place: Place, name: str, parts: Parts, whole: Value
    ) -> tuple[Abstract, Tree]:
        """A structure, the leaves of which become parameters."""
        ctx = self.ctx
        if (shared := self.shared.get(id(parts.live))) is not None:
            return shared, replace(ZERO, class_=SHARED)
        items: list[Abstract] = []
        trees: list[Tree] = []
        for key, part in zip(parts.keys, parts.parts, strict=True):
            item, tree = self.entry((*place, key), part_name(name, key), part, whole, parts)
            items.append(item)
            trees.append(tree)
        made, node = _structure(parts, tuple(items), tuple(trees), place)
        if not is_mutable(made):
            return made, node
        ref = self.shared[id(parts.live)] = new_cell(ctx, made, name)
        ctx.memo["live", place] = parts.live, whole, made
        ctx.memo["caller", ref.cell] = place[0]
        ctx.memo["place", ref.cell] = place
        ctx.state.names[CALLER, f"{CLOSED}{place}"] = ref
        return ref, node

    def entry(
        self, place: Place, name: str, part: Argument, whole: Value, of: Parts
    ) -> tuple[Abstract, Tree]:
        """One entry of a structure, and its tree."""
        match part:
            case Type():
                own = self.free(name)
                return self.value(own, _with_symbol(part, name, own)), Leaf(own)
            case Parts():
                inner = self.part(whole, of, place[-1])
                return self.structure(place, name, part, inner)
            case Fixed(value=value):
                known = _known(self.ctx, value)
                if known is None:
                    known = self.part(whole, of, place[-1])
                    _note(self.ctx, value, known)
                return known, Node("literal", (), (None,))

    def part(self, whole: Value, of: Parts, key: object) -> Value:
        """An entry that is an object, read from the structure around it."""
        attribute = isinstance(of.kind, type)
        code = f"_0_.{key}" if attribute else f"_0_[{key!r}]"
        return verbatim(self.ctx, code, (whole,), OBJECT, pure=True)

    def free(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def _structure(
    parts: Parts, items: tuple[Abstract, ...], trees: tuple[Tree, ...], place: Place
) -> tuple[Seq | Struct, Node]:
    match parts.kind:
        case "tuple" | "list" as kind:
            return Seq(items, kind), Node(kind, trees)
        case "dict":
            return Struct("dict", parts.keys, items, place), Node("dict", trees, parts.keys)
        case type() as cls:
            named = issubclass(cls, tuple)
            known = Class(cls, *(name_in_module(cls) or (cls.__qualname__, "")))
            made = Struct(known, parts.keys, items, None if named else place)
            return made, Node("named" if named else "object", trees, parts.keys, class_name(cls))
    raise AssertionError(parts.kind)


def class_name(cls: type) -> str:
    """The name that stands for a class in a program."""
    name = f"{cls.__module__}:{cls.__qualname__}"
    if "<locals>" in name:
        name += f":{id(cls)}"
    CLASSES[name] = cls
    return name


def _known(ctx: Context, value: Any) -> Abstract | None:
    """What a folded entry is known to be: a constant, a module, a function that is understood."""
    found = constant(value) or number_class(value)
    resolver = ctx.frame.source.resolver
    if isinstance(value, ModuleType) and isinstance(resolver, LiveResolver):
        return resolver.classify(value, value.__name__, f"import {value.__name__}")
    if found is None and callable(value) and isinstance(resolver, LiveResolver):
        found = resolver.classify(value, *(name_in_module(value) or ("", "")))
        # The object of a bound method has no name here.
        if isinstance(found, Bound | Outside) or (
            isinstance(found, Named) and TABLE.find(found.spelling) is None
        ):
            return None
    return found


def _with_symbol(type: Type, old: str, new: str) -> Type:
    """A type whose lengths are those of a parameter of another name."""
    if old == new or not type.shape:
        return type
    dims = (
        replace(d, symbol=new + d.symbol.removeprefix(old)) if d is not None and d.symbol else d
        for d in type.shape
    )
    return replace(type, shape=tuple(dims))


def _default(ctx: Context, source: Source, name: str, node: ast.expr) -> Argument:
    """A parameter that is not given is its default."""
    value = default_of(ctx, source, name, node)
    return Fixed(value.value) if isinstance(value, Const) else Fixed(value)


def _fixed(ctx: Context, value: Any, param: Value) -> Abstract:
    """A value of the specialisation; other objects are read from the argument."""
    if isinstance(value, Const | Value | Seq | Closure | Named | Module | Outside):
        return value
    if isinstance(value, Function):
        return _known(ctx, value.value) or param
    _note(ctx, value, param)
    found = constant(value) or number_class(value)
    return found if found is not None else param


def _note(ctx: Context, value: Any, held: Value) -> None:
    """What is known of an object that is given."""
    layout = layout_of(value)
    if isinstance(layout, Matrix | Communicator):
        ctx.tables[held.name] = layout
    elif (spline := interpolant_of(value)) is not None:
        ctx.tables[held.name] = spline
    elif is_frozen(value) or is_source(value):
        ctx.known[held.name] = value


def _symbolic(name: str, type: Type) -> Type:
    if type == Type("int64") and type.value is None:
        return Type("int64", value=Dim(name))
    return type

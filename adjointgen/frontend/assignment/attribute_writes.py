"""Attributes that are set: of an instance that is understood, or of an object that is not.

obj.a = v       a new version of the instance; of another object, the statement as it stands
"""

from __future__ import annotations

import ast
from inspect import getattr_static
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Ref
from adjointgen.frontend.domain.module_tables import (
    Layout,
    Living,
    attribute_of,
    has_values,
    holds_attribute,
    values_of,
)
from adjointgen.frontend.expressions.arithmetic import BINARY, arithmetic
from adjointgen.frontend.expressions.instances import find, is_instance, set_attribute
from adjointgen.frontend.expressions.live_attributes import (
    closure_of,
    descriptor_of,
    is_data_descriptor,
)
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.lent_storage import holes_of_kept, lend, note_change
from adjointgen.frontend.state.live_facts import attribute_key
from adjointgen.frontend.state.module_objects import kind_of, living
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.promoted_attributes import is_set_plainly, promote
from adjointgen.frontend.state.scope_lookup import mangled
from adjointgen.frontend.state.storage_cells import read
from adjointgen.frontend.state.write_checks import check_flags
from adjointgen.ir.nodes import Apply, Const, Value
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import const


def assign_attribute(ctx: Context, target: ast.Attribute, value: Abstract) -> None:
    owner = ctx.expression(target.value)
    ctx.node = target
    put_attribute(ctx, owner, mangled(ctx, target.attr), value, target)


def put_attribute(ctx: Context, owner: Abstract, name: str, value: Abstract, node: ast.AST) -> None:
    """`owner.name = value`."""
    if is_instance(ctx, owner):
        set_attribute(ctx, owner, name, value, node)
    elif isinstance(owner, Class) or not _by_code_of_its_own(ctx, owner, name, value, node):
        store_attribute(ctx, owner, name, value, node)


def _by_code_of_its_own(
    ctx: Context, owner: Abstract, name: str, value: Abstract, node: ast.AST
) -> bool:
    """Whether the class of an object of the module says itself how an attribute is set."""
    setter = special(ctx, owner, "__setattr__")
    if setter is not None:
        inline(ctx, setter, [owner, const(name), value], {}, node)
        return True
    own = living(ctx, owner)
    found = None if own is None else find(type(own.value), name)
    if own is None or found is None:
        return False
    home, held = found
    if type(held) is property:
        made = closure_of(ctx, home, held.fset)
        if made is not None:
            inline(ctx, made, [owner, value], {}, node)
        return made is not None
    put = find(type(held), "__set__")
    made = None if put is None else closure_of(ctx, *put)
    if made is not None:
        inline(ctx, made, [descriptor_of(ctx, owner, own, found, name), owner, value], {}, node)
    return made is not None


def store_attribute(
    ctx: Context, owner: Abstract, name: str, value: Abstract, node: ast.AST
) -> None:
    """The statement as it stands, of an object that the program did not make."""
    if isinstance(owner, Class):
        _check_class(ctx, owner, name, value, node)
    elif read(ctx, owner).type.kind != "object":
        what = f"this sets the attribute {name} of an array"
        ctx.refuse("AG101", what, "make a new array, for instance by reshape", node=node)
    check_flags(ctx, owner, node)
    own = living(ctx, owner)
    done = own is not None and promote(ctx, owner, own, name, value)
    note_write(ctx, owner, name, kind_of(ctx, value))
    if done:
        return
    holes = holes_of_kept(ctx, value)
    code = f"{holes.fill(owner)}.{name} = {holes.fill(value)}"
    lend(ctx, holes.refs)
    options = _keeping(owner, holes)
    if own is not None and _is_sure_to_be_set(own, name):
        options["sets"] = True
    statement(ctx, code, holes.operands, **options)


def _is_sure_to_be_set(own: Living, name: str) -> bool:
    """Whether setting an attribute raises no exception, whatever it is set to."""
    cls = type(own.value)
    own_setter = getattr_static(cls, "__setattr__") is not getattr_static(object, "__setattr__")
    plain = not own_setter and is_set_plainly(cls, name)
    return plain and (has_values(own.value) or holds_attribute(own.value, name))


def _check_class(ctx: Context, owner: Class, name: str, value: Abstract, node: ast.AST) -> None:
    """Refuse to replace a method or property of a class, or to make one of a number."""
    there = getattr_static(owner.type, name, None)
    number = isinstance(there, int | float | complex)
    new = isinstance(value, Const | Value | Ref) and read(ctx, value).type.kind != "object"
    if callable(there) or isinstance(there, property) or (number and not new):
        what = f"this sets {owner.text}.{name}, which the program is made of"
        ctx.refuse("AG101", what, "set it outside of the function", node=node)


def _keeping(owner: Abstract, holes: Holes) -> dict[str, Any]:
    """The options of a statement that puts something into an object, or into a class."""
    return holes.keeping() | ({"outside": (owner.text,)} if isinstance(owner, Class) else {})


def note_write(ctx: Context, owner: Abstract, name: str, kind: Layout | None) -> None:
    """Note that the program writes to an attribute of an object that it did not make."""
    own, facts = living(ctx, owner), ctx.outlines.facts
    if own is not None:
        facts.write(attribute_key(own.value, name), kind)
        if has_values(own.value):
            facts.write_into(vars(own.value), kind, name not in vars(own.value))
    if own is None or (name not in values_of(own.value) and not facts.is_apart(own, name)):
        # A class that holds the attribute is one for all that are below it.
        facts.write_any(name, kind)


def update_attribute(ctx: Context, owner: Abstract, node: ast.AugAssign) -> None:
    """`obj.a op= value` of an object: the old value is read before the new one is computed."""
    assert isinstance(node.target, ast.Attribute)
    name = mangled(ctx, node.target.attr)
    if isinstance(node.op, ast.BitOr):
        # A dict takes up entries; those of an object are its attributes.
        ctx.outlines.facts.write_into_any()
        if name == "__dict__":
            ctx.outlines.facts.write_all()
    if _is_number(ctx, owner, name):
        old = read(ctx, ctx.actions.attribute(ctx, owner, name, ctx.text(node.target)))
        value = ctx.expression(node.value)
        ctx.node = node
        put_attribute(ctx, owner, name, arithmetic(ctx, type(node.op), old, value, node), node)
        return
    if not isinstance(node.value, ast.Constant | ast.Name):
        ctx.refuse("AG101", "this changes an attribute", "use a local variable", node=node)
    holes = Holes(ctx)
    value = ctx.expression(node.value)
    ctx.node = node
    note_change(ctx)
    note_write(ctx, owner, name, None)
    target = f"{holes.fill(owner)}.{name}"
    code = f"{target} {BINARY[type(node.op)][1]}= {holes.fill(value)}"
    statement(ctx, code, holes.operands, **_keeping(owner, holes))


def _is_number(ctx: Context, owner: Abstract, name: str) -> bool:
    """Whether an attribute is a number, or is read and set by code of its class."""
    own = living(ctx, owner)
    if own is None:
        return isinstance(owner, Class)
    found = find(type(own.value), name)
    if found is not None and is_data_descriptor(found[1]):
        return True
    kind = attribute_of(own, name)
    return isinstance(kind, Type) and kind.is_scalar


def of_object(ctx: Context, old: Abstract, op: type[ast.operator], value: Abstract) -> Abstract:
    """`old op= value` of an object, which may change itself."""
    ctx.imports["import operator"] = None
    note_change(ctx)
    holes = Holes(ctx)
    name = f"i{BINARY[op][2].__name__.strip('_')}"
    code = f"operator.{name}({holes.fill(old)}, {holes.fill(value)})"
    return verbatim(ctx, code, holes.operands, changes=(0,), **holes.keeping())


def changes_itself(ctx: Context, value: Value) -> bool:
    """Whether `value op= ...` may change an object: other names for it show that.

    Texts and numbers do not change.
    """
    for stmts in reversed(ctx.blocks):
        for stmt in reversed(stmts):
            if isinstance(stmt, Apply) and value in stmt.results:
                return not _makes_plain(stmt)
    return True


def _makes_plain(stmt: Apply) -> bool:
    """Whether code makes a text or a number."""
    if stmt.option("callee") in _PLAIN:
        return True
    try:
        made = ast.parse(f"({stmt.option('code', '')})", mode="eval").body
    except SyntaxError:
        return False
    return isinstance(made, ast.JoinedStr | ast.Compare) or (
        isinstance(made, ast.Constant) and made.value is not ...
    )


_PLAIN = tuple(f"builtins.{name}" for name in ("str", "int", "float", "bool", "len", "repr"))

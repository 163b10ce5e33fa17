"""Augmented assignment: `x op= v`, `a[i] op= v`, `obj.a op= v`.

The target is looked at first, then the value is evaluated, then the target is set. What is an array
is written in place, wherever it stands; a number is bound anew.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.assignment.attribute_writes import (
    changes_itself,
    of_object,
    update_attribute,
)
from adjointgen.frontend.control.growing_lists import extended, grown, taking
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Ref, Seq, Struct
from adjointgen.frontend.domain.exception_classes import as_kept, may_raise
from adjointgen.frontend.expressions import array_instances
from adjointgen.frontend.expressions.arithmetic import BINARY, arithmetic
from adjointgen.frontend.expressions.instances import is_instance, set_attribute
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.expressions.subscripts import (
    assign_part,
    part,
    writable,
)
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.assignment_shapes import in_place_result
from adjointgen.frontend.state.call_effects import acts
from adjointgen.frontend.state.certain_raise import fails, fails_at
from adjointgen.frontend.state.context import LAYOUT, Context
from adjointgen.frontend.state.held_values import array_in
from adjointgen.frontend.state.index_pattern import (
    Index,
    check_masks,
    index_of,
    joined,
    part_type,
)
from adjointgen.frontend.state.module_objects import note_entry
from adjointgen.frontend.state.scope_lookup import mangled
from adjointgen.frontend.state.storage_cells import (
    content,
    hold,
    in_place,
    read,
    read_ref,
    stored,
    with_storage,
    write,
)
from adjointgen.frontend.state.unify import convert
from adjointgen.frontend.state.write_checks import check_writable
from adjointgen.frontend.state.zero_dim_updates import note_update
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import INTEGER, OBJECT, REAL, Type, promote


def augmented(ctx: Context, node: ast.AugAssign) -> None:
    match node.target:
        case ast.Subscript(value=base, slice=key):
            _update_part(ctx, ctx.expression(base), ctx.expression(key), node)
        case ast.Name(id=name):
            old = ctx.expression(ast.copy_location(ast.Name(name, ast.Load()), node.target))
            if ctx.state.dead:
                return  # The name is not bound: the value is not evaluated.
            value = ctx.expression(node.value)
            ctx.node = node
            new = updated(ctx, old, type(node.op), value, node, name)
            ctx.actions.assign(ctx, node.target, new)
        case ast.Attribute(value=base, attr=name):
            owner = ctx.expression(base)
            known = is_instance(ctx, owner)
            if isinstance(owner, Class) or (not known and read(ctx, owner).type.kind == "object"):
                update_attribute(ctx, owner, node)
                return
            name = mangled(ctx, name)
            old = ctx.actions.attribute(ctx, owner, name, ctx.text(node.target))
            value = ctx.expression(node.value)
            ctx.node = node
            if not is_instance(ctx, owner):
                ctx.refuse("AG101", "this changes an attribute", "use a local variable", node=node)
            new = updated(ctx, old, type(node.op), value, node, name)
            set_attribute(ctx, owner, name, new, node)


def _update_part(ctx: Context, base: Abstract, key: Abstract, node: ast.AugAssign) -> None:
    """`base[key] op= value`: the entry is taken, then the value evaluated, then the entry put."""
    known = content(ctx, base)
    if isinstance(base, Ref | Value) and not isinstance(known, Seq | Struct):
        update_part(ctx, base, key, node)
        return
    old = with_storage(ctx, part(ctx, base, key))
    start = len(ctx.blocks[-1])
    value = ctx.expression(node.value)
    ctx.node = node
    _keep_before(ctx, start, old)
    new = updated(ctx, old, type(node.op), value, node, "")
    if isinstance(known, Seq) and known.kind == "tuple" and not ctx.state.dead:
        fails(ctx, "TypeError", "'tuple' object does not support item assignment")
    if not ctx.state.dead:
        assign_part(ctx, base, key, new, node)


def updated(
    ctx: Context, old: Abstract, op: type[ast.operator], value: Abstract, node: ast.AST, name: str
) -> Abstract:
    """`old op= value`; an object may change, and with it what it is a view of."""
    unknown = old if isinstance(old, Value) and old.type == OBJECT else None
    if unknown is not None and op is ast.BitOr:
        note_entry(ctx, unknown, None)
    if unknown is not None and (ctx.outlines.primal or changes_itself(ctx, unknown)):
        return hold(ctx, of_object(ctx, old, op, value), name)
    if isinstance(old, Ref) and not old.steps and _is_object(ctx, old):
        # A list or dict of which no more is known than what the program leaves in it.
        made = of_object(ctx, old, op, value)
        if _is_array(ctx, value):
            return hold(ctx, made, name)
        assert isinstance(made, Value)
        write(ctx, old, made)
        return old
    return _of_known(ctx, old, op, value, node, name)


def _in_array(
    ctx: Context, old: Abstract, op: type[ast.operator], value: Abstract, node: ast.AST, name: str
) -> Abstract:
    """`v op= value` of an instance: of a class derived from NumPy's array, its entries change."""
    array = array_in(ctx, old)
    if array is None:
        return hold(ctx, arithmetic(ctx, op, old, value, node), name)
    changed = isinstance(array, Ref) and array == _of_known(
        ctx, array, op, array_instances.plain(ctx, value), node, ""
    )
    if not changed:
        what = "this is no array whose entries change"
        ctx.unlike("AG101", what, "bind a new one: v = v + ...", node=node)
    return old


def _of_known(
    ctx: Context, old: Abstract, op: type[ast.operator], value: Abstract, node: ast.AST, name: str
) -> Abstract:
    """`old op= value`: an array is written in place, a number is bound anew."""
    if is_instance(ctx, old):
        own = special(ctx, old, f"__i{BINARY[op][2].__name__.strip('_')}__")
        if own is not None:
            return inline(ctx, own, [old, value], {}, node)
        return _in_array(ctx, old, op, value, node, name)
    value = array_instances.plain(ctx, value) if _is_array(ctx, old) else value
    if isinstance(old, Ref) and op is ast.BitOr and _united(ctx, old, value, node):
        return old
    if isinstance(old, Ref) and ctx.actions.set_updated(ctx, old, op, value):
        return old
    if _is_list(ctx, old) and _is_array(ctx, value):
        # NumPy is asked before the list is lengthened, and makes an array.
        return hold(ctx, arithmetic(ctx, op, old, value, node), name)
    if isinstance(old, Ref) and _lengthened(ctx, old, op, value, node):
        return old
    new = arithmetic(ctx, op, old, value, node)
    note_update(ctx, old)
    if isinstance(old, Ref):
        before, operand = _held(ctx, old, node), read(ctx, new)
        if before.type.kind != "list":
            _change_entries(ctx, old, before, op, read(ctx, value), operand, node)
            return old
        # Only `+` and `*` are a list's own: any other gives NumPy's array.
        if op is ast.Add or operand.type.kind != "array":
            ctx.unlike("AG106", "a list grows here", "use an array of the final length", node=node)
    return hold(ctx, new, name)


def _change_entries(
    ctx: Context,
    old: Ref,
    before: Operand,
    op: type[ast.operator],
    value: Operand,
    operand: Operand,
    node: ast.AST,
) -> None:
    """The entries of an array become those of the result, in the dtype of the array."""
    changed = in_place_result(ctx, BINARY[op][1], before, value, operand)
    if changed is None:
        return
    ctx.updates.update(filter(None, [ctx.span(node)]))
    new = convert(ctx, changed, changed.type.with_dtype(before.type.dtype))
    if _may_widen(before, value):
        write(ctx, old, ctx.apply("store", before, new, index="...", in_place=True))
    else:
        write(ctx, old, in_place(ctx, before, new))


def _may_widen(array: Operand, number: Operand) -> bool:
    """Whether an operation with a number has a wider dtype than the array, if it is NumPy's."""
    wider = promote(array.type.dtype, number.type.dtype) != array.type.dtype
    return wider and number.type.is_scalar and isinstance(number, Value) and array.type.is_array


def _united(ctx: Context, old: Ref, value: Abstract, node: ast.AST) -> bool:
    """`old |= value` of a dict; whether it is one."""
    if not isinstance(content(ctx, old), Struct):
        return False
    union = content(ctx, arithmetic(ctx, ast.BitOr, old, value, node))
    if isinstance(union, Struct):
        write(ctx, old, union)
    return isinstance(union, Struct)


def _is_object(ctx: Context, ref: Ref) -> bool:
    held = ctx.state.cells[ref.cell]
    return isinstance(held, Value) and held.type == OBJECT


def _is_list(ctx: Context, value: Abstract) -> bool:
    known = content(ctx, value)
    if isinstance(known, Seq):
        return known.kind == "list"
    return isinstance(value, Ref) and read(ctx, value).type.kind == "list"


def _is_array(ctx: Context, value: Abstract) -> bool:
    known = content(ctx, value)
    return isinstance(known, Ref | Value) and read(ctx, known).type.kind == "array"


def _held(ctx: Context, old: Ref, node: ast.AST) -> Operand:
    """What is updated; refused where it may be a number, which is bound anew, or a view."""
    before = read(ctx, old)
    if before.type.rank is None and ctx.state.tangled.get(old.cell) == LAYOUT:
        what = "whether this is a number or a view is known only at run time"
        ctx.unlike("AG110", what, "write `name = name + ...`", node=node)
    return before


def _lengthened(
    ctx: Context, old: Ref, op: type[ast.operator], value: Abstract, node: ast.AST
) -> bool:
    """`old += value`, `old *= value` of a list; whether it is one. It has no others of its own."""
    known, added = content(ctx, old), content(ctx, value)
    if isinstance(known, Seq) and known.kind == "list" and op in (ast.Add, ast.Mult):
        items = Seq(added.items, "list") if isinstance(added, Seq) and op is ast.Add else added
        new = arithmetic(ctx, op, known, items, node)
        if isinstance(new, Seq) or (isinstance(new, Value) and new.type.kind == "list"):
            write(ctx, old, new)
            return True
        ctx.unlike("AG106", "a list is changed by what is not known", "make a new list", node=node)
    if op is ast.Add and grown(ctx, old) is not None:
        more = entries(ctx, value)
        return extended(ctx, old, value if more is None else Seq(more, "list")) is not None
    return False


def update_part(ctx: Context, base: Ref | Value, key: Abstract, node: ast.AugAssign) -> None:
    """`base[key] op= value` of what is no list or dict whose entries are known.

    Adding to elements is `accumulate`, whose adjoint only reads; the same element named twice in a
    fancy index is added to once, which is `store`. The value may be that of a call which writes to
    the array: a view shows that, and a number or copy that was taken before does not.
    """
    op = type(node.op)
    if fails_at(ctx, base, key):
        return
    if isinstance(base, Value) and base.type.is_scalar:
        base = writable(ctx, base, node)
    if not isinstance(base, Ref) or read(ctx, base).type.kind == "object":
        _update_entry(ctx, base, key, node)
        return
    ref, index = joined(ctx, stored(base), index_of(ctx, key))
    check_writable(ctx, ref)
    before, start = read_ref(ctx, ref), len(ctx.blocks[-1])
    new = read(ctx, ctx.expression(node.value))
    ctx.node = node
    _look_first(ctx, start, before, index)
    array = read_ref(ctx, ref)
    held = part_type(before.type, index)
    kept = array == before or not (index.fancy or held.is_scalar)
    write_op, changed = "accumulate", new
    adds = kept and not index.fancy and _adds(array.type, held, new.type)
    if op is not ast.Add or not adds:
        old = _looked_up(ctx, None if kept else start, array if kept else before, index)
        changed = read(ctx, arithmetic(ctx, op, old, new, node))
        entries = in_place_result(ctx, BINARY[op][1], old, new, changed)
        if entries is None:
            return
        write_op, changed = "store", entries
        if array.type.kind == "list":
            array = taking(ctx, array, index.pattern, changed, changed)
    write(ctx, ref, ctx.apply(write_op, array, changed, *index.operands, index=index.pattern))


def _update_entry(ctx: Context, base: Abstract, key: Abstract, node: ast.AugAssign) -> None:
    """The same of an object, which may hold arrays."""
    old = with_storage(ctx, part(ctx, base, key))
    value = ctx.expression(node.value)
    ctx.node = node
    array = isinstance(old, Ref) and _is_array(ctx, old)
    result: Abstract
    if array:
        result = updated(ctx, old, type(node.op), value, node, "")
    else:
        result = arithmetic(ctx, type(node.op), old, value, node)
    assign_part(ctx, base, key, result, node)


def _keep_before(ctx: Context, start: int, old: Abstract) -> None:
    """What looked up an entry stays before the statements of a value that acts."""
    stmts, functions = ctx.blocks[-1], ctx.outlines.functions()
    if any(acts(stmt, functions) for stmt in stmts[start:]):
        for k, stmt in enumerate(stmts[:start]):
            if isinstance(stmt, Apply) and old in stmt.results and may_raise(stmt):
                stmts[k] = as_kept(stmt)


def _looked_up(ctx: Context, start: int | None, array: Operand, index: Index) -> Value:
    """What stands at a place; read before the statements of a call that writes there."""
    with ctx.block(ctx.state.fork()) as stmts:
        old = ctx.apply("load", array, *index.operands, index=index.pattern)
    place = len(ctx.blocks[-1]) if start is None else start
    ctx.blocks[-1][place:place] = stmts
    return old


def _look_first(ctx: Context, start: int, array: Operand, index: Index) -> None:
    """The element is read before a value that acts: if there is none, the value does not act."""
    check_masks(ctx, array.type, index)
    functions = ctx.outlines.functions()
    if not any(acts(stmt, functions) for stmt in ctx.blocks[-1][start:]):
        return
    with ctx.block(ctx.state.fork()) as stmts:
        ctx.apply("load", array, *index.operands, index=index.pattern)
    looks_up = [as_kept(s) for s in stmts if isinstance(s, Apply) and may_raise(s)]
    ctx.blocks[-1][start:start] = looks_up


def _adds(array: Type, part: Type, value: Type) -> bool:
    """Whether adding keeps the array's dtype, so that nothing is cut off, and its shape."""
    if value.rank is not None and part.rank is not None and value.rank > part.rank:
        return False
    if array.dtype in REAL:
        return value.dtype in (*REAL, *INTEGER)
    return value.dtype == array.dtype or (array.dtype not in INTEGER and value.kind != "object")


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {ast.AugAssign: augmented}

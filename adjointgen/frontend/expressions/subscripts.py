"""Elements and parts: `x[i]`, `A[1:, j]`, `x[mask]`, read, written, and added to.

What stands between the brackets becomes a pattern, in which `_` stands for the next operand. An
index of integers and slices gives a view, one with arrays or masks a copy, as in NumPy; `A[i][j]`
of an array is `A[i, j]`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.calls.running_function import own_name
from adjointgen.frontend.control.growing_lists import taking
from adjointgen.frontend.control.row_lists import is_rows, row_at, rows_part
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Functions,
    Module,
    Named,
    Outside,
    Range,
    Ref,
    Seq,
    SliceOf,
    Struct,
    Zipped,
    is_one_by_one,
    kind_of,
)
from adjointgen.frontend.expressions import array_instances
from adjointgen.frontend.expressions.arithmetic import static_items
from adjointgen.frontend.expressions.array_joins import grid_type, side_by_side
from adjointgen.frontend.expressions.grid_indices import grid_key
from adjointgen.frontend.expressions.indexed_shapes import indexed
from adjointgen.frontend.expressions.known_parts import (
    chosen,
    known_part,
    number_of,
    numbers_only,
    stacked,
)
from adjointgen.frontend.expressions.own_values import own_attribute
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.expressions.truth_indices import as_place
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state import module_objects, ranges, strings
from adjointgen.frontend.state.assignment_shapes import fitted
from adjointgen.frontend.state.certain_raise import fails, fails_at, fails_in, is_outranked
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import expression as as_written
from adjointgen.frontend.state.held_values import array_in, held_in
from adjointgen.frontend.state.index_pattern import (
    Index,
    check_masks,
    index_of,
    joined,
    part_type,
)
from adjointgen.frontend.state.lent_storage import holes_of_kept, lend, note_change
from adjointgen.frontend.state.passthrough import Holes, statement
from adjointgen.frontend.state.sequential_copies import check_copy
from adjointgen.frontend.state.set_order import SETS
from adjointgen.frontend.state.snapshots import restore, snapshot
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import (
    content,
    hold,
    new_cell,
    perhaps,
    read,
    read_ref,
    stored,
    view,
    with_storage,
    write,
)
from adjointgen.frontend.state.structure_operands import from_table
from adjointgen.frontend.state.write_checks import check_flags, check_writable
from adjointgen.frontend.state.zero_dim_updates import note_update
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import OBJECT
from adjointgen.rules.framework.builder import const

JOINS = ("numpy.r_", "numpy.c_")
KEYS = ("numpy.s_", "numpy.index_exp")


def subscript(ctx: Context, node: ast.Subscript) -> Abstract:
    if (own := own_attribute(ctx, node) or own_name(ctx, node)) is not None:
        return own
    base = indexed(ctx, node)
    spelling = getattr(base, "spelling", "")
    if spelling in JOINS:
        before = snapshot(ctx)
        if (made := side_by_side(ctx, node, spelling)) is not None:
            return made
        restore(ctx, before)
    if isinstance(base, Named | Module) and spelling not in KEYS:
        return as_written(ctx, node, grid_type(node, spelling))
    key = grid_key(ctx, node.slice) or ctx.expression(node.slice)
    ctx.node = node
    if is_one_by_one(content(ctx, base)) or (isinstance(base, Zipped) and not base.listed):
        return fails(ctx, "TypeError", f"'{kind_of(base)}' object is not subscriptable")
    # `np.s_[...]` is the index itself.
    return key if isinstance(base, Named | Module) else part(ctx, base, key)


def _base(ctx: Context, base: Abstract) -> Abstract:
    """What is indexed: an array of the module with storage, the list that an instance is."""
    base = with_storage(ctx, base) if getattr(base, "type", OBJECT).kind == "array" else base
    inner = held_in(ctx, base)
    return base if inner is None or special(ctx, base, "__getitem__") is not None else inner


def part(ctx: Context, base: Abstract, key: Abstract) -> Abstract:
    """`base[key]`."""
    if (array := array_in(ctx, base)) is not None and special(ctx, base, "__getitem__") is None:
        node = ctx.node or ast.Pass()
        inner = part(ctx, array, array_instances.plain(ctx, key))
        return array_instances.part_of(ctx, base, inner, node)
    base = _base(ctx, base)
    known, key = content(ctx, base), as_place(ctx, base, key)
    if is_rows(known):
        return rows_part(ctx, known, key, part)
    if isinstance(known, Struct):
        return ctx.actions.entry(ctx, base, known, key)
    if isinstance(known, Seq) and known.kind in SETS:
        return fails(ctx, "TypeError", f"'{known.kind}' object is not subscriptable")
    if isinstance(known, Seq) and (found := _of_known(ctx, base, known, key)) is not None:
        return found
    if isinstance(known, Functions):
        return chosen(ctx, known, key)
    if (followed := _of_object(ctx, base, known, key)) is not None:
        return followed
    array = read(ctx, base)
    if array.type.kind == "object":
        return _object_part(ctx, array, key)
    if isinstance(base, Const) and fails_at(ctx, base, key):
        return const(0.0)
    return _of_array(ctx, base, array, key)


def _of_known(ctx: Context, base: Abstract, known: Seq, key: Abstract) -> Abstract | None:
    """A part of a list or tuple whose entries are known; None where it is read as an array."""
    found = known_part(ctx, known, key) or stacked(ctx, known, key)
    if found is not None:
        return found
    if isinstance(key, Value | Const) and key.type.is_scalar and key.type.is_differentiable:
        # Lists refuse what is no whole number in another way than arrays.
        return fails_in(ctx, "[][_0_]" if known.kind == "list" else "()[_0_]", key)
    if isinstance(key, SliceOf):
        return _slice_of_known(ctx, known, key)
    numbers_only(ctx, known)
    if isinstance(key, Value) and key.type.is_scalar and _are_ints(known):
        # An entry is one of Python's ints, and no number of NumPy's.
        return _picked(ctx, base, ctx.actions.list_of(ctx, known, None), index_of(ctx, key))
    return None


def _of_array(ctx: Context, base: Abstract, array: Operand, key: Abstract) -> Abstract:
    """Entries of an array, or of a list of numbers: a view where NumPy makes one."""
    index = index_of(ctx, key)
    check_masks(ctx, array.type, index)
    if is_outranked(ctx, base, array.type, index):
        return const(0.0)
    type = part_type(array.type, index)
    base = base if isinstance(base, Ref) else with_storage(ctx, array, base)
    if index.fancy or type.is_scalar or type.kind == "list" or not isinstance(base, Ref):
        return _picked(ctx, base, array, index)
    base, index = joined(ctx, base, index)
    # An entry of what has no known rank is a number, which sees no write, or a row, which does.
    certain = array.type.rank is not None or ":" in index.pattern or "..." in index.pattern
    return view(ctx, base, "load", *index.operands, certain=certain, index=index.pattern)


def _of_object(ctx: Context, base: Abstract, known: Abstract, key: Abstract) -> Abstract | None:
    """What an object of the module gives, by its own code or what is in it now; a range, a text."""
    if isinstance(known, Range):
        return ranges.part(ctx, known, key)
    if (cut := strings.part(ctx, known, key)) is not None:
        return cut
    if (method := special(ctx, base, "__getitem__")) is not None:
        return inline(ctx, method, [base, key], {}, ctx.node or ast.Pass())
    return module_objects.entry(ctx, known, key)


def _picked(ctx: Context, base: Abstract, array: Operand, index: Index) -> Abstract:
    """Entries, as a copy; a view if an index of which nothing is known turns out to be a slice."""
    entries = ctx.apply("load", array, *index.operands, index=index.pattern)
    if isinstance(known := content(ctx, base), Seq):
        ctx.narrow.meet(entries, *(read(ctx, item) for item in known.items))
    unknown = array.type.kind == "array" and any(o.type == OBJECT for o in index.operands)
    return perhaps(ctx, entries, [base]) if unknown else entries


def _slice_of_known(ctx: Context, seq: Seq, key: SliceOf) -> Abstract:
    """A slice whose bounds the run knows: a list of numbers is sliced then.

    A slice of a tuple is a tuple, so its bounds have to be known.
    """
    whole = ctx.actions.list_of(ctx, seq, None) if _are_numbers(seq) else None
    if whole is not None and whole.type.kind == "list":
        return _picked(ctx, whole, whole, index_of(ctx, key))
    bounds = [
        None if b is None else static(ctx, b, "slice") for b in (key.lower, key.upper, key.step)
    ]
    return Seq(seq.items[slice(*bounds)], seq.kind)


def _are_numbers(seq: Seq) -> bool:
    numbers = (isinstance(item, Value | Const) and item.type.is_scalar for item in seq.items)
    return seq.kind == "list" and all(numbers)


def _are_ints(seq: Seq) -> bool:
    return all(isinstance(i, Const) and isinstance(i.value, int) for i in seq.items)


def _object_part(ctx: Context, base: Operand, key: Abstract) -> Abstract:
    holes = Holes(ctx)
    text = f"{holes.fill(base)}[{holes.fill(key)}]"
    known = slice(None) if isinstance(key, SliceOf) else getattr(key, "value", None)
    sure = module_objects.holds(ctx, base, key) is True
    return from_table(ctx, base, text, holes.operands, known, sure)


def assign_part(
    ctx: Context, base: Abstract, key: Abstract, value: Abstract, node: ast.AST
) -> None:
    """`base[key] = value`."""
    if (inner := held_in(ctx, base)) is not None and special(ctx, base, "__setitem__") is None:
        base, key = inner, array_instances.plain(ctx, key)
    known, key = content(ctx, base), as_place(ctx, base, key)
    if isinstance(known, Ref) and isinstance(key, SliceOf):
        known = ctx.actions.listed(ctx, base)
    if is_rows(known):
        for column, one in row_at(ctx, known, value, key):
            assign_part(ctx, column, key, one, node)
        return
    if isinstance(known, Struct):
        ctx.actions.set_entry(ctx, base, known, key, value, node)
        return
    if isinstance(known, Seq):
        if _is_set(ctx, base, known, key, value):
            return
        assert isinstance(base, Ref)
        # It becomes one value, to be indexed at run time.
        ctx.state.cells[base.cell] = ctx.actions.list_of(ctx, known, None)
    if (method := special(ctx, base, "__setitem__")) is not None:
        inline(ctx, method, [base, key, value], {}, node)
        return
    array = read(ctx, base)
    if array.type.kind == "object":
        _assign_in_object(ctx, base, key, value)
        return
    if fails_at(ctx, base, key, " = {}", value):
        return
    _store(ctx, base, key, value, node)


def _store(ctx: Context, base: Abstract, key: Abstract, value: Abstract, node: ast.AST) -> None:
    """The same of an array, or of a list of numbers."""
    ref = stored(writable(ctx, base, node))
    index = index_of(ctx, key)
    check_masks(ctx, read_ref(ctx, ref).type, index)
    new = read(ctx, array_instances.plain(ctx, value))
    if is_outranked(ctx, base, read_ref(ctx, ref).type, index, new):
        return
    ref, index = joined(ctx, ref, index)
    check_writable(ctx, ref)
    ctx.node = node
    held = read_ref(ctx, ref)
    if held.type.kind == "list":
        held = taking(ctx, held, index.pattern, value, new)
    else:
        part = part_type(held.type, index)
        check_copy(ctx, ref, index, part, value)
        new = fitted(ctx, new, part, index.operands)
    version = ctx.apply("store", held, new, *index.operands, index=index.pattern)
    write(ctx, ref, version)


def _is_set(ctx: Context, base: Abstract, known: Seq, key: Abstract, value: Abstract) -> bool:
    """Set an entry of a list of known entries, if which one is known, or there is none.

    Tuples and sets take none.
    """
    if known.kind != "list":
        fails(ctx, "TypeError", f"'{known.kind}' object does not support item assignment")
        return True
    assert isinstance(base, Ref)
    if isinstance(key, Const | SliceOf) and _set_known(ctx, base, known, key, value):
        return True
    if not known.items and not isinstance(key, SliceOf):
        fails(ctx, "IndexError", "list assignment index out of range")
        return True
    numbers_only(ctx, known)
    return False


def _set_known(ctx: Context, base: Ref, known: Seq, key: Const | SliceOf, value: Abstract) -> bool:
    """An entry or slice of a list, where the index is known; false where it is not."""
    if known_part(ctx, known, key) is None:
        return False
    items = list(known.items)
    if isinstance(key, SliceOf):
        more = static_items(ctx, value)
        if more is None:
            ctx.unlike("AG106", "how many entries this sets is not known", "set them one by one")
        try:
            items[slice(*map(number_of, (key.lower, key.upper, key.step)))] = more
        except ValueError as error:
            ctx.refuse("AG107", str(error), "set as many entries as there are")
    else:
        assert isinstance(key.value, int)
        items[key.value] = hold(ctx, value, "")
    write(ctx, base, Seq(tuple(items), "list"))
    return True


def _assign_in_object(ctx: Context, base: Abstract, key: Abstract, value: Abstract) -> None:
    check_flags(ctx, base, ctx.node)
    note_change(ctx)
    holes = holes_of_kept(ctx, value)
    text = f"{holes.fill(base)}[{holes.fill(key)}] = {holes.fill(value)}"
    known = module_objects.note_entry(ctx, base, module_objects.kind_of(ctx, value), key)
    lend(ctx, holes.refs)
    # A list or dict of the module is no view of an array.
    how: dict[str, Any] = {"changes" if known else "into": (0,)}
    statement(ctx, text, holes.operands, **how, **holes.keeping())


def writable(ctx: Context, base: Abstract, node: ast.AST) -> Ref:
    match base:
        case Ref():
            return base
        case Outside(text=text):
            return ctx.refuse(
                "AG131",
                f"this writes into {text}, which belongs to the module",
                node=node,
                help="pass the array as an argument",
            )
        case Seq(kind="tuple"):
            return ctx.refuse("AG107", "a tuple cannot be written to", "use a list", node=node)
    if isinstance(base, Value) and base.type.is_scalar and (named := _unshared(ctx, base)):
        return named
    # An array without a name: the write is seen by no one, but it may fail, so it is made.
    held = hold(ctx, base, "")
    if not isinstance(held, Ref):
        ctx.refuse("AG107", "a number has no elements to write to", "use an array", node=node)
    return held


def _unshared(ctx: Context, number: Value) -> Ref | None:
    """The one name of a number as that of an array without axes: what NumPy's functions give."""
    keys = [key for key, value in ctx.state.names.items() if value == number]
    wholes = (held for held in ctx.state.cells.values() if isinstance(held, Seq | Struct))
    if len(keys) != 1 or any(number in held.items for held in wholes):
        return None
    note_update(ctx, number)
    ref = new_cell(ctx, ctx.apply("asarray", number), number.root)
    ctx.state.names[keys[0]] = ref
    return ref


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {ast.Subscript: subscript}

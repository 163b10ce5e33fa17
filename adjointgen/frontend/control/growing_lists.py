"""Lists that grow in a loop, or on one path and not on another.

Where every iteration appends once, the length is that of the loop, and the list is a value of fixed
shape, like an array:

    y = []                          y = [0.0] * n
    for x in xs: ...; y.append(v)   for k, x in enumerate(xs): ...; y[k] = v

Any other list whose entries are no longer known one by one is a value of a length that is known at
run time: of numbers, or of arrays of one rank that nothing else holds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from adjointgen.frontend.control.list_watchers import is_watched
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.domain.narrower_dtypes import EMPTY
from adjointgen.frontend.source.name_liveness import Facts
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.reachability import reachable
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import (
    content,
    new_cell,
    read,
    shown_type,
    write,
)
from adjointgen.frontend.state.unify import widened
from adjointgen.frontend.state.write_checks import check_writable
from adjointgen.frontend.state.zero_dim_updates import note_entry
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import INTEGER, Type, entry_type, list_type, promote
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import const


def grown(ctx: Context, value: Abstract) -> Value | None:
    """What a list holds whose entries are not known one by one."""
    held = ctx.state.cells[value.cell] if isinstance(value, Ref) and not value.steps else None
    return held if isinstance(held, Value) and held.type.kind == "list" else None


def push(
    ctx: Context, owner: Abstract, values: Iterable[Abstract], node: ast.AST | None
) -> Abstract:
    """`owner.append(value)` of each."""
    assert isinstance(owner, Ref)
    check_writable(ctx, owner)
    for value in values:
        held, new = read(ctx, owner), read(ctx, value)
        if list_type([entry_type(held.type), new.type]) is None or _is_shared(ctx, value, new):
            ctx.unlike(
                "AG106",
                f"{ctx.info[owner.cell].root or 'a list'} of {held.type} gets {new.type}",
                "let all entries be numbers, or arrays that are new: values.append(x.copy())",
                node=node,
            )
        note_entry(ctx, new)
        ctx.narrow.put(held, new)
        dtype = promote(held.type.dtype, new.type.dtype)
        held = widened(ctx, held, held.type.with_dtype(dtype))
        write(ctx, owner, ctx.apply("push", held, new))
    return const(None)


def as_list(ctx: Context, value: Abstract, like: Type | None = None) -> Operand | None:
    """A list of numbers or arrays as a value; an empty one is like another. None for others."""
    known = content(ctx, value)
    if isinstance(known, Seq) and known.kind == "list":
        type = list_type([shown_type(ctx, ctx.state, item) for item in known.items]) or like
        return None if type is None else grown_list(ctx, known, type)
    return read(ctx, known) if _is_list(ctx, known) else None


def on_lists(ctx: Context, op: str, left: Abstract, right: Abstract) -> Value | None:
    """`a + b` and `a * n` of lists of which one is not known entry by entry."""
    mine, other = _is_list(ctx, left), _is_list(ctx, right)
    if op == "add" and mine and other:
        one = as_list(ctx, left, shown_type(ctx, ctx.state, content(ctx, right)))
        two = as_list(ctx, right, one.type) if one is not None else None
        return None if one is None or two is None else ctx.apply("chain", one, two)
    if op == "mul" and mine != other:
        listed, count = (left, right) if mine else (right, left)
        number = shown_type(ctx, ctx.state, count)
        whole = as_list(ctx, listed) if number.is_scalar and number.dtype in INTEGER else None
        if whole is not None and whole.type.rank == 1:
            return ctx.apply("tile_list", whole, read(ctx, count))
        if number.is_scalar and number.dtype in INTEGER:
            # An array times a number would be another thing.
            static(ctx, count, "the number of repetitions")
            ctx.unlike("AG106", "a list of lists is repeated", "use np.tile of an array")
    return None


def _is_list(ctx: Context, value: Abstract) -> bool:
    known = content(ctx, value)
    if isinstance(known, Seq):
        return known.kind == "list"
    return shown_type(ctx, ctx.state, known).kind == "list"


def extended(ctx: Context, owner: Ref, more: Abstract) -> Abstract | None:
    """`owner.extend(more)`."""
    if isinstance(known := content(ctx, more), Seq):
        return push(ctx, owner, known.items, ctx.node)
    check_writable(ctx, owner)
    added = as_list(ctx, more)
    if added is None or added.type.rank != 1:
        return None
    write(ctx, owner, ctx.apply("chain", read(ctx, owner), added))
    return const(None)


def pull(ctx: Context, owner: Ref, position: int) -> Abstract | None:
    """`owner.pop(position)`."""
    check_writable(ctx, owner)
    held = read(ctx, owner)
    taken = ctx.apply("load", held, index=str(position))
    kept: Abstract = taken
    if taken.type.is_array:
        # Another list may hold it, too.
        kept = new_cell(ctx, taken, "")
        ctx.shown.add(kept.cell)
    if position == -1:
        write(ctx, owner, ctx.apply("drop", held))
        return kept
    rest = ctx.apply("load", held, index=f"{position + 1}:")
    if position:
        rest = ctx.apply("chain", ctx.apply("load", held, index=f":{position}"), rest)
    write(ctx, owner, rest)
    return kept


def put(ctx: Context, owner: Ref, position: int, value: Abstract) -> Abstract | None:
    """`owner.insert(position, value)`."""
    check_writable(ctx, owner)
    held, new = read(ctx, owner), as_list(ctx, Seq((value,), "list"))
    if new is None or new.type.rank != held.type.rank:
        return None
    made = ctx.apply("chain", new, ctx.apply("load", held, index=f"{position or ''}:"))
    if position:
        made = ctx.apply("chain", ctx.apply("load", held, index=f":{position}"), made)
    write(ctx, owner, made)
    return const(None)


def reordered(ctx: Context, owner: Ref, sort: bool, back: bool) -> Abstract | None:
    """`owner.sort()` or `owner.reverse()`."""
    check_writable(ctx, owner)
    made: Operand = read(ctx, owner)
    if sort:
        if made.type.rank != 1:
            return None
        made = ctx.apply("tolist", ctx.apply("sort", made))
    write(ctx, owner, ctx.apply("load", made, index="::-1") if back else made)
    return const(None)


def emptied(ctx: Context, owner: Ref) -> Abstract:
    """`owner.clear()`."""
    check_writable(ctx, owner)
    write(ctx, owner, grown_list(ctx, Seq((), "list"), read(ctx, owner).type))
    return const(None)


def grown_list(ctx: Context, seq: Seq, type: Type) -> Operand:
    """A list of known entries as a value of this type."""
    items = [read(ctx, item) for item in seq.items]
    if any(_is_shared(ctx, *pair, seq) for pair in zip(seq.items, items, strict=True)):
        ctx.unlike(
            "AG106",
            "a list of arrays grows",
            "let all entries be numbers, or start with an empty list, and append x.copy()",
        )
    if not items:
        empty = ctx.apply("list_of", dtype=type.dtype, rank=(type.rank or 1) - 1)
        ctx.narrow.note(empty, EMPTY)
        return empty
    for item in items:
        note_entry(ctx, item)
    ctx.narrow.mixes |= len({item.type.dtype for item in items}) > 1
    made = ctx.apply("list_of", *items)
    return widened(ctx, made, made.type.with_dtype(type.dtype))


def taking(ctx: Context, held: Operand, index: str, value: Abstract, new: Operand) -> Operand:
    """A list before it gets another entry in the place of one."""
    if ":" in index:
        ctx.unlike("AG106", "how many entries this list has then is not known", "use an array")
    note_entry(ctx, new)
    if _is_shared(ctx, value, new):
        ctx.unlike("AG106", f"a list gets {new.type}, which has another name", "put in x.copy()")
    if not new.type.is_scalar:
        return held
    ctx.narrow.put(held, new)
    # A list takes what it gets: one of integers holds floats from then on.
    return widened(ctx, held, held.type.with_dtype(promote(held.type.dtype, new.type.dtype)))


def _is_shared(ctx: Context, value: Abstract, operand: Operand, known: Seq | None = None) -> bool:
    """Whether an entry is an array that has, or may have, another name; `known` is its list."""
    if not operand.type.is_array:
        return False
    if isinstance(value, Ref):
        cells = {cell: held for cell, held in ctx.state.cells.items() if held is not known}
        return value.cell in reachable(ctx.state.names.values(), cells)
    applied = (stmt for stmt in reversed(ctx.blocks[-1]) if isinstance(stmt, Apply))
    made = next((stmt for stmt in applied if operand in stmt.results), None)
    return made is None or made.op in ("verbatim", "select") or bool(TABLE[made.op].alias)


def growing(ctx: Context, node: ast.For, facts: Facts, over: Abstract) -> list[Ref]:
    """The empty lists that the body appends to once, whatever it does, and that it sees no more of.

    What the loop runs `over` is evaluated at each entry, too.
    """
    found: list[Ref] = []
    for stmt in node.body:
        match stmt:
            case ast.Expr(ast.Call(func=ast.Attribute(ast.Name(id=name), "append"), args=[_])):
                ref = ctx.get(name)
                uses = [n for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name)]
                once = sum(n.id == name for n in uses) == 1
                empty = isinstance(ref, Ref) and content(ctx, ref) == Seq((), "list")
                if isinstance(ref, Ref) and empty and once:
                    found += [] if is_watched(ctx, name, node, over) else [ref]
    # One list may have two names.
    return [] if facts.jumps else [ref for ref in found if found.count(ref) == 1]


def prepare(
    ctx: Context, lists: list[Ref], number: Operand, body: Callable[[], object], node: ast.AST
) -> list[int]:
    """Give the lists their final length: their cells, but for those that hold other things.

    What they hold is found by lowering the body once.
    """
    ctx.growing |= dict.fromkeys(ref.cell for ref in lists)
    with ctx.block(ctx.state.fork()):
        body()
    ready: list[int] = []
    for ref in lists:
        del ctx.growing[ref.cell]
        element = ctx.grown.pop(ref.cell, None)
        if element is not None and element.is_scalar:
            write(ctx, ref, filled(ctx, element, number))
            ready.append(ref.cell)
    ctx.node = node
    return ready


def filled(ctx: Context, element: Type, number: Operand) -> Value:
    """A list of zeros, to be written over."""
    zero = {"int64": 0, "bool": False, "complex128": 0j}.get(element.dtype, 0.0)
    made = ctx.apply("tile_list", ctx.apply("list_of", const(zero)), number)
    ctx.narrow.note(made, EMPTY)
    return made

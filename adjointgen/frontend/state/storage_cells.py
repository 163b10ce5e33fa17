"""Storage cells: reading what a name shows, and writing through a view into its base.

A view is a lens on its base. With `v = y[i]` a write through `v` is

    v_1 = load(y_1, i);  v_2 = store(v_1, ...);  y_2 = store(y_1, v_2, i)

and reading is `get` of the base's version at that time; the put-get law makes `v_2` what `v` shows
of `y_2`, so it need not be read again. The index operands are those of the moment the view was
made. (Foster et al. 2007, "Combinators for bidirectional tree transformations".)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn

from adjointgen.frontend.domain.abstract_values import (
    ITERATOR,
    VIEWS,
    Abstract,
    Class,
    Generator,
    Lazy,
    Method,
    Module,
    Named,
    Outside,
    Ref,
    Seq,
    Step,
    Struct,
    Whole,
    Zipped,
    is_iterator,
    is_maybe,
    iterator,
)
from adjointgen.frontend.domain.constants import key_value
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.domain.structures import Changed
from adjointgen.frontend.domain.trial_calls import always_fails
from adjointgen.frontend.state.context import LAYOUT, Context
from adjointgen.frontend.state.foreign_views import is_foreign_view
from adjointgen.frontend.state.made_in_order import is_made_in_order
from adjointgen.frontend.state.program_state import Cell, State, tangle
from adjointgen.frontend.state.published import publish
from adjointgen.frontend.state.shared_defaults import check_kept
from adjointgen.frontend.state.view_lenses import put
from adjointgen.frontend.state.write_checks import check_writable, is_list
from adjointgen.ir.nodes import WRITES, Apply, Const, Operand, Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.records import replace
from adjointgen.rules.arrays.index_bounds import has_too_many
from adjointgen.rules.framework.table import TABLE

HELD_BY = "held by an object"
"""Under which `Context.memo` says what an array belongs to that was read of the module."""

CHANGES = ("changes a structure of the caller's",)
"""Under which `Context.memo` says that the program changes one of these."""


def new_cell(
    ctx: Context,
    content: Operand | Whole,
    root: str,
    contiguous: bool = False,
    module: str = "",
) -> Ref:
    """Storage with this content, which is new but for what is the `module`'s."""
    number = len(ctx.info)
    ctx.info[number] = Cell(root, contiguous, module)
    ctx.state.cells[number] = content
    return Ref(number)


def hold(ctx: Context, value: Abstract, root: str) -> Abstract:
    """The value as a name is bound to it: fresh mutable storage gets a cell."""
    match value:
        case Value(type=Type(kind="array" | "list" as kind, shape=shape)):
            made = ctx.blocks[-1][-1] if ctx.blocks[-1] else None
            ordered = isinstance(made, Apply) and value in made.results and is_made_in_order(made)
            flat = shape is not None and len(shape) < 2
            held_by = ctx.memo.get((HELD_BY, value.name), "")
            contiguous = kind == "array" and (ordered or flat)
            return new_cell(ctx, ctx.named(value, root), root, contiguous, held_by)
        case Seq(kind="list" | "set") | Struct() if is_mutable(value):
            return new_cell(ctx, value, root)
        case Lazy() | Generator() | Zipped(listed=False) if getattr(value, "how", "") not in VIEWS:
            return new_cell(ctx, iterator(value), root)
        case Value():
            return ctx.named(value, root)
        case Ref(steps=(_, *_)):
            if isinstance(ctx.state.cells[value.cell], Value | Const):
                ctx.views.setdefault(value, root)
                read_ref(ctx, value)
            return value
        case Outside(text=text) if text != "...":
            held = hold(ctx, outside(ctx, value, named=True), root)
            if isinstance(held, Ref) and value.type.kind == "array":
                ctx.info[held.cell] = replace(ctx.info[held.cell], module=text)
                if _may_be_written(ctx, value):
                    ctx.state.lent |= {held.cell}
            return held
        case _:
            return value


def with_storage(ctx: Context, base: Abstract, instead: Abstract | None = None) -> Abstract:
    """An array of the module with storage, of which parts are taken; another value as it is, or
    what is given `instead`."""
    if isinstance(base, Outside | Method):
        base = read(ctx, base)
    if isinstance(base, Value) and (HELD_BY, base.name) in ctx.memo:
        return hold(ctx, base, "")
    return base if instead is None else instead


def is_mutable(value: Whole) -> bool:
    """Whether a structure can be written to, so that its names share it."""
    match value:
        case Seq(kind=kind):
            return kind in ("list", "set")
        case Struct(kind=kind):
            if isinstance(kind, str):
                return kind in ("dict", ITERATOR)
            return not issubclass(kind.type, tuple)


def _may_be_written(ctx: Context, found: Outside) -> bool:
    """Whether code of which nothing is known may write to an array of the module."""
    return found.type.kind == "array" and not ctx.outlines.facts.fold(("array", found.text))


def outside(ctx: Context, found: Outside, named: bool = False) -> Value:
    """An object of the module, read here and now; an array that gets a name stays what it is."""
    if found.line:
        ctx.imports[found.line] = None
    words: list[str] = re.findall(r"\w+", found.text.lower())
    result = ctx.value("", found.type, words[-1] if words else "t")
    if found.table is not None:
        ctx.tables[result.name] = found.table
    if found.type.kind == "array" and not ctx.outlines.primal:
        ctx.memo[HELD_BY, result.name] = found.text
    # What is put into it elsewhere may be taken out of it here.
    shared = (("outside", (found.text,)),) if found.changing or found.type == OBJECT else ()
    # A derivative reads it again.
    copies = not named and _may_be_written(ctx, found)
    effect = ("effect", True) if found.changing or copies else ("pure", True)
    code = f"np.array({found.text})" if copies else found.text
    if copies:
        ctx.imports["import numpy as np"] = None
    options = tuple(sorted((("code", code), effect, *shared)))
    ctx.add(Apply((result,), "verbatim", (), options, ctx.span()))
    return result


def content(ctx: Context, value: Abstract) -> Abstract:
    """What a list or tuple holds, where that is known; else the value itself."""
    if isinstance(value, Ref) and not value.steps:
        held = ctx.state.cells[value.cell]
        return held if isinstance(held, Seq | Struct) else value
    if isinstance(value, Zipped) and value.how in VIEWS:
        return _shown_by(ctx, value) or value
    return value


def _shown_by(ctx: Context, view: Zipped) -> Seq | None:
    """What a view of a dict shows now; None where the dict is an object by now."""
    known = content(ctx, view.parts[0])
    if not isinstance(known, Struct):
        return None
    keys = [key_value(k) for k in known.keys]
    rows = zip(keys, known.items, strict=True)
    return Seq(
        {"keys": tuple(keys), "values": known.items}.get(view.how, tuple(Seq(row) for row in rows))
    )


def read(ctx: Context, value: Abstract) -> Operand:
    """The value as an operand of a statement."""
    match value:
        case Value() | Const():
            return value
        case Ref():
            held = ctx.state.cells[value.cell]
            if isinstance(held, Seq | Struct):
                whole = ctx.actions.as_list(ctx, value) if is_iterator(held) else held
                return ctx.named(read(ctx, whole), ctx.info[value.cell].root)
            return read_ref(ctx, value)
        case Outside():
            return outside(ctx, value)
        case Seq():
            return as_array(ctx, value)
        case Zipped(how=how) if how in VIEWS:
            shown = _shown_by(ctx, value)
            return _no_value(ctx, value) if shown is None else as_array(ctx, shown)
        case Lazy() | Zipped(how="reversed" | "iter"):
            return read(ctx, ctx.actions.as_list(ctx, value))
        case Struct(kind=Class(type=cls)) if issubclass(cls, tuple):
            return as_array(ctx, Seq(value.items))
        case Struct() if is_maybe(value):
            return read(ctx, ctx.actions.settled(ctx, value))
        case Struct():
            return structure(ctx, value)
        case Method():
            return ctx.actions.member(ctx, value)
        case _:
            return _no_value(ctx, value)


def _no_value(ctx: Context, value: Abstract) -> NoReturn:
    if isinstance(value, Module | Named):
        ctx.unlike("AG102", f"{value.text} is used as a value", "call it, or pass a number")
    what = f"a {type(value).__name__.lower()} is used as a number or array here"
    ctx.unlike("AG102", what, "use its entries one by one")


def shown(ctx: Context, state: State, ref: Ref) -> Operand:
    """What a reference shows in a state, for its type only."""
    with ctx.block(state.fork()):
        return read_ref(ctx, ref)


def shown_type(ctx: Context, state: State, value: Abstract) -> Type:
    """The type that a value has in a state; that of a structure is `object`."""
    match value:
        case Value(type=type) | Const(type=type):
            return type
        case Ref(cell=cell) if isinstance(state.cells.get(cell), Value | Const):
            return shown(ctx, state, value).type
    return OBJECT


def structure(ctx: Context, value: Struct) -> Operand:
    """A dict or instance as an object that the user's code reads."""
    return ctx.actions.structure(ctx, value)


def as_array(ctx: Context, seq: Seq) -> Operand:
    """A tuple or list as the array that NumPy makes of it."""
    return ctx.actions.array_of(ctx, seq)


def read_ref(ctx: Context, ref: Ref) -> Operand:
    """What a reference shows of the current version of its cell."""
    version = ctx.state.cells[ref.cell]
    assert isinstance(version, Value | Const)
    value: Operand = version
    for k, step in enumerate(ref.steps, 1):
        part = Ref(ref.cell, ref.steps[:k])
        if (known := ctx.state.reads.get((part, version))) is not None:
            value = known
            continue
        if not step.writable and step.version != version:
            what = "this may or may not see the writes made since, depending on the memory layout"
            if is_list(version):
                what = "an entry of a list is read after the list was changed"
            ctx.refuse(
                "AG112", what, "take a .copy() where it is made, or make it again after the write"
            )
        value = ctx.apply(step.op, value, *step.args, **dict(step.options))
        value = ctx.named(value, ctx.views.get(part, ""))
        assert isinstance(value, Value)
        ctx.state.reads[part, version] = value
    return value


def view(
    ctx: Context,
    base: Abstract,
    op: str,
    *args: Operand,
    certain: bool = True,
    locked: bool = False,
    **options: object,
) -> Abstract:
    """A part of `base`, or `base` in another shape: a view where base has storage."""
    locked = locked or TABLE[op].view == "locked"
    if locked and isinstance(base, Value) and base.type.kind in ("array", "scalar"):
        # It has no other name, and still NumPy does not let it be written to.
        base = new_cell(ctx, base, "")
    base = with_storage(ctx, base)
    held = ctx.state.cells[base.cell] if isinstance(base, Ref) else None
    if not isinstance(base, Ref) or isinstance(held, Seq | Struct) or is_flat(base):
        return ctx.apply(op, read(ctx, base), *args, **options)
    # What a list holds is an array of its own: it stays when the list gets another in its place.
    certain = certain and not (op == "load" and not base.steps and is_list(held))
    held = None if certain else held
    step = Step(op, args, tuple(sorted(options.items())), certain, held, locked)
    made = Ref(base.cell, (*base.steps, step))
    whole = shown(ctx, ctx.state, base)
    fails = op != "load" and always_fails(op, (whole, *args), step.options)
    if fails or (op == "load" and has_too_many(whole.type, options)):
        read(ctx, made)  # what fails does where it is made, whether it is read or not
    return made


def perhaps(ctx: Context, made: Operand, sources: Iterable[Abstract]) -> Ref:
    """An array that is what one of the sources shows or a copy, depending on the memory layout.

    It has a cell of its own; neither may be written to while the other is read.
    """
    cells = [source.cell for source in sources if isinstance(source, Ref)]
    ref = new_cell(ctx, made, ctx.info[cells[0]].root if cells else "")
    if cells or made.type.rank is None:
        tangle(ctx.state.tangled, dict.fromkeys((ref.cell, *cells), LAYOUT))
    return ref


def lies_in_order(ctx: Context, ref: Ref, order: str = "C") -> bool:
    """Whether an array is known to be contiguous in this order."""
    ordered = not ref.steps and ctx.info[ref.cell].contiguous
    return ordered and (order == "C" or read_ref(ctx, ref).type.rank in (0, 1))


def is_flat(value: Abstract) -> bool:
    """Whether this is the iterator `a.flat`, of which NumPy makes copies."""
    return isinstance(value, Ref) and bool(value.steps) and value.steps[-1].iterates


def flat(ctx: Context, base: Ref) -> Ref:
    """`a.flat`: the entries in C order, of which any can be written to."""
    step = Step("ravel", (), (("spelling", ".ravel"),), iterates=True)
    return Ref(base.cell, (*base.steps, step))


def stored(ref: Ref) -> Ref:
    """What is written through a reference: the array, without what only stops its derivative."""
    return Ref(ref.cell, tuple(s for s in ref.steps if TABLE[s.op].view != "same"))


def write(ctx: Context, ref: Ref, value: Operand | Whole, seen: bool = False) -> None:
    """Make `value` what the reference shows, as a new version of its cell.

    What objects hold of it is `seen` to be the same where code that they hand it to has written it.
    """
    ref = stored(ref)
    check_writable(ctx, ref)
    check_caller(ctx, ref.cell, value)
    shown = value
    for k in range(len(ref.steps) - 1, -1, -1):
        base = read_ref(ctx, Ref(ref.cell, ref.steps[:k]))
        assert isinstance(value, Value | Const)
        value = put(ctx, ref.steps[k], base, value)
        if ref.steps[k].op != "load":
            value = in_place(ctx, base, value)
    before, lent = ctx.state.cells[ref.cell], ref.cell in ctx.state.lent and not seen
    value = in_place(ctx, before, value, lent)
    root = ctx.info[ref.cell].root
    ctx.state.cells[ref.cell] = ctx.named(value, root) if isinstance(value, Value) else value
    version, again = ctx.state.cells[ref.cell], ctx.outlines.primal
    # What a name shows is read again where it is to be a view of what it was a view of.
    if ref.steps and isinstance(shown, Value) and isinstance(version, Value) and not again:
        ctx.state.reads[ref, version] = version if shown == value else shown
        ctx.forwarded.add((ref, version))
    if lent:
        publish(ctx, ref.cell, before)


def in_place(
    ctx: Context, before: Operand | Whole, new: Operand | Whole, lent: bool = False
) -> Operand | Whole:
    """The new version of a whole array or list, in the same storage where others may see that:
    objects see what is `lent` to them."""
    last = ctx.blocks[-1][-1] if ctx.blocks[-1] else None
    made = last if isinstance(last, Apply) and new in last.results else None
    written = made is not None and (made.op in WRITES or bool(made.option("writes")))
    if written or not (isinstance(before, Value) and isinstance(new, Value)):
        return new
    if not (lent or ctx.outlines.primal or is_foreign_view(ctx, before)):
        return new
    if before.type.kind not in ("array", "list") or is_loose(ctx.loose, before):
        return new
    if before.type.kind == "array" and before.type.rank is None:
        ctx.unlike("AG110", "this may be a number or an array", "write `name = name + ...`")
    index = "..." if before.type.is_array else ":"
    return ctx.apply("store", before, new, index=index, in_place=True)


def check_caller(ctx: Context, cell: int, value: Operand | Whole | None = None) -> None:
    """Begin again with a structure of the caller's as an object, where the caller sees writes; else
    note that one is written to.

    An empty list of the caller's holds numbers and arrays in a derivative, or is an object.
    """
    check_kept(ctx, (cell,))
    if (name := ctx.memo.get(("caller", cell))) is None:
        return
    if ctx.outlines.primal:
        raise Changed((name,))
    ctx.memo[CHANGES] = True
    place = ctx.memo["place", cell]
    if ctx.memo["live", place][2] == Seq((), "list") and not _is_of_numbers(ctx, value):
        raise Changed(place)


def _is_of_numbers(ctx: Context, value: Abstract | None) -> bool:
    """Whether this is a number, an array, or a structure of these."""
    known = content(ctx, value) if value is not None else None
    match read(ctx, known) if isinstance(known, Ref) else known:
        case Seq(items=items) | Struct(items=items):
            return all(_is_of_numbers(ctx, item) for item in items)
        case Value(type=type) | Const(type=type):
            return type.kind != "object"
    return False

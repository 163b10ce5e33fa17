"""What a program returns: operands, the structure around them, and what they are called.

What the function leaves in attributes of the caller's instances, its program leaves there as well.
Arrays, lists and dicts of the caller's are not written by a program.
"""

from __future__ import annotations

import ast

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    KnownKey,
    Place,
    Ref,
    Seq,
    Struct,
    is_iterator,
    is_maybe,
)
from adjointgen.frontend.domain.partial_structures import is_partial
from adjointgen.frontend.domain.structures import part_name
from adjointgen.frontend.functions.inlining import own_nodes
from adjointgen.frontend.functions.parameters import CLOSED, class_name
from adjointgen.frontend.source.collection_classes import STANDS_FOR
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state import promoted_attributes
from adjointgen.frontend.state.context import CALLER, RESULT, Context
from adjointgen.frontend.state.held_values import array_in, held_in
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.storage_cells import HELD_BY, content, read
from adjointgen.ir.nodes import Apply, Leaf, Node, Operand, Tree, Value
from adjointgen.ir.types import OBJECT
from adjointgen.rules.framework.builder import const


def results(
    ctx: Context, source: Source, params: list[Value]
) -> tuple[list[Operand], Tree, list[str]]:
    """The operands that are returned, the structure around them, and what they are called."""
    value = ctx.state.names.get(ctx.key(RESULT), const(None))
    written = _written(ctx, params)
    if ctx.outlines.primal and not ctx.outlines.open:
        for name, operand in written:
            ctx.add(Apply((), "written", (operand,), (("name", name),)))
        written = []
    if value == const(None) and written:
        if ctx.escaped:
            ctx.unlike(
                "AG110",
                "whether this writes into its argument depends on the path taken",
                "return the result",
            )
        # A procedure: what it computes is what it writes into its arguments.
        tree: Tree = Leaf() if len(written) == 1 else Node("tuple", (Leaf(),) * len(written))
        return [operand for _, operand in written], tree, [name for name, _ in written]
    yields: list[Operand] = []
    hints: list[str] = []
    _refuse_cycles(ctx, value, frozenset())
    tree = _pack(ctx, value, yields, hints, "")
    return yields, tree, _names(source, yields, hints)


def _refuse_cycles(ctx: Context, value: Abstract, around: frozenset[int]) -> None:
    """Refuse an object that holds itself, by however many others: it has no end as a structure."""
    known = content(ctx, value)
    if isinstance(value, Ref) and isinstance(known, Seq | Struct):
        if value.cell in around:
            ctx.refuse("AG102", "an object that holds itself is returned", "return its numbers")
        around |= {value.cell}
    for item in known.items if isinstance(known, Seq | Struct) else ():
        _refuse_cycles(ctx, item, around)


def _written(ctx: Context, params: list[Value]) -> list[tuple[str, Operand]]:
    """The arguments that hold something else than at the start."""
    found = []
    for (frame, name), ref in ctx.state.names.items():
        if frame == CALLER and not name.startswith(CLOSED):
            held = read(ctx, ref)
            if held not in params:
                found.append((name, held))
    return found


def _pack(
    ctx: Context, value: Abstract, yields: list[Operand], hints: list[str], hint: str
) -> Tree:
    if is_maybe(value):
        if ctx.outlines.open:
            what, help = "what is returned may be None", "return a number on every path"
            ctx.absent("AG411", what, help, kind=TypeMismatch)
        # What is None since another process has the sum counts for nothing.
        reduced = ("reduced", value.items[0]) in ctx.memo
        value = value.items[1] if reduced else ctx.actions.settled(ctx, value)
    value = _bare(ctx, value)
    known = content(ctx, value)
    if (whole := _given_whole(ctx, value, known)) is not None:
        yields.append(whole)
        hints.append(hint)
        return Leaf()
    if isinstance(known, Seq):
        return Node(known.kind, tuple(_pack(ctx, i, yields, hints, hint) for i in known.items))
    if isinstance(known, Struct):
        _require_structure(ctx, known)
        rows = zip(known.keys, known.items, strict=True)
        trees = tuple(_pack(ctx, v, yields, hints, part_name(hint, k).strip("_")) for k, v in rows)
        if not isinstance(known.kind, Class):
            return Node("dict", trees, known.keys)
        make = "named" if issubclass(known.kind.type, tuple) else "object"
        return Node(make, trees, known.keys, class_name(known.kind.type))
    operand = read(ctx, value)
    _refuse_held(ctx, value, operand)
    yields.append(operand)
    hints.append(hint)
    return Leaf()


def _refuse_held(ctx: Context, value: Abstract, operand: Operand) -> None:
    """Refuse an array of the module as the result of a function that the program calls: the body in
    place of the call says what is written to."""
    named = isinstance(operand, Value) and (HELD_BY, operand.name) in ctx.memo
    held = isinstance(value, Ref) and bool(ctx.info[value.cell].module)
    if ctx.outlines.open and (named or held):
        ctx.refuse("AG131", "an array of the module is returned", "return a copy of it")


def _bare(ctx: Context, value: Abstract) -> Abstract:
    """The number, list or array that an instance of a subclass of these is."""
    if ctx.outlines.primal and array_in(ctx, value) is not None:
        what = "an array of a class derived from numpy.ndarray is returned"
        ctx.refuse("AG102", what, "return np.asarray(...) of it")
    held = held_in(ctx, value)
    return value if held is None else held


def _require_structure(ctx: Context, known: Struct) -> None:
    if isinstance(known.kind, Class) and known.kind.type in STANDS_FOR:
        what = f"a {known.kind.type.__name__} is returned"
        ctx.refuse("AG102", what, "return a list or a dict")
    if isinstance(known.kind, Class) and known.kind.is_local:
        what = f"an object of {known.kind.text}, which is defined here, is returned"
        ctx.refuse("AG102", what, "define the class in the module")
    if is_partial(known):
        what = "which attributes an object has that is returned depends on the path"
        ctx.refuse("AG102", what, "set them on every path")
    if any(isinstance(key, KnownKey) for key in known.keys):
        what = "a dict whose keys are classes, functions or entries of an enumeration is returned"
        ctx.refuse("AG102", what, "return its values")
    if is_iterator(known):
        ctx.refuse("AG102", "an iterator is returned", "return a list of its entries")


def _given_whole(ctx: Context, value: Abstract, known: Abstract) -> Value | None:
    """The list, dict or instance of the caller's that this is, likewise."""
    if isinstance(known, Struct):
        return _given(ctx, known, known.place)
    place = ctx.memo.get(("place", value.cell)) if isinstance(value, Ref) else None
    return _given(ctx, known, place) if place is not None and isinstance(known, Seq) else None


def _given(ctx: Context, value: Seq | Struct, place: Place | None) -> Value | None:
    """The object of the caller's that a structure is, where a program hands back that itself."""
    live = ctx.memo.get(("live", place))
    same = ctx.outlines.primal and not ctx.outlines.open and live is not None and live[2] == value
    return live[1] if same and live is not None else None


def _names(source: Source, yields: list[Operand], hints: list[str]) -> list[str]:
    """What every `return` calls them, or the keys that they are under, or `result`."""
    rows = []
    for node in own_nodes(source.node):
        if isinstance(node, ast.Return) and node.value is not None:
            parts = (
                node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
            )
            rows.append([part.id if isinstance(part, ast.Name) else "" for part in parts])
    fitting = all(len(row) == len(yields) for row in rows)
    columns = list(zip(*rows, strict=True)) if rows and fitting else [("",)] * len(yields)
    texts = [column[0] if len({*column}) == 1 else "" for column in columns]
    if any(hints):
        texts = [hint if hint.isidentifier() else "" for hint in hints]
    several = len(yields) > 1
    result: list[str] = []
    for k, text in enumerate(texts, 1):
        name = text or (f"result_{k}" if several else "result")
        result.append(name if name not in result else f"result_{k}")
    return result


def keep_attributes(ctx: Context) -> None:
    """Write the attributes that the function has set on instances of the caller's, and the arrays
    that it has set on objects of the module."""
    promoted_attributes.finish(ctx)
    for (frame, name), ref in list(ctx.state.names.items()):
        if frame != CALLER or not name.startswith(CLOSED) or not isinstance(ref, Ref):
            continue
        held = ctx.state.cells[ref.cell]
        if not isinstance(held, Struct) or not isinstance(held.kind, Class):
            continue
        _, whole, before = ctx.memo["live", held.place]
        for key, item in zip(held.keys, held.items, strict=True):
            if before.get(key) != item:
                _keep(ctx, whole, str(key), item, before.get(key))


def _keep(ctx: Context, whole: Value, key: str, item: Abstract, before: Abstract | None) -> None:
    known = content(ctx, item)
    if isinstance(known, Struct) and known.place is not None and not ctx.outlines.primal:
        _keep_object(ctx, whole, key, known, None if before is None else content(ctx, before))
        return
    if isinstance(known, Seq | Struct):
        _keep_structure(ctx, whole, key, known)
        return
    operand = read(ctx, item)
    if operand.type.kind == "array":
        # The program may go on to write into the array; the object gets what is in it now.
        operand = verbatim(ctx, "_0_.copy()", (operand,), operand.type, pure=True)
    elif operand.type.kind != "scalar" and operand.type.kind != "object":
        operand = verbatim(ctx, "list(_0_)", (operand,), OBJECT, pure=True)
    statement(ctx, f"_0_.{key} = _1_", (whole, operand), attribute=key)


def _keep_object(
    ctx: Context, whole: Value, key: str, known: Struct, before: Abstract | None
) -> None:
    """Another object of the caller's than the attribute was; what is set of that is kept there."""
    if isinstance(before, Struct) and before.place == known.place:
        return
    if not isinstance(known.kind, Class):
        _keep_structure(ctx, whole, key, known)
        return
    live = ctx.memo.get(("live", known.place))
    if live is None:
        what = f"this sets the attribute {key} of the caller's object to another of its objects"
        ctx.refuse("AG101", what, "return the new value")
    statement(ctx, f"_0_.{key} = _1_", (whole, live[1]), attribute=key)


def _keep_structure(ctx: Context, whole: Value, key: str, known: Seq | Struct) -> None:
    """A derivative leaves a dict of the caller's as it was, and sets a new one that is like it."""
    if ctx.outlines.primal:
        what = f"this sets the attribute {key} of the caller's object to a structure"
        ctx.refuse("AG101", what, "return the new value")
    statement(ctx, f"_0_.{key} = _1_", (whole, _display(ctx, known)), attribute=key)


def _display(ctx: Context, known: Seq | Struct) -> Value:
    """A structure as a value."""
    holes = Holes(ctx)
    return verbatim(ctx, holes.fill(known), holes.operands, OBJECT, pure=True)

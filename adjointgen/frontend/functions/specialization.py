"""Functions of the user's stay functions: each is lowered on its own, and called.

A function is lowered once per *outline*: which function it is, what types its arguments have, and
which constants they are. All its callers share the result. Lengths are seen from inside: the axis
`u.0` of the caller's array is `p.0` of the parameter it is passed to, and two axes of one length
are so in the function as well.

What cannot be said as a function of values is lowered where it is called instead (`inline`): a
function that writes into its arguments or returns one of them, one that reads the names of the
function around it, and what raises where it is caught. A body of one short expression is clearer
in its place, too (`inline_cost.py`).

The results of a recursive function have types that are needed before they are known. The first
time, a recursive call is a path that does not return; what the other paths return is the first
guess, and the function is lowered again until the guess is right (Cousot and Cousot 1977: the
least fixed point, from below).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Closure,
    Fixed,
    Module,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.domain.module_tables import Table, Tabled
from adjointgen.frontend.functions.cached_results import through_cache
from adjointgen.frontend.functions.inline_cost import is_short
from adjointgen.frontend.functions.inlining import bind, inline, is_generator, parameters
from adjointgen.frontend.functions.outlines import Entry, Given, Key, Outlines
from adjointgen.frontend.source.directives import is_called_apart
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.context import CALLER, RESULT, Context
from adjointgen.frontend.state.length_symbols import Symbols
from adjointgen.frontend.state.lent_storage import lend
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.parting import NoReturnYet
from adjointgen.frontend.state.program_state import tangle
from adjointgen.frontend.state.reachability import callers_cells
from adjointgen.frontend.state.storage_cells import content, hold, outside, read
from adjointgen.ir.nodes import Call, Const, Function, Leaf, Node, Operand, Tree, Value
from adjointgen.ir.packing import is_plain
from adjointgen.ir.types import OBJECT, Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const

VARIANTS = 4
"""Into how many outlines of one function the numbers of its calls are written."""

GUESSES = 6
"""How often the types of a recursive function's results may be corrected."""


def outline(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    """The result of a call of a function with source."""
    return through_cache(ctx, closure, lambda: _outlined(ctx, closure, args, keywords, node), node)


def _outlined(
    ctx: Context,
    closure: Closure,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    if closure.source.has_equation:
        made = ctx.actions.directed(ctx, closure, args, keywords, node)
        if made is not None:
            return made
    if _stands_in_place(ctx, closure, node):
        return inline(ctx, closure, args, keywords, node)
    bound = bind(ctx, closure, args, keywords, node, lambda _ctx, value, _name: value)
    given = _arguments(ctx, closure, bound)
    if given is None:
        return inline(ctx, closure, args, keywords, node)
    types, operands, symbols = given
    entry = _entry(ctx, closure.source, types)
    if entry.refused:
        return inline(ctx, closure, args, keywords, node)
    ctx.node = node
    result = _call(ctx, entry, tuple(operands), symbols)
    last = ctx.blocks[-1][-1]
    assert isinstance(last, Call)
    if any(v.type.kind == "object" for v in (*last.args, *last.results)):
        lend(ctx, [v for v in bound.values() if isinstance(v, Ref)])
    return _tangled(ctx, result, bound.values()) if entry.perhaps else result


def _tangled(ctx: Context, result: Abstract, given: Iterable[object]) -> Abstract:
    """A result that may be an argument: neither is written as long as both may be read."""
    parts = result.items if isinstance(result, Seq) else (result,)
    held = [hold(ctx, part, "") for part in parts]
    cells = {v.cell for v in (*held, *given) if isinstance(v, Ref)}
    reason = "what a function returns may be its argument, or not"
    tangle(ctx.state.tangled, dict.fromkeys(cells, reason))
    return result.of(held) if isinstance(result, Seq) else held[0]


def _stands_in_place(ctx: Context, closure: Closure, node: ast.Call) -> bool:
    """Whether the body of a function has to stand in place of a call, or does as it is short."""
    raises = bool(ctx.catching or ctx.strict or ctx.inlining or ctx.state.lent)
    inside = closure.frame >= 0 or is_generator(closure.source.node)
    return raises or inside or _is_short(ctx, closure.source, node)


def _is_short(ctx: Context, source: Source, node: ast.Call) -> bool:
    """Whether a call is shorter with the body in its place, and nothing asks for a function."""
    if is_called_apart(ctx.frame.source, node) or _is_around(ctx, source):
        return False
    return is_short(source, ctx.outlines.sizes)


def _is_around(ctx: Context, source: Source) -> bool:
    """Whether a function is being lowered here."""
    return any(frame.source.node is source.node for frame in ctx.frame.around())


# Arguments


def _arguments(
    ctx: Context, closure: Closure, bound: Mapping[str, Abstract | ast.expr]
) -> tuple[dict[str, Given], list[Operand], Symbols] | None:
    """What the parameters are, the operands for those that are passed, and the symbols inside."""
    symbols = Symbols()
    types: dict[str, Given] = {}
    operands: list[Operand] = []
    folds = _folds_numbers(ctx, closure.source)
    for name in (a.arg for a in parameters(closure.source.arguments)):
        value = bound.get(name)
        if value is None or isinstance(value, ast.expr):
            continue
        known = _fixed(ctx, value, folds)
        if known is not None:
            types[name] = known
            continue
        operand = _operand(ctx, value)
        if operand is None:
            return None
        table = ctx.tables.get(operand.name) if isinstance(operand, Value) else None
        if isinstance(table, Table):
            types[name] = Tabled(table)
        else:
            types[name] = symbols.inside(name, operand.type)
        operands.append(operand)
    return types, operands, symbols


def _folds_numbers(ctx: Context, source: Source) -> bool:
    """Whether numbers are constants of the outline: not those that a recursion counts with."""
    names = (n.id for n in ast.walk(source.node) if isinstance(n, ast.Name))
    if source.node in ctx.outlines.open or source.name in names:
        return False
    place, known = (source.file, *_place(source)), list[Key](ctx.outlines.entries)
    return sum(key[: len(place)] == place for key in known) < VARIANTS


def _fixed(ctx: Context, value: Abstract, folds: bool) -> Fixed | None:
    """An argument that is a constant of the outline: what is no number, and numbers it `folds`."""
    match content(ctx, value):
        case Const(value=int() | float() | complex() as number) if not (
            folds or isinstance(number, bool)
        ):
            return None
        case Const() as known:
            return Fixed(known)
        case Closure(frame=-1) | Named() | Module() as known:
            return Fixed(known)
        case Seq(items=items, kind="tuple") as known if all(
            isinstance(item, Const) for item in items
        ):
            return Fixed(known)
    found = living(ctx, value)
    if found is not None:
        return Fixed(Outside(found.text, OBJECT, found.line, table=found))
    return None


def _operand(ctx: Context, value: Abstract) -> Operand | None:
    """An argument that is passed: a number, an array, an object."""
    match value:
        case Const():
            return replace(value, type=replace(value.type, value=None))
        case Value() if value.type.kind != "list" and _is_plain(ctx, value):
            return value
        case Outside() if value.text != "...":
            return outside(ctx, value)
        case Ref():
            held = ctx.state.cells[value.cell]
            if isinstance(held, Seq | Struct):
                return None
            found = read(ctx, value)
            if found.type.kind != "list" and _is_plain(ctx, found):
                return found
    return None


def _is_plain(ctx: Context, operand: Operand) -> bool:
    """Whether the type says all that there is to know: neither loose nor of several dtypes."""
    return not (is_loose(ctx.loose, operand) or ctx.narrow.is_noted(operand))


# Lowering


def _entry(ctx: Context, source: Source, types: Mapping[str, Given]) -> Entry:
    key = _key(source, types)
    found: Entry | None = ctx.outlines.entries.get(key)
    if found is None:
        return _lowered(ctx, key, source, types)
    if found.facts is not None:
        ctx.outlines.facts.join(found.facts)
    return found


def _key(source: Source, types: Mapping[str, Given]) -> Key:
    given = tuple((name, _key_of(type)) for name, type in types.items())
    return (source.file, *_place(source), given)


def _place(source: Source) -> Key:
    """Which function it is: two closures of one text are two functions."""
    return source.node.lineno, source.node.col_offset, source.resolver.identity


def _key_of(given: Given) -> object:
    match given:
        case Fixed(value=Closure(source=source)):
            return ("function", source.file, *_place(source))
        case Fixed(value=Outside() as value):
            return value
        case Fixed(value=value):
            return repr(value)
    return given


def _lowered(ctx: Context, key: Key, source: Source, types: Mapping[str, Given]) -> Entry:
    outlines = ctx.outlines
    name, guess = outlines.names.fresh(source.name), None
    begun = len(outlines.facts.events)
    for _ in range(GUESSES):
        before, facts = dict(outlines.entries), outlines.facts.copy()
        entry = outlines.entries[key] = Entry(name, lowered=guess)
        outlines.open.append(source.node)
        try:
            function = _function(ctx, entry, source, types)
        except AdjointgenError:
            outlines.facts.become(facts)
            function = None
        finally:
            outlines.open.pop()
        if function is None or not entry.recursive or _agree(guess, function):
            entry.lowered, entry.refused = function, function is None
            entry.function = function and _flat(function)
            entry.facts = outlines.facts.since(begun)
            return entry
        outlines.entries = before
        guess = function
    entry.refused = True
    return entry


def _flat(function: Function) -> Function:
    """The function with its results side by side, without those that are constants."""
    kept = [k for k, y in enumerate(function.body.yields) if isinstance(y, Value)]
    leaves = (Leaf(),) * len(kept)
    return replace(
        function,
        body=replace(function.body, yields=tuple(function.body.yields[k] for k in kept)),
        names=tuple(function.names[k] for k in kept),
        results=leaves[0] if len(kept) == 1 else Node("tuple", leaves),
    )


def _agree(guess: Function | None, function: Function) -> bool:
    """Whether results are what recursive calls were told."""
    if guess is None or guess.results != function.results:
        return False
    pairs = zip(guess.body.yields, function.body.yields, strict=True)
    return all(a.type == b.type and isinstance(a, Const) == isinstance(b, Const) for a, b in pairs)


def _function(
    ctx: Context, entry: Entry, source: Source, types: Mapping[str, Given]
) -> Function | None:
    """The function by itself, or None where it is none of values alone."""
    outlines: Outlines = ctx.outlines
    inner, lowered = outlines.lower(source, types, outlines)
    if not _stands_alone(inner) or any(y.type.kind == "list" for y in lowered.body.yields):
        return None
    if not is_plain(lowered.results) or any(
        isinstance(y, Value) and y.name in inner.tables for y in lowered.body.yields
    ):
        # What is in a table of the module, the caller would not know of a result.
        return None
    entry.perhaps = _is_perhaps_given(inner)
    ctx.folded |= inner.folded
    passed = [
        k for k, p in enumerate(lowered.body.params) if isinstance(types.get(p.root), Type | Tabled)
    ]
    body = replace(lowered.body, params=tuple(lowered.body.params[k] for k in passed))
    parameters = tuple(
        replace(lowered.parameters[k], default="", keyword_only=False) for k in passed
    )
    return replace(lowered, name=entry.name, parameters=parameters, body=body)


def _stands_alone(inner: Context) -> bool:
    """Whether a function leaves its arguments alone and gives results of one type, of their own."""
    names = inner.state.names.items()
    callers = {r.cell: n for (f, n), r in names if f == CALLER and isinstance(r, Ref)}
    if inner.escaped or any(
        not (isinstance(held := inner.state.cells[cell], Value) and held.name == name)
        for cell, name in callers.items()
    ):
        return False
    result = _result(inner)
    if any(not _is_plain(inner, v) for v in _values(inner, result)):
        return False
    cells = list(_cells(inner, result))
    return len(cells) == len({*cells}) and not {*cells} & callers.keys()


def _is_perhaps_given(inner: Context) -> bool:
    """Whether a result is an argument on some paths, and another array on others."""
    tangled = inner.state.tangled.keys()
    return not (
        tangled.isdisjoint(callers_cells(inner.state))
        or tangled.isdisjoint(_cells(inner, _result(inner)))
    )


def _result(inner: Context) -> Abstract:
    return inner.state.names.get(inner.key(RESULT), const(None))


def _cells(ctx: Context, value: Abstract) -> Iterator[int]:
    """The cells that a result shows."""
    if isinstance(value, Ref):
        yield value.cell
    held = content(ctx, value)
    for item in held.items if isinstance(held, Seq | Struct) else ():
        yield from _cells(ctx, item)


def _values(ctx: Context, value: Abstract) -> Iterator[Value]:
    """The numbers and arrays in a result."""
    held = content(ctx, value)
    if isinstance(held, Seq | Struct):
        for item in held.items:
            yield from _values(ctx, item)
    elif isinstance(held, Value | Ref) and isinstance(found := read(ctx, held), Value):
        yield found


# The call


def _call(ctx: Context, entry: Entry, args: tuple[Operand, ...], symbols: Symbols) -> Abstract:
    function = entry.lowered
    entry.recursive |= entry.function is None
    if function is None:
        raise NoReturnYet
    stems = [n if n.isidentifier() else "t" for n in function.names]
    yields = [
        y if isinstance(y, Const) else ctx.value("", symbols.outside(y.type), stem)
        for y, stem in zip(function.body.yields, stems, strict=True)
    ]
    results = tuple(y for y in yields if isinstance(y, Value))
    ctx.add(Call(results, entry.name, args, ctx.span()))
    return _unpacked(function.results, iter(yields))


def _unpacked(tree: Tree, yields: Iterator[Operand]) -> Abstract:
    """The results in their structure."""
    if isinstance(tree, Node):
        return Seq(tuple(_unpacked(child, yields) for child in tree.children), tree.make)
    assert isinstance(tree, Leaf)
    return next(yields)

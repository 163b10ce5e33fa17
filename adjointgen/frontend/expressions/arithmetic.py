"""Arithmetic, names and literals.

Operations on integers, strings and truth values that are known are carried out at once, so that
tests on them can be folded; floating-point literals are left as the user wrote them.
"""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from adjointgen.frontend.control.growing_lists import on_lists
from adjointgen.frontend.control.unbound_names import check_bound
from adjointgen.frontend.domain.abstract_values import (
    VIEWS,
    Absent,
    Abstract,
    Bound,
    Class,
    Closure,
    Functions,
    Named,
    Outside,
    Partial,
    Range,
    Seq,
    SliceOf,
    Struct,
    Zipped,
    is_one_by_one,
)
from adjointgen.frontend.domain.constant_bounds import ENTRIES, FAILURES, fits
from adjointgen.frontend.domain.constant_fold import number
from adjointgen.frontend.domain.constants import key_value
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.domain.module_tables import Living, Table
from adjointgen.frontend.domain.qualified_names import entries_of, enum_class
from adjointgen.frontend.expressions import array_instances, sparse_calls
from adjointgen.frontend.expressions.sequence_arithmetic import (
    joined_sequences,
    no_arithmetic,
)
from adjointgen.frontend.expressions.special_methods import operator as operator_of
from adjointgen.frontend.functions.inlining import defaults
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state import module_objects, strings
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import expression as as_written
from adjointgen.frontend.state.held_values import as_held, as_tuple
from adjointgen.frontend.state.key_order import note_order
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.scope_lookup import lookup, undefined
from adjointgen.frontend.state.storage_cells import content, hold, outside, read, shown_type
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import INTEGER, OBJECT, REAL
from adjointgen.rules.framework.builder import const

BINARY: dict[type[ast.operator], tuple[str, str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", "+", operator.add),
    ast.Sub: ("sub", "-", operator.sub),
    ast.Mult: ("mul", "*", operator.mul),
    ast.Div: ("div", "/", operator.truediv),
    ast.FloorDiv: ("floordiv", "//", operator.floordiv),
    ast.Mod: ("mod", "%", operator.mod),
    ast.Pow: ("pow", "**", operator.pow),
    ast.MatMult: ("matmul", "@", operator.matmul),
    ast.BitAnd: ("bit_and", "&", operator.and_),
    ast.BitOr: ("bit_or", "|", operator.or_),
    ast.BitXor: ("bit_xor", "^", operator.xor),
    ast.LShift: ("lshift", "<<", operator.lshift),
    ast.RShift: ("rshift", ">>", operator.rshift),
}


def name(ctx: Context, node: ast.Name) -> Abstract:
    check_bound(ctx, node)
    found = lookup(ctx, node.id)
    if isinstance(found, Absent):
        if ctx.state.dead:
            return const(0.0)
        if said := undefined(ctx, node.id):
            return fails(ctx, "NameError", said)
        ctx.refuse(
            "AG102",
            f"{node.id} is not defined here",
            "give it a value on every path that leads here",
            node=node,
        )
    if isinstance(found, Outside) and found.changing:
        return outside(ctx, found)
    known: Abstract = ctx.actions.as_polynomial(ctx, found, node)
    return known


def constant(ctx: Context, node: ast.Constant) -> Abstract:
    value = node.value
    if value is ... or isinstance(value, bytes):
        return Outside("..." if value is ... else repr(value), OBJECT)
    # Equal texts of a function are one object in Python.
    return const(sys.intern(value) if isinstance(value, str) else value)


def display(ctx: Context, node: ast.Tuple | ast.List) -> Seq:
    """A tuple or list display; starred tuples are spread."""
    items: list[Abstract] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            value = ctx.expression(element.value)
            ctx.node = element.value
            spread = ctx.actions.entries(ctx, value)
            if spread is None:
                ctx.unlike("AG103", "the length of this is not known", "write the entries out")
            items += [hold(ctx, item, "") for item in spread]
        else:
            # An entry that is an array keeps its storage, as in Python.
            items.append(hold(ctx, ctx.expression(element), ""))
    return Seq(tuple(items), "list" if isinstance(node, ast.List) else "tuple")


def static_items(ctx: Context, value: Abstract) -> Sequence[Abstract] | None:
    """The entries of a value whose length is known when the program is generated."""
    value = as_held(ctx, value)
    match content(ctx, value):
        case Seq(items=items):
            return items
        case Const(value=str(text)):
            return [const(character) for character in text]
        case (Functions(keys=keys) | Struct(kind="dict", keys=keys)) as known if not _has_entries(
            keys
        ):
            note_order(ctx, known)
            return [key_value(k) for k in keys]
        case Named() as named if (kind := enum_class(named.spelling)) is not None:
            return [_entry_of(named, name) for name in entries_of(kind)]
        case Struct(kind=Class(type=type), items=items) if issubclass(type, tuple):
            return items
        case Range(Const(value=int(a)), Const(value=int(b)), Const(value=int(c))) if c:
            numbers = range(a, b, c)
            # `len` of a longer one may not even be an integer of the machine.
            return None if numbers[ENTRIES:] else [const(k) for k in numbers]
    found = module_objects.keys(ctx, value)
    return module_objects.entries(ctx, value) if found is None else found.items


def _has_entries(keys: Sequence[object]) -> bool:
    """Whether there are entries of enumerations among the keys of a table."""
    return any(isinstance(key, Enum) for key in keys)


def _entry_of(owner: Named, name: str) -> Named:
    return Named(f"{owner.spelling}.{name}", f"{owner.text}.{name}", owner.line)


def binary(ctx: Context, node: ast.BinOp) -> Abstract:
    left = ctx.expression(node.left)
    # What a power is differentiated to depends on its exponent, which `1.0 / 3.0` tells.
    known = number(node.right) if isinstance(node.op, ast.Pow) else None
    right = ctx.expression(node.right) if known is None else const(known)
    return arithmetic(ctx, type(node.op), left, right, node)


def arithmetic(
    ctx: Context, kind: type[ast.operator], left: Abstract, right: Abstract, node: ast.AST
) -> Abstract:
    """`left op right`: folded, joined as sequences, or an operation."""
    if (found := _by_class(ctx, kind, left, right, node)) is not None:
        return found
    op, symbol, function = BINARY[kind]
    left, right = (as_tuple(ctx, as_held(ctx, side)) for side in (left, right))
    a, b = content(ctx, left), content(ctx, right)
    ctx.node = node
    known = _folded(ctx, function, a, b) or joined_sequences(symbol, a, b)
    if known is None and kind is ast.Mod:
        known = strings.interpolated(ctx, a, right)
    if known is not None or (known := no_arithmetic(ctx, symbol, left, right)) is not None:
        return known
    if any(map(is_one_by_one, (a, b))) and not ctx.catching:
        return fails(ctx, "TypeError", f"unsupported operand type(s) for {symbol}: iterator")
    if (multiplied := sparse_calls.product(ctx, symbol, left, right)) is not None:
        return multiplied
    if const(None) in (a, b) and not ctx.catching and not _may_take_none(a, b):
        return fails(ctx, "TypeError", f"unsupported operand type(s) for {symbol}: NoneType")
    listed = on_lists(ctx, op, left, right)
    if listed is not None or (listed := _by_python(ctx, op, symbol, left, right)) is not None:
        return listed
    x, y = numbers_of(ctx, left, right)
    if "list" in (x.type.kind, y.type.kind):
        x, y = _as_numpy(ctx, x, y), _as_numpy(ctx, y, x)
    if "object" in (x.type.kind, y.type.kind) or "list" in (x.type.kind, y.type.kind):
        return verbatim(ctx, f"_0_ {symbol} _1_", (x, y), **_as_shown(node, x, y))
    return ctx.apply(op, x, y)


def _by_class(
    ctx: Context, kind: type[ast.operator], left: Abstract, right: Abstract, node: ast.AST
) -> Abstract | None:
    """What the classes of the operands make of them, where they are instances."""
    function = BINARY[kind][2]
    found = operator_of(ctx, f"__{function.__name__.strip('_')}__", left, right, node)
    if found is None and kind is ast.BitOr:
        found = ctx.actions.union(ctx, left, right)
    if found is not None:
        return found

    def again(plain: list[Abstract], _: object) -> Abstract:
        return arithmetic(ctx, kind, plain[0], plain[1], node)

    ctx.node = node
    return array_instances.computed(ctx, function, (left, right), again)


def numbers_of(ctx: Context, *values: Abstract) -> list[Operand]:
    """Operands; numbers of subclasses of Python's as numbers, tables beside an array as arrays."""
    found = [read(ctx, value) for value in values]
    beside = any(
        o.type.kind == "array" and o.type.rank and not is_loose(ctx.loose, o) for o in found
    )
    return [numeric(ctx, o) if _is_number(ctx, o, beside) else o for o in found]


def _is_number(ctx: Context, operand: Operand, beside: bool) -> bool:
    """Whether an object of the module computes as numbers do, maybe only beside an array."""
    table = ctx.tables.get(operand.name) if isinstance(operand, Value) else None
    return isinstance(table, Living) or (beside and isinstance(table, Table))


def _as_shown(node: ast.AST, *operands: Operand) -> dict[str, Any]:
    """The user's own text, for messages, where an operand has no name to be called by."""
    unnamed = any(isinstance(operand, Value) and not operand.root for operand in operands)
    return {"shown": ast.unparse(node)} if unnamed and isinstance(node, ast.expr) else {}


def _folded(
    ctx: Context, function: Callable[..., Any], a: Abstract, b: Abstract
) -> Const | Value | None:
    """Arithmetic on constants; `int | None`, in a program that stands for the function."""
    if isinstance(a, Const) and isinstance(b, Const):
        return fold(function, a.value, b.value)
    classes = all(isinstance(side, Named | Class) or side == const(None) for side in (a, b))
    united = classes and function is operator.or_ and ctx.outlines.primal
    return _as_it_stands(ctx, "|", a, b) if united else None


def _by_python(ctx: Context, op: str, symbol: str, left: Abstract, right: Abstract) -> Value | None:
    """An operator that is asked of structures and objects as they stand, not of arrays.

    That is `(3,) * n`, `f(x) + (1, 2)` and `d.keys() & e.keys()`.
    """
    sides = (left, right)
    views = any(isinstance(side, Zipped) and side.how in VIEWS for side in sides)
    kinds = [content(ctx, side) for side in sides]
    types = [shown_type(ctx, ctx.state, side) for side in kinds if not isinstance(side, Seq)]
    mixed = len(types) == 1 and (
        types[0] == OBJECT or (op == "mul" and types[0].is_scalar and types[0].dtype in INTEGER)
    )
    if mixed and any(_holds_functions(kind) for kind in kinds):
        ctx.unlike("AG106", "how often this is repeated is not known", "write the loop out")
    return _as_it_stands(ctx, symbol, left, right) if views or mixed else None


def _holds_functions(value: Abstract) -> bool:
    """Whether a sequence holds what is known while the program is generated, and is no value."""
    functions = (Closure, Bound, Partial, Class)
    return isinstance(value, Seq) and any(isinstance(item, functions) for item in value.items)


def _as_it_stands(ctx: Context, symbol: str, left: Abstract, right: Abstract) -> Value:
    holes = Holes(ctx)
    return verbatim(ctx, f"{holes.fill(left)} {symbol} {holes.fill(right)}", holes.operands)


def _may_take_none(a: Abstract, b: Abstract) -> bool:
    """Whether one of them may be an object with an operator of its own."""
    return any(isinstance(v, Value | Outside) and v.type.kind == "object" for v in (a, b))


def _as_numpy(ctx: Context, one: Operand, other: Operand) -> Operand:
    """A list beside an array or a float is an array: with Python's own float, it is an error."""
    numeric = other.type.is_array or (other.type.is_scalar and other.type.dtype in REAL)
    return ctx.apply("array", one) if one.type.kind == "list" and numeric else one


def fold(function: Callable[..., Any], *values: Any) -> Const | None:
    """The result as a constant, where it is no floating-point arithmetic."""
    if any(isinstance(v, float | complex) or type(v) is object for v in values):
        return None
    if not fits(function, *values):
        return None
    try:
        result = function(*values)
    except FAILURES:
        # What fails now fails in the user's program too, at the same place; it stays there.
        return None
    if isinstance(result, int) and abs(result) >= 2**63:
        return None
    return const(result) if isinstance(result, bool | int | str) else None


def walrus(ctx: Context, node: ast.NamedExpr) -> Abstract:
    value = hold(ctx, ctx.expression(node.value), node.target.id)
    ctx.actions.assign(ctx, node.target, value)
    return value


def lambda_(ctx: Context, node: ast.Lambda) -> Abstract:
    return closure(ctx, node)


def closure(ctx: Context, node: ast.Lambda | ast.FunctionDef) -> Closure:
    """A function that is defined here; its defaults are evaluated now."""
    source: Source = ctx.frame.source.nested(node)
    given = defaults(node.args).items()
    known = tuple((name, hold(ctx, ctx.expression(d), name)) for name, d in given)
    return Closure(source, ctx.frame.number, known)


def formatted(ctx: Context, node: ast.JoinedStr) -> Abstract:
    known = strings.formatted(ctx, node)
    return known if known is not None else as_written(ctx, node, pure=strings.fits(ctx, node))


def slice_(ctx: Context, node: ast.Slice) -> Abstract:
    def bound(part: ast.expr | None) -> Operand | None:
        value = None if part is None else ctx.expression(part)
        if value is None or (isinstance(value, Const) and value.value is None):
            return None
        return read(ctx, value)

    return SliceOf(bound(node.lower), bound(node.upper), bound(node.step))


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Name: name,
    ast.Constant: constant,
    ast.Tuple: display,
    ast.List: display,
    ast.BinOp: binary,
    ast.NamedExpr: walrus,
    ast.Lambda: lambda_,
    ast.JoinedStr: formatted,
    ast.Slice: slice_,
}

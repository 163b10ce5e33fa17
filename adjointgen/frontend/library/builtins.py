"""Python's own functions: `len`, `range`, `zip`, `float`, `min`, `sum`, `isinstance` and others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, NoReturn

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.control.row_lists import columns_of, is_rows, some_rows
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Named,
    Range,
    Ref,
    Seq,
    SliceOf,
    Struct,
    Zipped,
    is_maybe,
    is_one_by_one,
)
from adjointgen.frontend.expressions.arithmetic import arithmetic, fold
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.library.any_all import any_or_all
from adjointgen.frontend.library.iteration_calls import ITERATION
from adjointgen.frontend.library.lists import best
from adjointgen.frontend.library.module_copies import list_of_floats
from adjointgen.frontend.library.number_conversions import converted
from adjointgen.frontend.library.type_tests import SPECIAL as KINDS
from adjointgen.frontend.state.assignment_shapes import fails_as_called
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import as_held
from adjointgen.frontend.state.module_objects import count_of_objects
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, read, shown_type
from adjointgen.frontend.state.strings import text
from adjointgen.frontend.state.view_lenses import length
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import INT, Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def len_(call: Call) -> Abstract | None:
    ctx, value = call.ctx, as_held(call.ctx, call.args[0])
    known = content(ctx, value)
    if is_one_by_one(known):
        if ctx.catching:
            ctx.refuse("AG101", "an iterator is asked for its length, inside `try`", "make a list")
        return fails(ctx, "TypeError", "an iterator has no len()")
    items = entries(ctx, value) if isinstance(known, Seq | Struct | Range | Zipped) else None
    if items is not None:
        return const(len(items))
    if isinstance(value, Const) and isinstance(value.value, str):
        return const(len(value.value))
    if isinstance(value, Range):
        start, stop, step = value.start, value.stop, value.step
        bounds = start, stop, step
        # A length has 63 bits.
        long = any(isinstance(b, Const) and abs(b.value) >= 2**62 for b in bounds)  # type: ignore[arg-type]
        return verbatim(ctx, "len(range(_0_, _1_, _2_))", bounds, INT, pure=not long)
    if (count := count_of_objects(ctx, known)) is not None:
        return const(count)
    array = read(ctx, value)
    if array.type.kind == "object" or array.type.rank == 0:
        return verbatim(ctx, "len(_0_)", (array,), INT)
    return length(ctx, array, 0)


def slice_(call: Call) -> Abstract | None:
    if call.ctx.outlines.primal:
        # It is an object with an identity, and its bounds may be anything.
        return None
    bounds: list[Operand | None] = []
    for arg in call.args:
        none = isinstance(arg, Const) and arg.value is None
        bounds.append(None if none else read(call.ctx, arg))
    bounds = [None, *bounds] if len(bounds) == 1 else bounds
    return SliceOf(*(bounds + [None] * (3 - len(bounds))))


def tuple_(call: Call) -> Abstract | None:
    if not call.args:
        return Seq(())
    items = entries(call.ctx, call.args[0])
    return None if items is None else Seq(items)


def list_(call: Call) -> Abstract | None:
    if not call.args:
        return Seq((), "list")
    value = call.args[0]
    if is_rows(known := content(call.ctx, value)):
        return some_rows(call.ctx, columns_of(known))
    items = entries(call.ctx, value)
    if items is not None:
        return Seq(items, "list")
    if (numbers := list_of_floats(call.ctx, value)) is not None:
        return numbers
    if isinstance(value, Range):
        # Where it stays in the program, what makes it must be seen once: it has an identity.
        bounds, pure = (value.start, value.stop, value.step), not call.ctx.outlines.primal
        made = Type("int64", (None,), "list")
        return verbatim(call.ctx, "list(range(_0_, _1_, _2_))", bounds, made, pure=pure)
    if isinstance(value, Zipped):
        parts = tuple(_as_it_is(call.ctx, part) for part in value.parts)
        return replace(value, parts=parts, listed=True)
    operand = read(call.ctx, value)
    if operand.type.kind == "list":
        return call.ctx.apply("copy", operand)
    of_numbers = operand.type.is_array and operand.type.rank == 1
    return call.ctx.apply("rows", operand) if of_numbers else None


def _as_it_is(ctx: Context, value: Abstract) -> Abstract:
    """What a list of entries is made of: numbers stay, rows are views."""
    if isinstance(value, Ref) and (array := read(ctx, value)).type.rank == 1:
        return array
    return value


def extreme(op: str, reduction: str) -> Special:
    """`min` and `max`, of several values or of the entries of one."""

    def find(call: Call) -> Abstract | None:
        ctx = call.ctx
        if call.keywords:
            return best(call, op)
        items: Sequence[Abstract] = call.args
        if len(items) == 1:
            known = content(ctx, items[0])
            array = (
                None if isinstance(known, Seq | Struct | Range | Zipped) else read(ctx, items[0])
            )
            if array is not None:
                if array.type.kind == "object":
                    return None
                if array.type.is_scalar:
                    return fails_as_called(ctx, call.function, call.args, {})
                if (array.type.rank or 1) > 1:
                    _refuse_rows(ctx)
                return ctx.apply(reduction, array, spelling=f"builtins.{op}")
            found = entries(ctx, items[0])
            if found is None:
                return None
            if not found:
                return fails_as_called(ctx, call.function, items, {})
            items = found
        return _extreme(call, op, items)

    return find


def _extreme(call: Call, op: str, items: Sequence[Abstract]) -> Abstract | None:
    """The least or largest of several values."""
    ctx = call.ctx
    if any(_is_list(ctx, item) for item in items):
        _refuse_rows(ctx)
    if _in_order(ctx, items):
        return best(call, op)
    if _holds_none(ctx, items):
        return fails_as_called(ctx, call.function, call.args, {})
    return _extreme_number(ctx, op, items)


def _is_list(ctx: Context, item: Abstract) -> bool:
    """Whether this is a list whose entries are not known one by one."""
    known = content(ctx, item)
    return isinstance(known, Value | Ref) and read(ctx, known).type.kind == "list"


def _refuse_rows(ctx: Context) -> NoReturn:
    """Lists are compared in Python's order, by the first entry that differs."""
    what = "rows or lists are compared here, of which one is taken whole"
    ctx.unlike("AG106", what, "compare numbers, or use max(rows, key=...)")


def _holds_none(ctx: Context, items: Sequence[Abstract]) -> bool:
    """Whether numbers are compared with None, which fails; other objects may compare themselves."""
    others = [item for item in items if item != const(None)]
    numbers = all(read(ctx, item).type.is_scalar for item in others)
    return len(items) > 1 and len(others) < len(items) and numbers


def _in_order(ctx: Context, items: Sequence[Abstract]) -> bool:
    """Whether lists, tuples or instances are compared, which are no numbers."""
    known = [content(ctx, item) for item in items]
    return any(isinstance(k, Seq) or (isinstance(k, Struct) and not is_maybe(k)) for k in known)


def _extreme_number(ctx: Context, op: str, items: Sequence[Abstract]) -> Abstract:
    result = items[0]
    for item in items[1:]:
        a, b = result, item
        folded = None
        if isinstance(a, Const) and isinstance(b, Const):
            folded = fold(min if op == "min" else max, a.value, b.value)
        result = ctx.apply(op, read(ctx, a), read(ctx, b)) if folded is None else folded
    return result


def sum_(call: Call) -> Abstract | None:
    ctx, value = call.ctx, call.args[0]
    start = call.take("start", 1)
    items = (
        entries(ctx, value)
        if isinstance(content(ctx, value), Seq | Struct | Range | Zipped)
        else None
    )
    if items is not None:
        total: Abstract = start if start is not None else const(0)
        for k, item in enumerate(items):
            # What is left out is `0 +`, which makes a number of a truth value.
            first = k == 0 and start is None and not _is_truth(ctx, item)
            total = item if first else arithmetic(ctx, ast.Add, total, item, call.node)
        return total
    if isinstance(value, Range | Zipped):
        return None
    array = read(ctx, value)
    if array.type.kind == "object" or array.type.rank is None:
        return None
    if array.type.rank == 0:
        return fails_as_called(ctx, call.function, call.args, call.keywords)
    if array.type.rank == 1 and "sum_items" in TABLE:
        result: Abstract = ctx.apply("sum_items", array)
    else:
        result = ctx.apply("sum", array, axis=0)
    return result if start is None else arithmetic(ctx, ast.Add, start, result, call.node)


def prod(call: Call) -> Abstract | None:
    """`math.prod` of integers, which have as many digits as they need; of others by its row."""
    ctx = call.ctx
    known = content(ctx, call.args[0]) if len(call.args) == 1 else None
    if isinstance(known, Range):
        return unknown(ctx, call.whole())
    items = known.items if isinstance(known, Seq) else ()
    if call.keywords or not all(shown_type(ctx, ctx.state, i).dtype == "int64" for i in items):
        return None
    multiply = partial(arithmetic, ctx, ast.Mult, node=call.node)
    return reduce(multiply, items) if items else None


def _is_truth(ctx: Context, item: Abstract) -> bool:
    plain = not isinstance(content(ctx, item), Seq | Struct)
    return plain and shown_type(ctx, ctx.state, item).dtype == "bool"


def divmod_(call: Call) -> Abstract:
    a, b = call.args
    quotient = arithmetic(call.ctx, ast.FloorDiv, a, b, call.node)
    return Seq((quotient, arithmetic(call.ctx, ast.Mod, a, b, call.node)))


def pow_(call: Call) -> Abstract | None:
    if len(call.args) != 2 or call.keywords:
        return None
    return arithmetic(call.ctx, ast.Pow, call.args[0], call.args[1], call.node)


def round_(call: Call) -> Abstract | None:
    """`round(x)` and `round(x, None)` of a number: an integer. With digits it is a row."""
    digits = call.take("ndigits", 1, const(None))
    if not call.args or len(call.args) > 2 or digits != const(None):
        return None
    operand = read(call.ctx, call.args[0])
    if not operand.type.is_scalar:
        return None
    return verbatim(call.ctx, "round(_0_)", (operand,), INT, pure=True)


def str_(call: Call) -> Abstract | None:
    return text(call.ctx, call.args[0]) if len(call.args) == 1 else None


def of_character(function: Callable[..., Any]) -> Special:
    """`chr` and `ord` of what is known."""

    def folded(call: Call) -> Abstract | None:
        values = [a.value for a in call.args if isinstance(a, Const)]
        return fold(function, *values) if len(values) == len(call.args) == 1 else None

    return folded


def plain(call: Call) -> Abstract | None:
    """`abs` and `float` of numpy scalars and the like are rows; nothing to do here."""
    row = TABLE.find(call.function.spelling) if isinstance(call.function, Named) else None
    if row is None or not all(isinstance(a, Const) for a in call.args):
        return None
    values = [a.value for a in call.args if isinstance(a, Const)]
    return fold(abs, *values) if row.name == "abs" else None


SPECIAL: dict[str, Special] = {
    **KINDS,
    **ITERATION,
    "builtins.len": len_,
    "builtins.slice": slice_,
    "builtins.tuple": tuple_,
    "builtins.list": list_,
    "builtins.float": converted("float64"),
    "builtins.int": converted("int64"),
    "builtins.bool": converted("bool"),
    "builtins.complex": converted("complex128"),
    "builtins.min": extreme("min", "amin"),
    "builtins.max": extreme("max", "amax"),
    "builtins.sum": sum_,
    "math.prod": prod,
    "builtins.divmod": divmod_,
    "builtins.pow": pow_,
    "builtins.round": round_,
    "builtins.any": any_or_all,
    "builtins.all": any_or_all,
    "builtins.abs": plain,
    "builtins.str": str_,
    "builtins.chr": of_character(chr),
    "builtins.ord": of_character(ord),
}

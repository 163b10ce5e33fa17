"""Calls: rows of the table, functions that the frontend knows itself, helpers, and unknown ones.

A row binds its arguments as the Python function would; what the row calls an option must be known
when the program is generated. Which function the user called is kept as the option `spelling`, the
qualified name or `.method`, where it is not the row's first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.frontend.calls import passive_calls, wrong_arguments
from adjointgen.frontend.calls.array_class_calls import (
    is_of_array_class,
    method_call,
    named_call,
)
from adjointgen.frontend.calls.call_arguments import arguments, begun, function_of
from adjointgen.frontend.calls.enum_calls import entry_of
from adjointgen.frontend.calls.followed_functions import followed, in_one_place
from adjointgen.frontend.calls.guessed_shapes import of_user
from adjointgen.frontend.calls.instance_calls import of_class
from adjointgen.frontend.calls.known_calls import Call, Keywords, Special
from adjointgen.frontend.calls.live_calls import live_call, object_call
from adjointgen.frontend.calls.named_options import name_options
from adjointgen.frontend.calls.opaque_calls import positions, unknown
from adjointgen.frontend.calls.reduction_loops import rewritten
from adjointgen.frontend.calls.row_arguments import bind, is_list_itself
from adjointgen.frontend.calls.row_views import row_view
from adjointgen.frontend.calls.where_masks import masked, unwritten
from adjointgen.frontend.control.row_lists import columns_of, is_rows, refuse
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Derived,
    Functions,
    Method,
    Named,
    Outside,
    Partial,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.qualified_names import enum_class, live
from adjointgen.frontend.expressions import sparse_calls
from adjointgen.frontend.expressions.attributes import super_of
from adjointgen.frontend.expressions.method_results import as_python_takes
from adjointgen.frontend.expressions.own_values import own_update
from adjointgen.frontend.expressions.special_methods import asked_method, class_held
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.functions.numpy_definitions import defined, is_meant, is_numpys_own
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.library import communicator_calls, interpolator_calls
from adjointgen.frontend.library.array_protocol import as_numpy_takes
from adjointgen.frontend.library.table_lookups import looked_up
from adjointgen.frontend.library.type_tests import has_attribute
from adjointgen.frontend.source.desugar import Made
from adjointgen.frontend.state import strings
from adjointgen.frontend.state.assignment_shapes import fails_as_called, gives, into, own_dtype
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import method_of_tuple
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.numeric_tables import lone_number, numeric
from adjointgen.frontend.state.passthrough import Holes
from adjointgen.frontend.state.runtime_helpers import operation_of
from adjointgen.frontend.state.sequential_copies import check_unread
from adjointgen.frontend.state.storage_cells import content, perhaps, read
from adjointgen.frontend.state.tape_lists import is_tape_call, tape_call
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE, Row


def call(ctx: Context, node: ast.Call, discarded: bool = False) -> Abstract:
    if is_tape_call(ctx, node):
        return tape_call(ctx, node) or const(None)
    if (updated := own_update(ctx, node)) is not None:
        return updated
    with begun(ctx, node):
        return _call(ctx, node, discarded)


def call_statement(ctx: Context, node: ast.Call) -> None:
    call(ctx, node, discarded=True)


def _call(ctx: Context, node: ast.Call, discarded: bool) -> Abstract:
    function = function_of(ctx, node)
    ctx.node = node
    match function:
        case Closure():
            return _of_source(ctx, node, function)
        case Bound(function=method, owner=owner) if living(ctx, content(ctx, owner)) is not None:
            return live_call(ctx, node, method, owner, discarded)
        case Bound() | Class() | Ref() | Named() if (
            made := of_class(ctx, node, function)
        ) is not None:
            return made
        case Named(spelling="builtins.super"):
            return super_of(ctx, node)
        case Named():
            return _named(ctx, node, function, discarded)
        case Partial() | Derived():
            return ctx.actions.applied(ctx, function, *arguments(ctx, node), node)
        case Method():
            return _method(ctx, node, function, discarded)
        case Outside() | Value() if (
            made := object_call(ctx, node, function, discarded)
        ) is not None:
            return made
    return unknown(ctx, node, discarded)


def _of_source(ctx: Context, node: ast.Call, function: Closure) -> Abstract:
    """A call of a function with source, or of one that stands for an operation."""
    op = operation_of(function.source)
    if op in ("caught", "outcome"):
        return ctx.actions.caught(ctx, node, f"_{op}")
    args, keywords = arguments(ctx, node, ours=True)
    ctx.node = node
    if op is None:
        return passive_calls.of_source(ctx, node, function, args, keywords)
    return ctx.apply(op, *(read(ctx, a) for a in args))


def _handled(call: Call, special: Special) -> Abstract | None:
    """What a call gives that is more than a row; refused where it lacks an argument, or has one
    that is not looked at."""
    ctx, named = call.ctx, Keywords(call.keywords)
    call.keywords = named
    try:
        made = special(call)
    except IndexError:
        if call.args:
            raise
        what = f"{ctx.text(call.node.func)} lacks an argument"
        ctx.refuse("AG103", what, "give its first argument by position", node=call.node)
    if made is not None and named.unread:
        what = f"{ctx.text(call.node.func)} with {sorted(named.unread)[0]}="
        ctx.refuse("AG104", what, "leave it out, or write what it does", node=call.node)
    return made


def _named(ctx: Context, node: ast.Call, function: Named, discarded: bool) -> Abstract:
    if (made := rewritten(ctx, node, function.spelling)) is not None:
        return made
    special: Special | None = ctx.actions.special(function.spelling)
    row = TABLE.find(function.spelling)
    unruled = row is None or row.kind == "refuse"
    written = defined(function.spelling) if unruled else None
    if special is None and row is None and written is None and not enum_class(function.spelling):
        return followed(ctx, node, function, discarded)
    args, keywords = in_one_place(function.spelling, *arguments(ctx, node))
    args = [as_numpy_takes(ctx, function, value, node) for value in args]
    ctx.node = node
    if (entry := entry_of(function, args, keywords)) is not None:
        return entry
    if (of_class := named_call(ctx, node, function, args, keywords)) is not None:
        return of_class
    return _named_with(
        ctx, Call(ctx, node, function, args, keywords, discarded), special, row, written
    )


def _named_with(
    ctx: Context, one: Call, special: Special | None, row: Row | None, written: Closure | None
) -> Abstract:
    """A call of a function that is known by name, with its arguments."""
    node, function, args, keywords = one.node, one.function, one.args, one.keywords
    assert isinstance(function, Named)
    discarded = one.discarded
    if ctx.outlines.primal and is_numpys_own(ctx, function.spelling, args):
        return unknown(ctx, node, discarded, function)
    if (special or written) and wrong_arguments.fails(ctx, function.spelling, args, keywords):
        return fails_as_called(ctx, function, args, keywords)
    meant = written is not None and is_meant(ctx, function.spelling, args, keywords)
    if written is not None and meant and special is None:
        return outline(ctx, written, args, keywords, node)
    args = _as_columns(ctx, function, args)
    if args and (method := asked_method(ctx, function.spelling, args[0])) is not None:
        made, owner = inline(ctx, method, args, {}, node), class_held(ctx, args[0])
        return as_python_takes(ctx, method.source.name, made, getattr(owner, "__name__", ""))
    one = Call(ctx, node, function, [*args], {**keywords}, discarded)
    if special is not None and (found := _handled(one, special)) is not None:
        return found
    if written is not None and meant:
        return outline(ctx, written, args, keywords, node)
    if row is None:
        return unknown(ctx, node, discarded, function)
    return apply_row(one, row, function.spelling)


def _as_columns(ctx: Context, function: Named, args: list[Abstract]) -> list[Abstract]:
    """A list of tuples that grows is as long as each of its columns."""
    if args and function.spelling == "builtins.len" and is_rows(known := content(ctx, args[0])):
        return [columns_of(known)[0], *args[1:]]
    return args


def _method(ctx: Context, node: ast.Call, method: Method, discarded: bool) -> Abstract:
    if is_of_array_class(ctx, node, method):
        return method_call(ctx, node, method, apply_row)
    owned = content(ctx, (method := method_of_tuple(ctx, method)).owner)
    if (folded := strings.method(ctx, owned, method.name, node)) is not None:
        return folded
    if is_rows(owned):
        return _of_rows(ctx, node, method)
    known = isinstance(owned, Seq | Struct | Functions)
    if isinstance(owned, Seq) and owned.kind == "set":
        ctx.refuse("AG102", f"{method.name} of a set", "write it with operators", node=node)
    if not known and read(ctx, method.owner).type.kind == "object":
        return _of_object(ctx, node, method, discarded)
    if not ctx.catching and has_attribute(ctx, method.owner, method.name) is False:
        # Python looks the method up before it evaluates the arguments.
        holes = Holes(ctx)
        return fails_in(ctx, f"{holes.fill(method.owner)}.{method.name}", *holes.operands)
    special: Special | None = ctx.actions.special("." + method.name)
    row = TABLE.find("." + method.name)
    args, keywords = arguments(ctx, node)
    ctx.node = node
    one = Call(ctx, node, method, [method.owner, *args], {**keywords}, discarded)
    if special is not None and wrong_arguments.of_method(owned, method.name, args, keywords):
        return fails_as_called(ctx, method, one.args, keywords)
    if special is not None and (found := _handled(one, special)) is not None:
        return found
    if row is None or isinstance(owned, Seq | Struct):
        return unknown(ctx, node, discarded)
    return apply_row(one, row, "." + method.name)


def _of_rows(ctx: Context, node: ast.Call, method: Method) -> Abstract:
    """A method of a list of tuples of which it is not known how many there are."""
    args, keywords = arguments(ctx, node)
    ctx.node = node
    special: Special | None = ctx.actions.special("rows." + method.name)
    one = Call(ctx, node, method, [method.owner, *args], {})
    made = None if special is None or keywords else special(one)
    return refuse(ctx, method.name) if made is None else made


def _of_object(ctx: Context, node: ast.Call, method: Method, discarded: bool) -> Abstract:
    """A method of a sparse matrix, or of an object that is not known, such as a generator."""
    made = sparse_calls.method(ctx, node, method) or interpolator_calls.method(ctx, node, method)
    made = communicator_calls.method(ctx, node, method) if made is None else made
    made = looked_up(ctx, node, method) if made is None else made
    if made is None:
        made = ctx.actions.draw(ctx, node, method)
    return unknown(ctx, node, discarded) if made is None else made


# Rows


def apply_row(one: Call, row: Row, spelling: str) -> Abstract:
    """The operation of a row."""
    ctx = one.ctx
    name_options(one, row, spelling)
    out = one.keywords.pop("out", None)
    mask = one.keywords.pop("where", None) if _is_masked(one, row, spelling) else None
    named = own_dtype(ctx, one.keywords, row)
    bound = None if named == "" else bind(one, row, spelling.startswith("."))
    if bound is None or not gives(ctx, row, bound, named) or is_list_itself(one, row, bound):
        return unknown(ctx, one.node, one.discarded, one.function)
    operands, options = bound
    if row.symbol or spelling != row.spellings[0]:
        options["spelling"] = spelling
    if mask is not None:
        made = _masked(one, row, operands, options, out, mask)
        return unknown(ctx, one.node, one.discarded, one.function) if made is None else made
    if (shown := row_view(ctx, row, operands, options)) is not None:
        return shown
    kept = lone_number if spelling.startswith("math.") else numeric
    results = _results(ctx, row, [kept(ctx, read(ctx, o)) for o in operands], options)
    if results is None:
        return unknown(ctx, one.node, one.discarded, one.function)
    if len(results) != 1:
        return _several(ctx, row, operands, results)
    given = of_user(ctx, row, operands, results[0])
    return _into(one, row, out, given, spelling)


def _parts(value: Abstract) -> Sequence[Abstract]:
    return value.items if isinstance(value, Seq) else (value,)


def _results(
    ctx: Context, row: Row, operands: list[Operand], options: dict[str, Any]
) -> tuple[Value, ...] | None:
    """The results of a row; None where it is not for arrays of these ranks."""
    try:
        return ctx.apply_many(row.name, operands, options)
    except NoRule as error:
        if error.span is not None:  # refused, whatever the ranks are
            raise
        return None


def _several(
    ctx: Context, row: Row, operands: Sequence[Abstract], results: Sequence[Value]
) -> Abstract:
    items = tuple(perhaps(ctx, r, operands) if row.view == "each" else r for r in results)
    return Seq(items, "list" if row.name in _LISTS else "tuple")


def _is_masked(one: Call, row: Row, spelling: str) -> bool:
    """Whether this is a ufunc that is told which entries to compute."""
    mask = one.keywords.get("where")
    known = isinstance(mask, Const) and mask.value is True
    return mask is not None and not known and positions(spelling)[-1:] == ("out",)


def _masked(
    one: Call,
    row: Row,
    operands: list[Abstract],
    options: dict[str, Any],
    out: Abstract | None,
    mask: Abstract,
) -> Abstract | None:
    ctx = one.ctx
    read_all = [numeric(ctx, read(ctx, o)) for o in operands]
    chosen = read(ctx, mask)
    if out is None or out == const(None):
        out = unwritten(ctx, row, read_all, options, chosen)
        if out is None:
            return None
    return masked(ctx, row.name, read_all, options, out, chosen, one.node)


_LISTS = ("split", "array_split", "vsplit", "hsplit", "dsplit")
"""What gives a list of results."""


def _into(one: Call, row: Row, out: Abstract | None, result: Abstract, spelling: str) -> Abstract:
    """`out=`: the result is written into the array, if there is one."""
    if out is None or out == const(None):
        return result
    if isinstance(out, Seq) and len(out.items) == 1:
        out = out.items[0]
    if not isinstance(out, Ref):
        what = "`out` is no array with a name"
        one.ctx.unlike("AG104", what, "assign the result instead", node=one.node)
    if any(p.name == "arrays" for p in row.parameters):
        check_unread(one.ctx, out, [a for o in one.args for a in _parts(content(one.ctx, o))])
    value = read(one.ctx, result)
    written = into(one.ctx, out, value, isinstance(live(spelling)[1], np.ufunc), row.exact_out)
    if written is not None:
        return written
    if isinstance(live(spelling)[1], np.ufunc):
        return fails_as_called(one.ctx, one.function, one.args, {**one.keywords, "out": out})
    return unknown(one.ctx, one.node, one.discarded, one.function)


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Call: call,
    Made: call,
}

"""Calls: rows of the table, functions that the frontend knows itself, helpers, and unknown ones."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.calls import passive_calls, wrong_arguments
from adjointgen.frontend.calls.array_class_calls import (
    is_of_array_class,
    method_call,
    named_call,
)
from adjointgen.frontend.calls.call_arguments import arguments, begun, function_of
from adjointgen.frontend.calls.enum_calls import entry_of
from adjointgen.frontend.calls.followed_functions import followed, in_one_place
from adjointgen.frontend.calls.instance_calls import of_class
from adjointgen.frontend.calls.known_calls import Call, Keywords, Special
from adjointgen.frontend.calls.live_calls import live_call, object_call
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.calls.reduction_loops import rewritten
from adjointgen.frontend.calls.row_calls import apply_row
from adjointgen.frontend.calls.sequence_arguments import as_arrays
from adjointgen.frontend.control.row_lists import columns_of, is_rows, refuse
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Derived,
    Functions,
    Method,
    Module,
    Named,
    Outside,
    Partial,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.qualified_names import enum_class
from adjointgen.frontend.expressions import sparse_calls
from adjointgen.frontend.expressions.attributes import super_of
from adjointgen.frontend.expressions.method_results import as_python_takes
from adjointgen.frontend.expressions.own_values import own_read, own_update
from adjointgen.frontend.expressions.special_methods import asked_method, class_held
from adjointgen.frontend.functions.inlining import fits, inline
from adjointgen.frontend.functions.numpy_definitions import defined, is_meant, is_numpys_own
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.library import communicator_calls, frozen_calls, interpolator_calls
from adjointgen.frontend.library.array_protocol import as_numpy_takes
from adjointgen.frontend.library.table_lookups import looked_up
from adjointgen.frontend.library.type_tests import has_attribute
from adjointgen.frontend.source.desugar import Made
from adjointgen.frontend.source.scipy_interpolators import CURVES
from adjointgen.frontend.state import strings
from adjointgen.frontend.state.assignment_shapes import fails_as_called
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import method_of_tuple
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.passthrough import Holes
from adjointgen.frontend.state.runtime_helpers import operation_of
from adjointgen.frontend.state.set_order import SETS
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.frontend.state.tape_lists import is_tape_call, tape_call
from adjointgen.frontend.state.zero_dim_updates import ZERO_DIM, note_zero_dim
from adjointgen.ir.nodes import Value
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE, Row


def call(ctx: Context, node: ast.Call, discarded: bool = False) -> Abstract:
    if is_tape_call(ctx, node):
        return tape_call(ctx, node) or const(None)
    if (found := own_update(ctx, node) or own_read(ctx, node)) is not None:
        return found
    with begun(ctx, node):
        return _call(ctx, node, discarded)


def _is_curve(ctx: Context, function: Abstract) -> bool:
    """Whether an interpolator of SciPy is called, which gives arrays for numbers."""
    held = content(ctx, function)
    kind = held.kind if isinstance(held, Struct) else None
    return isinstance(kind, Class) and kind.type in CURVES


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
            if _is_curve(ctx, function):
                note_zero_dim(ctx, made)
            return made
        case Named(spelling="builtins.super"):
            return super_of(ctx, node)
        case Named():
            return _named(ctx, node, function, discarded)
        case Partial() | Derived():
            return ctx.actions.applied(ctx, function, *arguments(ctx, node), node)
        case Method():
            return _method(ctx, node, function, discarded)
        case Module() if (made := frozen_calls.frozen(ctx, node, function)) is not None:
            return made
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
    if op is None and function.named and not fits(function.source, args, keywords):
        return fails_as_called(ctx, function.named, args, keywords)
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
    if not any(_known(ctx, function.spelling)) and not enum_class(function.spelling):
        return followed(ctx, node, function, discarded)
    return _applied(ctx, node, function, *arguments(ctx, node), discarded)


def _known(ctx: Context, spelling: str) -> tuple[Special | None, Row | None, Closure | None]:
    """What there is for a function: code of the frontend, a row, and a definition in source."""
    row = TABLE.find(spelling)
    unruled = row is None or row.kind == "refuse"
    return ctx.actions.special(spelling), row, defined(spelling) if unruled else None


def _applied(
    ctx: Context,
    node: ast.Call,
    function: Named,
    args: list[Abstract],
    keywords: dict[str, Abstract],
    discarded: bool = False,
) -> Abstract:
    """A call of a function that is known by name, with its arguments as they are written."""
    args, keywords = in_one_place(function.spelling, args, keywords)
    args = [as_numpy_takes(ctx, function, value, node) for value in args]
    ctx.node = node
    if (entry := entry_of(function, args, keywords)) is not None:
        return entry
    if (of_class := named_call(ctx, node, function, args, keywords)) is not None:
        return of_class
    special, row, written = _known(ctx, function.spelling)
    if not ctx.outlines.primal:
        given = args
        args = as_arrays(ctx, function.spelling, args, None if written is None else written.source)
        if function.spelling == "numpy.copy" and len(args) == 1 and args != given and not keywords:
            return args[0]
    one = Call(ctx, node, function, args, keywords, discarded)
    made = _named_with(ctx, one, special, row, written)
    if function.spelling in ZERO_DIM:
        note_zero_dim(ctx, made)
    return made


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


def _of_set(ctx: Context, node: ast.Call, method: Method, discarded: bool) -> Abstract:
    """A method of a set whose entries are known; the set is an object where they are no longer."""
    args, keywords = arguments(ctx, node)
    ctx.node = node
    one = Call(ctx, node, method, [method.owner, *args], {**keywords})
    found: Abstract | None = ctx.actions.set_method(one, method.name)
    return unknown(ctx, node, discarded) if found is None else found


def _method(ctx: Context, node: ast.Call, method: Method, discarded: bool) -> Abstract:
    if is_of_array_class(ctx, node, method):
        return method_call(ctx, node, method, apply_row)
    owned = content(ctx, (method := method_of_tuple(ctx, method)).owner)
    if (folded := strings.method(ctx, owned, method.name, node)) is not None:
        return folded
    if is_rows(owned):
        return _of_rows(ctx, node, method)
    known = isinstance(owned, Seq | Struct | Functions)
    if isinstance(owned, Seq) and owned.kind in SETS:
        return _of_set(ctx, node, method, discarded)
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
    made = frozen_calls.method(ctx, node, method, _applied) if made is None else made
    made = communicator_calls.method(ctx, node, method) if made is None else made
    made = looked_up(ctx, node, method) if made is None else made
    if made is None:
        made = ctx.actions.draw(ctx, node, method)
    return unknown(ctx, node, discarded) if made is None else made


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Call: call,
    Made: call,
}

"""The parts of a call, each evaluated once: its function, and its arguments.

Where evaluating a part has an effect, a call that turns out to be unknown is written with the
values of its parts, not with their text: `lines.readline().split()` reads one line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from adjointgen.frontend.control.row_lists import is_rows
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Derived,
    Functions,
    Generator,
    Lazy,
    Method,
    Named,
    Partial,
    Seq,
    Struct,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.expressions.special_methods import iterated, special
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.iteration.object_iteration import deque_entries
from adjointgen.frontend.state.asked_lengths import asked
from adjointgen.frontend.state.call_effects import may_act
from adjointgen.frontend.state.context import Begun, Context
from adjointgen.frontend.state.held_values import as_held
from adjointgen.frontend.state.observed_kinds import dict_observed, entries_observed
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Apply, Value
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const


@contextmanager
def begun(ctx: Context, node: ast.Call) -> Iterator[None]:
    """Note what a call does before it is known what it is: calls inside may do anything."""
    calls = any(isinstance(inner, ast.Call) for part in _parts(node) for inner in ast.walk(part))
    outer, stmts = ctx.begun.get(node), ctx.blocks[-1]
    ctx.begun[node] = Begun(stmts, len(stmts), dict(ctx.state.cells) if calls else {}, calls)
    try:
        yield
    finally:
        del ctx.begun[node]
        if outer is not None:
            ctx.begun[node] = outer


def _parts(node: ast.Call) -> list[ast.expr]:
    return [node.func, *node.args, *(keyword.value for keyword in node.keywords)]


def function_of(ctx: Context, node: ast.Call) -> Abstract:
    """What a call calls."""
    found = ctx.actions.callee(ctx, node.func)
    if node in ctx.begun:
        ctx.begun[node].function = found
    return found


def acted(ctx: Context, node: ast.Call) -> Begun | None:
    """The parts of a call that have been evaluated, if that had an effect."""
    call = ctx.begun.get(node)
    if call is None or not call.calls:
        return None
    changed = any(ctx.state.cells.get(cell) != held for cell, held in call.cells.items())
    return call if changed or any(map(may_act, call.stmts[call.count :])) else None


def in_text(ctx: Context, node: ast.Call) -> None:
    """The text of a call stands for its parts as well: what they raise, it raises."""
    call = ctx.begun.get(node, Begun([], 0, {}))
    for k in range(call.count, len(call.stmts)):
        stmt = call.stmts[k]
        if isinstance(stmt, Apply) and stmt.op == "verbatim" and not stmt.option("pure"):
            options = tuple(sorted({**dict(stmt.options), "sure": True}.items()))
            call.stmts[k] = replace(stmt, options=options)


def arguments(
    ctx: Context, node: ast.Call, ours: bool = False
) -> tuple[list[Abstract], dict[str, Abstract]]:
    """The arguments of a call; starred tuples are spread. Those of `our` functions may be None."""
    found = _arguments(ctx, node, ours)
    if node in ctx.begun:
        ctx.begun[node].given = found
    return found


def _starred(ctx: Context, arg: ast.Starred) -> tuple[Abstract, ...]:
    """The entries of a starred argument."""
    value = ctx.expression(arg.value)
    items = entries(ctx, value)
    if items is None and (number := entries_observed(ctx, arg.value, value)) is not None:
        items = tuple(ctx.actions.part(ctx, value, const(k)) for k in range(number))
    if items is None:
        held = content(ctx, value)
        shape = held.type.shape if isinstance(held, Value) else None
        wanted = asked(ctx, shape[0] if shape else None)
        what = "how many arguments this is, is not known"
        ctx.unlike("AG103", what, "name them", node=arg, wanted=wanted)
    return items


def _arguments(
    ctx: Context, node: ast.Call, ours: bool
) -> tuple[list[Abstract], dict[str, Abstract]]:
    of = ctx.perhaps if ours else ctx.expression
    args: list[Abstract] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            args += _starred(ctx, arg)
        elif isinstance(arg, ast.GeneratorExp) and not ours and _consumes(ctx, node):
            _refuse_iterator(ctx, node, arg)
            args.append(ctx.actions.comprehension(ctx, arg))
        else:
            value = of(arg) if ours else _run_over(ctx, node, of(arg))
            if not ours and is_lazy(ctx, value) and _consumes(ctx, node, _is_generator(ctx, value)):
                _refuse_iterator(ctx, node, arg)
                value = _listed(ctx, value)
            elif not ours and isinstance(value, Zipped) and not value.listed:
                _refuse_iterator(ctx, node, arg)
            args.append(value)
    keywords: dict[str, Abstract] = {}
    for keyword in node.keywords:
        value = of(keyword.value) if keyword.arg else ctx.expression(keyword.value)
        keywords |= {keyword.arg: value} if keyword.arg else _spread(ctx, value, keyword)
    return args, keywords


LAZY = ("zip", "enumerate", "map", "filter", "iter", "next", "reversed", "any", "all")
ASKED = ("len", "isinstance", "type", "callable", "hasattr", "getattr", "id", "repr", "bool")
"""What is asked of an iterator itself, and takes nothing out of it."""


def _function(ctx: Context, node: ast.Call) -> Abstract | None:
    return ctx.begun[node].function if node in ctx.begun else ctx.actions.callee(ctx, node.func)


def _refuse_iterator(ctx: Context, node: ast.Call, arg: ast.expr) -> None:
    """NumPy raises for most iterators, and for others makes an array of the iterator itself."""
    function = _function(ctx, node)
    spelling = function.spelling if isinstance(function, Named) else ""
    if spelling.startswith("numpy.") and spelling != "numpy.fromiter":
        what = "NumPy takes an iterator for one object, not for its entries"
        ctx.refuse("AG102", what, "make a list of it: `list(...)`", node=arg)


HOMES = ("builtins", "math", "numpy", "statistics", "collections")
"""Modules of functions that are sure to take all entries, if they take one."""


RUNNING = ("all", "any", "list", "max", "min", "set", "sorted", "sum", "tuple")
"""What asks its only argument for its entries."""


def _run_over(ctx: Context, node: ast.Call, value: Abstract) -> Abstract:
    """An argument, or what it says that is run over."""
    function = _function(ctx, node)
    spelling = function.spelling if isinstance(function, Named) else ""
    home, _, name = spelling.rpartition(".")
    if spelling.startswith("numpy.") and (listed := deque_entries(ctx, value)) is not None:
        return listed
    asked = home == "builtins" and name in RUNNING and len(node.args) == 1
    copied = name == "list" and is_rows(content(ctx, value))
    return iterated(ctx, value, node) if asked and not copied else value


def _is_generator(ctx: Context, value: Abstract) -> bool:
    """Whether there may be no end to a value."""
    held = content(ctx, value)
    return isinstance(held.items[0] if is_iterator(held) else held, Generator)


def _consumes(ctx: Context, node: ast.Call, endless: bool = False) -> bool:
    """Whether a function takes all entries of a generator before anything else is done."""
    function = _function(ctx, node)
    if endless and isinstance(function, Method):
        return function.name in ("extend", "join", "fromkeys", "update")
    if endless and not (
        isinstance(function, Named) and function.spelling.rpartition(".")[0] in HOMES
    ):
        return False
    if not isinstance(function, Named):
        return not isinstance(function, Partial | Derived)
    home, _, name = function.spelling.rpartition(".")
    return home != "itertools" and not (home == "builtins" and name in (*LAZY, *ASKED))


def is_lazy(ctx: Context, value: Abstract) -> bool:
    """Whether this is a generator, or an iterator."""
    return isinstance(value, Lazy | Generator) or is_iterator(content(ctx, value))


def _listed(ctx: Context, value: Abstract) -> Abstract:
    """What a generator or an iterator has left, as a list."""
    items = entries(ctx, value)
    return ctx.actions.drained(ctx, value) if items is None else Seq(items, "list")


def _spread(ctx: Context, value: Abstract, node: ast.keyword) -> dict[str, Abstract]:
    """`**d`, of a dict whose keys are known."""
    own = special(ctx, value, "__iter__") is not None
    known = content(ctx, value if own else as_held(ctx, value))
    known = dict_observed(ctx, node.value, value) or known
    instance = isinstance(known, Struct) and isinstance(known.kind, Class)
    if instance or not isinstance(known, Struct | Functions):
        ctx.refuse("AG103", "keyword arguments from a dictionary", "name them", node=node)
    return dict(zip(map(str, known.keys), known.items, strict=True))

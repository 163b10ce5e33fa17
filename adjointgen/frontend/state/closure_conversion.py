"""A call as a function of its own, and the statements of a function in the place of a call.

y * sin(x), by y                  =>        f(y, x) = y * sin(x), with x from outside
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Outside, Ref, Seq, Struct
from adjointgen.frontend.domain.maybe_scalar import settled
from adjointgen.frontend.state.cleanup import tidy
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.program_state import State
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.calls import calling
from adjointgen.ir.edit import copied, substitute_in, with_values
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Const,
    Function,
    Operand,
    Stmt,
    Value,
    defined_in,
    reads_of,
)
from adjointgen.ir.packing import plain_parameters, plain_results
from adjointgen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Lifted:
    """A call as a function: `function(*operands)` gives what fills `result`.

    `args` are the arguments by position and keyword, and `wrt` the parameters that stand for what
    is differentiated in them.
    """

    ctx: Context
    function: Function
    operands: tuple[Operand, ...]
    wrt: tuple[str, ...]
    result: Abstract
    args: Mapping[Any, Abstract]

    def derive(self, kind: str) -> Function:
        """The derivative of the function."""
        derive = self.ctx.outlines.derive
        if derive is None:
            self.ctx.refuse("AG102", "a derivative is taken inside a function here", "call it")
        made: Function = derive(self.function, kind, self.wrt)
        return made


def lifted(
    ctx: Context,
    function: Abstract,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    chosen: Sequence[int | str],
    node: ast.Call,
) -> Lifted:
    """A call of a function, as a function of what is chosen of its arguments, and of the rest."""
    given: dict[Any, Abstract] = {**dict(enumerate(args)), **keywords}
    own: list[tuple[Value, Operand]] = []
    marked = {k: _marked(ctx, v, own) if k in chosen else v for k, v in given.items()}
    first = [marked[k] for k in range(len(args))]
    yields: list[Operand] = []
    outer = ctx.state
    with ctx.block(outer.fork()) as stmts:
        named = {k: marked[k] for k in keywords}
        made = ctx.actions.applied(ctx, function, first, named, node)
        result = _flat(ctx, made, yields)
        _check(ctx, outer, ctx.state)
    return _function(ctx, stmts, yields, own, result, given)


def _marked(ctx: Context, value: Abstract, own: list[tuple[Value, Operand]]) -> Abstract:
    """The argument with values of its own for all numbers and arrays in it."""
    known = content(ctx, value)
    if isinstance(known, Struct):
        items = tuple(_marked(ctx, item, own) for item in known.items)
        return Struct(known.kind, known.keys, items)
    if isinstance(known, Seq):
        return known.of(_marked(ctx, item, own) for item in known.items)
    operand = read(ctx, known)
    if not operand.type.is_differentiable:
        return value
    _check_shape(ctx, operand)
    own.append(
        (ctx.value(operand.root if isinstance(operand, Value) else "", operand.type), operand)
    )
    return own[-1][0]


def _check_shape(ctx: Context, operand: Operand) -> None:
    if isinstance(operand, Value) and operand.name in ctx.loose:
        ctx.unclear(operand)


def _flat(ctx: Context, value: Abstract, yields: list[Operand]) -> Abstract:
    """The structure of a result, whose leaves are put into a list."""
    known = content(ctx, value)
    if isinstance(known, Seq):
        return known.of([_flat(ctx, item, yields) for item in known.items])
    if isinstance(known, Struct):
        items = tuple(_flat(ctx, item, yields) for item in known.items)
        return Struct(known.kind, known.keys, items)
    if not isinstance(known, Value | Const | Ref | Outside):
        return known
    yields.append(read(ctx, known))
    _check_shape(ctx, yields[-1])
    return ABSENT


def filled(result: Abstract, yields: Iterator[Operand]) -> Abstract:
    """The structure around other leaves."""
    if isinstance(result, Seq | Struct):
        return result.of([filled(item, yields) for item in result.items])
    return next(yields) if result == ABSENT else result


def _check(ctx: Context, before: State, after: State) -> None:
    """Refuse what is more than a function of its arguments."""
    if after.dead:
        ctx.refuse("AG102", "what is differentiated here always raises", "call it")
    changed = [c for c, v in before.cells.items() if after.cells.get(c) is not v]
    names = [k for k, v in before.names.items() if after.names.get(k) is not v]
    if any(after.cells[c] != before.cells[c] for c in changed) or any(
        after.names.get(k) != before.names[k] for k in names
    ):
        ctx.refuse(
            "AG102",
            "what is differentiated here writes to what is outside of it",
            "pass it what it writes to, and return the result",
        )


def _function(
    ctx: Context,
    stmts: list[Stmt],
    yields: list[Operand],
    own: list[tuple[Value, Operand]],
    result: Abstract,
    args: Mapping[Any, Abstract],
) -> Lifted:
    block = Block(tuple(v for v, _ in own), tuple(stmts), tuple(yields))
    # What was renamed may be read under its old name, which is no name from outside.
    block = with_values(block, lambda v: ctx.renamed.get(v.name, v))
    inside = {v.name for v in defined_in(block)}
    outside = {v.name: v for v in reads_of(block) if v.name not in inside}
    for value in outside.values():
        _check_shape(ctx, value)
    body = replace(block, params=(*block.params, *outside.values()))
    body = _under_own_names(tidy(settled(_under_own_names(body), ctx.loose), {}))
    function = Function(
        "lifted",
        plain_parameters(body.params),
        body,
        plain_results(len(yields)),
        tuple(f"result_{k}" for k in range(len(yields))),
        imports=tuple(ctx.imports),
    )
    wrt = tuple(p.root for p in body.params[: len(own)])
    operands = (*(o for _, o in own), *outside.values())
    return Lifted(ctx, _with_callees(ctx, function), operands, wrt, result, args)


def _with_callees(ctx: Context, function: Function) -> Function:
    try:
        whole: Function = ctx.outlines.program(function)
    except KeyError:  # A function that is being lowered is not known yet.
        what = "what is differentiated here calls a function that calls it"
        return ctx.refuse("AG120", what, "write it as a loop")
    return whole


def _under_own_names(body: Block) -> Block:
    """The body with parameters that are called by their names, which are the only ones."""
    params = tuple(replace(p, root=p.name) for p in body.params)
    by = {p.name: p for p in params}
    return replace(substitute_in(replace(body, params=()), by), params=params)


def spliced(ctx: Context, made: Function, operands: Sequence[Operand]) -> list[Operand]:
    """The statements of a function where it is called, and what they give."""
    body = calling(made.body, ctx.outlines.adopted(made.callees))
    body = copied(body, ctx.supply.fresh)
    given = dict(zip((p.name for p in body.params), operands, strict=True))
    body = substitute_in(replace(body, params=()), given)
    for stmt in body.stmts:
        if not (isinstance(stmt, Apply) and stmt.op == "comment"):
            ctx.add(stmt)
    ctx.imports |= dict.fromkeys(made.imports)
    return list(body.yields)

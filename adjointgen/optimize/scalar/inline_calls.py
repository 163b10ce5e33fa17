"""Procedure inlining: the bodies of the functions that a program calls stand in their places.

    y = g(x)                                    t = x * x
                                        ->      y = t + 1.0

A recursive function has no such form; it is refused. (Muchnick 1997, section 15.2.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence

from adjointgen.costs import INLINED
from adjointgen.errors import Span, Unsupported
from adjointgen.ir.edit import (
    copied,
    rebuild,
    substitute,
    substitute_in,
    substitute_stmt,
)
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Call,
    Function,
    Operand,
    Stmt,
    Value,
    called,
    calls,
    defined_in,
    walk,
)
from adjointgen.ir.types import Dim, Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names
from adjointgen.rules.framework.table import TABLE


def worth_it(function: Function) -> frozenset[str]:
    """The functions that are called at one place, or short: the caller may well have them inside.

    A compiler then sees what a call would hide: which arrays need not exist, which loops join.
    """
    table = {f.name: f for f in function.callees}
    sites = Counter(name for f in (function, *function.callees) for name in calls(f.body))
    return frozenset(
        name
        for name, callee in table.items()
        if not callee.joint
        and (sites[name] - 1) * sum(1 for _ in walk(callee.body)) <= INLINED
        and callee not in called(callee, table)
    )


def straight(function: Function) -> frozenset[str]:
    """The functions that do not call themselves, directly or in turn."""
    table = {f.name: f for f in function.callees}
    return frozenset(name for name, f in table.items() if f not in called(f, table))


def sending(function: Function) -> frozenset[str]:
    """The functions that send messages to other processes, themselves or by those they call.

    Raises Unsupported (AG120) for a recursive one.
    """
    table = {f.name: f for f in function.callees}
    own = {f.name: m for f in table.values() if (m := _message(f)) is not None}
    if not own:
        return frozenset()
    reach = {f.name: {f.name, *(g.name for g in called(f, table))} for f in table.values()}
    found = frozenset(name for name, reached in reach.items() if reached.intersection(own))
    for name in found - straight(function):
        raise Unsupported(
            f"{name} calls itself, and sends messages to other processes",
            code="AG120",
            span=next(own[n].span for n in sorted(reach[name]) if n in own),
            help="write it as a loop, or send the messages outside of it",
        )
    return found


def _message(function: Function) -> Stmt | None:
    """The first message that a function sends or receives."""
    stmts = (s for s in walk(function.body) if isinstance(s, Apply))
    return next((s for s in stmts if TABLE.get(s.op).message), None)


def inlined(
    function: Function,
    primal: Mapping[str, frozenset[str]],
    only: Container[str] | None = None,
) -> tuple[Function, frozenset[str]]:
    """The program without calls, and the names of the values that were the user's in callees.

    With `only`, calls of other functions stay. Raises Unsupported (AG120) for a recursive function.
    """
    work = _Inlining({f.name: f for f in function.callees}, Names.of(function), primal, only)
    body = work.block(function.body, ())
    imports = dict.fromkeys(function.imports)
    for callee in function.callees:
        imports |= dict.fromkeys(callee.imports)
    comments = dict(function.comments)
    for callee in function.callees:
        comments |= dict(callee.comments) if callee.origin.file == function.origin.file else {}
    made = replace(
        function,
        body=body,
        imports=tuple(imports),
        comments=tuple(sorted(comments.items())),
        callees=(),
        updates=frozenset[Span]().union(*(f.updates for f in (function, *function.callees))),
        directives=tuple(
            dict.fromkeys(d for f in (function, *function.callees) for d in f.directives)
        ),
        quotes=tuple(dict.fromkeys(q for f in (function, *function.callees) for q in f.quotes)),
    )
    made = replace(made, callees=called(made, work.table))
    return made, frozenset(work.copied)


class _Inlining:
    def __init__(
        self,
        table: Mapping[str, Function],
        names: Names,
        primal: Mapping[str, frozenset[str]],
        only: Container[str] | None,
    ) -> None:
        self.only = table if only is None else only
        self.table = table
        self.names = names
        self.primal = primal
        self.copied: set[str] = set()

    def block(self, block: Block, inside: tuple[str, ...]) -> Block:
        by: dict[str, Operand] = {}
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            stmts += self.statement(substitute_stmt(stmt, by), inside, by)
        yields = tuple(substitute(y, by) for y in block.yields)
        return Block(block.params, tuple(stmts), yields)

    def statement(
        self, stmt: Stmt, inside: tuple[str, ...], by: dict[str, Operand]
    ) -> Iterator[Stmt]:
        if not isinstance(stmt, Call) or stmt.function not in self.only:
            yield rebuild(stmt, lambda operand: operand, lambda b: self.block(b, inside))
            return
        if stmt.function in inside:
            raise Unsupported(
                f"{stmt.function} calls itself, and its gradient is differentiated again",
                code="AG120",
                span=stmt.span,
                help="write it as a loop, or take the gradient last",
            )
        body = self.fresh(self.table[stmt.function])
        body = _retyped(body, _lengths(body.params, stmt.args))
        given = dict(zip((p.name for p in body.params), stmt.args, strict=True))
        body = substitute_in(replace(body, params=()), given)
        body = self.block(body, (*inside, stmt.function))
        yield from body.stmts
        by.update(zip((r.name for r in stmt.results), body.yields, strict=True))

    def fresh(self, function: Function) -> Block:
        """A copy of a body under names of its own, tapes included."""
        own = self.primal[function.name]
        before = [v.name for v in defined_in(function.body)]
        body = copied(function.body, self.names.fresh)
        new = dict(zip(before, (v.name for v in defined_in(body)), strict=True))
        self.copied |= {new[n] for n in before if n in own}
        return body


Lengths = Mapping[str, Dim | None]


def _lengths(params: Sequence[Value], args: Sequence[Operand]) -> Lengths:
    """What the symbols in the types of parameters stand for, where these arguments are passed."""
    found: dict[str, Dim | None] = {}
    for param, arg in zip(params, args, strict=True):
        inside = (*(param.type.shape or ()), param.type.value)
        outside = (*(arg.type.shape or ()), arg.type.value)
        if len(inside) != len(outside):
            continue
        for dim, known in zip(inside, outside, strict=True):
            if dim is not None and dim.symbol and not dim.offset and not found.get(dim.symbol):
                found[dim.symbol] = known
    return found


def _retyped(body: Block, lengths: Lengths) -> Block:
    """A body with the caller's lengths in its types; a symbol of its own means nothing outside."""

    def length(dim: Dim | None) -> Dim | None:
        if dim is None or not dim.symbol:
            return dim
        outside = lengths.get(dim.symbol)
        return None if outside is None else outside + dim.offset

    def typed(type: Type) -> Type:
        shape = None if type.shape is None else tuple(map(length, type.shape))
        return replace(type, shape=shape, value=length(type.value))

    def value(v: Value) -> Value:
        return replace(v, type=typed(v.type))

    def operand(o: Operand) -> Operand:
        return replace(o, type=typed(o.type))

    def block(b: Block) -> Block:
        stmts = tuple(rebuild(s, operand, block, value) for s in b.stmts)
        return Block(tuple(map(value, b.params)), stmts, tuple(map(operand, b.yields)))

    return block(body)

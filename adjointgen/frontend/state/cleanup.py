"""The lowered program without what the lowering left over.

Values carried round a loop unchanged are what entered it:

    y = loop ... carry (p = a): ...; yield p      =>      y -> a, p -> a

and names are given again in the order of definition, since a body that was lowered several times
has used up numbers. One substitution and one renaming, each a single walk.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.ir.edit import carried, rebuild, with_columns, with_values
from adjointgen.ir.nodes import (
    LOOPS,
    Block,
    Branch,
    Loop,
    Operand,
    Stmt,
    Value,
    results_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names


def tidy(body: Block, renamed: Mapping[str, Value]) -> Block:
    """The block without unchanged carried values, its names in order.

    A value that was `renamed` may have been held under its old name, in a tuple for instance.
    """
    if renamed:
        body = with_values(body, lambda value: renamed.get(value.name, value))
    return _numbered(_joined(_without_unchanged(body)))


def _joined(body: Block) -> Block:
    """Two branches on one test, of which the first does nothing if it holds, as one branch."""
    stmts: list[Stmt] = []
    for stmt in body.stmts:
        stmt = rebuild(stmt, lambda o: o, _joined)
        last = stmts[-1] if stmts else None
        both = isinstance(last, Branch) and isinstance(stmt, Branch) and last.test == stmt.test
        if both and isinstance(last, Branch) and isinstance(stmt, Branch) and not last.then.stmts:
            stmts[-1] = _in_one(last, stmt)
        else:
            stmts.append(stmt)
    return Block(body.params, tuple(stmts), body.yields)


def _in_one(first: Branch, second: Branch) -> Branch:
    def arm(a: Block, b: Block) -> Block:
        known = dict(zip((r.name for r in first.results), a.yields, strict=True))

        def here(operand: Operand) -> Operand:
            return known.get(operand.name, operand) if isinstance(operand, Value) else operand

        def inside(block: Block) -> Block:
            stmts = tuple(rebuild(s, here, inside) for s in block.stmts)
            return Block(block.params, stmts, tuple(map(here, block.yields)))

        below = inside(b)
        return Block((), (*a.stmts, *below.stmts), (*a.yields, *below.yields))

    then, orelse = arm(first.then, second.then), arm(first.orelse, second.orelse)
    return replace(first, results=(*first.results, *second.results), then=then, orelse=orelse)


def _without_unchanged(body: Block) -> Block:
    instead: dict[str, Operand] = {}

    def resolve(operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand.name in instead:
            operand = instead[operand.name]
        return operand

    changed = True
    while changed:
        changed = False
        for stmt in walk(body):
            if not isinstance(stmt, LOOPS):
                continue
            for param, init, handed, result in carried(stmt):
                entering = resolve(init)
                unchanged = resolve(handed) in (param, entering) and entering != param
                if param.name not in instead and unchanged and _same_kind(init, param):
                    instead |= {param.name: init, result.name: init}
                    changed = True
    return _substituted(body, instead, resolve) if instead else body


def _same_kind(init: Operand, param: Value) -> bool:
    """A literal that stands for an array is no substitute for it."""
    return isinstance(init, Value) or init.type.kind == param.type.kind


def _substituted(body: Block, instead: dict[str, Operand], resolve: object) -> Block:
    assert callable(resolve)

    def block(b: Block) -> Block:
        stmts = tuple(dropped(rebuild(s, resolve, block)) for s in b.stmts)
        return Block(b.params, stmts, tuple(resolve(y) for y in b.yields))

    def dropped(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, LOOPS):
            return stmt
        kept = [k for k, p in enumerate(stmt.body.params) if p.name not in instead]
        return stmt if len(kept) == len(stmt.inits) else with_columns(stmt, kept)

    return block(body)


def _numbered(body: Block) -> Block:
    """Fresh names, in the order in which a reader meets the definitions."""
    supply = Names()
    new: dict[str, Value] = {}

    def define(value: Value) -> Value:
        if value.name not in new:
            stem = value.root or value.name.rstrip("0123456789").rstrip("_") or "t"
            new[value.name] = replace(value, name=supply.fresh(stem))
        return new[value.name]

    def operand(o: Operand) -> Operand:
        return new.get(o.name, o) if isinstance(o, Value) else o

    def block(b: Block) -> Block:
        params = tuple(map(define, b.params))
        stmts = []
        for stmt in b.stmts:
            if isinstance(stmt, Loop):
                define(stmt.index)
            if isinstance(stmt, Branch):
                stmts.append(rebuild(stmt, operand, block, define))
                continue
            for value in results_of(stmt):
                define(value)
            stmts.append(rebuild(stmt, operand, block, define))
        return Block(params, tuple(stmts), tuple(map(operand, b.yields)))

    return block(body)

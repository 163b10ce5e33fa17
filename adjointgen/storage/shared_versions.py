"""Old versions of arrays that an object holds are read from copies.

    y_2 = statement(o, y_1) [writes=(1,), through=(1,)]     o writes to the array that it holds
    t = sum(y_1)                                            the array before

The storage of `y_1` becomes that of `y_2`, whatever is read later: another array in its place would
not be the one that the object writes to. So what is read of `y_1` at the statement or after it is
read from a copy that is made before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.analysis.values.storage_classes import rewritten, storage
from adjointgen.ir.edit import rebuild, substitute, substitute_in, substitute_stmt
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    blocks_of,
    defined_in,
    results_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names


def with_old_versions(function: Function, names: Names) -> tuple[Block, frozenset[str]]:
    """The body with the copies, and the values whose storage stays as it is."""
    body = function.body
    pairs = [p for s in walk(body) if isinstance(s, Apply) for p in rewritten(s)]
    if not pairs:
        return body, frozenset()
    classes = storage(function)
    wanted = {classes.of(new) for new, _ in pairs}
    every = (v for v in (*body.params, *defined_in(body)) if not v.type.is_scalar)
    shared = frozenset(v.name for v in every if classes.of(v) in wanted)
    return _Copies(shared, _written(body), names).block(body), shared


def _written(body: Block) -> frozenset[str]:
    """The values that are written to in place, as they are or after branches."""
    stmts = list(walk(body))
    found = {o.name for s in stmts for o in _operands_written(s) if isinstance(o, Value)}
    for stmt in reversed(stmts):
        if isinstance(stmt, Branch):
            for result, *ends in zip(
                stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True
            ):
                if result.name in found:
                    found |= {end.name for end in ends if isinstance(end, Value)}
    return frozenset(found)


def _operands_written(stmt: Stmt) -> Iterator[Operand]:
    match stmt:
        case Apply():
            yield from (stmt.args[k] for k in _places(stmt))
        case Loop() | While():
            yield from stmt.inits


class _Copies:
    """One walk; every block looks after the values that it defines."""

    def __init__(self, shared: frozenset[str], written: frozenset[str], names: Names) -> None:
        self.shared, self.written, self.names = shared, written, names

    def block(self, block: Block) -> Block:
        mine = [*block.params, *(r for stmt in block.stmts for r in results_of(stmt))]
        for value in mine:
            if value.name in self.shared:
                block = self.kept(block, value)
        stmts = (rebuild(stmt, lambda o: o, self.block) for stmt in block.stmts)
        return replace(block, stmts=tuple(stmts))

    def kept(self, block: Block, value: Value) -> Block:
        """The block with a copy of a value from where its storage is handed on."""
        handing = (k for k, stmt in enumerate(block.stmts) if value in self.handed(stmt))
        at = next(handing, None)
        if at is None:
            return block
        copy = replace(value, name=self.names.fresh(value.name), root="")
        by = {value.name: copy}
        rest = self.from_there(block.stmts[at:], value, by)
        yields = tuple(substitute(y, by) for y in block.yields)
        if (rest, yields) == (block.stmts[at:], block.yields):
            return block
        made = Apply((copy,), "copy", (value,))
        return replace(block, stmts=(*block.stmts[:at], made, *rest), yields=yields)

    def from_there(
        self, stmts: tuple[Stmt, ...], value: Value, by: dict[str, Value]
    ) -> tuple[Stmt, ...]:
        """Statements that read the copy, from where the first of them hands the storage on."""
        at = next((k for k, stmt in enumerate(stmts) if value in self.handed(stmt)), len(stmts))
        if at == len(stmts):
            return stmts
        around = self.around(stmts[at], value, by)
        return (*stmts[:at], around, *(substitute_stmt(s, by) for s in stmts[at + 1 :]))

    def around(self, stmt: Stmt, value: Value, by: dict[str, Value]) -> Stmt:
        """The statement that hands the storage on, with the copy for all else that it reads."""

        def block(inner: Block) -> Block:
            stmts = self.from_there(inner.stmts, value, by)
            return replace(inner, stmts=stmts)

        match stmt:
            case Apply():
                places = _places(stmt)
                args = (a if k in places else substitute(a, by) for k, a in enumerate(stmt.args))
                return replace(stmt, args=tuple(args))
            case Loop() | While():
                made = rebuild(stmt, lambda o: substitute(o, by), lambda b: substitute_in(b, by))
                assert isinstance(made, Loop | While)
                return replace(made, inits=stmt.inits)
            case Branch():
                return replace(stmt, then=block(stmt.then), orelse=block(stmt.orelse))
        return substitute_stmt(stmt, by)

    def handed(self, stmt: Stmt) -> Iterator[Operand]:
        """The operands whose storage is written to, or goes over to another value that is."""
        yield from _operands_written(stmt)
        if isinstance(stmt, Branch):
            for result, *ends in zip(
                stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True
            ):
                yield from ends if result.name in self.written else ()
        for block in blocks_of(stmt):
            for inner in block.stmts:
                yield from self.handed(inner)


def _places(stmt: Apply) -> tuple[int, ...]:
    places = stmt.option("writes", ())
    assert isinstance(places, tuple)
    return (0,) if stmt.op in WRITES else places

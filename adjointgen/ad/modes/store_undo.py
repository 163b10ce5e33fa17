"""Preparing the forward sweep: `a_2 = store(a_1, v, i)` is preceded by `old = load(a_1, i)`.

The reverse sweep undoes a store with the element that it overwrote. Here that element gets its
name; whether it is recorded, or read at all, is decided later. Loops and branches are numbered, so
that their reverse counterparts can be tied to them.
"""

from __future__ import annotations

from adjointgen.ir.nodes import WRITES, Apply, Block, Branch, Function, Loop, Stmt, Value, While
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, Names


@dataclass(frozen=True, slots=True)
class Prepared:
    """A forward sweep and, by the name of each store's result, the element it overwrote."""

    function: Function
    old: dict[str, Value]
    names: Names


def keep_old(function: Function) -> Prepared:
    """Name the element that every store overwrites, and number what has a reverse counterpart."""
    names = Names.of(function)
    work = _Prepare(names)
    return Prepared(replace(function, body=work.block(function.body)), work.old, names)


class _Prepare:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.old: dict[str, Value] = {}
        self.pairs = 0

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            stmts.extend(self.statement(stmt))
        return replace(block, stmts=tuple(stmts))

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Apply(op=op) if op in WRITES and op != "push":
                return (*self.load_old(stmt), stmt)
            case Loop() | While():
                self.pairs += 1
                pair = self.pairs
                return (replace(stmt, pair=pair, body=self.block(stmt.body)),)
            case Branch():
                self.pairs += 1
                pair = self.pairs
                then, orelse = self.block(stmt.then), self.block(stmt.orelse)
                return (replace(stmt, pair=pair, then=then, orelse=orelse),)
            case _:
                return (stmt,)

    def load_old(self, stmt: Apply) -> tuple[Stmt, ...]:
        array, index = stmt.args[0], stmt.args[2:]
        builder = Builder(self.names)
        builder.span = stmt.span
        pattern = "-1" if stmt.op == "drop" else stmt.option("index")
        stem = f"{stmt.result.root}_old" if stmt.result.root else "old"
        self.old[stmt.result.name] = builder.apply("load", array, *index, stem=stem, index=pattern)
        return builder.stmts

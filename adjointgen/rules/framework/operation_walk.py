"""A walk over the operations of a program, each of which may be replaced after others.

with_operations(f, change)        change(builder, stmt) gives what stands for stmt, after what
                                  it has appended to the builder
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Apply, Block, Function, Stmt
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names

Change = Callable[[Builder, Apply], Stmt]


def with_operations(function: Function, change: Change) -> Function:
    """The function with each operation of its body changed, those in inner blocks first."""
    names = Names.of(function)

    def inside(block: Block) -> Block:
        builder = Builder(names)
        for stmt in block.stmts:
            stmt = rebuild(stmt, lambda operand: operand, inside)
            builder.add(change(builder, stmt) if isinstance(stmt, Apply) else stmt)
        return replace(block, stmts=builder.stmts)

    return replace(function, body=inside(function.body))

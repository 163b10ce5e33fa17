"""Schedules by keyword: `grad(f, checkpoint="log")` is the directive above the outermost loops."""

from __future__ import annotations

from adjointgen.ad.checkpoints.outline_steps import require_repeatable
from adjointgen.errors import Unsupported
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Block, Branch, Function, Loop, Stmt, While
from adjointgen.ir.schedules import Schedule
from adjointgen.records import replace


def with_schedule(function: Function, schedule: Schedule) -> Function:
    """The program with a schedule for each outermost loop that has none and can be run twice.

    In a function that has no loop they are those of the functions that it calls.
    Raises Unsupported (AG122) where there is no such loop.
    """
    refused: list[Unsupported] = []
    found: list[Stmt] = []

    def block(block: Block) -> Block:
        return replace(block, stmts=tuple(one(stmt) for stmt in block.stmts))

    def one(stmt: Stmt) -> Stmt:
        match stmt:
            case Loop() | While():
                try:
                    require_repeatable(stmt)
                except Unsupported as error:
                    refused.append(error)
                    return stmt
                found.append(stmt)
                return replace(stmt, schedule=stmt.schedule or schedule)
            case Branch():
                return rebuild(stmt, lambda operand: operand, block)
            case _:
                return stmt

    made = replace(function, body=block(function.body))
    if not found and not refused:
        callees = (replace(f, body=block(f.body)) for f in function.callees)
        made = replace(function, callees=tuple(callees))
    if not found:
        raise next(iter(refused), _no_loop(function))
    return made


def _no_loop(function: Function) -> Unsupported:
    return Unsupported(
        f"{function.name} has no loop whose states could be kept",
        code="AG122",
        help="leave checkpoint= out",
    )

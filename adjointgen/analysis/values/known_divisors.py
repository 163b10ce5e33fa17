"""Numbers that a program divides by anyway: it has raised, or they are not 0.

A number counts if the division stands in the block that defines it, so that both are computed or
neither. With `r * s` and `r**3` the factors and the base are not 0 either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjointgen.ir.nodes import Apply, Block, Const, Operand, Stmt, Value, blocks_of, results_of


def divided_by(block: Block) -> frozenset[str]:
    """The names of these numbers, in a block and all inside it."""
    return frozenset(_divided(block))


def _divided(block: Block) -> Iterator[str]:
    mine = {v.name for v in block.params}
    mine.update(r.name for stmt in block.stmts for r in results_of(stmt))
    made = {s.results[0].name: s for s in block.stmts if isinstance(s, Apply) and s.results}
    for stmt in block.stmts:
        for inner in blocks_of(stmt):
            yield from _divided(inner)
        if isinstance(stmt, Apply) and stmt.op == "div":
            yield from (name for name in _factors(stmt.args[1:], made) if name in mine)


def _factors(operands: Iterable[Operand], made: dict[str, Apply]) -> Iterator[str]:
    """The numbers that must not be 0 where none of the operands is."""
    for operand in operands:
        if isinstance(operand, Value) and operand.type.is_scalar:
            yield operand.name
            yield from _factors(_parts(made.get(operand.name)), made)


def _parts(stmt: Stmt | None) -> tuple[Operand, ...]:
    match stmt:
        case Apply(op="mul", args=args):
            return args
        case Apply(op="pow", args=(base, Const(value=int() | float() as value))) if value > 0:
            return (base,)
        case Apply(op="neg" | "abs" | "sqrt", args=args):
            return args
    return ()

"""Messages between processes: what is sent is useful, what is received is varied.

    comm.Send(x, 1, 0)          x is useful, whatever becomes of it here
    comm.Recv(y, 0, 0)          y is varied, whatever it held before

A rank cannot see from its own program whether what it receives is differentiated at its source, nor
whether an adjoint will be sent back to it. So every message of floats is taken for one that is, on
every rank alike: each has its tangent message and its adjoint message, of zeros where nothing else
is known. Then both sides of every message agree, and what comes for a constant is thrown away.
(Utke, Hascoët, Heimbach, Hill, Hovland and Naumann 2009, Toward adjoinable MPI.)
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.ir.nodes import Apply, Block, Stmt, Value, walk
from adjointgen.rules.framework.table import TABLE


def is_message(stmt: Stmt) -> bool:
    """Whether this is a message of floats."""
    if not isinstance(stmt, Apply) or not TABLE.get(stmt.op).message:
        return False
    return any(v.type.is_differentiable for v in (*stmt.results, *stmt.args))


def received(block: Block) -> Iterator[Value]:
    """What messages bring."""
    for stmt in filter(is_message, walk(block)):
        assert isinstance(stmt, Apply)
        yield from (r for r in stmt.results if r.type.is_differentiable)


def sent(block: Block) -> Iterator[Value]:
    """What messages carry away."""
    for stmt in filter(is_message, walk(block)):
        assert isinstance(stmt, Apply)
        yield from (a for a in stmt.args if isinstance(a, Value) and a.type.is_differentiable)

"""What the reverse of a loop or of an arm of a branch hands on to what surrounds it."""

from __future__ import annotations

from adjointgen.ir.nodes import Loop, Operand, Stmt, Value, While
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Carried:
    """What a reverse loop carries: adjoints of carried values, of outer values, and arrays."""

    stmt: Loop | While
    indices: list[int]
    bars: list[Value]
    outer: list[Value]
    arrays: list[int]
    inits: tuple[Operand, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """The reverse of a branch arm: its statements, and what is known at its end."""

    stmts: list[Stmt]
    bars: dict[str, Operand]
    restored: dict[str, Operand]

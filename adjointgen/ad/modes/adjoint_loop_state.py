"""What the reverse of a loop or of an arm of a branch hands on, and the shape that it then has."""

from __future__ import annotations

from adjointgen.ad.modes.adjoint_state import Bars, is_sized
from adjointgen.ir.nodes import Block, Branch, Loop, Operand, Stmt, Value, While
from adjointgen.records import dataclass
from adjointgen.rules.framework.contributions import zero


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


def nothing(work: Bars, param: Value, bar: Value) -> Operand:
    """The adjoint of what an iteration begins with and does not read, of its own shape.

    The `bar` of what it ends with has that shape where types tell that it is always the same.
    """
    if param.type.is_scalar or is_sized(param.type) or param.name in work.shapeless:
        return zero(work.builder, bar, bar.root)
    return work.zero(param)


def received(work: Bars, bar: Value, end: Operand, param: Value) -> Operand:
    """The adjoint of what an iteration ends with, which may be the zero of another one.

    Where the loop makes an array anew each time, and none before it, there is nothing to ask
    for the shape of what an iteration begins with. What has another shape than its value is
    such a zero.
    """
    rank = param.type.rank
    if is_sized(param.type) or param.name not in work.shapeless or not rank:
        return bar
    test, held = None, work.primal(end)
    for axis in range(rank):
        lengths = [work.builder.apply("dim", a, axis=axis) for a in (bar, held)]
        equal = work.builder.apply("eq", *lengths)
        test = equal if test is None else work.builder.apply("and", test, equal)
    with work.builder.block() as made:
        none = zero(work.builder, held, bar.root)
    result = work.builder.value(bar.root, bar.type, bar.name)
    arms = Block((), (), (bar,)), Block((), tuple(made), (none,))
    assert test is not None
    work.builder.add(Branch((result,), test, *arms, span=work.builder.span))
    return result

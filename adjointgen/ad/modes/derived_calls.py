"""What stands for a call of a user's function in a derivative program.

In a tangent program `y = g(x)` is `y, y_dot = g_tangent(x, x_dot)`. In an adjoint program the call
is split: `y, tape = g_forward(x)` in the forward sweep keeps what `x_bar = g_reverse(x, tape,
y_bar)` reads in the reverse sweep, so that no function runs twice however deep the calls are. Where
nothing has to be kept the forward sweep calls `g` itself. (Split mode: Griewank and Walther 2008,
section 12.2.)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.differentiation.call_patterns import Pattern, pattern_of
from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Call, Function, Stmt, Value
from adjointgen.ir.types import OBJECT
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Names


@dataclass(frozen=True, slots=True)
class Derived:
    """The functions of a pattern: `forward` runs where the primal did, `reverse` in its reverse.

    `needs` are the arguments that the reverse reads and `returns` the results, by number; with
    `tape` the forward has one more result, which the reverse takes after them. `advance` is the
    step of a loop with checkpoints for its `live` state alone; it `takes` these of the arguments.
    """

    forward: str
    reverse: str = ""
    needs: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    tape: bool = False
    advance: str = ""
    live: tuple[int, ...] = ()
    takes: tuple[int, ...] = ()


DerivedBy = Mapping[Pattern, Derived]
NONE: Final[DerivedBy] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Split:
    """What is split of one call: its pattern, and the value that holds its tape."""

    pattern: Pattern
    derived: Derived
    tape: Value | None


def split_calls(
    function: Function, facts: Activity, derived: DerivedBy
) -> tuple[Function, dict[str, Split]]:
    """The forward sweep with its active calls split; the splits by the name of a first result."""
    names = Names.of(function)
    splits: dict[str, Split] = {}

    def split(stmt: Stmt) -> Stmt:
        pattern = pattern_of(stmt, facts) if isinstance(stmt, Call) else None
        if not isinstance(stmt, Call) or pattern is None:
            return stmt
        how = derived[pattern]
        tape = Value(names.fresh(f"{stmt.function}_tape"), OBJECT) if how.tape else None
        splits[stmt.results[0].name] = Split(pattern, how, tape)
        results = (*stmt.results, *((tape,) if tape else ()))
        return replace(stmt, function=how.forward, results=results)

    return replace(function, body=with_simple(function.body, split)), splits

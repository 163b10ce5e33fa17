"""One adjoint program as two functions: the forward sweep, and the reverse sweep that continues it.

    g_adjoint(x, y_bar) -> y, x_bar        =>        g_forward(x) -> y, tape
                                                     g_reverse(x, tape, y_bar) -> x_bar

The tape holds what the reverse sweep reads of the forward sweep, less what it recomputes from its
arguments and the rest within a budget (`recompute_or_record.py`), and the lists that loops have
recorded. What is a result of the function is handed back by the caller. Where the tape would be
empty there is none, and the forward sweep is the function itself.
"""

from __future__ import annotations

from adjointgen.ad.modes.tangent import distinct
from adjointgen.ad.taping.recompute_or_record import kept
from adjointgen.errors import InternalError
from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Call,
    Function,
    Leaf,
    Node,
    Parameter,
    Record,
    Replay,
    Slot,
    Stmt,
    Tree,
    Value,
    reads_of,
    walk,
)
from adjointgen.ir.types import OBJECT
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Names


@dataclass(frozen=True, slots=True)
class Halves:
    """The two functions; without a `forward` the function itself is one."""

    forward: Function | None
    reverse: Function
    needs: tuple[int, ...]
    returns: tuple[int, ...]


def split(closed: Function, params: int, results: int, name: str, whole: bool) -> Halves:
    """The halves of the adjoint program of `name`, which has so many parameters and results.

    `whole` asks for a tape and all arguments whether they are needed or not: what recursive calls
    expect before the function is known.
    """
    given, seeds = closed.body.params[:params], closed.body.params[params:]
    forward, reverse = _sweeps(closed, results)
    recorded, again = kept(replace(forward, params=given), reverse, closed)
    returns = () if whole else _returned(forward, recorded)
    handed = tuple(v for v in (forward.yields[k] for k in returns) if isinstance(v, Value))
    tape = _Tape(tuple(v for v in recorded if v not in handed), _crossing(forward, reverse), whole)
    reverse = replace(reverse, stmts=(*again, *reverse.stmts))
    read = {v.name for v in reads_of(reverse)}
    needs = tuple(k for k, p in enumerate(given) if whole or p.name in read)
    passed = (*(given[k] for k in needs), *handed)
    second = _reverse(closed, f"{name}_reverse", passed, tape, seeds, reverse)
    second = replace(second, names=closed.names[results:])
    if not tape.exists:
        return Halves(None, dead(second), needs, returns)
    own = tuple(Leaf() for _ in range(results))
    first = replace(
        closed,
        name=f"{name}_forward",
        parameters=closed.parameters[:params],
        body=Block(given, forward.stmts, (*forward.yields, *tape.values)),
        results=Node("tuple", (*own, tape.tree)),
        names=(*closed.names[:results], *(v.name for v in tape.values)),
        kept=len(tape.values),
    )
    return Halves(dead(first), dead(second), needs, returns)


@dataclass(frozen=True, slots=True)
class _Tape:
    """What is handed from sweep to sweep: values, and lists that loops have recorded.

    One value alone is its own tape, unless the tape is `whole`.
    """

    values: tuple[Value, ...]
    slots: tuple[str, ...]
    whole: bool

    @property
    def exists(self) -> bool:
        return self.whole or bool(self.values or self.slots)

    @property
    def alone(self) -> bool:
        return not self.whole and len(self.values) + len(self.slots) == 1

    @property
    def tree(self) -> Tree:
        leaves: tuple[Tree, ...] = (*(Leaf() for _ in self.values), *map(Slot, self.slots))
        return leaves[0] if self.alone else Node("tuple", leaves)


def _reverse(
    closed: Function,
    name: str,
    passed: tuple[Value, ...],
    tape: _Tape,
    seeds: tuple[Value, ...],
    sweep: Block,
) -> Function:
    """The reverse sweep as a function, which begins with `a, b, y_tape = tape`."""
    opening: tuple[Stmt, ...] = ()
    if tape.alone and tape.values:
        passed += tape.values
    elif tape.exists:
        held = Value(Names.of(closed).fresh("tape"), OBJECT)
        passed = (*passed, held)
        if tape.values or tape.slots:
            options = (("single", tape.alone), ("slots", tape.slots))
            opening = (Apply(tape.values, "unpack", (held,), options),)
    params = (*passed, *seeds)
    bars = tuple(Leaf() for _ in sweep.yields)
    return replace(
        closed,
        name=name,
        parameters=tuple(map(Parameter, distinct((p.root or p.name for p in params), ()))),
        body=Block(params, (*opening, *sweep.stmts), sweep.yields),
        results=bars[0] if len(bars) == 1 else Node("tuple", bars),
    )


def _returned(forward: Block, recorded: tuple[Value, ...]) -> tuple[int, ...]:
    """The results that are to be kept: the caller has them anyway."""
    ends = forward.yields
    return tuple(k for k, y in enumerate(ends) if y in recorded and y not in ends[:k])


def _sweeps(closed: Function, results: int) -> tuple[Block, Block]:
    """The statements before and after the turn."""
    body = closed.body
    for k, stmt in enumerate(body.stmts):
        if isinstance(stmt, Apply) and stmt.option("sweep") == "reverse":
            yields = body.yields
            forward = Block((), body.stmts[1:k], yields[:results])
            return forward, Block((), body.stmts[k + 1 :], yields[results:])
    raise InternalError("an adjoint program without a reverse sweep", str(closed))


def _crossing(forward: Block, reverse: Block) -> tuple[str, ...]:
    """The tapes that are recorded before the turn and replayed after it."""
    replayed = {s.slot for s in walk(reverse) if isinstance(s, Replay)}
    recorded = (s.slot for s in walk(forward) if isinstance(s, Record))
    return tuple(dict.fromkeys(slot for slot in recorded if slot in replayed))


def without_tapes(function: Function, plain: dict[str, str]) -> Function:
    """The program with the function itself called where nothing reads what was kept.

    `plain` names it for every forward sweep.
    """
    read = {v.name for v in reads_of(function.body)}

    def trimmed(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, Call) or stmt.function not in plain:
            return stmt
        if stmt.results[-1].name in read:
            return stmt
        return replace(stmt, function=plain[stmt.function], results=stmt.results[:-1])

    return replace(function, body=with_simple(function.body, trimmed))

"""One adjoint program as two functions: the forward sweep, and the reverse sweep that continues it.

    g_adjoint(x, y_bar) -> y, x_bar        =>        g_forward(x) -> y, tape
                                                     g_reverse(x, tape, y_bar) -> x_bar

The tape holds what the reverse sweep reads of the forward sweep, less what it recomputes from its
arguments and the rest within a budget (`recompute_or_record.py`), and the lists that loops have
recorded. What is a result of the function is handed back by the caller. Where the tape would be
empty there is none, and the forward sweep is the function itself.
"""

from __future__ import annotations

from collections.abc import Container

from adjointgen.ad.calls.tape_fields import named_alike
from adjointgen.ad.modes.tangent import rooted_parameters
from adjointgen.ad.taping.recompute_or_record import kept
from adjointgen.errors import InternalError
from adjointgen.ir.edit import rebuild, substitute_in, with_simple
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Call,
    Function,
    Leaf,
    Node,
    Record,
    Replay,
    Slot,
    Stmt,
    Tree,
    Value,
    defined_in,
    reads_of,
    results_of,
    walk,
)
from adjointgen.ir.packing import leaves
from adjointgen.ir.sweep_marks import begins_reverse, is_turn
from adjointgen.ir.sweep_marks import sweep as mark
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


def split(
    closed: Function, params: int, results: int, name: str, whole: bool, lasting: bool
) -> Halves:
    """The halves of the adjoint program of `name`, which has so many parameters and results.

    `whole` asks for a tape and all arguments whether they are needed or not: what recursive calls
    expect before the function is known. A `lasting` tape has what is read of the user's module.
    """
    given, seeds = closed.body.params[:params], closed.body.params[params:]
    forward, reverse, recorded = _sweeps(closed, params, results, lasting)
    returns = () if whole else _returned(forward, recorded)
    handed = tuple(v for v in (forward.yields[k] for k in returns) if isinstance(v, Value))
    tape = _Tape(tuple(v for v in recorded if v not in handed), _crossing(forward, reverse), whole)
    read = {v.name for v in reads_of(reverse)}
    needs = tuple(k for k, p in enumerate(given) if whole or p.name in read)
    passed = (*(given[k] for k in needs), *handed)
    second = _reverse(closed, f"{name}_reverse", passed, tape, seeds, reverse)
    second = replace(second, names=closed.names[results:])
    if not tape.exists:
        return Halves(None, dead(second), needs, returns)
    own = tuple(Leaf() for _ in range(results))
    forward = replace(forward, params=given)
    first = _forward(closed, f"{name}_forward", forward, tape, own)
    return Halves(dead(first), dead(second), needs, returns)


def sweeps_of(
    closed: Function, params: int, results: int, names: tuple[str, str]
) -> tuple[Function, Function]:
    """The two sweeps of a program: all that crosses the turn is on the tape, arguments included.

    f_adjoint(x, y_bar) -> y, x_bar    =>    f_forward(x) -> y, tape
                                             f_reverse(tape, y_bar) -> x_bar
    """
    given, seeds = closed.body.params[:params], closed.body.params[params:]
    forward, reverse, recorded = _sweeps(closed, params, results, True)
    read = {v.name for v in reads_of(reverse)}
    values = (*(p for p in given if p.name in read), *recorded)
    tape = _Tape(values, _crossing(forward, reverse), True)
    assert isinstance(closed.results, Node)
    value, *bars = closed.results.children
    inner = {parameter.name for parameter in closed.parameters[:params]}
    packed = [(group, {leaf for leaf, _ in leaves(group.tree)}) for group in closed.packed]
    second = _reverse(closed, names[1], (), tape, seeds, reverse)
    second = replace(
        second,
        parameters=(second.parameters[0], *closed.parameters[params:]),
        results=Node("tuple", tuple(bars)),
        names=closed.names[results:],
        packed=tuple(group for group, own in packed if not own & inner),
    )
    first = _forward(closed, names[0], replace(forward, params=given), tape, (value,))
    own_parts = tuple(group for group, own in packed if not own or own & inner)
    return dead(replace(first, packed=own_parts)), dead(second)


def rejoined(first: Function, second: Function) -> Function:
    """The parameters and results of the adjoint program that two sweeps were made of."""
    assert isinstance(first.results, Node) and isinstance(second.results, Node)
    own = len(first.body.yields) - first.kept
    return replace(
        first,
        parameters=(*first.parameters, *second.parameters[1:]),
        body=Block(
            (*first.body.params, *second.body.params[1:]),
            (),
            (*first.body.yields[:own], *second.body.yields),
        ),
        results=Node("tuple", (first.results.children[0], *second.results.children)),
        names=(*first.names[:own], *second.names),
        kept=0,
        packed=(*first.packed, *second.packed),
    )


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


def _forward(
    closed: Function, name: str, sweep: Block, tape: _Tape, results: tuple[Tree, ...]
) -> Function:
    """The forward sweep as a function, which returns its results and the tape."""
    return replace(
        closed,
        name=name,
        parameters=closed.parameters[: len(sweep.params)],
        body=replace(sweep, yields=(*sweep.yields, *tape.values)),
        results=Node("tuple", (*results, tape.tree)),
        names=(*closed.names[: len(sweep.yields)], *(v.root or v.name for v in tape.values)),
        kept=len(tape.values),
    )


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
        parameters=rooted_parameters(params),
        body=Block(params, (mark("reverse"), *opening, *sweep.stmts), sweep.yields),
        results=bars[0] if len(bars) == 1 else Node("tuple", bars),
    )


def _returned(forward: Block, recorded: tuple[Value, ...]) -> tuple[int, ...]:
    """The results that are to be kept: the caller has them anyway."""
    ends = forward.yields
    return tuple(k for k, y in enumerate(ends) if y in recorded and y not in ends[:k])


def _sweeps(
    closed: Function, params: int, results: int, lasting: bool
) -> tuple[Block, Block, tuple[Value, ...]]:
    """The two sweeps, and what is recorded for the second beside lists and parameters."""
    given = closed.body.params[:params]
    forward, reverse = _turned(closed, results)
    recorded, again = kept(replace(forward, params=given), reverse, closed)
    reverse = replace(reverse, stmts=(*again, *reverse.stmts))
    reverse = dead(replace(closed, body=reverse, results=Node("tuple", ()))).body
    if lasting:
        forward, reverse, more = with_outside(forward, reverse)
        recorded = (*recorded, *more)
    return named_alike(forward, reverse, recorded)


def with_outside(forward: Block, reverse: Block) -> tuple[Block, Block, tuple[Value, ...]]:
    """The sweeps where the first one reads what the second reads of the user's module.

    These reads are the same anywhere in a program, but not after it.
    """
    defined = {v.name for v in defined_in(forward)}
    by: dict[str, Value] = {}
    found: dict[object, Apply] = {}
    for stmt in walk(reverse):
        if isinstance(stmt, Apply) and stmt.op == "verbatim" and not stmt.args:
            first = found.setdefault(stmt.option("code"), stmt)
            by[stmt.result.name] = first.result
    more = tuple(stmt for stmt in found.values() if stmt.result.name not in defined)
    forward = replace(forward, stmts=(*forward.stmts, *more))
    reverse = substitute_in(_without(reverse, by.keys()), by)
    return forward, reverse, tuple(stmt.result for stmt in found.values())


def _without(block: Block, names: Container[str]) -> Block:
    """The block, and those inside, without the definitions of these values."""
    stmts = (s for s in block.stmts if not any(r.name in names for r in results_of(s)))
    inner = (rebuild(s, lambda operand: operand, lambda b: _without(b, names)) for s in stmts)
    return replace(block, stmts=tuple(inner))


def _turned(closed: Function, results: int) -> tuple[Block, Block]:
    """The statements before and after the turn: the last one, where there are sweeps in a sweep."""
    body = closed.body
    for k, stmt in reversed([*enumerate(body.stmts)]):
        if begins_reverse(stmt):
            yields = body.yields
            before = tuple(s for s in body.stmts[:k] if not is_turn(s))
            forward = Block((), before, yields[:results])
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

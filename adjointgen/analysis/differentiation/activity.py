"""Activity: a value is active if an input varies it and an output is useful to it.

    varied = what is reached from the inputs along the edges argument → result
    useful = what reaches the outputs along the same edges

An edge is drawn where the result has a derivative with respect to the argument. Values are defined
once, so one graph holds for the whole function, and both sets are plain reachability in time linear
in its size. The graph runs in circles through what loops carry, and from records to replays through
the tape's slot. Messages end at other processes: what they bring is varied, what they carry away
useful (`messages.py`).

What has no known derivative (the user's verbatim code, refused and unknown operations) is crossed
by all edges: a transform sees that an active value meets it and refuses, instead of giving a zero.
(Griewank and Walther 2008, section 6.2; Hascoët, Naumann and Pascual 2005.)
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import assert_never

from adjointgen.analysis.differentiation.messages import received, sent
from adjointgen.analysis.differentiation.object_flow import Flow, contents, handed, keeping
from adjointgen.ir.edit import flags_of
from adjointgen.ir.nodes import (
    Apply,
    Branch,
    Call,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    defined_in,
    walk,
)
from adjointgen.ir.types import Type
from adjointgen.records import dataclass, field
from adjointgen.rules.framework.table import TABLE, Row

Edge = tuple[str, str]

Depends = Mapping[str, Flow]
"""For each function that is called, what comes into its results and what it may put where."""


@dataclass(frozen=True, slots=True)
class Activity:
    """The names of the values that the inputs vary and of those that are useful to the outputs.

    `slots` are the tapes that carry something active, `kept` the contents of objects that do, as
    `analysis/differentiation/object_flow.py` calls them; `through` names for each varied value the
    value that it was first reached from. `depends` is what it was found with.
    """

    varied: frozenset[str]
    useful: frozenset[str]
    slots: frozenset[str]
    kept: frozenset[str]
    through: Mapping[str, str]
    depends: Depends = field(default_factory=lambda: MappingProxyType({}))

    def active(self, operand: Operand) -> bool:
        """Whether a derivative is to be carried along with this operand."""
        return (
            isinstance(operand, Value)
            and operand.name in self.varied
            and operand.name in self.useful
        )

    def slot_active(self, slot: str) -> bool:
        """Whether an active value passes through a tape."""
        return slot in self.slots

    def path(self, name: str) -> tuple[str, ...]:
        """The names from the input that varies a value to the value: why it is varied."""
        names = [name]
        while names[-1] in self.through:
            names.append(self.through[names[-1]])
        return tuple(n for n in reversed(names) if n in self.varied)


def activity(
    function: Function,
    wrt: Collection[Value],
    outputs: Collection[int] | None = None,
    depends: Depends = MappingProxyType({}),
) -> Activity:
    """What is varied by the parameters `wrt` and useful to the results numbered `outputs` (all).

    `depends` says of the functions that are called which results come of which arguments; of the
    others every result may come of every argument.
    """
    body = function.body
    forward, backward = graph(function, depends)
    wanted = [y for k, y in enumerate(body.yields) if outputs is None or k in outputs]
    starts = [v.name for v in (*wrt, *received(body)) if _carries(v.type)]
    ends = [y.name for y in (*wanted, *sent(body)) if isinstance(y, Value) and _carries(y.type)]
    ends += filter(None, map(contents, wanted))
    through = reached(starts, forward)
    useful = reached(ends, backward)
    names = {v.name for v in defined_in(body)}
    slots = {s.slot for s in walk(body) if isinstance(s, Replay)}
    return Activity(
        frozenset(names & through.keys()),
        frozenset(names & useful.keys()),
        frozenset(s for s in slots if _slot(s) in through and _slot(s) in useful),
        frozenset(n for n in through.keys() & useful.keys() if n not in names),
        {name: before for name, before in through.items() if before},
        depends,
    )


def carriers(stmt: Apply) -> tuple[int, ...]:
    """The numbers of the arguments that the results have a derivative with respect to.

    All of them where that is not known, so that nothing is taken for zero by mistake.
    """
    everything = range(len(stmt.args))
    if stmt.op in ("verbatim", "statement") or stmt.op not in TABLE:
        return tuple(everything)
    row = TABLE[stmt.op]
    match row.kind:
        case "constant":
            return ()
        case "linear":
            count = len(stmt.args)
            return tuple(k for k in everything if _place(row, k, count) in row.transposes)
        case "structural":
            return tuple(row.transposes)
        case "elementwise" | "general" | "refuse":
            return tuple(everything)
        case _:
            assert_never(row.kind)


def _place(row: Row, k: int, count: int) -> int:
    """The parameter that argument `k` of `count` belongs to: a variadic one takes what is left."""
    operands = [p for p in row.parameters if p.operand]
    variadic = next((j for j, p in enumerate(operands) if p.variadic), len(operands))
    after = len(operands) - 1 - variadic
    if k < variadic:
        return k
    return variadic if k < count - after else len(operands) - (count - k)


def _carries(type: Type) -> bool:
    """Whether something differentiable may be in a value; an object may hold anything."""
    return type.is_differentiable or "object" in (type.kind, type.dtype)


def graph(
    function: Function, depends: Depends
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The edges from arguments to results, and the same edges the other way."""
    forward: dict[str, list[str]] = defaultdict(list)
    backward: dict[str, list[str]] = defaultdict(list)
    stmts = list(walk(function.body))
    for source, target in chain.from_iterable(edges_of(s, depends) for s in stmts):
        forward[source].append(target)
        backward[target].append(source)
    for source, target in chain.from_iterable(map(keeping, stmts)):
        forward[source].append(target)
        backward[target].append(source)
    return forward, backward


def edges_of(stmt: Stmt, depends: Depends) -> Iterator[Edge]:
    """The edges that a statement draws itself, those inside its blocks left out."""
    match stmt:
        case Apply():
            args = [stmt.args[k] for k in carriers(stmt) if k < len(stmt.args)]
            for result in stmt.results:
                yield from _into(result, args)
        case Call():
            yield from _call_edges(stmt, depends)
        case Loop() | While():
            yields = stmt.body.yields[flags_of(stmt) :]
            rows = zip(stmt.body.params, stmt.inits, yields, stmt.results, strict=True)
            for param, init, carried, result in rows:
                yield from _into(param, (init, carried))
                yield from _into(result, (param,))
            if isinstance(stmt, While):
                for tested, param in zip(stmt.test.params, stmt.body.params, strict=True):
                    yield from _into(tested, (param,))
        case Branch():
            arms = zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True)
            for result, then, orelse in arms:
                yield from _into(result, (then, orelse))
        case Record():
            if isinstance(stmt.value, Value) and _carries(stmt.value.type):
                yield stmt.value.name, _slot(stmt.slot)
        case Replay():
            if _carries(stmt.result.type):
                yield _slot(stmt.slot), stmt.result.name
        case _:
            assert_never(stmt)


def _call_edges(stmt: Call, depends: Depends) -> Iterator[Edge]:
    flow = flow_of(stmt, depends)
    for result, sources in zip(stmt.results, flow.results, strict=True):
        places = sorted(k for k in sources if isinstance(k, int))
        yield from _into(result, (stmt.args[k] for k in places))
    yield from handed(stmt, flow)


def flow_of(stmt: Call, depends: Depends) -> Flow:
    """What a call does with its arguments; where that is not known, all come into all results."""
    every = frozenset(range(len(stmt.args)))
    return depends.get(stmt.function) or Flow((every,) * len(stmt.results), ())


def _into(result: Value, args: Iterable[Operand]) -> Iterator[Edge]:
    if _carries(result.type):
        for arg in args:
            if isinstance(arg, Value) and _carries(arg.type):
                yield arg.name, result.name


def _slot(slot: str) -> str:
    """A node of the graph for a slot, distinct from all names of values."""
    return f"tape {slot}"


def reached(starts: Iterable[str], edges: Mapping[str, list[str]]) -> dict[str, str]:
    """What is reached from the starts, each with where it was first reached from, nearest first."""
    before = dict.fromkeys(starts, "")
    queue = deque(before)
    while queue:
        name = queue.popleft()
        for target in edges.get(name, ()):
            if target not in before:
                before[target] = name
                queue.append(target)
    return before

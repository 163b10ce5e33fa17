"""A program as a picture, before any format: nodes, edges, and clusters for loops and branches.

A variable of the user's is a round node, a statement a box with an edge from each value that it
reads. A temporary has no node of its own: it is the box of the statement that computes it, and one
with a name is drawn twice, as the box and as the variable that the box leads to.

    loop     init -> param, yield -> param (dashed: the next iteration), yield -> result
    branch   test -> `if`, and from each arm its yield -> result
    tape     push -> tape -> pop (dashed)

A loop whose body never runs passes its inits on; these edges are left out of the picture, and so is
what a loop or branch gives that nothing reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, assert_never

from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.errors import Span
from adjointgen.ir.edit import flags_of
from adjointgen.ir.nodes import (
    TAPES,
    UNDEFINED,
    Apply,
    Block,
    Branch,
    Call,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Value,
    While,
    operands_of,
    reads_of,
    results_of,
    walk,
)
from adjointgen.records import dataclass
from adjointgen.views.places import shown
from adjointgen.views.spelling import operand, short, spelled

Kind = Literal["input", "value", "operation", "control", "constant", "tape", "output"]
Flow = Literal["flow", "next", "tape", "choice"]


@dataclass(frozen=True, slots=True)
class Node:
    """`note` is small print; `place` is where the node comes from in the user's source."""

    key: str
    kind: Kind
    text: str
    note: str = ""
    place: str = ""
    active: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """`next` leads to the next iteration, `tape` through a tape, `choice` from an `if`."""

    source: str
    target: str
    flow: Flow = "flow"
    label: str = ""
    active: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """A loop, a branch, or a part of one."""

    key: str
    title: str
    items: tuple[Node | Cluster, ...]


Item = Node | Cluster


@dataclass(frozen=True, slots=True)
class Drawing:
    """The whole picture; the keys are `n` or `c` and a number, so no name of the user's is one."""

    title: str
    items: tuple[Item, ...]
    edges: tuple[Edge, ...]


def draw(function: Function, facts: Activity | None = None) -> Drawing:
    """The dataflow of a function; with `facts`, what derivatives pass through is marked."""
    return _Draft(function, facts).drawing()


class _Draft:
    """The picture while it grows, statement by statement."""

    def __init__(self, function: Function, facts: Activity | None) -> None:
        self._function = function
        self._facts = facts
        self._read = {v.name for v in reads_of(function.body)}
        self._nodes: dict[str, Node] = {}
        self._of: dict[str, str] = {}
        self._edges: list[Edge] = []
        self._clusters = 0

    def drawing(self) -> Drawing:
        body = self._function.body
        inputs = [self._value(p, "input") for p in body.params]
        slots = (s.slot for s in walk(body) if isinstance(s, TAPES))
        tapes = [self._tape(slot) for slot in dict.fromkeys(slots)]
        items = [*inputs, *tapes, *self._block(body), *self._output()]
        return Drawing(self._function.name, tuple(items), tuple(self._edges))

    def _output(self) -> Iterator[Item]:
        names, yields = self._function.names, self._function.body.yields
        if not yields:
            return
        active = any(map(self._is_active, yields))
        end = self._node("output", short(f"return {', '.join(names)}"), active=active)
        for name, value in zip(names, yields, strict=True):
            yield from self._feed(value, end, label=name if len(names) > 1 else "")
        yield end

    # Nodes and edges

    def _node(self, kind: Kind, text: str, note: str = "", **more: object) -> Node:
        node = Node(f"n{len(self._nodes) + 1}", kind, text, note, **more)  # type: ignore[arg-type]
        self._nodes[node.key] = node
        return node

    def _value(self, value: Value, kind: Kind = "value", span: Span | None = None) -> Node:
        active = self._is_active(value)
        node = self._node(kind, value.name, str(value.type), place=_place(span), active=active)
        self._of[value.name] = node.key
        return node

    def _tape(self, slot: str) -> Node:
        active = self._facts is not None and self._facts.slot_active(slot)
        node = self._node("tape", slot, active=active)
        self._of[_slot(slot)] = node.key
        return node

    def _is_active(self, given: Operand) -> bool:
        return self._facts is not None and self._facts.active(given)

    def _edge(self, source: str, target: str, flow: Flow = "flow", label: str = "") -> None:
        ends = (self._nodes[source], self._nodes[target])
        active = all(node.active for node in ends)
        self._edges.append(Edge(source, target, flow, label, active))

    def _feed(
        self, given: Operand, target: Node, flow: Flow = "flow", label: str = ""
    ) -> Iterator[Node]:
        """An edge from an operand; a constant becomes a node, which is returned for its place."""
        if isinstance(given, Value):
            source = self._of[given.name]
            if source != target.key:
                self._edge(source, target.key, flow, label)
        elif given.value != UNDEFINED:
            node = self._node("constant", short(operand(given)))
            self._edge(node.key, target.key, flow, label)
            yield node

    def _cluster(self, title: str, items: Sequence[Item]) -> Iterator[Cluster]:
        if items:
            self._clusters += 1
            yield Cluster(f"c{self._clusters}", title, tuple(items))

    # Statements

    def _block(self, block: Block) -> Iterator[Item]:
        for stmt in block.stmts:
            match stmt:
                case Apply(op="comment"):
                    continue
                case Apply() | Call() | Record() | Replay():
                    yield from self._operation(stmt)
                case Loop():
                    yield from self._loop(stmt)
                case While():
                    yield from self._while(stmt)
                case Branch():
                    yield from self._branch(stmt)
                case _:
                    assert_never(stmt)

    def _operation(self, stmt: Apply | Call | Record | Replay) -> Iterator[Node]:
        results = results_of(stmt)
        unnamed = len(results) == 1 and not results[0].root
        text, note = spelled(stmt), _line(stmt.span)
        if unnamed:
            text = f"{results[0].name} = {text}"
            if results[0].type.kind != "scalar":
                note = f"{results[0].type}" + (f", {note}" if note else "")
        active = any(map(self._is_active, results))
        node = self._node("operation", short(text), note, place=_place(stmt.span), active=active)
        yield node
        for name in dict.fromkeys(a.name for a in operands_of(stmt) if isinstance(a, Value)):
            self._edge(self._of[name], node.key)
        if isinstance(stmt, Record):
            self._edge(node.key, self._of[_slot(stmt.slot)], "tape")
        if isinstance(stmt, Replay):
            self._edge(self._of[_slot(stmt.slot)], node.key, "tape")
        if unnamed:
            self._of[results[0].name] = node.key
        else:
            for result in results:
                value = self._value(result, span=stmt.span)
                self._edge(node.key, value.key)
                yield value

    def _loop(self, stmt: Loop) -> Iterator[Item]:
        params = [self._value(p, span=stmt.span) for p in stmt.body.params]
        yield from self._enter(stmt, params)
        head = self._node("control", short(spelled(stmt)), place=_place(stmt.span))
        self._of[stmt.index.name] = head.key
        for bound in stmt.bounds:
            if isinstance(bound, Value):
                self._edge(self._of[bound.name], head.key)
        inner = [head, *params, *self._block(stmt.body)]
        yield from self._around(stmt, head, params, inner)

    def _while(self, stmt: While) -> Iterator[Item]:
        params = [self._value(p, span=stmt.span) for p in stmt.body.params]
        yield from self._enter(stmt, params)
        own = [self._value(p) for p in stmt.test.params if p.name not in self._of]
        for tested, param in zip(stmt.test.params, params, strict=True):
            if self._of[tested.name] != param.key:
                self._edge(param.key, self._of[tested.name])
        head = self._node("control", short(spelled(stmt)), place=_place(stmt.span))
        testing = [*own, *self._block(stmt.test), head]
        testing += self._feed(stmt.test.yields[0], head)
        inner = [*params, *self._cluster("test", testing), *self._block(stmt.body)]
        yield from self._around(stmt, head, params, inner)

    def _enter(self, stmt: Loop | While, params: Sequence[Node]) -> Iterator[Node]:
        for init, param in zip(stmt.inits, params, strict=True):
            yield from self._feed(init, param)

    def _around(
        self, stmt: Loop | While, head: Node, params: Sequence[Node], inner: list[Item]
    ) -> Iterator[Item]:
        """The cluster of a loop, with the edges to the next iteration and out, and the results."""
        flags = flags_of(stmt)
        yields = stmt.body.yields[flags:]
        for flag in stmt.body.yields[:flags]:
            if isinstance(flag, Value):
                inner += self._feed(flag, head, "next", "stop")
        for given, param in zip(yields, params, strict=True):
            inner += self._feed(given, param, "next")
        after = self._results(stmt)
        for k, result in after.items():
            inner += self._feed(yields[k], result)
        yield from self._cluster(_title("loop", stmt.span), inner)
        yield from after.values()
        if stmt.trips is not None and stmt.trips.name in self._read:
            trips = self._value(stmt.trips, span=stmt.span)
            self._edge(head.key, trips.key)
            yield trips

    def _results(self, stmt: Loop | While | Branch) -> dict[int, Node]:
        """The results that are read, by number."""
        read = ((k, r) for k, r in enumerate(stmt.results) if r.name in self._read)
        return {k: self._value(r, span=stmt.span) for k, r in read}

    def _branch(self, stmt: Branch) -> Iterator[Item]:
        head = self._node("control", short(spelled(stmt)), place=_place(stmt.span))
        inner: list[Item] = [head, *self._feed(stmt.test, head)]
        arms = [("then", stmt.then), ("else", stmt.orelse)]
        bodies = [list(self._block(arm)) for _, arm in arms]
        after = self._results(stmt)
        for (name, arm), body in zip(arms, bodies, strict=True):
            for k, result in after.items():
                body += self._feed(arm.yields[k], result, label=name)
            inner += self._cluster(name, body)
        for result in after.values():
            self._edge(head.key, result.key, "choice")
        yield from self._cluster(_title("branch", stmt.span), inner)
        yield from after.values()


def _slot(slot: str) -> str:
    """A tape among the names of values, which hold no space."""
    return f"tape {slot}"


def _line(span: Span | None) -> str:
    return f"line {span.line}" if span else ""


def _title(what: str, span: Span | None) -> str:
    return ", ".join(filter(None, [what, _line(span)]))


def _place(span: Span | None) -> str:
    return f"{shown(span.file)}:{span.line}:{span.column + 1}" if span else ""


def nodes_of(items: Sequence[Item]) -> Iterator[Node]:
    """All nodes, those in clusters included, in order."""
    for item in items:
        if isinstance(item, Cluster):
            yield from nodes_of(item.items)
        else:
            yield item


def clusters_of(items: Sequence[Item]) -> Iterator[Cluster]:
    """All clusters, outer before inner."""
    for item in items:
        if isinstance(item, Cluster):
            yield item
            yield from clusters_of(item.items)

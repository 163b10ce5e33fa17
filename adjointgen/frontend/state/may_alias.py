"""What may be a view of what: code that nothing is known of may hand back what it is given.

    v = window(y)       v may be a view of y
    kept.append(y)      y is in kept
    y[0] = 9.0          so v and kept may, or may not, have changed
    v[0] = 4.0          and so may y

The IR has values, and no storage: `v` after the write is `v` before. So what may have changed
behind its name is not read any more (AG112). Everything that the frontend understands is a value of
its own after each write, and never in question.

Forward, in the order of execution: `stale` are the pieces of storage that may have changed since
they were last known. A loop is walked until nothing is added. (May-alias analysis, flow-sensitive
in what is stale and not in what shares: Landi and Ryder 1992.)
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from adjointgen.errors import Span, Unsupported
from adjointgen.ir.edit import flags_of
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Call,
    Function,
    Leaf,
    Loop,
    Operand,
    Stmt,
    Tree,
    Value,
    While,
    defined_in,
)
from adjointgen.rules.framework.opaque_writes import gives_new
from adjointgen.rules.framework.table import TABLE

Pieces = frozenset[str]
NOTHING: Pieces = frozenset()


def check(function: Function, source: str) -> None:
    """Raise Unsupported (AG112) for a read of what may have changed behind its name."""
    if any(isinstance(s, Apply | Call) and _is_foreign(s) for s in _all(function.body)):
        walk = _Walk(source)
        for packed in function.packed:
            walk.kept[packed.name] |= {*_leaves(packed.tree)}
        for param in function.body.params:
            walk.begin(param)
        walk.block(function.body)


def written_through(function: Function) -> list[tuple[Apply, list[Value]]]:
    """The statements that write to an object, each with the values that it may be a view of."""
    stmts = (s for s in _all(function.body) if isinstance(s, Apply))
    if not any(s.option("into") or s.option("changes") for s in stmts):
        return []
    walk = _Walk("", refuses=False)
    for param in function.body.params:
        walk.begin(param)
    walk.block(function.body)
    values = [*function.body.params, *defined_in(function.body)]
    return [(stmt, [v for v in values if walk.of(v) & there]) for stmt, there in walk.through]


def _all(block: Block) -> Iterator[Stmt]:
    for stmt in block.stmts:
        yield stmt
        match stmt:
            case Loop(body=body):
                yield from _all(body)
            case While(test=test, body=body):
                yield from _all(test)
                yield from _all(body)
            case Branch(then=then, orelse=orelse):
                yield from _all(then)
                yield from _all(orelse)


def _is_foreign(stmt: Apply | Call) -> bool:
    """Whether a statement may give a view of something, or put something into an object."""
    given = any(isinstance(a, Value) and _is_stored(a) for a in stmt.args)
    if isinstance(stmt, Call):
        return given and any(r.type.kind == "object" for r in stmt.results)
    return given and _is_code(stmt) and not gives_new(str(stmt.option("callee", "")))


def _is_code(stmt: Apply) -> bool:
    """Whether nothing is known of this: code of the user's, or a function without a rule."""
    row = TABLE[stmt.op]
    return stmt.op in ("verbatim", "statement") or (row.kind == "refuse" and bool(row.spellings))


def is_text(stmt: Apply) -> bool:
    """Whether this is an f-string, which shows nothing of what it is made of."""
    code = str(stmt.option("code", ""))
    quoted = code.startswith(('f"', "f'"))
    # Texts one below the other are one within parentheses.
    return quoted and isinstance(ast.parse(f"({code})", mode="eval").body, ast.JoinedStr)


def _is_stored(value: Operand) -> bool:
    return isinstance(value, Value) and value.type.kind in ("array", "list", "object")


def _leaves(tree: Tree) -> Iterator[str]:
    if isinstance(tree, Leaf):
        yield tree.name
        return
    for child in getattr(tree, "children", ()):
        yield from _leaves(child)


class _Walk:
    """The state: which pieces of storage a value is in, what they may look into, what is stale.

    A piece of storage is named after the value that it began with. `seen` are the pieces that one
    may be a view of, `kept` those that are in it as in a list.
    """

    def __init__(self, source: str, refuses: bool = True) -> None:
        self.source, self.refuses = source, refuses
        self.through: list[tuple[Apply, Pieces]] = []
        self.pieces: dict[str, Pieces] = {}
        self.seen: dict[str, set[str]] = defaultdict(set)
        self.kept: dict[str, set[str]] = defaultdict(set)
        self.stale: set[str] = set()
        self.objects: set[str] = set()
        self.unpublished: dict[str, set[str]] = defaultdict(set)
        """The objects that a store has made stale, until they have its result."""

    def of(self, operand: Operand) -> Pieces:
        return self.pieces.get(operand.name, NOTHING) if isinstance(operand, Value) else NOTHING

    def begin(self, value: Value) -> None:
        """A value with storage of its own."""
        if _is_stored(value):
            self.pieces[value.name] = frozenset((value.name,))
            if value.type.kind == "object":
                self.objects.add(value.name)
            self.stale.discard(value.name)

    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            self.statement(stmt)
        self.read(block.yields, None)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Apply():
                self.apply(stmt)
            case Call():
                self.read(stmt.args, stmt.span)
                self.made(stmt.results, stmt.args)
            case Loop() | While():
                self.read(stmt.inits, stmt.span)
                self.loop(stmt)
            case Branch():
                self.branch(stmt)

    def read(self, operands: Iterable[Operand], span: Span | None) -> None:
        for operand in operands:
            if self.refuses and self.of(operand) & self.stale:
                raise Unsupported(
                    "this may or may not have changed: it may share memory with what was written "
                    "to since",
                    code="AG112",
                    span=span,
                    source=self.source,
                    help="take a .copy() where it is made, or make it again after the write",
                )

    def apply(self, stmt: Apply) -> None:
        if stmt.option("attribute"):
            self.set_attribute(*stmt.args)
            return
        if stmt.option("shared"):
            self.publish(stmt)
            return
        if stmt.op != "dim":
            self.read(stmt.args, stmt.span)
        if stmt.op in WRITES:
            before = self.stale & self.objects
            self.pieces[stmt.result.name] = self.of(stmt.args[0])
            self.write(self.of(stmt.args[0]))
            parts = (self.unpublished[a.name] for a in stmt.args if isinstance(a, Value))
            self.unpublished[stmt.result.name] = ((self.stale & self.objects) - before).union(
                *parts
            )
        elif _is_code(stmt):
            self.foreign(stmt)
        else:
            places = TABLE[stmt.op].looks_into([a.type for a in stmt.args], dict(stmt.options))
            shared = frozenset[str]().union(*(self.of(stmt.args[k]) for k in places))
            for result in stmt.results:
                self.begin(result)
                if shared:
                    self.pieces[result.name] = shared

    def set_attribute(self, owner: Operand, *values: Operand) -> None:
        """An attribute is set at the end: nothing is read of its owner, which holds the values."""
        self.read(values, None)
        for piece in self.of(owner):
            for value in values:
                self.kept[piece] |= self.of(value) - {piece}

    def publish(self, stmt: Apply) -> None:
        """What was stored is in the storage that objects hold."""
        stored = stmt.args[0]
        self.read((stored,), stmt.span)
        if isinstance(stored, Value):
            self.stale -= self.unpublished[stored.name]

    def foreign(self, stmt: Apply) -> None:
        """The user's code, or an operation that nothing is known of."""
        writes = stmt.option("writes", ())
        assert isinstance(writes, tuple)
        through = stmt.option("through", ())
        assert isinstance(through, tuple)
        first = len(stmt.results) - len(writes)
        for k, result in zip(writes, stmt.results[first:], strict=True):
            self.pieces[result.name] = self.of(stmt.args[k])
            before = self.stale & self.objects
            self.write(self.of(stmt.args[k]))
            if k in through:
                self.stale = (self.stale - self.objects) | before
        into, changes = stmt.option("into", ()), stmt.option("changes", ())
        assert isinstance(into, tuple) and isinstance(changes, tuple)
        for k in (*into, *changes):
            pieces = self.of(stmt.args[k])
            self.through.append((stmt, self.wide(pieces) - pieces))
            # An object is what it is now wherever it is read.
            before = self.stale & self.objects
            self.write(pieces)
            if k in changes:
                self.stale = (self.stale - self.objects) | before
        if not (gives_new(str(stmt.option("callee", ""))) or is_text(stmt)):
            given = [a for k, a in enumerate(stmt.args) if k not in through]
            self.keep(stmt, given)
            display = str(stmt.option("code", "")).startswith(("[", "{", "("))
            self.made(stmt.results[:first], given, display)
        else:
            self.made(stmt.results[:first], ())

    def keep(self, stmt: Apply, args: Iterable[Operand]) -> None:
        """What the code may put into the objects that it is given."""
        keeps = stmt.option("keeps", ())
        assert isinstance(keeps, tuple)
        given = frozenset[str]().union(*map(self.of, args))
        for k in keeps:
            for piece in self.of(stmt.args[k]):
                self.kept[piece] |= given - {piece}

    def made(
        self, results: Iterable[Value], args: Iterable[Operand], display: bool = False
    ) -> None:
        """Results that may be views of what was given, or of what is in it."""
        given = frozenset[str]().union(*map(self.of, args))
        within = given.union(*(self.seen[p] | self.kept[p] for p in given))
        for result in results:
            self.begin(result)
            if _is_stored(result) and given:
                (self.kept if display else self.seen)[result.name] |= within - {result.name}

    def wide(self, pieces: Pieces) -> Pieces:
        """Pieces of storage with those that they may be views of."""
        return pieces.union(*(self.seen[p] for p in pieces))

    def write(self, pieces: Pieces) -> None:
        """All that may share storage with these pieces is stale, but for themselves."""
        wide = self.wide(pieces)
        holders = (
            p for many in (self.seen, self.kept) for p, inner in many.items() if inner & wide
        )
        self.stale |= {*wide, *holders} - pieces

    def loop(self, stmt: Loop | While) -> None:
        flags = flags_of(stmt)
        params = stmt.body.params
        carried = [self.of(init) for init in stmt.inits]
        before: object = None
        while before != (before := (tuple(carried), frozenset(self.stale), self.size())):
            for k, param in enumerate(params):
                self.pieces[param.name] = carried[k]
            if isinstance(stmt, While):
                for k, param in enumerate(stmt.test.params):
                    self.pieces[param.name] = carried[k]
                self.block(stmt.test)
            self.block(stmt.body)
            carried = [
                c | self.of(end) for c, end in zip(carried, stmt.body.yields[flags:], strict=True)
            ]
        for result, pieces in zip(stmt.results, carried, strict=True):
            self.pieces[result.name] = pieces

    def size(self) -> int:
        return sum(map(len, (*self.seen.values(), *self.kept.values())))

    def branch(self, stmt: Branch) -> None:
        before = set(self.stale)
        self.block(stmt.then)
        after, self.stale = self.stale, before
        self.block(stmt.orelse)
        self.stale |= after
        for result, a, b in zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True):
            self.pieces[result.name] = self.of(a) | self.of(b)

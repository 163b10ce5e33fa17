"""The state of a lowering: the statements so far, what the names stand for, and where we are.

`Context` is passed to every function of the frontend. Handlers of expressions and statements are
looked up by the class of the syntax node, and other functions in `actions`, so the files that
define them do not import each other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from adjointgen.errors import AdjointgenError, NoRule, Span, TypeMismatch, Unsupported
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Handler,
    Ref,
    Struct,
    Whole,
    is_maybe,
)
from adjointgen.frontend.domain.exception_classes import as_kept, certain_to_fail
from adjointgen.frontend.domain.maybe_scalar import Loose, typed
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.domain.module_tables import Known
from adjointgen.frontend.domain.narrower_dtypes import Narrower
from adjointgen.frontend.domain.zero_dim_arrays import ZeroDimArrays
from adjointgen.frontend.source.name_liveness import Liveness, Names
from adjointgen.frontend.source.parts_of_test import parts_of_test
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.state.actions import Actions
from adjointgen.frontend.state.bound_flags import BOUND
from adjointgen.frontend.state.lately_made import made_lately, with_result
from adjointgen.frontend.state.owning_frames import owner_of_name
from adjointgen.frontend.state.parting import Parting
from adjointgen.frontend.state.program_state import Cell, Key, State
from adjointgen.ir.nodes import STORES, Apply, Const, Operand, Stmt, Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.records import dataclass, field
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Names as Supply
from adjointgen.rules.framework.table import Row

# Names of the frame that steer control; no Python name looks like these.
JUMPED, STOPPED, RETURNED, RESULT, BROKEN = "%jumped", "%stopped", "%returned", "%result", "%broken"
RAISED = "%raised"
FLAGS = (JUMPED, STOPPED, RETURNED, RESULT, BROKEN)
NO = Const(False, Type("bool"))
YES = Const(True, Type("bool"))


# The pseudo-frame whose names are the caller's arrays: always alive, never rebound.
CALLER = -1
# That of the attributes of the module's objects which are variables (`promoted_attributes.py`).
MODULE = -2

# The reason of a tangle with an array of the caller's that no name leads to any more: what is
# computed does not depend on it, only what the caller sees of the writes.
UNSEEN = ""

# The reason of a tangle of an array with what is it or a copy of it.
LAYOUT = "one is a view or a copy of the other, depending on the memory layout"


@dataclass(frozen=True, slots=True)
class Catch:
    """An `except` that is watched for: the classes, the flag of its path, and its exception.

    The exception is kept only where the handler reads it. The `place` is that of the handler's
    path, unless the program is not made for it.
    """

    kinds: tuple[Abstract, ...]
    flag: Key
    error: Key | None
    place: Span | None = None
    leaves: bool = False


@dataclass(slots=True)
class Begun:
    """A call that is being lowered: the statements and cells before it, and its parts so far.

    `calls` says whether there are calls in its parts.
    """

    stmts: list[Stmt]
    count: int
    cells: dict[int, Operand | Whole]
    calls: bool = True
    function: Abstract | None = None
    given: tuple[list[Abstract], dict[str, Abstract]] | None = None


@dataclass(slots=True)
class Frame:
    """A function that is being lowered: the program itself, or a helper inlined into it.

    `looping` is what is live where a jump in the innermost loop leads to. `lent` names belong to a
    function around this one (`nonlocal`), `shared` ones to the module (`global`). `split` says
    which statements stand for one inside a `try`. `unsure` names may be read before they are bound:
    each has a flag. An entry of a generator goes to `hand`, which says whether it is left there.
    Of loops that are written out, `iterations` has the one at hand, by file and line.
    """

    number: int
    source: Source
    parent: Frame | None
    path: tuple[object, ...]
    tapes: Names = frozenset()
    outer: int = CALLER
    locals: Names = frozenset()
    pinned: Names = frozenset()
    looping: Names = frozenset()
    lent: Names = frozenset()
    shared: Names = frozenset()
    unsure: Names = frozenset()
    split: dict[ast.stmt, list[ast.stmt] | None] = field(default_factory=dict)
    hand: Callable[[Abstract], Operand] | None = None
    home: type | None = None
    iterations: dict[tuple[str, int], int] = field(default_factory=dict)

    def around(self) -> Iterator[Frame]:
        """This function, and those that it is lowered in."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent


@dataclass(slots=True)
class Context:
    """All of a lowering.

    `outlines` are the functions that the program calls, shared with their own lowerings. `tables`
    says what is in the objects of the module that have been read, by the names of their values;
    `known` says it of objects of libraries, such as distributions with their parameters;
    `updates` which sums are in place, `kinds` the values whose dtype or class is part of the
    program, and `ranks` those whose number of axes is. `loose` are the arrays that may be numbers,
    `narrow` the values that may be integers.
    `growing` are the lists that a loop appends to, with the index that the next entry has
    in the loop (None while only the types of entries are being found, in `grown`); others may
    become values of unknown length if `grows`. `catching` are
    the handlers around, the innermost `try` last, and `handling` the exceptions being handled;
    `strict` counts the blocks around in which NumPy raises what it would warn of, `inlining` the
    functions around that are lowered with all that they call in its place. Names of None and
    values may get flags where `optional`; `negated` are the flags of which a value is the opposite.
    Expressions in `tests` are asked for nothing but their truth; `between` says what is done with
    objects between the entries of what is run over (`iteration/looked_at.py`).
    `renamed` has the values that got the name of a variable, by the names they had before.
    `zero_dim` are arrays without axes that count as numbers. `forwarded` reads of views give what
    was written to them last, which is no view.
    """

    frame: Frame
    handlers: Mapping[type[ast.AST], Handler]
    actions: Actions[Context]
    state: State = field(default_factory=State)
    blocks: list[list[Stmt]] = field(default_factory=lambda: [[]])
    supply: Supply = field(default_factory=Supply)
    liveness: Liveness = field(default_factory=Liveness)
    live: Names = frozenset()
    info: dict[int, Cell] = field(default_factory=dict)
    frames: dict[int, Frame] = field(default_factory=dict)
    memo: dict[tuple[object, ...], Any] = field(default_factory=dict)
    folded: dict[str, object] = field(default_factory=dict)
    imports: dict[str, None] = field(default_factory=dict)
    taped: dict[str, Type] = field(default_factory=dict)
    tables: dict[str, Known] = field(default_factory=dict)
    known: dict[str, object] = field(default_factory=dict)
    updates: set[Span] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    ranks: set[str] = field(default_factory=set)
    loose: dict[str, Loose] = field(default_factory=dict)
    narrow: Narrower = field(default_factory=Narrower)
    views: dict[Ref, str] = field(default_factory=dict)
    node: ast.AST | None = None
    escaped: bool = False
    shown: set[int] = field(default_factory=set)
    outlines: Any = None
    growing: dict[int, Operand | None] = field(default_factory=dict)
    grown: dict[int, Type] = field(default_factory=dict)
    grows: bool = True
    catching: list[tuple[Catch, ...]] = field(default_factory=list)
    handling: list[Value] = field(default_factory=list)
    strict: int = 0
    inlining: int = 0
    copies: int = 0
    optional: bool = False
    invariant: bool = False
    negated: dict[str, Operand] = field(default_factory=dict)
    tests: set[ast.AST] = field(default_factory=set)
    between: tuple[Callable[[], int], ...] = ()
    renamed: dict[str, Value] = field(default_factory=dict)
    parted: Parting = field(default_factory=Parting)
    begun: dict[ast.AST, Begun] = field(default_factory=dict)
    zero_dim: ZeroDimArrays = field(default_factory=ZeroDimArrays)
    forwarded: set[tuple[Ref, Value]] = field(default_factory=set)

    # Names

    def key(self, name: str) -> Key:
        return (owner_of_name(self.frame, self.frames, name, self.refuse).number, name)

    def get(self, name: str) -> Abstract:
        """What a name of this frame, or of a frame that it stands in, stands for."""
        frame: Frame | None = self.frame
        while frame is not None:
            found = self.state.names.get((frame.number, name))
            if found is not None and found != ABSENT:
                return found
            if name in frame.locals:
                return ABSENT
            frame = self.frames.get(frame.outer)
        return ABSENT

    def set(self, name: str, value: Abstract) -> None:
        key = self.key(name)
        self.state.names[key] = value
        if (flag := (key[0], f"{BOUND}{name}")) in self.state.names:
            self.state.names[flag] = YES

    @contextmanager
    def bound_inside(self, names: Iterable[str]) -> Iterator[None]:
        """Names that an expression binds for itself stand afterwards for what they did before."""
        keys = {key for n in names for key in (self.key(n), self.key(f"{BOUND}{n}"))}
        before = {key: v for key in keys if (v := self.state.names.get(key, ABSENT)) != ABSENT}
        yield
        kept = {key: value for key, value in self.state.names.items() if key not in keys}
        self.state.names = kept | before

    @contextmanager
    def growth(self, allowed: bool) -> Iterator[None]:
        """Whether lists may become values of unknown length, if they may outside."""
        outer, self.grows = self.grows, self.grows and allowed
        try:
            yield
        finally:
            self.grows = outer

    def flag(self, name: str) -> Operand:
        value = self.state.names.get(self.key(name), NO)
        assert isinstance(value, Value | Const)
        return value

    # Statements

    @contextmanager
    def block(self, state: State) -> Iterator[list[Stmt]]:
        """Lower into a block of its own, from a state of its own."""
        outer, inner = self.state, list[Stmt]()
        self.blocks.append(inner)
        self.state = state
        try:
            yield inner
        finally:
            self.blocks.pop()
            self.state = outer

    @contextmanager
    def reopened(self, stmts: list[Stmt]) -> Iterator[None]:
        """Append to a block that was left."""
        self.blocks.append(stmts)
        try:
            yield
        finally:
            self.blocks.pop()

    def add(self, stmt: Stmt) -> None:
        self.blocks[-1].append(stmt)

    def value(self, root: str, type: Type, stem: str = "") -> Value:
        return Value(self.supply.fresh(root or stem), type, root)

    def apply(self, op: str, *args: Operand, **options: Any) -> Value:
        """Append `result = op(*args, **options)`."""
        return self.apply_many(op, args, options)[0]

    def apply_many(
        self, op: str, args: Sequence[Operand], options: Mapping[str, Any]
    ) -> tuple[Value, ...]:
        """The same, with all results."""
        row = TABLE[op]
        results = []
        for type, loose in self.typed(row, args, options):
            results.append(self.value("", OBJECT if type.dtype == "object" else type))
            if loose is not None:
                self.loose[results[-1].name] = loose
        if op in STORES and args[0].type.kind == "array":
            self.check_dtype(args[0], args[1].type.dtype)
        self.narrow.follow(row, args, options, results)
        if row.casts is not None:
            for other in (a for k, a in enumerate(args) if k != row.casts):
                self.check_dtype(results[0], other.type.dtype)
        stmt = Apply(tuple(results), op, tuple(args), tuple(sorted(options.items())), self.span())
        self.add(self._ending(stmt) if certain_to_fail(stmt) else stmt)
        return stmt.results

    def _ending(self, stmt: Apply) -> Apply:
        """The end of the function, whether anything reads what it does not compute or not.

        An operand that is an integer on one path and a float on another fails on one of them only.
        """
        for operand in stmt.args:
            self.check_dtype(operand)
        return as_kept(stmt)

    def typed(
        self, row: Row, args: Sequence[Operand], options: Mapping[str, Any]
    ) -> list[tuple[Type, Loose | None]]:
        """The types of an operation's results; refused where it does not take such arguments."""
        try:
            return list(typed(row, args, options, self.loose, self.unclear))
        except (ArithmeticError, LookupError, TypeError, ValueError):
            given = ", ".join(str(a.type) for a in args)
            self.refuse(
                "AG201", f"no derivative rule for {row.name} of {given}", "pass arrays", kind=NoRule
            )

    def check_dtype(self, operand: Operand, written: str = "") -> None:
        """Refuse to ask for the dtype of what has several, or a write that one cannot hold."""
        if what := self.narrow.fault(operand, written):
            self.refuse("AG106", what, "use one kind of number on all paths, such as 0.0 for 0")

    def hand_on(self, source: Value, value: Value) -> None:
        """Say of a value all that is known of another."""
        narrow = self.narrow
        known: tuple[dict[str, Any], ...] = (
            *(self.tables, self.known, self.loose),
            *(narrow.dtypes, narrow.entries, self.zero_dim.names),
        )
        for facts in known:
            if source.name in facts:
                facts[value.name] = facts[source.name]

    def named(self, value: Operand, root: str) -> Operand:
        """The value under the name of the user's variable, if it was made just now for it.

        What something else holds as well keeps the name by which it is held.
        """
        stmts = self.blocks[-1]
        at = made_lately(stmts, value) if root.isidentifier() else None
        if at is None or not isinstance(value, Value) or self.state.holds(value):
            return value
        claimed = self.value(root, value.type)
        self.hand_on(value, claimed)
        self.renamed[value.name] = claimed
        stmts[at] = with_result(stmts[at], value, claimed)
        return claimed

    # Lowering

    def expression(self, node: ast.AST) -> Abstract:
        """What an expression stands for that is used as a value."""
        result = self.perhaps(node)
        if is_maybe(result):
            result = self.actions.settled(self, result)
        return result

    def asked(self, node: ast.AST) -> Abstract:
        """What an expression stands for that is asked for its truth; None is false."""
        self.tests.update(parts_of_test(node))
        result = self.perhaps(node)
        is_whole = isinstance(result, Ref | Struct)
        return self.actions.truth_of(self, result) if is_whole else result

    def perhaps(self, node: ast.AST) -> Abstract:
        """What an expression stands for, which may be None on some paths."""
        outer, self.node = self.node, node
        untaken = self.outlines.untaken
        if untaken and (end := self.actions.ended(self, node)) is not None:
            return end
        handler = self.handlers.get(type(node))
        if untaken:
            untaken.count()
        if handler is None:
            return self.actions.as_written(self, node)
        if untaken and untaken.is_copied(self.frame.source.file, node):
            with untaken.copying(self.frame.source.file, node):
                return self.actions.observed(self, node, self.actions.as_it_stands(self, node))
        result: Abstract = handler(self, node)
        self.node = outer
        return self.actions.observed(self, node, result) if untaken else result

    def statement(self, node: ast.AST) -> None:
        self.node = node
        self.outlines.untaken.note(self.frame.source.file)
        self.handlers[type(node)](self, node)

    # Places

    def unclear(self, value: Value) -> NoReturn:
        """Refuse an operation on what may be a number or an array, where that decides."""
        what = f"{value.root or 'this'} may be a number here, or an array"
        instead = "start with an array of the final shape, such as np.zeros(shape)"
        self.unlike("AG401", what, instead, kind=TypeMismatch)

    def span(self, node: ast.AST | None = None) -> Span | None:
        node = node if node is not None else self.node
        return None if node is None else self.frame.source.span(node)

    def refuse(
        self,
        code: str,
        message: str,
        help: str,
        label: str = "",
        node: ast.AST | None = None,
        kind: type[AdjointgenError] = Unsupported,
        mismatch: Kind = Kind.OTHER,
        wanted: str = "",
    ) -> NoReturn:
        source = self.frame.source.text
        where = self.span(node)
        error = kind(message, code=code, span=where, source=source, label=label, help=help)
        error.mismatch, error.wanted = mismatch, wanted
        raise error

    def unlike(self, code: str, message: str, help: str, **more: Any) -> NoReturn:
        """Refuse what may be known iteration by iteration."""
        self.refuse(code, message, help, mismatch=Kind.UNLIKE, **more)

    def absent(self, code: str, message: str, help: str, **more: Any) -> NoReturn:
        """Refuse a name for being None on some paths."""
        self.refuse(code, message, help, mismatch=Kind.MAYBE_NONE, **more)

    def text(self, node: ast.AST) -> str:
        """An expression as the user wrote it."""
        return self.frame.source.segment(node)

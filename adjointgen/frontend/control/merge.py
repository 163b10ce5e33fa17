"""What the names stand for where two paths meet.

A scalar that differs becomes a result of the branch. Names for arrays meet by *pairs*: with `a`
bound to cell 1 on one path and cell 2 on the other, everything bound to the same pair is one new
cell, since it is one array on either path. A cell that is in two pairs, or in one pair and also
known under its own name after the meeting, may share storage with another cell or not, depending on
the path: it is tangled, and can only be read. (Partition refinement of alias classes, as in value
numbering: Alpern, Wegman and Zadeck 1988.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from adjointgen.frontend.control.arm_ends import arriving, flagged
from adjointgen.frontend.control.enum_meetings import are_entries, entry_or_value
from adjointgen.frontend.control.partial_meetings import met_parts
from adjointgen.frontend.control.row_lists import column_types, entry_types, rows_from
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Absent,
    Abstract,
    Class,
    Closure,
    Method,
    Module,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
    Whole,
    alike,
    either_of,
    is_maybe,
)
from adjointgen.frontend.domain.maybe_scalar import meeting, varied
from adjointgen.frontend.domain.partial_structures import aligned
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.state.bound_flags import BOUND_STEM, shown_name
from adjointgen.frontend.state.context import CALLER, NO, RESULT, UNSEEN, YES, Context
from adjointgen.frontend.state.module_objects import keep_table
from adjointgen.frontend.state.program_state import Cell, Key, State, tangle
from adjointgen.frontend.state.reachability import kept_keys, reachable
from adjointgen.frontend.state.storage_cells import read, read_ref, shown_type
from adjointgen.frontend.state.strings import as_object, is_text
from adjointgen.frontend.state.unify import (
    agreed,
    convert,
    join_types,
    mismatch,
    undefined,
)
from adjointgen.ir.nodes import Block, Branch, Const, Operand, Stmt, Value
from adjointgen.ir.types import BOOL, Type, list_type
from adjointgen.records import dataclass, field

Content = Operand | Whole | None
"""What a cell holds on a path; None where the name has no value there."""


@dataclass(slots=True)
class Arm:
    """A path to the meeting: its statements, the state at its end, whether it ends in a call of
    a function that is being lowered."""

    stmts: list[Stmt]
    state: State
    calls_itself: bool = False


@dataclass(slots=True)
class Meeting:
    """The joining of two arms. Collects what both yield; casts go to the end of their arms."""

    ctx: Context
    entry: State
    arms: tuple[Arm, Arm]
    test: Operand
    results: list[Value] = field(default_factory=list)
    met: dict[tuple[Operand, Operand], Value] = field(default_factory=dict)
    yields: tuple[list[Operand], list[Operand]] = field(default_factory=lambda: ([], []))
    pairs: dict[tuple[Abstract, Abstract], Ref] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)
    same: list[Abstract] = field(default_factory=list)
    caller: set[int] = field(default_factory=set)
    cells: dict[int, Operand | Whole] = field(default_factory=dict)
    last: bool = False
    """Whether the results of the program meet, of which nothing is computed any more."""

    @contextmanager
    def inside(self, side: int) -> Iterator[State]:
        """Append to the end of an arm."""
        ctx, outer = self.ctx, self.ctx.state
        with ctx.reopened(self.arms[side].stmts):
            ctx.state = self.arms[side].state
            try:
                yield ctx.state
            finally:
                ctx.state = outer

    def leaf(self, root: str, a: Operand, b: Operand) -> Operand:
        """One value for two. The test is known in either arm, so it may be the value itself."""
        flags = self.ctx.catching or root.endswith(BOUND_STEM)
        if self.test.type == BOOL and (self.test in (a, b) or flags):
            a, b = (YES if a == self.test else a), (NO if b == self.test else b)
            if (a, b) == (YES, NO):
                return self.test
        if a == b:
            return a
        if (known := self.met.get((a, b))) is not None and not root:
            return known
        type = agreed(a, b) if self.last else join_types(a, b)
        if type is None:
            mismatch(self.ctx, root, a, b)
        for side, operand in enumerate((a, b)):
            with self.inside(side):
                self.yields[side].append(convert(self.ctx, operand, type))
        self.met[a, b] = result = self.ctx.value(root, type)
        if (a, b) == (NO, YES) and self.test.type == BOOL:
            self.ctx.negated[result.name] = self.test
        self.ctx.narrow.meet(result, a, b)
        loose = meeting(type, *(varied(self.ctx.loose, o) for o in (a, b)))
        if loose is not None:
            self.ctx.loose[result.name] = loose
        keep_table(self.ctx, result, a, b)
        self.results.append(result)
        return result

    def merge(self, root: str, a: Abstract, b: Abstract) -> Abstract:
        """What a name stands for after the meeting."""
        if a == b:
            self.same.append(a)
            return a
        if self.ctx.optional or is_maybe(a) or is_maybe(b):
            a, b = flagged(a, b)
        match a, b:
            case (Struct(), Struct()) if is_maybe(a) and is_maybe(b):
                named = zip((f"has_{root}", root), a.items, b.items, strict=True)
                return a.of([self.merge(*row) for row in named])
            case (Seq() | Struct(), Seq() | Struct()) if alike(a, b):
                rows = zip(a.items, b.items, strict=True)
                return either_of(a, b).of([self.merge("", p, q) for p, q in rows])
            case (Struct(), Struct()) if (both := aligned(a, b)) is not None:
                whole = met_parts(self.ctx, self.test, both, self.merge)
                return self.conflict(root, a, b) if whole is None else whole
            case (Absent(), other) | (other, Absent()):
                return self._one_sided(root, other, isinstance(a, Absent))
            case (Ref(), Ref() | Const()) | (Const(), Ref()):
                return self.pair(root, a, b)
            case (Ref(), Value()) | (Value(), Ref()) if self.last:
                first, second = self._content(0, a), self._content(1, b)
                if isinstance(first, Value | Const) and isinstance(second, Value | Const):
                    return self.leaf(root, first, second)
            case (Value() | Const() | Outside(), Value() | Const() | Outside()):
                return self.both(root, read, a, b)
        if are_entries(a, b):
            return self.both(root, entry_or_value, a, b)
        return self.conflict(root, a, b)

    def both(self, root: str, make: Callable[..., Operand], a: Abstract, b: Abstract) -> Operand:
        """One value for two that are made at the ends of the arms."""
        made: list[Operand] = []
        for side, value in enumerate((a, b)):
            with self.inside(side):
                made.append(make(self.ctx, value))
        return self.leaf(root, *made)

    def conflict(self, root: str, a: Abstract, b: Abstract) -> Abstract:
        what = root if root.isidentifier() else "the result"
        if isinstance(a, Seq) and isinstance(b, Seq):
            if is_text(a) and is_text(b) and a.kind == b.kind == "list":
                # Names that are collected: a list that the program keeps.
                return self.both(root, as_object, a, b)
            why = f"how many entries {what} has depends on the path"
            instead = "use an array of fixed shape, and count the entries in use"
        else:
            why = f"{what} is not the same kind of thing on both paths"
            instead = "give it a number or an array of the same rank on every path"
        return self.ctx.unlike("AG106", why, instead)

    def _one_sided(self, root: str, value: Abstract, on_second: bool) -> Abstract:
        """A name that only one path binds. Reading it where it is unbound fails in Python too."""
        match value:
            case Const() | Module() | Named() | Outside():
                return value
            case Value():
                nothing = undefined(value.type)
                return self.leaf(root, *((nothing, value) if on_second else (value, nothing)))
            case Method(owner=Value() | Ref()):
                # An attribute of an object that nothing is known of.
                with self.inside(int(on_second)):
                    held = read(self.ctx, value)
                return self._one_sided(root, held, on_second)
            case Seq(items=items) | Struct(items=items):
                return value.of([self._one_sided("", i, on_second) for i in items])
            case Ref(cell=cell, steps=()) if cell in self.entry.cells:
                self.kept.add(cell)
                return value
            case Ref():
                return self.pair(root, *((ABSENT, value) if on_second else (value, ABSENT)))
            case Closure(defaults=()) | Method(owner=Module() | Named()) | Class():
                return value
        return ABSENT

    def pair(self, root: str, a: Abstract, b: Abstract) -> Ref:
        """The cell of what is bound to this pair."""
        if (a, b) not in self.pairs:
            held = [self._content(side, value) for side, value in enumerate((a, b))]
            infos = [self.ctx.info[v.cell] for v in (a, b) if isinstance(v, Ref)]
            number = len(self.ctx.info)
            contiguous = all(i.contiguous for i in infos)
            module = next((i.module for i in infos if i.module), "")
            self.ctx.info[number] = Cell(root or infos[0].root, contiguous, module)
            self.pairs[a, b] = Ref(number)
            self.cells[number] = self.contents(root, *held)
        return self.pairs[a, b]

    def _content(self, side: int, value: Abstract) -> Content:
        if isinstance(value, Absent):
            return None
        with self.inside(side) as state:
            if isinstance(value, Ref) and isinstance(held := state.cells[value.cell], Seq | Struct):
                return held
            return read_ref(self.ctx, value) if isinstance(value, Ref) else read(self.ctx, value)

    def contents(self, root: str, a: Content, b: Content) -> Operand | Whole:
        """What a cell holds after the meeting."""
        a, b = self._as_rows(root, a, b)
        if (type := self._listed(a, b)) is not None:
            a, b = (self._spread(side, held, type) for side, held in enumerate((a, b)))
        if isinstance(a, Seq | Struct) or isinstance(b, Seq | Struct):
            merged = self.merge(root, ABSENT if a is None else a, ABSENT if b is None else b)
            assert isinstance(merged, Seq | Struct | Value | Const)
            return merged
        some = a if a is not None else b
        assert some is not None
        nothing = undefined(some.type)
        return self.leaf(root, nothing if a is None else a, nothing if b is None else b)

    def _as_rows(self, root: str, a: Content, b: Content) -> tuple[Content, Content]:
        """Lists of tuples of which there are more on one path than on the other, as rows."""
        if not isinstance(a, Seq | Struct) or not isinstance(b, Seq | Struct) or alike(a, b):
            return a, b
        arms = [(arm.state, held) for arm, held in zip(self.arms, (a, b), strict=True)]
        types = column_types(self.ctx, (entry_types(self.ctx, *arm) for arm in arms))
        if types is None:
            return a, b
        with self.inside(0):
            first = rows_from(self.ctx, a, types, root)
        with self.inside(1):
            return first, rows_from(self.ctx, b, types, root)

    def _listed(self, a: Content, b: Content) -> Type | None:
        """The type of a list of known entries that is another value on the other path."""
        match a, b:
            case (Seq(), Value(type=type)) | (Value(type=type), Seq()):
                return type
            case Seq(kind="list"), Seq(kind="list") if self.ctx.grows and not alike(a, b):
                sides = zip(self.arms, (a, b), strict=True)
                entries = [(arm.state, item) for arm, held in sides for item in held.items]
                return list_type(shown_type(self.ctx, *entry) for entry in entries)
        return None

    def _spread(
        self, side: int, held: Operand | Whole | None, type: Type
    ) -> Operand | Whole | None:
        """A list of known entries as a value, as it is on the other path."""
        if not isinstance(held, Seq):
            return held
        with self.inside(side):
            actions = self.ctx.actions
            action = actions.grown_list if type.kind == "list" else actions.list_of
            return action(self.ctx, held, type)

    def join_cells(self, values: Iterable[Abstract]) -> None:
        """The contents of the cells that keep their identity."""
        first, second = (arm.state.cells for arm in self.arms)
        for cell in sorted(reachable(values, self.cells | first | second)):
            a, b = first.get(cell), second.get(cell)
            if cell not in self.cells and (a is not None or b is not None):
                # Both arms may have changed it, to the same.
                root, same = self.ctx.info[cell].root, a if a == b else None
                self.cells[cell] = same or self.contents(root, *self._handed_on(a, b))
        for cell, held in self.entry.cells.items():
            # An expression around this branch may still hold what no name leads to.
            if cell not in self.cells and first.get(cell) == held == second.get(cell):
                self.cells[cell] = held

    def _handed_on(self, a: Content, b: Content) -> tuple[Content, Content]:
        """The contents of a cell; a structure is that of the arm that does not end in a `raise`."""
        dead = [arm.state.dead for arm in self.arms]
        if dead[0] == dead[1] or not any(isinstance(one, Seq | Struct) for one in (a, b)):
            return a, b
        return (None, b) if dead[0] else (a, None)

    def tangled(self) -> dict[int, str]:
        """The cells that may or may not be one, after the names have met."""
        found: dict[int, str] = {}
        for arm in self.arms if self.pairs else ():
            # What a list or an object holds that has one name on both paths.
            self.kept |= reachable(self.same, arm.state.cells).keys()
        for side in (0, 1):
            known = self.arms[side].state.tangled
            tangle(found, known)
            users: dict[int, list[Ref]] = {}
            for pair, ref in self.pairs.items():
                value = pair[side]
                if isinstance(value, Ref):
                    users.setdefault(value.cell, []).append(ref)
                    if value.cell in known:
                        tangle(found, {ref.cell: known[value.cell]})
            for cell, refs in users.items():
                if len(refs) > 1 or cell in self.kept:
                    names = sorted({self.ctx.info[c].root for c in (cell, *(r.cell for r in refs))})
                    reason = f"{' and '.join(filter(None, names))} may be one array or two"
                    tangle(found, dict.fromkeys((cell, *(r.cell for r in refs)), reason))
                elif cell in self.caller:
                    tangle(found, dict.fromkeys((cell, *(r.cell for r in refs)), UNSEEN))
        return found

    def lent(self) -> frozenset[int]:
        """The cells that are lent on a path, under the names that they have after both."""
        known = [arm.state.lent for arm in self.arms]
        met = {
            ref.cell
            for pair, ref in self.pairs.items()
            if any(
                isinstance(v, Ref) and v.cell in lent for v, lent in zip(pair, known, strict=True)
            )
        }
        return known[0] | known[1] | met


def meet(ctx: Context, test: Operand, first: Arm, second: Arm, live: Names) -> None:
    """Append the branch, and go on in the state where its arms meet."""
    entry = ctx.state
    meeting = Meeting(ctx, entry, (first, second), test)
    states = (first.state, second.state)
    names: dict[Key, Abstract] = {}
    for key in kept_keys(ctx, (*states[0].names, *states[1].names), live):
        if key[0] == CALLER:
            names[key] = entry.names[key]
            meeting.caller |= {r.cell for r in (names[key],) if isinstance(r, Ref)}
            continue
        a, b = arriving(ctx, key, states, test)
        meeting.last = key == (0, RESULT) and not ctx.outlines.open
        merged = meeting.merge(shown_name(key[1]), a, b)
        if key[1] == RESULT and merged == ABSENT and (a, b) != (ABSENT, ABSENT):
            # What is returned is nothing that a path can hand on.
            meeting.conflict(key[1], a, b)
        if merged != ABSENT:
            names[key] = merged
    meeting.join_cells(names.values())
    ctx.state = State(names, meeting.cells, meeting.tangled(), dict(entry.reads))
    ctx.state.dead, ctx.state.lent = states[0].dead and states[1].dead, meeting.lent()
    then, orelse = (
        Block((), tuple(arm.stmts), tuple(yields))
        for arm, yields in zip((first, second), meeting.yields, strict=True)
    )
    if meeting.results or then.stmts or orelse.stmts:
        ctx.add(Branch(tuple(meeting.results), test, then, orelse, span=ctx.span()))

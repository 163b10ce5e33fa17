"""What an iteration hands to the next, as a fixpoint.

A loop carries the names that it assigns and that are read at its head or after it, and the cells
that it writes. Which these are, and of what type, is found by lowering the body under an
assumption, and again where it hands on more than was assumed. What a first pass found is
remembered, so that an inner loop is lowered once for every pass over the outer one. What is carried
without being changed is taken out in the end (`frontend/state/cleanup.py`).

Aliases are part of the assumption: names that are one array at the head must be one array at the
end, and different arrays different ones, up to renaming, so `u, v = v, u` swaps two carried arrays.
Where this fails the cells are tangled: they can be read, and no longer written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from adjointgen.frontend.control.carried_forms import Form, Guess, Held, Items, Leaf, Same, fits
from adjointgen.frontend.control.carried_results import entered, form_of_result
from adjointgen.frontend.control.carried_shape import (
    Head,
    arrays_in,
    flatten,
    form_of,
    groups_in,
    instance,
    joined,
    lent_at_head,
    named,
    renamed,
)
from adjointgen.frontend.control.row_lists import rows_joined
from adjointgen.frontend.domain.abstract_values import ABSENT, Absent, Abstract, Ref, Seq, Struct
from adjointgen.frontend.domain.maybe_scalar import carried
from adjointgen.frontend.source.name_liveness import Facts, Names
from adjointgen.frontend.state.bound_flags import BOUND
from adjointgen.frontend.state.context import (
    BROKEN,
    CALLER,
    JUMPED,
    NO,
    RAISED,
    RESULT,
    RETURNED,
    STOPPED,
    UNSEEN,
    YES,
    Context,
)
from adjointgen.frontend.state.program_state import Key, State, tangle
from adjointgen.frontend.state.reachability import callers_cells, kept_keys, reachable
from adjointgen.frontend.state.zero_dim_updates import note_shared
from adjointgen.ir.nodes import Const, Operand, Stmt, Value
from adjointgen.ir.types import Type, promote
from adjointgen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Pieces:
    """A lowered loop: what enters, the body, what it hands on, and the state after it."""

    params: tuple[Value, ...]
    inits: tuple[Operand, ...]
    stmts: tuple[Stmt, ...]
    yields: tuple[Operand, ...]
    results: tuple[Value, ...]
    stop: Operand
    after: State


def fixpoint(carrying: Carrying, node: ast.AST, body: Callable[[], object]) -> Pieces:
    """Lower `body` until what it hands on is what was assumed."""
    ctx = carrying.ctx
    guess = carrying.first(node, ctx.memo.get((*ctx.frame.path, node)))
    for _ in range(32):
        before: list[Stmt] = []
        with ctx.reopened(before):
            head = carrying.head(guess)
        with ctx.block(entered(head.state, carrying.result)) as stmts:
            body()
            ctx.node = node
            found = carrying.found(guess, ctx.state)
            if found == guess:
                ctx.blocks[-2].extend(before)
                ctx.memo[*ctx.frame.path, node] = guess
                return carrying.leave(guess, head, stmts)
        guess = found
    what = "what this loop carries changes its type again and again"
    return ctx.unlike("AG106", what, "use arrays of fixed shape", node=node)


class Carrying:
    """One loop, seen from the state before it."""

    def __init__(self, ctx: Context, facts: Facts, live: Names, certain: Names, runs: bool) -> None:
        self.ctx, self.facts, self.live, self.certain, self.runs = ctx, facts, live, certain, runs
        self.entry = ctx.state
        self.frame = ctx.frame.number
        self.result = ctx.key(RESULT)

    # The assumption

    def first(self, node: ast.AST, memo: Guess | None) -> Guess:
        """What the text of the loop says that it changes, with the forms of an earlier pass."""
        flags = [RETURNED, RESULT] if "return" in self.facts.jumps else []
        flags += [BROKEN] if getattr(node, "orelse", None) else []
        groups, names, cells = dict[Abstract, str](), dict[Key, Form](), dict[int, Form]()
        for name in [*sorted(self.facts.binds | self.facts.updates), *flags]:
            key = self.ctx.key(name)
            value = named(self.entry, key)
            in_place = name not in self.facts.binds and isinstance(value, Ref)
            if name in flags or (self.is_live(key) and not in_place):
                group = groups.setdefault(value, name) if isinstance(value, Ref) else name
                names[key] = form_of(self.ctx, self.entry, value, group)
        for name in sorted(self.facts.writes | self.facts.updates):
            key = self.ctx.key(name)
            value = self.entry.names.get(key, ABSENT)
            if isinstance(value, Ref) and key not in names:
                cells[value.cell] = self.cell_form(value.cell)
        for key, form in memo.names if memo else ():
            value = named(self.entry, key)
            single = isinstance(value, Absent | Const | Value)
            if single and key in names and isinstance(form, Leaf | Held):
                names[key] = form
        for cell, form in memo.cells if memo else ():
            # A list may have grown since, and a dict or object have other entries.
            if cell in self.entry.cells and fits(form, self.entry.cells[cell], self.entry.cells):
                cells[cell] = form
        return Guess(tuple(names.items()), tuple(cells.items()))

    def is_live(self, key: Key) -> bool:
        """Whether a name may be read at the head or after the loop."""
        frame = self.ctx.frame
        return key[0] != self.frame or key[1] in self.live or key[1] in frame.pinned

    def cell_form(self, cell: int) -> Form:
        """The form of what a cell holds, in groups of its own: two cells may have one root."""
        return form_of(self.ctx, self.entry, self.entry.cells[cell], f"@{cell}")

    # The head

    def head(self, guess: Guess) -> Head:
        """The state at the start of an iteration."""
        ctx, head = self.ctx, Head(self.entry.fork())
        outer, ctx.state = ctx.state, self.entry.fork()
        for name in self.facts.binds:
            head.state.names.pop(ctx.key(name), None)
        head.state.names |= {(self.frame, JUMPED): NO, (self.frame, STOPPED): NO}
        for cell, form in guess.cells:
            root, old = ctx.info[cell].root, self.entry.cells[cell]
            held = instance(ctx, head, form, old, root, self.entry.cells)
            assert isinstance(held, Value | Const | Seq | Struct)
            head.state.cells[cell] = held
        for key, form in guess.names:
            bound = instance(ctx, head, form, named(self.entry, key), key[1], self.entry.cells)
            if bound != ABSENT:
                head.state.names[key] = bound
        ctx.state = outer
        self.tangle(head, guess)
        return head

    def tangle(self, head: Head, guess: Guess) -> None:
        """Mark what may be one array or two at the head."""
        outer = self.held_by_others(self.entry, guess)
        unseen = callers_cells(self.entry) | head.state.tangled.keys()
        bound = list(self.arrays(guess, self.entry))
        for mark, held, ref in bound:
            cell, root = head.groups[held.group].cell, self.root(mark)
            reason = f"{root} may be another array after the first iteration"
            shared = any(r.cell == ref.cell and h.group != held.group for _, h, r in bound)
            if shared or ref.cell in outer or head.state.tangled.get(ref.cell):
                tangle(head.state.tangled, {cell: reason, ref.cell: reason})
            elif ref.cell in unseen:
                tangle(head.state.tangled, {cell: UNSEEN, ref.cell: UNSEEN})
        forms: list[tuple[Key | int, Form]] = [*guess.names, *guess.cells]
        for mark, form in forms:
            reason = f"{self.root(mark)} may be another array after the first iteration"
            for group in groups_in(form):
                if mark in guess.tangled:
                    tangle(head.state.tangled, {head.groups[group].cell: reason})
                elif mark in guess.unseen:
                    tangle(head.state.tangled, {head.groups[group].cell: UNSEEN})
        head.state.lent |= lent_at_head(head, guess, [(h, r) for _, h, r in bound])
        for mark in guess.tangled:
            if isinstance(mark, int):
                root = self.ctx.info[mark].root
                head.state.tangled[mark] = f"{root} may have another name after an iteration"

    def arrays(self, guess: Guess, state: State) -> Iterator[tuple[Key | int, Held, Ref]]:
        """The carried arrays at a point, each with the name or list that it belongs to."""
        for key, form in guess.names:
            for held, ref in arrays_in(form, named(state, key), state.cells):
                yield key, held, ref
        for cell, form in guess.cells:
            for held, ref in arrays_in(form, state.cells[cell], state.cells):
                yield cell, held, ref

    def root(self, mark: Key | int) -> str:
        return self.ctx.info[mark].root if isinstance(mark, int) else mark[1]

    def held_by_others(self, state: State, guess: Guess) -> dict[int, None]:
        """The cells that are reached by names that the loop does not carry, nor through cells."""
        carried, changed = dict(guess.names), dict(guess.cells)
        others = (k for k in state.names if k not in carried and k[0] != CALLER)
        keys = kept_keys(self.ctx, others, self.live)
        cells = {cell: held for cell, held in state.cells.items() if cell not in changed}
        return reachable([state.names[k] for k in keys], cells)

    # The end of an iteration

    def found(self, guess: Guess, end: State) -> Guess:
        """The assumption that fits what the body hands on."""
        if end.dead:
            return guess
        ctx, names = self.ctx, dict[Key, Form]()
        for key, form in (*guess.names, *self.changed_elsewhere(guess, end)):
            last = named(end, key)
            names[key] = (
                form_of_result(ctx, self.entry, end, last)
                if key == self.result
                else joined(ctx, key[1], form, last, end)
            )
        split = self.regroup(names, end)
        cells = dict(guess.cells)
        kept = kept_keys(ctx, end.names, self.live)
        for cell in sorted(reachable([end.names[k] for k in kept], end.cells)):
            changed = cell in self.entry.cells and end.cells[cell] != self.entry.cells[cell]
            if cell in cells or changed:
                form = cells.get(cell) or self.cell_form(cell)
                held = end.cells[cell]
                if isinstance(form, Items) and isinstance(held, Value) and held.type.is_array:
                    cells[cell] = self.spread(cell, held.type)
                    continue
                rows = rows_joined(ctx, form, held, end, f"@{cell}")
                cells[cell] = rows or joined(ctx, ctx.info[cell].root, form, held, end)
        found = Guess(tuple(names.items()), tuple(cells.items()))
        return self.marked(found, guess, split, end)

    def changed_elsewhere(self, guess: Guess, end: State) -> Iterator[tuple[Key, Form]]:
        """The names that functions called in the body have changed, not its own statements."""
        caught = [h.error for handlers in self.ctx.catching for h in handlers if h.error]
        before, after = self.entry.names, end.names
        every = dict.fromkeys([*before, *caught])
        moved = [key for key in every if after.get(key, ABSENT) is not before.get(key, ABSENT)]
        # A list that is updated is the same list, unless NumPy makes an array of it.
        known, own = dict(guess.names), self.facts.binds
        for key in moved:
            frame, name = key
            here = key == self.ctx.key(name) and name in own
            flag = name.startswith("%") and not name.startswith((RAISED, BOUND))
            # What runs over a generator is lowered inside its loops, and ends there with flags.
            flag = flag and (frame == self.frame or name in (JUMPED, STOPPED))
            passed = flag or here or frame == CALLER or key in known
            if not passed and named(end, key) != (old := named(self.entry, key)):
                yield key, form_of(self.ctx, self.entry, old, f"{name} of {frame}")

    def marked(self, found: Guess, guess: Guess, split: set[Key], end: State) -> Guess:
        """The guess with what is tangled at the end of an iteration, and before."""
        tangled: set[Key | int] = {*split, *guess.tangled}
        # What another name may have come to mean is written to at the next head.
        tangled |= {c for c, reason in end.tangled.items() if reason} & self.entry.cells.keys()
        late, hidden = set(guess.late), callers_cells(self.entry) | end.tangled.keys()
        outer = self.held_by_others(end, found)
        users: dict[int, list[tuple[Key | int, Held, Ref]]] = {}
        for one in self.arrays(found, end):
            users.setdefault(one[2].cell, []).append(one)
        for cell, uses in users.items():
            own = {cell} & self.entry.cells.keys()
            reached = cell in outer or bool(end.tangled.get(cell))
            # What is returned is handed to no other iteration.
            read = [one for one in uses if one[0] != self.result]
            marks = {mark for mark, _, _ in read}
            parted = len({(held.group, ref) for _, held, ref in read}) > 1
            if marks and (parted or reached):
                dead = all(not isinstance(m, int) and m[1] in self.certain for m in marks)
                (late if dead else tangled).update(marks, own)
            if len(read) < len(uses) and (marks or reached):
                late.update((mark for mark, _, _ in uses), own)
        unseen = {m for cell in users.keys() & hidden for m, _, _ in users[cell]} - tangled
        handed = {m for c in end.lent for m, _, _ in users.get(c, ())}
        return replace(
            found,
            tangled=frozenset(tangled),
            unseen=(guess.unseen - tangled) | unseen,
            late=frozenset(late),
            lent=guess.lent | (end.lent & self.entry.cells.keys()) | handed,
        )

    def spread(self, cell: int, type: Type) -> Form:
        """A list of known entries that the body writes at an index: one value from the start."""
        seq = self.entry.cells[cell]
        assert isinstance(seq, Seq)
        with self.ctx.block(self.entry.fork()):
            first = self.ctx.actions.list_of(self.ctx, seq, None)
        return Leaf(first.type.with_dtype(promote(first.type.dtype, type.dtype)))

    def regroup(self, names: dict[Key, Form], end: State) -> set[Key]:
        """Give names of one group that part a group each; these are then tangled."""
        parted: set[Key] = set()
        groups: dict[str, list[Key]] = {}
        for key, form in names.items():
            if isinstance(form, Held) and isinstance(named(end, key), Ref):
                groups.setdefault(form.group, []).append(key)
        for keys in groups.values():
            for key in keys:
                form = names[key]
                if named(end, key) != named(end, keys[0]) and isinstance(form, Held):
                    names[key] = replace(form, group=key[1])
                    parted.update(keys)
        return parted

    # Leaving

    def leave(self, guess: Guess, head: Head, stmts: list[Stmt]) -> Pieces:
        """What is handed on, and the state after the loop. The body's block is still open."""
        ctx, end = self.ctx, self.ctx.state
        note_shared(ctx, self.entry, [named(self.entry, key) for key, _ in guess.names])
        yields: list[Operand] = list(head.params)
        if not end.dead:
            groups: set[str] = set()
            yields = []
            for cell, form in guess.cells:
                yields += flatten(ctx, form, end.cells[cell], end.cells, groups)
            for key, form in guess.names:
                yields += flatten(ctx, form, named(end, key), end.cells, groups)
        results = tuple(ctx.value(p.root, p.type, p.name) for p in head.params)
        carried(ctx.loose, head.params, yields, results, self.runs)
        for param, last, result in zip(head.params, yields, results, strict=True):
            if param.name in ctx.tables:
                ctx.tables[result.name] = ctx.tables[param.name]
            ctx.narrow.hand_on(last if self.runs and isinstance(last, Value) else param, result)
        stop = YES if end.dead else named(end, (self.frame, STOPPED))
        assert isinstance(stop, Value | Const)
        after = self.after(guess, head, dict(zip(head.params, results, strict=True)))
        tangle(after.tangled, {c: r for c, r in end.tangled.items() if c in after.cells})
        return Pieces(
            tuple(head.params), tuple(head.inits), tuple(stmts), tuple(yields), results, stop, after
        )

    def after(self, guess: Guess, head: Head, results: dict[Value, Value]) -> State:
        """The state before the loop, with the results in the place of what was carried."""
        after = self.entry.fork()

        def left(value: Abstract) -> Abstract:
            return renamed(value, lambda v: results.get(v, v))

        def contents(cells: Iterable[int]) -> None:
            for cell in cells:
                held = left(head.state.cells[cell])
                assert isinstance(held, Value | Const | Seq | Struct)
                after.cells[cell] = held

        for name in self.facts.binds:
            after.names.pop(self.ctx.key(name), None)
        for key, form in guess.names:
            bound = form.value if isinstance(form, Same) else left(head.state.names[key])
            if bound != ABSENT:
                after.names[key] = bound
        contents(cell for cell, _ in guess.cells)
        contents(ref.cell for ref in head.groups.values())
        tangle(after.tangled, head.state.tangled)
        after.lent |= head.state.lent
        for mark in guess.late:
            form = Same(ABSENT) if isinstance(mark, int) else dict(guess.names)[mark]
            cells = {mark} if isinstance(mark, int) else set[int]()
            cells |= {head.groups[group].cell for group in groups_in(form)}
            reason = "what the last iteration left may be part of it"
            tangle(after.tangled, dict.fromkeys(cells, reason))
        return after

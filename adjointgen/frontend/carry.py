"""What an iteration hands to the next, as a fixpoint.

A loop carries the names that it assigns and that are read at its head or after it, and the cells
that it writes. Which these are, and of what type, is found by lowering the body under an
assumption, and again where it hands on more than was assumed. What a first pass found is
remembered, so that an inner loop is lowered once for every pass over the outer one. What is carried
without being changed is taken out in the end (`tidy.py`).

Aliases are part of the assumption: names that are one array at the head must be one array at the
end, and different arrays different ones, up to renaming, so `u, v = v, u` swaps two carried arrays.
Where this fails the cells are tangled: they can be read, and no longer written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from adjointgen.frontend.context import (
    BROKEN,
    CALLER,
    JUMPED,
    NO,
    RESULT,
    RETURNED,
    STOPPED,
    UNSEEN,
    YES,
    Context,
    Key,
    State,
    tangle,
)
from adjointgen.frontend.forms import (
    Form,
    Head,
    Held,
    Items,
    Leaf,
    Same,
    flatten,
    form_of,
    instance,
    joined,
    named,
    renamed,
)
from adjointgen.frontend.liveness import Facts, Names
from adjointgen.frontend.reach import kept_keys, reachable
from adjointgen.frontend.values import ABSENT, Absent, Abstract, Ref, Seq
from adjointgen.ir.nodes import Const, Operand, Stmt, Value
from adjointgen.ir.types import Type, promote


@dataclass(frozen=True, slots=True)
class Guess:
    """What a loop is assumed to carry: names, cells that it writes, and which of it is tangled.

    What is tangled `late` is so after the loop only, since no iteration reads what it is handed.
    """

    names: tuple[tuple[Key, Form], ...] = ()
    cells: tuple[tuple[int, Form], ...] = ()
    tangled: frozenset[Key | int] = frozenset()
    unseen: frozenset[Key] = frozenset()
    late: frozenset[Key | int] = frozenset()


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


def carry(
    ctx: Context,
    node: ast.AST,
    facts: Facts,
    live: Names,
    body: Callable[[], object],
    certain: Names = frozenset(),
) -> Pieces:
    """Lower `body` until what it hands on is what was assumed.

    `certain` are names that every iteration assigns before it reads them.
    """
    carrying = Carrying(ctx, facts, live, certain)
    memo = (*ctx.frame.path, node)
    guess = carrying.first(node, ctx.memo.get(memo))
    for _ in range(32):
        before: list[Stmt] = []
        with ctx.reopened(before):
            head = carrying.head(guess)
        with ctx.block(head.state.fork()) as stmts:
            body()
            ctx.node = node
            found = carrying.found(guess, ctx.state)
            if found == guess:
                ctx.blocks[-2].extend(before)
                ctx.memo[memo] = guess
                return carrying.leave(guess, head, stmts)
        guess = found
    return ctx.refuse(
        "AG106",
        "what this loop carries changes its type again and again",
        "use arrays of fixed shape",
        node=node,
    )


class Carrying:
    """One loop, seen from the state before it."""

    def __init__(self, ctx: Context, facts: Facts, live: Names, certain: Names) -> None:
        self.ctx, self.facts, self.live, self.certain = ctx, facts, live, certain
        self.entry = ctx.state
        self.frame = ctx.frame.number

    # The assumption

    def first(self, node: ast.AST, memo: Guess | None) -> Guess:
        """What the text of the loop says that it changes, with the forms of an earlier pass."""
        flags = [RETURNED, RESULT] if "return" in self.facts.jumps else []
        flags += [BROKEN] if getattr(node, "orelse", None) else []
        groups: dict[Abstract, str] = {}
        names: dict[Key, Form] = {}
        cells: dict[int, Form] = {}
        for name in [*sorted(self.facts.binds | self.facts.updates), *flags]:
            key = (self.frame, name)
            value = named(self.entry, key)
            in_place = name not in self.facts.binds and isinstance(value, Ref)
            if name in flags or (name in self.live and not in_place):
                group = groups.setdefault(value, name) if isinstance(value, Ref) else name
                names[key] = form_of(self.ctx, self.entry, value, group)
        for name in sorted(self.facts.writes | self.facts.updates):
            value = self.entry.names.get((self.frame, name), ABSENT)
            if isinstance(value, Ref) and (self.frame, name) not in names:
                cells[value.cell] = self.cell_form(value.cell)
        for key, form in memo.names if memo else ():
            value = named(self.entry, key)
            if (
                key in names
                and isinstance(form, Leaf | Held)
                and isinstance(value, Absent | Const | Value)
            ):
                names[key] = form
        for cell, form in memo.cells if memo else ():
            if cell in self.entry.cells:
                cells[cell] = form
        return Guess(tuple(names.items()), tuple(cells.items()))

    def cell_form(self, cell: int) -> Form:
        return form_of(self.ctx, self.entry, self.entry.cells[cell], self.ctx.info[cell].root)

    # The head

    def head(self, guess: Guess) -> Head:
        """The state at the start of an iteration."""
        ctx, head = self.ctx, Head(self.entry.fork())
        outer, ctx.state = ctx.state, self.entry.fork()
        for name in self.facts.binds:
            head.state.names.pop((self.frame, name), None)
        head.state.names |= {(self.frame, JUMPED): NO, (self.frame, STOPPED): NO}
        for cell, form in guess.cells:
            root, old = ctx.info[cell].root, self.entry.cells[cell]
            held = instance(ctx, head, form, old, root, self.entry.cells)
            assert isinstance(held, Value | Const | Seq)
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
        carried = {key for key, _ in guess.names}
        outer = self.held_by_others(self.entry, carried)
        unseen = self.callers() | head.state.tangled.keys()
        for key, form in guess.names:
            if not isinstance(form, Held):
                continue
            cell, value = head.groups[form.group].cell, named(self.entry, key)
            reason = f"{key[1]} may be another array after the first iteration"
            if isinstance(value, Ref) and (
                value.cell in outer or head.state.tangled.get(value.cell)
            ):
                tangle(head.state.tangled, {cell: reason, value.cell: reason})
            elif isinstance(value, Ref) and value.cell in unseen:
                tangle(head.state.tangled, {cell: UNSEEN, value.cell: UNSEEN})
            if key in guess.tangled:
                tangle(head.state.tangled, {cell: reason})
            elif key in guess.unseen:
                tangle(head.state.tangled, {cell: UNSEEN})
        for mark in guess.tangled:
            if isinstance(mark, int):
                root = self.ctx.info[mark].root
                head.state.tangled[mark] = f"{root} may have another name after an iteration"

    def held_by_others(self, state: State, carried: set[Key]) -> dict[int, None]:
        """The cells that are reached by names that the loop does not carry."""
        others = (k for k in state.names if k not in carried and k[0] != CALLER)
        keys = kept_keys(self.ctx, others, self.live)
        return reachable([state.names[k] for k in keys], state.cells)

    # The end of an iteration

    def found(self, guess: Guess, end: State) -> Guess:
        """The assumption that fits what the body hands on."""
        if end.dead:
            return guess
        ctx, names = self.ctx, dict[Key, Form]()
        for key, form in guess.names:
            names[key] = joined(ctx, key[1], form, named(end, key), end)
        tangled, late = self.regroup(names, guess, end)
        cells = dict(guess.cells)
        kept = kept_keys(ctx, end.names, self.live)
        for cell in sorted(reachable([end.names[k] for k in kept], end.cells)):
            changed = cell in self.entry.cells and end.cells[cell] != self.entry.cells[cell]
            if cell in cells or changed:
                form = cells.get(cell) or self.cell_form(cell)
                held = end.cells[cell]
                if isinstance(form, Items) and isinstance(held, Value):
                    cells[cell] = self.spread(cell, held.type)
                    continue
                cells[cell] = joined(ctx, ctx.info[cell].root, form, held, end)
        hidden = self.callers() | end.tangled.keys()
        unseen = {k for k in names if isinstance(v := named(end, k), Ref) and v.cell in hidden}
        tangled |= guess.tangled
        return Guess(
            tuple(names.items()),
            tuple(cells.items()),
            frozenset(tangled),
            (guess.unseen | unseen) - tangled,
            guess.late | late,
        )

    def spread(self, cell: int, type: Type) -> Form:
        """A list of known entries that the body writes at an index: one value from the start."""
        with self.ctx.block(self.entry.fork()):
            first: Operand = self.ctx.actions["list"](self.ctx, self.entry.cells[cell])
        return Leaf(first.type.with_dtype(promote(first.type.dtype, type.dtype)))

    def callers(self) -> set[int]:
        """The cells of the caller's arrays."""
        values = [v for k, v in self.entry.names.items() if k[0] == CALLER]
        return {v.cell for v in values if isinstance(v, Ref)}

    def regroup(
        self, names: dict[Key, Form], guess: Guess, end: State
    ) -> tuple[set[Key | int], set[Key | int]]:
        """Give names that part a group each; the keys and cells tangled then, at once or late."""
        tangled: set[Key | int] = set()
        late: set[Key | int] = set()
        refs = {k: v for k in names if isinstance(v := named(end, k), Ref)}
        assumed: dict[str, list[Key]] = {}
        for key, form in names.items():
            if isinstance(form, Held) and key in refs:
                assumed.setdefault(form.group, []).append(key)
        for keys in assumed.values():
            for key in keys:
                form = names[key]
                if refs[key] != refs[keys[0]] and isinstance(form, Held):
                    names[key] = replace(form, group=key[1])
                    tangled.update(keys)
        outer = self.held_by_others(end, set(names))
        users: dict[int, list[Key]] = {}
        for key, ref in refs.items():
            users.setdefault(ref.cell, []).append(key)
        for cell, keys in users.items():
            groups = {f.group for k in keys if isinstance(f := names[k], Held)}
            if len(groups) > 1 or cell in outer or end.tangled.get(cell):
                marked = late if all(k[1] in self.certain for k in keys) else tangled
                marked.update(keys)
                marked.update({cell} & self.entry.cells.keys())
        return tangled, late

    # Leaving

    def leave(self, guess: Guess, head: Head, stmts: list[Stmt]) -> Pieces:
        """What is handed on, and the state after the loop. The body's block is still open."""
        ctx, end = self.ctx, self.ctx.state
        yields: list[Operand] = list(head.params)
        if not end.dead:
            groups: set[str] = set()
            yields = []
            for cell, form in guess.cells:
                yields += flatten(ctx, form, end.cells[cell], end.cells, groups)
            for key, form in guess.names:
                yields += flatten(ctx, form, named(end, key), end.cells, groups)
        results = tuple(ctx.value(p.root, p.type, p.name) for p in head.params)
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
                assert isinstance(held, Value | Const | Seq)
                after.cells[cell] = held

        for name in self.facts.binds:
            after.names.pop((self.frame, name), None)
        for key, form in guess.names:
            bound = form.value if isinstance(form, Same) else left(head.state.names[key])
            if bound != ABSENT:
                after.names[key] = bound
        contents(cell for cell, _ in guess.cells)
        contents(ref.cell for ref in head.groups.values())
        tangle(after.tangled, head.state.tangled)
        for mark in guess.late:
            carried = dict(guess.names).get(mark) if isinstance(mark, tuple) else None
            cell = head.groups[carried.group].cell if isinstance(carried, Held) else mark
            if isinstance(cell, int):
                tangle(after.tangled, {cell: "what the last iteration left may be part of it"})
        return after

"""What the values of a block are each time that it runs, from one run of the program.

    for i in range(n):                      for i in range(n):
        t = sin(u)              ->              observed(1, u, i)
        u = t * u                               t = sin(u); observed(2, t)
                                                ...

The program goes through its own passes and runs as it would; what is inserted only looks. A place
is the way to a block: which statement of the block around it, and which block of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

import numpy as np

from adjointgen.api.specialize.load_program import Made, load
from adjointgen.emit.write.module import emit
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import (
    LOOPS,
    Apply,
    Block,
    Function,
    Stmt,
    Value,
    blocks_of,
    defined_in,
    reads_of,
    results_of,
)
from adjointgen.pipeline import finish
from adjointgen.program import primal
from adjointgen.records import dataclass, replace
from adjointgen.watch import Look

Place = tuple[tuple[int, int], ...]
Frame = dict[str, Any]
_OBSERVER: Final = "_observed_"
START, END, BEGIN, NEXT = -1, -2, -3, -4


@dataclass(frozen=True, slots=True)
class Visit:
    """One run of a block: the values that it reads and defines, by name, and in which iteration of
    each loop around it, counted from 0."""

    values: Frame
    iterations: tuple[int, ...]


class Stop(BaseException):
    """Ends a run of which enough is known; no handler of a program takes it for an error."""


def block_at(function: Function, place: Place) -> Block:
    """The block at a place."""
    block = function.body
    for k, b in place:
        block = blocks_of(block.stmts[k])[b]
    return block


def loops_on(function: Function, place: Place) -> list[Stmt]:
    """The loops on the way to a place."""
    stmts = (block_at(function, place[:d]).stmts[k] for d, (k, _) in enumerate(place))
    return [stmt for stmt in stmts if isinstance(stmt, LOOPS)]


@dataclass(frozen=True, slots=True)
class Runs:
    """A program that can be run again: `call` calls it with copies of the same arguments."""

    function: Function
    call: Callable[[Callable[..., Any]], Any]
    looks: Sequence[Look]
    unsure: frozenset[str]

    def visit(self, place: Place, see: Callable[[Visit], None]) -> None:
        """Run the program, and show each run of the block at a place once it is done.

        Raises what the program raises.
        """
        looking = _Looking(self.function, place, self.unsure)
        finished = finish(primal(looking.program()))
        run = load(Made(emit([finished]), finished.name, None, tuple(self.looks)))
        scope: dict[str, Any] = run.__globals__
        scope[_OBSERVER] = _Seen(looking.names, len(loops_on(self.function, place)), see)
        try:
            with np.errstate(all="ignore"):
                self.call(run)
        except Stop:
            pass


class _Looking:
    """The program with calls of the observer at a place."""

    def __init__(self, function: Function, place: Place, unsure: frozenset[str]) -> None:
        self.function = function
        self.place = place
        self.unsure = unsure
        self.names: dict[int, tuple[str, ...]] = {}

    def program(self) -> Function:
        # A function may be called as its module is.
        name = f"{self.function.name}_observed"
        return replace(self.function, name=name, body=self.block(self.function.body, 0, 0))

    def block(self, block: Block, depth: int, loops: int) -> Block:
        """A block on the way, or the one at the place."""
        if depth == len(self.place):
            return self.observed(block)
        k, b = self.place[depth]
        stmt = block.stmts[k]
        looped = isinstance(stmt, LOOPS)
        count = -1

        def inner(one: Block) -> Block:
            nonlocal count
            count += 1
            if count != b:
                return one
            made = self.block(one, depth + 1, loops + looped)
            first = (self.call(NEXT - 2 * loops),) if looped else ()
            return replace(made, stmts=(*first, *made.stmts))

        made = rebuild(stmt, lambda operand: operand, inner)
        before = (self.call(BEGIN - 2 * loops),) if looped else ()
        return replace(block, stmts=(*block.stmts[:k], *before, made, *block.stmts[k + 1 :]))

    def observed(self, block: Block) -> Block:
        own = {v.name for s in block.stmts for v in defined_in(Block((), (s,), ()))}
        free = {v.name: v for v in (*block.params, *reads_of(block)) if v.name not in own}
        stmts: list[Stmt] = [self.call(START, tuple(free.values()))]
        for k, stmt in enumerate(block.stmts):
            stmts.append(stmt)
            if results_of(stmt):
                stmts.append(self.call(k, results_of(stmt)))
        return replace(block, stmts=(*stmts, self.call(END)))

    def call(self, number: int, values: tuple[Value, ...] = ()) -> Apply:
        values = tuple(v for v in values if v.name not in self.unsure)
        self.names[number] = tuple(v.name for v in values)
        said = ", ".join([str(number), *(f"_{k}_" for k, _ in enumerate(values))])
        return Apply((), "statement", values, (("code", f"{_OBSERVER}({said})"),))


class _Seen:
    """The observer: gathers the values of a block until it is done."""

    def __init__(
        self, names: Mapping[int, tuple[str, ...]], loops: int, see: Callable[[Visit], None]
    ) -> None:
        self.names = names
        self.counts = [-1] * loops
        self.see = see
        self.values: Frame = {}

    def __call__(self, number: int, *values: Any) -> None:
        if number <= BEGIN:
            depth, is_next = divmod(BEGIN - number, 2)
            self.counts[depth] = self.counts[depth] + 1 if is_next else -1
        elif number == END:
            self.see(Visit(self.values, tuple(self.counts)))
        else:
            if number == START:
                self.values = {}
            self.values |= zip(self.names[number], map(_copied, values), strict=True)


def _copied(value: Any) -> Any:
    """What the value is now: arrays and lists may be written to later."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.copy()
    return deepcopy(value) if isinstance(value, list) else value

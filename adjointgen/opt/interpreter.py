"""Runs the intermediate representation directly, by its definition.

Every value is immutable: `store` copies. What a pass does to a program is right where this
interpreter gives the same numbers before and after it. A program that may run in place
(`storage/insert_copies.py`) can be run so: then `store` overwrites.

An adjoint that is open reads in an iteration of a reverse loop what the iteration of its forward
partner has computed; so each iteration of a forward loop is kept, and its reverse takes it back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, assert_never

import numpy as np

from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Leaf,
    Loop,
    Node,
    Operand,
    Record,
    Replay,
    Slot,
    Stmt,
    Tree,
    Value,
    While,
)
from adjointgen.opt.interpreter_rows import in_place, perform

USER_CODE: Final = ("verbatim", "statement")
Environment = dict[str, Any]
Functions = Mapping[str, Callable[..., Any]]


def run(
    function: Function,
    *args: Any,
    environment: Mapping[str, Any] | None = None,
    functions: Functions | None = None,
    storage: bool = False,
) -> Any:
    """The packed result of a function; `functions` are what its `Call` statements name.

    With `storage` it runs in place, as it is printed.
    """
    known = dict(functions or {})
    for callee in function.callees:
        known[callee.name] = _called(callee, environment, known, storage)
    return _called(function, environment, known, storage)(*args)


def _called(
    function: Function,
    environment: Mapping[str, Any] | None,
    functions: Functions,
    storage: bool,
) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        names: dict[str, Any] = {"np": np, "numpy": np}
        exec("\n".join(function.imports), names)
        names.update(environment or {})
        machine = Machine(names, functions, storage)
        yields = machine.call(function.body, args)
        return pack(function.results, iter(yields), machine.tapes)

    return call


def pack(tree: Tree, values: Iterator[Any], tapes: Mapping[str, list[Any]]) -> Any:
    """The structure that a tree describes, filled from the leaves."""
    match tree:
        case Leaf():
            return next(values)
        case Slot(name=name):
            return tapes[name]
        case Node(make="tuple" | "", children=children):
            return tuple(pack(c, values, tapes) for c in children)
        case Node(make="list", children=children):
            return [pack(c, values, tapes) for c in children]
        case Node(make=make):
            raise NotImplementedError(f"no structure {make!r}")


class Machine:
    """Executes blocks. The values are in one flat environment, since names are unique."""

    def __init__(
        self, names: Mapping[str, Any], functions: Functions, storage: bool = False
    ) -> None:
        self.names = dict(names)
        self.functions = functions
        self.storage = storage
        self.kept: dict[int, list[Environment]] = defaultdict(list)
        """The values of each iteration of a forward loop whose reverse is open, by its pair."""
        self.forward: dict[int, int] = {}
        """The identity of the loop of a pair that runs first."""
        self.values: Environment = {}
        self.tapes: dict[str, list[Any]] = defaultdict(list)

    def call(self, block: Block, args: Sequence[Any]) -> list[Any]:
        for parameter, value in zip(block.params, args, strict=True):
            self.values[parameter.name] = value
        for stmt in block.stmts:
            self.execute(stmt)
        return [self.read(y) for y in block.yields]

    def read(self, operand: Operand) -> Any:
        return operand.value if isinstance(operand, Const) else self.values[operand.name]

    def define(self, results: Sequence[Value], values: Sequence[Any]) -> None:
        for result, value in zip(results, values, strict=True):
            self.values[result.name] = value

    def execute(self, stmt: Stmt) -> None:
        match stmt:
            case Apply(op="unpack"):
                self.unpack(stmt)
            case Apply():
                args = [self.read(a) for a in stmt.args]
                value = self.apply(stmt.op, args, dict(stmt.options))
                several = len(stmt.results) != 1 or stmt.op in USER_CODE
                if stmt.results:
                    self.define(stmt.results, value if several else [value])
            case Loop():
                self.loop(stmt)
            case While():
                self.repeat(stmt)
            case Branch():
                arm = stmt.then if self.read(stmt.test) else stmt.orelse
                self.define(stmt.results, self.call(arm, ()))
            case Call():
                value = self.functions[stmt.function](*(self.read(a) for a in stmt.args))
                self.define(stmt.results, value if len(stmt.results) > 1 else [value])
            case Record():
                value = self.read(stmt.value)
                self.tapes[stmt.slot].append(value if self.storage else deepcopy(value))
            case Replay():
                self.define([stmt.result], [self.tapes[stmt.slot].pop()])
            case _:
                assert_never(stmt)

    def unpack(self, stmt: Apply) -> None:
        """A tape is taken apart into values and the lists of its slots, which are popped from."""
        (tape,) = (self.read(a) for a in stmt.args)
        parts = [tape] if stmt.option("single") else list(tape)
        slots = stmt.option("slots")
        assert isinstance(slots, tuple)
        self.define(stmt.results, parts[: len(stmt.results)])
        for slot, part in zip(slots, parts[len(stmt.results) :], strict=True):
            self.tapes[slot] = list(part)

    def loop(self, stmt: Loop) -> None:
        carried = [self.read(i) for i in stmt.inits]
        indices: Any = range(*(int(self.read(b)) for b in stmt.bounds))
        trips = 0
        reverse = self.forward.setdefault(stmt.pair, id(stmt)) != id(stmt)
        for index in reversed(indices) if stmt.backwards else indices:
            trips += 1
            if stmt.pair and reverse:
                self.values.update(self.kept[stmt.pair].pop())
            self.values[stmt.index.name] = index
            carried = self.call(stmt.body, carried)
            if stmt.pair and not reverse:
                self.kept[stmt.pair].append(dict(self.values))
            if stmt.trips is not None:
                stop, *carried = carried
                if stop:
                    break
        if stmt.trips is not None:
            self.values[stmt.trips.name] = trips
        self.define(stmt.results, carried)

    def repeat(self, stmt: While) -> None:
        carried = [self.read(i) for i in stmt.inits]
        trips, stop = 0, False
        self.forward.setdefault(stmt.pair, id(stmt))
        while not stop and self.call(stmt.test, carried)[0]:
            trips += 1
            carried = self.call(stmt.body, carried)
            if stmt.pair:
                self.kept[stmt.pair].append(dict(self.values))
            if stmt.breaks:
                stop, *carried = carried
        self.values[stmt.trips.name] = trips
        self.define(stmt.results, carried)

    def apply(self, op: str, args: list[Any], options: dict[str, Any]) -> Any:
        """The result of an operation; a sequence of them where there is not one."""
        if op == "comment":
            return []
        if op in USER_CODE:
            return self.user_code(op, args, **options)
        return in_place(op, args, options) if self.storage else perform(op, args, options)

    def user_code(
        self, op: str, args: list[Any], code: str, writes: Sequence[int] = (), **_: Any
    ) -> list[Any]:
        """The value of an expression, then the new versions of the operands that code writes to."""
        args = [deepcopy(a) if k in writes and not self.storage else a for k, a in enumerate(args)]
        names = self.names | {f"_{k}_": a for k, a in enumerate(args)}
        written = [args[k] for k in writes]
        if op == "verbatim":
            return [eval(code, names), *written]
        exec(code, names)
        return written

"""What is asked for its length or shape is asked of the newest version of an array.

    a_2 = store(a, v, i); n = dim(a)   becomes   a_2 = store(a, v, i); n = dim(a_2)

A write in place changes no shape. Were the older version asked, it would have to keep a name of its
own beside the newer one, though both are one array in Python. Lengths, and lengths plus or minus a
literal, are computed where they are read, so that they ask what is newest there; for the bounds of
a loop that is what it carries, since the array has this name when the bounds are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from adjointgen.analysis.values.maybe_undefined import shape_read
from adjointgen.emit.decide.coalescing_classes import Union
from adjointgen.ir.edit import carried, rebuild
from adjointgen.ir.nodes import (
    LOOPS,
    STORES,
    Apply,
    Block,
    Branch,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    blocks_of,
    defined_in,
    results_of,
)
from adjointgen.records import replace


def ask_newest(body: Block) -> Block:
    """The body with lengths and shapes read of the newest versions."""
    versions = _Versions()
    versions.block(body)
    if not versions.joined:
        return body
    return _Asking(versions, {v.name for v in defined_in(body)}).block(body)


class _Versions:
    """Classes of values that are one array at different times."""

    def __init__(self) -> None:
        self._union = Union()
        self.joined: set[str] = set()

    def of(self, name: str) -> str:
        return self._union.find(name)

    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            for inner in blocks_of(stmt):
                self.block(inner)
            match stmt:
                case Apply(op=op) if op in STORES:
                    self._join(stmt.args[0], stmt.result)
                case Loop() | While():
                    for param, init, end, result in carried(stmt):
                        if self._are_one(param, end):
                            self._join(param, init, result)
                case Branch():
                    ends = zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True)
                    for result, one, other in ends:
                        if self._are_one(one, other):
                            self._join(one, result)

    def _are_one(self, a: Operand, b: Operand) -> bool:
        if not isinstance(a, Value) or not isinstance(b, Value) or not a.type.is_array:
            return False
        return self.of(a.name) == self.of(b.name)

    def _join(self, *operands: Operand) -> None:
        names = [o.name for o in operands if isinstance(o, Value) and o.type.is_array]
        for name in names[1:]:
            self._union.join(names[0], name)
            self.joined |= {names[0], name}


class _Asking:
    """One walk in the order of the text; `newest` holds the latest version in scope."""

    def __init__(self, versions: _Versions, taken: Collection[str]) -> None:
        self._versions = versions
        self._taken = set(taken)
        self._newest: dict[str, Value] = {}
        self._lengths: dict[str, Apply] = {}
        self._made: list[Stmt] = []

    def block(self, block: Block) -> Block:
        newest, made = dict(self._newest), self._made
        self._made = []
        for stmt in block.stmts:
            if isinstance(stmt, Apply) and self._is_length(stmt):
                self._lengths[stmt.result.name] = stmt
            else:
                self._made.append(self._statement(stmt))
                self._define(results_of(stmt))
        yields = tuple(map(self._operand, block.yields))
        found = Block(block.params, tuple(self._made), yields)
        self._newest, self._made = newest, made
        return found

    def _statement(self, stmt: Stmt) -> Stmt:
        match stmt:
            case Loop() | While():
                inits = tuple(map(self._operand, stmt.inits))
                newest = dict(self._newest)
                self._define(stmt.body.params)
                made = rebuild(stmt, self._operand, self.block)
                self._newest = newest
                assert isinstance(made, LOOPS)
                return replace(made, inits=inits)
            case Apply(op=op, args=args) if (at := shape_read(op)) is not None:
                args = (*args[:at], self._latest(args[at]), *args[at + 1 :])
                return replace(stmt, args=tuple(map(self._operand, args)))
            case _:
                return rebuild(stmt, self._operand, self.block)

    def _define(self, values: Iterable[Value]) -> None:
        for value in values:
            if value.name in self._versions.joined:
                self._newest[self._versions.of(value.name)] = value

    def _latest(self, operand: Operand) -> Operand:
        if not isinstance(operand, Value) or operand.name not in self._versions.joined:
            return operand
        return self._newest.get(self._versions.of(operand.name), operand)

    def _is_length(self, stmt: Apply) -> bool:
        """Whether this is the length of an array with versions, or that and a literal."""
        if len(stmt.results) != 1 or stmt.result.root:
            return False
        names = [a.name for a in stmt.args if isinstance(a, Value)]
        if stmt.op == "dim":
            return self._versions.joined.issuperset(names)
        return stmt.op in ("add", "sub") and len(names) == 1 and names[0] in self._lengths

    def _operand(self, operand: Operand) -> Operand:
        """An operand; a length is computed anew."""
        stmt = self._lengths.get(operand.name) if isinstance(operand, Value) else None
        if stmt is None:
            return operand
        args = tuple(self._operand(self._latest(a)) for a in stmt.args)
        result = replace(stmt.result, name=self._fresh(stmt.result.name))
        self._made.append(replace(stmt, results=(result,), args=args))
        return result

    def _fresh(self, name: str) -> str:
        number = 1
        while f"{name}_{number}" in self._taken:
            number += 1
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"

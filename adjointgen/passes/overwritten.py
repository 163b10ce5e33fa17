"""Which versions of arrays are read after a store in place has overwritten them.

    b = store(a, v, i)
    c = sin(a)              `a` stands nowhere any more: `insert-copies` should have copied it

One walk in the order of execution. What enters a loop, or is yielded by an arm, is overwritten with
what the loop carries, or the branch gives. A view is not looked at, since what is written through
it is stored into its base as well, and neither is what leaves a loop, which may have exchanged its
arrays. The body of a loop is walked twice: what an iteration overwrites, the next must not read.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    operands_of,
    results_of,
)


def read_after_overwriting(function: Function) -> list[str]:
    """The names of values that are read although their storage has been overwritten."""
    walk = _Walk()
    walk.block(function.body)
    return [*walk.found]


class _Walk:
    """`same` has what a name may stand for, `holders` the names that do; `gone` is overwritten."""

    def __init__(self) -> None:
        self.same: dict[str, frozenset[str]] = {}
        self.holders: dict[str, set[str]] = {}
        self.gone: set[str] = set()
        self.found: dict[str, None] = {}

    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            self.read(operands_of(stmt))
            self.gone -= {r.name for r in results_of(stmt)}
            self.statement(stmt)
        self.read(block.yields)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Apply(op=op, args=(Value() as base, *_)) if op in WRITES:
                self.overwrite(base)
            case Loop() | While():
                self.loop(stmt)
            case Branch():
                self.branch(stmt)
            case _:
                pass

    def loop(self, loop: Loop | While) -> None:
        before = set(self.gone)
        for _ in range(2):
            for param, init in zip(loop.body.params, loop.inits, strict=True):
                self.name(param, {init})
            if isinstance(loop, While):
                self.block(loop.test)
            self.block(loop.body)
            inside = {p.name for p in loop.body.params}
            self.gone -= inside
        self.gone |= before

    def branch(self, branch: Branch) -> None:
        before, after = set(self.gone), set[str]()
        for arm in (branch.then, branch.orelse):
            self.gone = set(before)
            self.block(arm)
            after |= self.gone
        self.gone = after
        for k, result in enumerate(branch.results):
            self.name(result, {branch.then.yields[k], branch.orelse.yields[k]})

    def name(self, value: Value, others: set[Operand]) -> None:
        """`value` is another name of one of the others."""
        if value.type.is_scalar:
            return
        names = [o.name for o in others if isinstance(o, Value)]
        found = frozenset(names).union(*(self.same.get(n, frozenset()) for n in names))
        self.same[value.name] = found - {value.name}
        self.gone.discard(value.name)
        for other in found if len(others) == 1 else ():
            self.holders.setdefault(other, set()).add(value.name)

    def overwrite(self, base: Value) -> None:
        """Every name that may be this array is gone."""
        for name in {base.name, *self.same.get(base.name, ())}:
            self.gone |= {name, *self.holders.get(name, ())}

    def is_gone(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand.name in self.gone

    def read(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            if self.is_gone(operand):
                assert isinstance(operand, Value)
                self.found[operand.name] = None

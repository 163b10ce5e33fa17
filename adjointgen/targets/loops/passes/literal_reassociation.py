"""Reassociation: a literal factor is multiplied by the factor that is there first.

    for k in range(n):                          for k in range(n):
        x_bar = 2.0 * x_bar * x[k]    ->            x_bar *= 2.0 * x[k]
        y_bar = 2.0 * a * x_bar                     y_bar = (2.0 * a) * x_bar

In a loop a number may wait for the last iteration, and every product on that way counts; what does
not wait is computed meanwhile, and a literal times a number from outside is computed once. The
other factors keep their order, so that nothing overflows that did not. The user's own products stay
as they are. (Critical paths of recurrences: Hennessy and Patterson 2017, section 3.1.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from adjointgen.ir.edit import name_of, reads_by, rebuild, substitute, substitute_stmt
from adjointgen.ir.nodes import (
    NESTED,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    defined_in,
    reads_of,
    results_of,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names

MOST = 256.0
"""The largest literal that moves; products of larger ones may be more than a number can be."""
OUTSIDE, INSIDE, LATE = range(3)
"""When a factor is there: before the loop, in the iteration, after the last iteration."""


def literals_first(function: Function, primal: Collection[str]) -> Function:
    """The function with such literals moved; `primal` are the names of the user's values."""
    builder = Builder(Names.of(function))

    def inner(block: Block) -> Block:
        return replace(block, stmts=tuple(map(statement, block.stmts)))

    def statement(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, NESTED):
            return stmt
        made = rebuild(stmt, lambda operand: operand, inner)
        if isinstance(made, Loop):
            return replace(made, body=_Body(made, primal, builder).block(made.body))
        return made

    return replace(function, body=inner(function.body))


class _Body:
    """The body of one loop, without those of the loops inside."""

    def __init__(self, loop: Loop, primal: Collection[str], builder: Builder) -> None:
        self.primal = primal
        self.builder = builder
        self.inside = {v.name for v in defined_in(loop.body)} | {loop.index.name}
        self.late = {p.name for p in loop.body.params if p.type.is_scalar}
        self.reads = Counter(v.name for v in reads_of(loop.body))
        self.follow(loop.body)

    def follow(self, block: Block) -> None:
        """Note what is computed from what waits."""
        for stmt in block.stmts:
            if any(v.name in self.late for v in reads_by(stmt)):
                self.late |= {r.name for r in results_of(stmt)}
            if isinstance(stmt, Branch):
                self.follow(stmt.then)
                self.follow(stmt.orelse)

    def when(self, operand: Operand) -> int:
        name = name_of(operand)
        if name in self.late:
            return LATE
        return INSIDE if name in self.inside else OUTSIDE

    def block(self, block: Block) -> Block:
        products = {
            s.result.name: s for s in block.stmts if isinstance(s, Apply) and self.is_product(s)
        }
        users = {name_of(a): s for s in products.values() for a in s.args}
        moved: dict[str, Operand] = {}
        taken: dict[str, tuple[Operand, Const]] = {}
        for name, stmt in products.items():
            literal, factor = _parts(stmt)
            if literal is None or not isinstance(factor, Value) or self.reads[name] != 1:
                continue
            best = min(
                self.others(stmt, products, users), key=lambda f: self.when(f[1]), default=None
            )
            if best is not None and self.when(best[1]) < self.when(factor):
                user, other = best
                if user.result.name not in taken:
                    moved[name] = substitute(factor, moved)
                    taken[user.result.name] = other, literal
        return self.rewritten(block, moved, taken)

    def is_product(self, stmt: Apply) -> bool:
        """Whether a statement multiplies numbers of a derivative."""
        if stmt.op != "mul" or stmt.result.name in self.primal:
            return False
        return all(
            v.type.is_scalar and v.type.dtype == "float64" for v in (stmt.result, *stmt.args)
        )

    def others(
        self, stmt: Apply, products: dict[str, Apply], users: dict[str, Apply]
    ) -> Iterator[tuple[Apply, Operand]]:
        """The other factors of what a product is a part of, with what multiplies by them."""
        name = stmt.result.name
        while self.reads[name] == 1 and name in users:
            user = users[name]
            for arg in user.args:
                if isinstance(arg, Value) and arg.name != name:
                    yield user, arg
            name = user.result.name

    def rewritten(
        self, block: Block, moved: dict[str, Operand], taken: dict[str, tuple[Operand, Const]]
    ) -> Block:
        with self.builder.block() as made:
            for stmt in block.stmts:
                self.builder.span = stmt.span
                if isinstance(stmt, Branch):
                    stmt = rebuild(stmt, lambda operand: operand, self.block)
                name = next((r.name for r in results_of(stmt)), "")
                if name in moved:
                    continue
                stmt = substitute_stmt(stmt, moved)
                if name in taken and isinstance(stmt, Apply):
                    other, literal = taken[name]
                    other = substitute(other, moved)
                    product = self.builder.apply("mul", literal, other)
                    args = tuple(product if a == other else a for a in stmt.args)
                    stmt = replace(stmt, args=args)
                self.builder.add(stmt)
        return replace(block, stmts=tuple(made))


def _parts(stmt: Apply) -> tuple[Const | None, Operand | None]:
    """A literal, neither large nor small, and what it is multiplied by."""
    for literal, other in (stmt.args, stmt.args[::-1]):
        if isinstance(literal, Const) and 1 / MOST <= abs(float(str(literal.value))) <= MOST:
            return literal, other
    return None, None

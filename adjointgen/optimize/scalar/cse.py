"""Common-subexpression elimination: what is computed twice is computed once, where it pays.

Value numbering over the scopes of the program: a statement whose operation, operands and options
have been met in this block or one around it is replaced by the value found there. (Cocke and
Schwartz 1970; Briggs, Cooper and Simpson 1997, for numbering over dominating blocks.)

The user's text stays: of two statements that compute the same, one at least is the derivative's,
and that one goes; or both are numbers inside of expressions that the derivative needs names for.
An array is worth sharing unless it is a view; a scalar if it costs more than a name, in which what
its unnamed operands cost is counted, or if it has a name anyway.
What is stored into, carried or constructed to be filled is not shared, since a copy would follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from adjointgen.costs import NAME_COST
from adjointgen.ir.edit import name_of, rebuild, substitute, with_simple
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
    reads_of,
    walk,
)
from adjointgen.optimize.scalar.dce import has_effect
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.table import TABLE

# In scalar additions: about what naming a value costs, in time and to the reader.

Key = tuple[object, ...]
Results = tuple[Value, ...]


def share(
    function: Function, frozen: Collection[str] = frozenset(), own: Collection[str] = frozenset()
) -> Function:
    """The function without repeated computations; two that define names in `frozen` both stay.

    Of numbers without a name that are the user's `own`, one stays where both would get a name.
    """
    uses = Counter(v.name for v in reads_of(function.body))
    named = frozenset(name for name, count in uses.items() if count > 1)
    work = _Sharing(frozenset(frozen), frozenset(consumed(function)), named, frozenset(own))
    body = work.block(function.body)
    return replace(function, body=_turned_back(body, work.turned) if work.turned else body)


def _turned_back(body: Block, turned: Mapping[str, Apply]) -> Block:
    """`-(a / b)` as `-a / b` again where nothing else reads that quotient."""
    uses = Counter(v.name for v in reads_of(body))

    def back(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, Apply) or stmt.op != "neg" or uses[name_of(stmt.args[0])] > 1:
            return stmt
        return turned.get(stmt.result.name, stmt)

    return with_simple(body, back)


def consumed(function: Function) -> Iterator[str]:
    """The values whose storage goes over to another: written to, carried, or chosen."""
    for stmt in walk(function.body):
        given: tuple[Operand, ...] = ()
        match stmt:
            case Apply(op=op) if op in WRITES:
                given = stmt.args[:1]
            case Loop() | While():
                given = stmt.inits + stmt.body.yields
            case Branch():
                given = stmt.then.yields + stmt.orelse.yields
        yield from (v.name for v in given if isinstance(v, Value) and v.type.is_mutable)


@dataclass(slots=True)
class _Sharing:
    """`scopes` hold what has been computed, inner last; `number` tells which values are equal."""

    frozen: frozenset[str]
    consumed: frozenset[str]
    named: frozenset[str]
    own: frozenset[str]
    scopes: list[dict[Key, Results]] = field(default_factory=list)
    by: dict[str, Operand] = field(default_factory=dict)
    number: dict[str, str] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    signs: dict[str, Operand] = field(default_factory=dict)
    turned: dict[str, Apply] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        self.scopes.append({})
        stmts = [new for stmt in block.stmts if (new := self.statement(stmt)) is not None]
        self.scopes.pop()
        return Block(block.params, tuple(stmts), tuple(map(self.operand, block.yields)))

    def operand(self, operand: Operand) -> Operand:
        return substitute(operand, self.by)

    def statement(self, stmt: Stmt) -> Stmt | None:
        """The statement, or None where its results have been computed before."""
        stmt = rebuild(stmt, self.operand, self.block)
        if not isinstance(stmt, Apply) or not is_pure(stmt):
            return stmt
        cost = self.weigh(stmt)
        if stmt.op == "neg":
            self.signs[stmt.result.name] = stmt.args[0]
        key = self.key(stmt)
        held = self.found(key)
        if held is None and (turned := self.opposite(stmt)) is not None:
            self.turned[stmt.result.name] = stmt
            stmt, key = turned, self.key(turned)
            held = self.found(key)
        if held is None or any(r.name in self.consumed for r in held):
            self.scopes[-1][key] = stmt.results
            return stmt
        if self.is_shared(stmt, held, cost):
            self.by.update(zip((r.name for r in stmt.results), held, strict=True))
            return None
        equal = zip(stmt.results, held, strict=True)
        self.number.update({r.name: self.number.get(h.name, h.name) for r, h in equal})
        return stmt

    def opposite(self, stmt: Apply) -> Apply | None:
        """`-a / b` as `-(a / b)` where that quotient is there; so for products of arrays."""
        if stmt.op != "div" and not (stmt.op == "mul" and stmt.result.type.is_array):
            return None
        for k, arg in enumerate(stmt.args):
            other = self.signs.get(name_of(arg))
            if other is None:
                continue
            args = (*stmt.args[:k], other, *stmt.args[k + 1 :])
            held = self.found(self.key(replace(stmt, args=args)))
            free = {stmt.result.name, *(h.name for h in held or ())}.isdisjoint(self.consumed)
            if held is not None and free and stmt.result.name not in self.frozen:
                return replace(stmt, op="neg", args=held)
        return None

    def key(self, stmt: Apply) -> Key:
        """What two statements that compute the same have in common."""
        args = [self.identity(a) for a in stmt.args]
        if stmt.op in ("add", "mul") and all(a.type.kind in ("scalar", "array") for a in stmt.args):
            args.sort(key=str)
        options = repr([o for o in stmt.options if o[0] != "spelling"]) if stmt.options else "[]"
        return (stmt.op, *args, options, tuple(r.type for r in stmt.results))

    def identity(self, operand: Operand) -> Key:
        if isinstance(operand, Value):
            return (self.number.get(operand.name, operand.name),)
        return (repr(operand.value), operand.type)

    def found(self, key: Key) -> Results | None:
        return next((scope[key] for scope in reversed(self.scopes) if key in scope), None)

    def weigh(self, stmt: Apply) -> float:
        """What a statement costs with those of its operands that are written inside it."""
        inside = {a.name for a in stmt.args if isinstance(a, Value) and not a.root}
        below = [self.cost.get(name, 0.0) for name in inside]
        cost = TABLE[stmt.op].cost + sum(c for c in below if c < NAME_COST)
        self.cost.update(dict.fromkeys((r.name for r in stmt.results), cost))
        return cost

    def is_shared(self, stmt: Apply, held: Results, cost: float) -> bool:
        if any(r.name in self.consumed for r in stmt.results):
            return False
        if any(r.name in self.frozen for r in stmt.results):
            return self.is_named_twice(stmt, held)
        if any(not r.type.is_scalar for r in held):
            return cost > 0 and not TABLE[stmt.op].alias
        both = all(v.name in self.named for v in (*stmt.results, *held))
        return cost >= (1.0 if both or any(h.root for h in held) else NAME_COST)

    def is_named_twice(self, stmt: Apply, held: Results) -> bool:
        """Whether numbers that the user has no name for would have two names for one value.

        Elements of arrays and their indices stay: what is known of them goes by their names.
        """
        both = (*stmt.results, *held)
        free = TABLE[stmt.op].noun != "part" and all(r.name in self.own for r in stmt.results)
        return free and all(
            v.type.is_scalar and v.type.is_differentiable and not v.root and v.name in self.named
            for v in both
        )


def is_pure(stmt: Apply) -> bool:
    """Whether a statement may be left out where its results are known."""
    row = TABLE.rows.get(stmt.op)
    if row is None or not stmt.results or row.fresh or has_effect(stmt):
        return False
    numbers = all(r.type.kind in ("scalar", "array") for r in stmt.results)
    return numbers and row.kind != "refuse"
